"""Reports, verdicts and records on disk: what was decided is kept, and no accident spoils a good report."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from checkfolders import check, write
from source_tree import ROOT

from theorytools.claims.judging.sealed import sealed
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.cli.stored import Store
from theorytools.reporting.growing import finished

CHECKS = ROOT / "checks"


def files_of(folder):
    """The pages of a report and what it was made from; not what a run keeps for the next one."""
    kept = [*folder.rglob("*.html"), folder / "manifest.json"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in kept}


def test_an_unwritable_report_folder_is_found_before_anything_runs(cli, tmp_path):
    write(tmp_path, "interrupted")  # would end the run with 130
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    answer = cli("verify", "--report", "taken")
    assert answer.code == 4
    assert "required: a folder that can be made and written to" in answer.err


def test_a_failed_run_keeps_the_good_report_and_its_verdicts(cli, tmp_path):
    checks = write(tmp_path, "holds", "worded")
    assert cli("verify").code == 0
    good = files_of(tmp_path / "site")
    (checks / "tiny" / "worded.py").write_text(check("raising", "worded"), encoding="utf-8")
    answer = cli("verify")  # in the same process: the changed file is read again
    assert answer.code == 4
    assert "no items today" in answer.err
    assert "was left as it is" in answer.err
    assert files_of(tmp_path / "site") == good
    assert "tiny.holds" in answer.out


def test_an_interrupted_run_keeps_finished_work_and_the_report(cli, tmp_path):
    checks = write(tmp_path, "holds")
    assert cli("verify").code == 0
    good = files_of(tmp_path / "site")
    write(tmp_path, "holds", "interrupted", "worded")
    (checks / "tiny" / "holds.py").write_text(check("holds", "one"), encoding="utf-8")
    answer = cli("verify", "--jobs", "1")
    assert answer.code == 130
    assert "1 of 3 claims decided" in answer.err
    assert files_of(tmp_path / "site") == good
    kept = tmp_path / "site" / "verdicts" / "tiny.holds.json"
    assert json.loads(kept.read_text())["label"] == "Lemma one"
    (checks / "tiny" / "interrupted.py").write_text(check("holds", "two"), encoding="utf-8")
    before = kept.stat().st_mtime_ns
    assert cli("verify").code == 0
    assert kept.stat().st_mtime_ns == before
    assert len(list(kept.parent.glob("*.json"))) == 3


def test_an_interrupt_ends_the_worker_processes_at_once(tmp_path):
    write(tmp_path, "holds", "sleeping")
    command = [sys.executable, "-m", "theorytools", "verify", "--jobs", "2"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests may run where it is ignored
    )  # fmt: skip
    decided = tmp_path / "site" / "verdicts" / "tiny.holds.json"
    while not decided.exists():
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)  # the sleeping claim would take twice as long
    assert process.returncode == 130
    assert "interrupted: 1 of 2" in err
    assert "Traceback" not in err
    assert not finished(tmp_path / "site")


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
    store = tmp_path / "site" / "verdicts"
    store.mkdir(parents=True)
    (store / "tiny.holds.json").write_text('{"schema": "theory', encoding="utf-8")
    (store / "note.json").write_text("[]", encoding="utf-8")
    assert cli("verify").code == 0
    assert (store / "note.json").read_text(encoding="utf-8") == "[]"
    assert json.loads((store / "tiny.holds.json").read_text())["outcome"] == "HOLDS"


def test_a_record_is_made_by_a_run_only_and_goes_stale_with_its_check(cli, tmp_path):
    checks = write(tmp_path, "slow")
    record = checks / "tiny" / "records" / "tiny.slow.json"
    assert cli("verify", "--record").code == 3
    assert not record.exists()  # nothing ran, so there is nothing to record
    assert cli("verify", "--tier", "minutes").code == 0  # what was not run is not kept
    assert cli("verify", "--tier", "minutes", "--record").code == 0
    made = record.read_bytes()
    answer = cli("verify", "--record", "--json")
    assert (answer.code, answer.json["verdicts"][0]["outcome"]) == (0, "HOLDS")
    assert "record of" in answer.json["verdicts"][0]["reason"]
    assert record.read_bytes() == made
    (checks / "tiny" / "slow.py").write_text(check("slow").replace("N=[2, 3]", "N=[2, 4]"), encoding="utf-8")
    answer = cli("verify")
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


def test_a_users_point_out_of_reach_is_undecided_with_its_reason(cli, tmp_path):
    write(tmp_path, "holds", "refuted")
    answer = cli("verify", "--at", f"N={10**30}", "--json")
    assert answer.code == 3
    for verdict in answer.json["verdicts"]:
        assert verdict["outcome"] == "UNDECIDED"
        assert "not computed: OverflowError" in verdict["reason"]
        assert verdict["skipped"][0]["point"] == {"N": str(10**30)}


def test_other_verdicts_stay_where_one_is_verified_and_one_of_a_removed_claim_goes(cli, tmp_path):
    checks = write(tmp_path, "holds", "worded")
    assert cli("verify").code == 0
    store = tmp_path / "site" / "verdicts"
    before = (store / "tiny.worded.json").read_bytes()
    assert cli("verify", "tiny.holds", "--fresh").code == 0
    assert (store / "tiny.worded.json").read_bytes() == before
    assert ">worded</a>" in (tmp_path / "site" / "claims.html").read_text(encoding="utf-8")
    (checks / "tiny" / "worded.py").unlink()
    assert cli("verify", "tiny.holds").code == 0
    assert [path.name for path in store.iterdir()] == ["tiny.holds.json"]
    assert ">worded</a>" not in (tmp_path / "site" / "claims.html").read_text(encoding="utf-8")


def test_stored_verdicts_are_reused_until_fresh_ones_are_asked_for(cli, tmp_path):
    write(tmp_path, "holds")
    assert "stored before" not in cli("verify").out
    stored = tmp_path / "site" / "verdicts" / "tiny.holds.json"
    made = stored.stat().st_mtime_ns
    assert "stored before, unchanged" in cli("verify").out
    assert stored.stat().st_mtime_ns == made
    assert "stored before" not in cli("verify", "--fresh").out
    assert stored.stat().st_mtime_ns > made


def test_a_report_is_written_again_where_something_beside_the_verdicts_changed(cli, tmp_path):
    checks = write(tmp_path, "holds")
    assert cli("verify").code == 0
    front = tmp_path / "site" / "index.html"
    front.write_text("older", encoding="utf-8")
    assert cli("verify").code == 0
    assert front.read_text("utf-8") == "older"  # nothing to show anew
    (checks / "tiny" / "notes.toml").write_text("", encoding="utf-8")
    assert "stored before, unchanged" in cli("verify").out
    assert "tiny" in front.read_text("utf-8")


@pytest.mark.parametrize("place", ["reports/phase.json", "checks/tiny/records/sweeps/a.json", "checks/tiny/phase/a.py"])
def test_a_new_record_makes_the_report_anew(tmp_path, place):
    checks = write(tmp_path, "holds")
    store, catalogue = Store(tmp_path / "site"), Catalogue([checks])
    store.prepare(catalogue)
    (tmp_path / "site" / "index.html").write_text("made", encoding="utf-8")
    store.mark_rendered(catalogue)
    assert store.rendered
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}", encoding="utf-8")
    assert not store.rendered
    store.mark_rendered(catalogue)
    assert store.rendered
    path.unlink()
    assert not store.rendered


@pytest.mark.parametrize("stamp", ["", "0f", "[]", '{"roots": 1, "state": ""}', '{"state": ""}'])
def test_a_stamp_that_cannot_be_read_is_of_no_report(tmp_path, stamp):
    write(tmp_path, "holds")
    store = Store(tmp_path / "site")
    store.path.mkdir(parents=True)
    (tmp_path / "site" / "index.html").write_text("made", encoding="utf-8")
    (tmp_path / "site" / "rendered").write_text(stamp, encoding="utf-8")
    assert not store.rendered


@pytest.mark.parametrize("dirty", [True, False])
def test_a_record_from_uncommitted_code_says_so_wherever_it_is_shown(cli, tmp_path, monkeypatch, dirty):
    write(tmp_path, "slow")
    monkeypatch.setattr("theorytools.claims.judging.record.source_commit", lambda folder: ("0123456789abcdef", dirty))
    assert cli("verify", "--tier", "minutes", "--record").code == 0
    said = [cli("verify").out, cli("show", "tiny.slow").out, (tmp_path / "site/tiny/slow.html").read_text("utf-8")]
    assert ["uncommitted code" in text for text in said] == [dirty] * 3
    assert "commit 0123456789ab" in said[1]


def test_trained_models_from_uncommitted_code_are_named(cli):
    asked = ["verify", "qstr.figure_01", "--checks", CHECKS]
    (verdict,) = cli(*asked, "--json", "--no-report").json["verdicts"]
    assert set(verdict["trained"]) == {"figure_01a.corrected", "figure_01a.released"}
    dirty = [name for name, made in verdict["trained"].items() if made["commit"].endswith("-dirty")]
    assert ("uncommitted code" in cli(*asked, "--no-report").out) == bool(dirty)


@pytest.mark.parametrize(
    "damage",
    [lambda text: text[: len(text) // 2], lambda text: text.replace("HOLDS", "REFUTED", 1),
     lambda text: text.replace('"power":', '"power":NaN,"old":', 1),
     lambda text: json.dumps({**json.loads(text), "id": 3}),
     lambda text: json.dumps(sealed({**json.loads(text), "tier": "never"})), lambda text: "[]"],
    ids=["half", "forged", "NaN", "another id", "another tier", "a list"],
)  # fmt: skip
def test_a_damaged_verdict_is_judged_again(cli, tmp_path, damage):
    write(tmp_path, "holds")
    assert cli("verify").code == 0
    stored = tmp_path / "site" / "verdicts" / "tiny.holds.json"
    good = json.loads(stored.read_text(encoding="utf-8"))
    stored.write_text(damage(stored.read_text(encoding="utf-8")), encoding="utf-8")
    answer = cli("verify")
    assert answer.code == 0
    assert "stored before" not in answer.out
    again = json.loads(stored.read_text(encoding="utf-8"))
    assert (again["outcome"], again["rows"], again["inputs"]) == (good["outcome"], good["rows"], good["inputs"])


def test_a_folder_of_other_checks_is_refused_and_left_alone(cli, tmp_path):
    write(tmp_path, "holds")
    assert cli("verify").code == 0
    good = files_of(tmp_path / "site")
    answer = cli("verify", "--checks", write(tmp_path / "elsewhere", "worded"))
    assert answer.code == 2
    assert "--report FOLDER names another" in answer.err
    assert files_of(tmp_path / "site") == good


def test_a_page_of_somebody_else_is_not_written_over(cli, tmp_path):
    write(tmp_path, "holds")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "index.html").write_text("<p>mine", encoding="utf-8")
    answer = cli("verify", "--report", "out")
    assert answer.code == 2
    assert "not of a report" in answer.err
    (left,) = (tmp_path / "out").rglob("*")
    assert left.read_bytes() == b"<p>mine"


def test_what_a_killed_run_left_half_written_goes_after_an_hour(cli, tmp_path):
    write(tmp_path, "holds")
    folder = tmp_path / "site" / "verdicts"
    folder.mkdir(parents=True)
    old, young, other = folder / f".a.json.{'0' * 12}.part", folder / f".b.json.{'1' * 12}.part", folder / ".mine.part"
    for path in (old, young, other):
        path.write_text("{", encoding="utf-8")
    for path in (old, other):
        os.utime(path, (time.time() - 4000,) * 2)
    assert cli("verify").code == 0
    assert [path.exists() for path in (old, young, other)] == [False, True, True]


def test_without_a_report_nothing_is_written(cli, tmp_path):
    write(tmp_path, "holds")
    before = sorted(path for path in tmp_path.rglob("*") if "__pycache__" not in path.parts)
    assert cli("verify", "--no-report").code == 0
    assert sorted(path for path in tmp_path.rglob("*") if "__pycache__" not in path.parts) == before
