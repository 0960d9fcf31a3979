"""Reports, verdicts and records on disk: what was decided is kept, and no accident spoils a good report."""

import json
import os
import re
import signal
import subprocess
import sys
import time

from checkfolders import check, write


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_an_unwritable_report_folder_is_found_before_anything_runs(cli, tmp_path):
    write(tmp_path, "interrupted")  # would end the run with 130
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    answer = cli("verify", "--report", "taken")
    assert answer.code == 4
    assert "required: a folder that can be made and written to" in answer.err


def test_a_failed_run_keeps_the_good_report_and_its_verdicts(cli, tmp_path):
    checks = write(tmp_path, "holds", "worded")
    assert cli("verify").code == 0
    good = files_of(tmp_path / "reports")
    (checks / "tiny" / "worded.py").write_text(check("raising", "worded"), encoding="utf-8")
    answer = cli("verify")  # in the same process: the changed file is read again
    assert answer.code == 4
    assert "no items today" in answer.err
    assert "was left as it is" in answer.err
    assert files_of(tmp_path / "reports") == good
    assert "tiny.holds" in answer.out


def test_an_interrupted_run_keeps_finished_work_and_the_report(cli, tmp_path):
    checks = write(tmp_path, "holds")
    assert cli("verify").code == 0
    good = files_of(tmp_path / "reports")
    write(tmp_path, "holds", "interrupted", "worded")
    (checks / "tiny" / "holds.py").write_text(check("holds", "one"), encoding="utf-8")
    answer = cli("verify")
    assert answer.code == 130
    assert "1 of 3 claims decided" in answer.err
    assert files_of(tmp_path / "reports") == good
    kept = tmp_path / "reports" / "verdicts" / "tiny.holds.json"
    assert json.loads(kept.read_text())["label"] == "Lemma one"
    write(tmp_path, "worded")
    (checks / "tiny" / "interrupted.py").write_text(check("holds", "two"), encoding="utf-8")
    before = kept.stat().st_mtime_ns
    (checks / "tiny" / "holds.py").write_text(check("holds", "one") + "# a comment\n", encoding="utf-8")
    assert cli("verify", "--resume").code == 0
    assert kept.stat().st_mtime_ns == before
    assert len(list(kept.parent.glob("*.json"))) == 3


def test_an_interrupt_ends_the_worker_processes_at_once(tmp_path):
    write(tmp_path, "holds", "sleeping")
    command = [sys.executable, "-m", "theorytools", "verify", "--jobs", "2"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    decided = tmp_path / "reports" / "verdicts" / "tiny.holds.json"
    while not decided.exists():
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)  # the sleeping claim would take twice as long
    assert process.returncode == 130
    assert "interrupted: 1 of 2" in err
    assert "Traceback" not in err
    assert not (tmp_path / "reports" / "index.html").exists()


def test_a_user_point_is_stored_beside_the_grid_where_a_report_is_asked_for(cli, tmp_path):
    write(tmp_path, "holds", "worded", "misspelt")
    assert cli("verify", "tiny.holds", "tiny.worded", "--report", "out").code == 0
    answer = cli("verify", "tiny.holds", "--at", "N=8.0", "--report", "out", "--json")
    assert answer.code == 0
    (verdict,) = answer.json["verdicts"]
    assert (verdict["command"], verdict["user_points"]) == ("theorytools verify tiny.holds --at N=8", True)
    assert {path.name for path in (tmp_path / "out" / "verdicts").iterdir()} == {
        "tiny.holds.json",
        "tiny.holds@N=8.json",
        "tiny.worded.json",
    }
    good = files_of(tmp_path / "out")
    page = (tmp_path / "out" / "tiny" / "holds.html").read_text("utf-8")
    assert re.findall(r'<section class="claim" id="([^"]*)"', page) == ["tiny.holds", "tiny.holds@N=8"]
    answer = cli("report", "out", "--json")
    assert (answer.code, answer.json["verdicts"]) == (0, 3)
    # a report is not replaced by an empty one where the checks are others
    assert cli("report", "out", "--checks", write(tmp_path / "elsewhere", "slow")).code == 2
    assert files_of(tmp_path / "out").keys() == good.keys()


def test_a_stored_file_that_is_no_verdict_is_left_out(cli, tmp_path):
    write(tmp_path, "holds")
    store = tmp_path / "reports" / "verdicts"
    store.mkdir(parents=True)
    (store / "tiny.holds.json").write_text('{"schema": "theory', encoding="utf-8")
    (store / "note.json").write_text("[]", encoding="utf-8")
    answer = cli("verify", "--resume")
    assert answer.code == 0
    assert "note.json" in answer.err
    assert json.loads((store / "tiny.holds.json").read_text())["outcome"] == "HOLDS"


def test_a_record_is_made_by_a_run_only_and_goes_stale_with_its_check(cli, tmp_path):
    checks = write(tmp_path, "slow")
    record = checks / "tiny" / "records" / "tiny.slow.json"
    assert cli("verify", "--record").code == 3
    assert not record.exists()  # nothing ran, so there is nothing to record
    assert cli("verify", "--resume", "--tier", "minutes").code == 0  # what was not run is not kept
    assert cli("verify", "--tier", "minutes", "--record").code == 0
    made = record.read_bytes()
    answer = cli("verify", "--record", "--json")
    assert (answer.code, answer.json["verdicts"][0]["outcome"]) == (0, "HOLDS")
    assert "record of" in answer.json["verdicts"][0]["reason"]
    assert record.read_bytes() == made
    (checks / "tiny" / "slow.py").write_text(check("slow").replace("N=[2, 3]", "N=[2, 4]"), encoding="utf-8")
    answer = cli("verify", "--resume")
    assert answer.code == 1
    assert "STALE" in answer.out
    record.write_text("{", encoding="utf-8")
    assert cli("verify").code == 1


def test_where_files_cannot_be_written_the_others_still_run(cli, tmp_path):
    checks = write(tmp_path, "holds", "slow")
    (checks / "tiny" / "records").write_text("a file", encoding="utf-8")
    answer = cli("verify", "--tier", "minutes", "--record", "--json")
    assert answer.code == 4
    assert [v["outcome"] for v in answer.json["verdicts"]] == ["HOLDS", "HOLDS"]
    assert "where writing failed" in answer.json["errors"]["tiny.slow"]
    answer = cli("new", "mine", "lemma_1", "--checks", checks / "tiny" / "holds.py")
    assert answer.code == 4
    assert "required: a folder that can be made" in answer.err


def test_an_error_at_a_users_point_names_the_point(cli, tmp_path):
    write(tmp_path, "holds", "refuted")
    answer = cli("verify", "--at", f"N={10**30}")
    assert answer.code == 4
    assert f"return list(range(p.N + extra)), at N={10**30}" in answer.err
    assert "another point" in answer.err
