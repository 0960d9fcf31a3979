"""Reports, verdicts and records on disk: what was decided is kept, and no accident spoils a good report."""

import copy
import errno
import hashlib
import itertools
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

from theorytools.claims.judging.conclude import Stated, conclude
from theorytools.claims.judging.content_digest import sealed
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.judging.supported import unsupported
from theorytools.claims.judging.verdict import row_from_json
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.cli.stored import Store
from theorytools.files import canonical, write_text
from theorytools.machine_key import seal
from theorytools.reporting.cpu import PARTS
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


def test_a_relation_to_the_print_that_is_not_so_is_refused_at_its_line_and_the_report_stays(cli, tmp_path):
    toml = write(tmp_path, "holds") / "tiny" / "paper.toml"
    assert cli("verify").code == 0
    good, text = files_of(tmp_path / "site"), toml.read_text(encoding="utf-8")
    says = '[statement.printed]\nnumber = {}\nread = { v1 = "text" }\nrelation = "the same"\n'
    says += '[[statement.printed.formula]]\nof = "the size"\nformula = "<= N/2"\nclaim = "holds"\nquantity = "size"\n'
    toml.write_text(text.replace('ours = "a lemma"\n', says), encoding="utf-8")
    answer = cli("verify")
    assert answer.code == 4
    line = 1 + toml.read_text(encoding="utf-8").split("\n").index('relation = "the same"')
    assert f"paper.toml, line {line}: relation = 'the same'" in answer.err
    for said in ("required: a relation that is so", "2 times the printed one: weaker", "differs in a constant"):
        assert said in answer.err
    assert files_of(tmp_path / "site") == good
    toml.write_text(toml.read_text(encoding="utf-8").replace("N/2", "N"), encoding="utf-8")
    assert cli("verify").code == 0
    assert 'class="printed good"' in (tmp_path / "site" / "tiny" / "holds.html").read_text(encoding="utf-8")
    assert "the same 1" in cli("list", "tiny").out


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
    assert "where writing failed" in answer.json["errors"]["tiny.slow"]["given"]
    answer = cli("new", "mine", "lemma_1", "--checks", checks / "tiny" / "holds.py")
    assert answer.code == 4
    assert "required: a folder that can be made" in answer.err


def test_a_users_point_out_of_reach_is_undecided_with_its_reason(cli, tmp_path):
    write(tmp_path, "holds", "refuted")
    answer = cli("verify", "--at", f"N={10**30}", "--json")
    assert answer.code == 3
    for verdict in answer.json["verdicts"]:
        assert verdict["outcome"] == "UNDECIDED"
        assert "the work exceeds its limit: a size of more than 64 bits" in verdict["reason"]
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


def test_files_of_the_user_among_the_verdicts_stay_and_count_for_nothing(cli, tmp_path):
    checks = write(tmp_path, "holds", "worded")
    assert cli("verify").code == 0
    store = tmp_path / "site" / "verdicts"
    copy = (store / "tiny.holds.json").read_bytes()
    mine = dict.fromkeys(("tiny.holds (copy).json", "tiny.holds_old.json", "tiny.gone.json", "old.tiny.json"), copy)
    mine |= {"mine.json": b"{}", "tiny.note.json": b"[]", "note.txt": b"text"}
    mine["tiny.lost.json"] = json.dumps(sealed({**json.loads(copy), "id": "tiny.lost"})).encode()  # restored by hand
    for name, data in mine.items():
        (store / name).write_bytes(data)
    (checks / "tiny" / "worded.py").unlink()
    answer = cli("verify", "--json")
    assert (answer.code, answer.err.count("\n")) == (0, 1)
    assert "left alone in site/verdicts, no verdicts as a run writes them there: mine.json" in answer.err
    assert {name: (store / name).read_bytes() for name in mine} == mine
    assert not (store / "tiny.worded.json").exists()
    answer = cli("report", "--json")
    assert (answer.code, answer.json["verdicts"]) == (0, 1)


def test_a_verdict_of_a_removed_claim_goes_only_as_it_was_written(cli, tmp_path):
    checks = write(tmp_path, "holds", "worded", "sampled")
    assert cli("verify").code == 0
    store = tmp_path / "site" / "verdicts"
    noted = (store / "tiny.worded.json").read_text(encoding="utf-8").replace("HOLDS", "a note")
    (store / "tiny.worded.json").write_text(noted, encoding="utf-8")
    for kind in ("worded", "sampled"):
        (checks / "tiny" / f"{kind}.py").unlink()
    assert cli("verify").code == 0
    assert sorted(path.name for path in store.iterdir()) == ["tiny.holds.json", "tiny.worded.json"]
    assert (store / "tiny.worded.json").read_text(encoding="utf-8") == noted


def test_a_verdict_of_a_run_cut_off_goes_with_its_claim_once_it_was_taken(cli, tmp_path):
    checks = write(tmp_path, "holds", "worded")
    assert cli("verify").code == 0
    for name in ("written.json", "rendered"):
        (tmp_path / "site" / name).unlink()  # as a run that was cut off leaves it
    assert "stored before" in cli("verify").out
    (checks / "tiny" / "worded.py").unlink()
    assert cli("verify").code == 0
    assert [path.name for path in (tmp_path / "site" / "verdicts").iterdir()] == ["tiny.holds.json"]


@pytest.mark.parametrize(
    "listed",
    ["", "[]", '{"files": []}', '{"files": {"../../victim.json": "@", "tiny.mine.json": "@0"}}',
     '{"files": {"..": "@", "../verdicts/tiny.mine.json": "@", ".tiny.mine.json": "@"}}'],
)  # fmt: skip
def test_a_list_of_verdicts_that_cannot_be_trusted_deletes_nothing(tmp_path, listed):
    catalogue, store = Catalogue([write(tmp_path, "holds")]), Store(tmp_path / "site")
    store.prepare(catalogue)
    digest = hashlib.sha256(b"mine").hexdigest()
    for place in ("victim.json", "site/verdicts/tiny.mine.json", "site/verdicts/.tiny.mine.json"):
        (tmp_path / place).write_text("mine", encoding="utf-8")
    (tmp_path / "site" / "written.json").write_text(listed.replace("@", digest), encoding="utf-8")
    assert store.gone(catalogue) == []
    listed = {"tiny.mine.json": digest}
    (tmp_path / "site" / "written.json").write_text(json.dumps({"files": listed}), encoding="utf-8")
    assert store.gone(catalogue) == []
    honest = json.dumps({"files": listed, "seal": seal(canonical(listed))})
    (tmp_path / "site" / "written.json").write_text(honest, encoding="utf-8")
    assert [path.name for path in store.gone(catalogue)] == ["tiny.mine.json"]


LINKS = ("verdicts", "sections", "tiny", "times.json", "written.json")


@pytest.mark.parametrize(("command", "place"), [*(("verify", place) for place in LINKS), ("report", "tiny")])
def test_a_folder_with_links_inside_is_refused_before_anything_runs(cli, tmp_path, command, place):
    write(tmp_path, "holds")
    if command == "report":
        assert cli("verify").code == 0
        (tmp_path / "site" / place).rename(tmp_path / "victim")
    else:
        write(tmp_path, "interrupted")  # would end a run with 130
        (tmp_path / "site").mkdir()
        (tmp_path / "victim").write_text("mine", encoding="utf-8")
    (tmp_path / "site" / place).symlink_to("../victim")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    answer = cli(command)
    assert answer.code == 2
    assert f"given:    site/{place}, a link to ../victim" in answer.err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("command", ["necessity", "certificates"])
def test_what_other_commands_keep_in_the_report_is_behind_no_link(cli, tmp_path, command):
    write(tmp_path, "holds")
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "tiny.holds.json").write_text("mine", encoding="utf-8")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / command).symlink_to("../victim")
    answer = cli(command, "tiny.holds")
    assert answer.code == 2
    assert "a link to ../victim" in answer.err
    assert (tmp_path / "victim" / "tiny.holds.json").read_text(encoding="utf-8") == "mine"


def test_certificates_that_are_no_longer_go_and_no_other_file_of_that_name(cli, tmp_path):
    write(tmp_path, "holds")
    assert cli("verify").code == 0
    stored = tmp_path / "site" / "verdicts" / "tiny.holds.json"
    before = stored.read_bytes()
    old = tmp_path / "old" / "tiny.holds.json"
    old.parent.mkdir()
    old.write_text('{"schema": "theorytools.certificate/1", "id": "tiny.holds"}', encoding="utf-8")
    assert [cli("certificates", "--output", folder).code for folder in ("site/verdicts", "old")] == [3, 3]
    assert stored.read_bytes() == before
    assert not old.exists()


def test_stored_verdicts_are_reused_until_fresh_ones_are_asked_for(cli, tmp_path):
    write(tmp_path, "holds")
    out = cli("verify").out
    assert "stored before" not in out
    stored = tmp_path / "site" / "verdicts" / "tiny.holds.json"
    made, took = stored.stat().st_mtime_ns, json.loads(stored.read_text(encoding="utf-8"))["cpu"]
    (line,) = re.findall(r"judged in (.*?, with imports and pages, \S+ s)", " ".join(out.split()))
    whole, *parts, command = map(float, re.findall(r"\d+\.\d+", line))
    assert abs(whole - took["seconds"]) <= 0.006
    assert [abs(told - took[name]) <= 0.006 for told, name in zip(parts, PARTS, strict=False)] == [True] * 3
    assert abs(sum(parts) - whole) <= 0.021  # four rounded parts of a rounded whole
    assert command >= whole - 0.01
    again = cli("verify").out
    assert "stored before, unchanged" in again
    assert "judged in" not in again
    assert stored.stat().st_mtime_ns == made
    assert "stored before" not in cli("verify", "--fresh").out
    assert stored.stat().st_mtime_ns > made


@pytest.mark.parametrize("kind", ["beyond", "refuted"])
def test_what_is_refuted_is_on_its_page_wherever_the_violation_lies(cli, tmp_path, kind):
    write(tmp_path, kind)
    answer = cli("verify")
    assert "contradicted" not in answer.err
    assert "refuted" in (tmp_path / f"site/tiny/{kind}.html").read_text("utf-8")
    assert "stored before, unchanged" in cli("verify").out


def test_a_violation_beside_the_grid_comes_with_the_rows_of_the_repair_there(cli, tmp_path):
    file = write(tmp_path, "beyond") / "tiny" / "beyond.py"
    repair = 'controls=[Control("repair", asserts=[size <= N + 9]), '
    file.write_text(file.read_text("utf-8").replace("controls=[", repair), encoding="utf-8")
    answer = cli("verify")
    assert "contradicted" not in answer.err
    stored = json.loads((tmp_path / "site/verdicts/tiny.beyond.json").read_text("utf-8"))
    assert [row["control"] for row in stored["rows"] if row["point"] == stored["rows"][-1]["point"]] == ["repair", ""]
    assert "refuted" in (tmp_path / "site/tiny/beyond.html").read_text("utf-8")


def test_what_holds_has_the_sizes_of_all_its_rows_whatever_its_reason_ends_with(made):
    told = json.loads(json.dumps(judge_entry(made[0].own[0]).to_json()))
    assert unsupported(told) == ""
    told["rows"].sort(key=lambda row: row["control"], reverse=True)  # the last is one of the claim's own
    assert unsupported(sealed(told)) == ""
    rows = [row_from_json(row) for row in told["rows"][:-1]]
    narrow = json.loads(json.dumps(conclude(Stated.of(told), rows, told["skipped"])["tested"]))
    forged = {**told, "tested": narrow, "reason": f"{told['reason']}, off the grid"}
    assert "tested" in unsupported(sealed(forged))


def test_a_verdict_that_is_taken_over_is_shown_where_a_neighbour_changed_beside_it(cli, tmp_path):
    folder = write(tmp_path, "holds") / "tiny"
    (folder / "near.py").write_text("ONE = 1\n\n\ndef of_no_claim():\n    return 1\n", encoding="utf-8")
    file = folder / "holds.py"
    file.write_text(f"{file.read_text('utf-8')}\nfrom .near import ONE  # noqa\n", encoding="utf-8")
    assert cli("verify").code == 0
    (folder / "near.py").write_text("ONE = 1\n\n\ndef of_no_claim():\n    return 2\n", encoding="utf-8")
    (folder / "notes.toml").write_text("", encoding="utf-8")  # so that the pages are made anew
    answer = cli("verify")
    assert "stored before, unchanged" in answer.out
    assert "left out" not in answer.err
    assert "tiny.holds" in (tmp_path / "site/tiny/holds.html").read_text("utf-8")


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


NO_JSON = {"nested": "[" * 100_000, "half": '{"schema": "theory', "a list": "[3]", "bytes": "\0", "NaN": '{"a": NaN}'}


@pytest.mark.parametrize(
    "damage",
    [lambda d: d.pop("source"), lambda d: d.update(source="x"), lambda d: d.pop("cpu"), lambda d: d.pop("alpha"),
     lambda d: d.update(alpha={"spent": "x"}), lambda d: d.pop("label"), lambda d: d.update(command=5),
     lambda d: d.update(tier=[]), lambda d: d.update(rows="abc"), lambda d: d["source"].update(paper="../../victim"),
     lambda d: d.update(outcome="REFUTED", as_expected=False), lambda d: d["rows"][0].update(truth=False)],
)  # fmt: skip
def test_a_forged_verdict_under_its_own_digest_is_shown_nowhere_and_told_of(tmp_path, made, capsys, damage):
    catalogue, verdict = made
    store = Store(tmp_path / "site")
    store.prepare(catalogue)
    path = store.path / "tiny.holds.json"
    forged = copy.deepcopy(verdict)
    path.write_text(json.dumps(sealed(forged)), encoding="utf-8")
    assert [v["id"] for v in store.current(catalogue)[0]] == ["tiny.holds"]
    damage(forged)
    path.write_text(json.dumps(sealed(forged)), encoding="utf-8")
    assert store.current(catalogue)[0] == []
    assert "tiny.holds.json" in capsys.readouterr().err
    work = [(entry, {}) for entry in catalogue.own]
    assert store.reusable(work, "seconds") == {}
    store.finish(catalogue)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A catalogue of one claim, and its verdict as a run stores it."""
    folder = tmp_path_factory.mktemp("made")
    catalogue, store = Catalogue([write(folder, "holds")]), Store(folder / "site")
    store.prepare(catalogue)
    (entry,) = catalogue.own
    return catalogue, store.keep(entry, judge_entry(entry).to_json())


@pytest.mark.parametrize("text", NO_JSON.values(), ids=NO_JSON)
def test_what_a_run_keeps_for_the_next_is_made_again_where_it_cannot_be_read(tmp_path, made, text):
    catalogue, verdict = made
    for name in ("times.json", "rendered", "written.json", "manifest.json"):
        write_text(tmp_path / name, text)
    write_text(tmp_path / "verdicts" / "tiny.holds.json", text)
    write_text(tmp_path / "index.html", "<title>Theorems, checked</title>")  # of a report whose list is torn
    store = Store(tmp_path)
    store.prepare(catalogue)
    assert (store.hints(catalogue), store.rendered, store.gone(catalogue)) == ({}, False, [])
    assert store.reusable([(entry, {}) for entry in catalogue.own], "seconds") == {}
    assert store.current(catalogue) == ([], [])
    assert store.keep(catalogue.own[0], verdict)["inputs"] == verdict["inputs"]
    store.finish(catalogue)
    store.mark_rendered(catalogue)
    for name in ("times.json", "rendered", "written.json"):
        assert isinstance(json.loads((tmp_path / name).read_text(encoding="utf-8")), dict)


def test_no_time_that_was_not_measured_orders_the_work(tmp_path, made):
    forged = {"a": 2.5, "b": -1, "c": 1e308, "d": 10**400, "e": "1", "f": None, "g": [1]}
    write_text(tmp_path / "times.json", json.dumps(forged))
    assert Store(tmp_path).hints(made[0]) == {"a": 2.5}


@pytest.mark.parametrize("name", ["times.json", "rendered", "written.json"])
def test_a_file_that_saves_work_and_cannot_be_written_is_told_of(tmp_path, made, capsys, name):
    catalogue, verdict = made
    store = Store(tmp_path / "site")
    store.prepare(catalogue)
    (tmp_path / "site" / name).mkdir()
    store.keep(catalogue.own[0], verdict)
    store.finish(catalogue)
    store.mark_rendered(catalogue)
    assert f"site/{name} is not kept, and its work done again by the next run" in capsys.readouterr().err
    assert store.unkept == ""
    assert list(store.reusable([(catalogue.own[0], {})], "seconds")) == ["tiny.holds"]


@pytest.mark.parametrize("place", ["site", "site/verdicts"])
def test_where_nothing_can_be_kept_the_claims_are_judged_and_told(cli, tmp_path, place):
    write(tmp_path, "holds", "refuted")
    write_text(tmp_path / place, "in the way")
    answer = cli("verify", "--json")
    assert (answer.code, answer.json["exit"], answer.json["report"]) == (4, 4, None)
    assert [v["outcome"] for v in answer.json["verdicts"]] == ["HOLDS", "REFUTED"]
    assert answer.err.startswith("judged, but not kept by the next run nor shown on pages: the folder site/verdicts")
    assert (tmp_path / place).read_text(encoding="utf-8") == "in the way"


@pytest.mark.parametrize("room", [1, 2, 3, 6])  # the probe; a verdict; both; some of what follows
def test_a_disk_that_fills_up_loses_no_verdict(cli, tmp_path, monkeypatch, room):
    from theorytools import files

    checks = write(tmp_path, "holds", "worded")
    left, replace = [room], os.replace

    def full(source, target, **folders):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(source, target, **folders)

    monkeypatch.setattr(files.os, "replace", full)
    answer = cli("verify", "--json", "--checks", checks)
    assert (answer.code, [v["outcome"] for v in answer.json["verdicts"]]) == (4, ["HOLDS", "HOLDS"])
    assert "No space left on device" in answer.err
    assert "the report in site was left as it is" in answer.err
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize("text", [NO_JSON["nested"], '{"schema":"theorytools.committed/9"}'])
def test_records_beside_the_checks_that_cannot_be_read_are_left_out_with_a_line(cli, tmp_path, text):
    checks = write(tmp_path, "holds")
    records = [tmp_path / "reports" / name for name in ("tiny.json", "necessity.json", "mutation.json", "phase.json")]
    records.append(checks / "tiny" / "records" / "sweeps" / "a.json")
    for path in records:
        write_text(path, text)
    answer = cli("verify", "--json")
    assert (answer.code, [v["outcome"] for v in answer.json["verdicts"]]) == (0, ["HOLDS"])
    for path in (records[0], records[1], records[4]):
        assert answer.err.count(f"left out, as a file that cannot be read: {path}") == 1


def test_a_clock_that_jumps_changes_no_verdict_and_keeps_no_rest(cli, tmp_path, monkeypatch):
    write(tmp_path, "holds", "worded")
    now = itertools.chain([2e9, 1.0, -5.0], itertools.repeat(0.0))
    monkeypatch.setattr(time, "time", lambda: next(now))
    assert cli("verify").code == 0
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    ahead = time.time() + 1e6
    for path in [*(tmp_path / "site").rglob("*.json"), *(tmp_path / "checks").rglob("*.py")]:
        os.utime(path, (ahead, ahead))
    part = tmp_path / "site" / "verdicts" / f".a.json.{'0' * 12}.part"
    part.write_text("{", encoding="utf-8")
    os.utime(part, (ahead, ahead))
    assert "2 of 2 as expected (2 stored before, unchanged)" in cli("verify").out
    assert not part.exists()
    first = tmp_path / "checks" / "tiny" / "holds.py"
    first.write_text(check("refuted", "holds"), encoding="utf-8")
    os.utime(first, (1, 1))  # older than all that was kept
    assert "1 of 2 as expected (1 stored before, unchanged)" in cli("verify").out


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
