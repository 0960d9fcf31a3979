"""What a program is told: one object of a named schema, whatever happens; a page's exchange; what ``can`` foretells."""

import json
import os
import runpy
import shlex
import signal
import subprocess
import sys
import time

import pytest
from answered import ANSWERS, REGISTRY, SCHEMAS, told
from checkfolders import KINDS, write
from jsonschema import Draft202012Validator
from source_tree import ROOT
from test_docs import blocks

from theorytools.claims.judging.forecast import forecast
from theorytools.claims.judging.price import CALL, Price, counted
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.counted import read_counted
from theorytools.claims.papers.loading import load
from theorytools.claims.papers.work import declared
from theorytools.cli import answers, can, listing, main
from theorytools.cli.formats import CLOSED_PIPE, INTERRUPTED

PAGE = "docs/for_programs.md"


def asked(cli, *words):
    answer = cli(*words, "--json")
    return told(answer.out, answer.code)


# -- the schemas ---------------------------------------------------------------------------------------------------
def test_the_schemas_are_schemas_and_closed_unless_the_page_says_so():
    for one in SCHEMAS:
        Draft202012Validator.check_schema(one)
    assert [name for name, one in ANSWERS.items() if one.get("additionalProperties") is not False] == [
        "certify", "plan", "status", "sweep.answer",
    ]  # fmt: skip
    assert {one["properties"]["schema"]["const"] for one in ANSWERS.values()} == {
        f"theorytools.{name}/{answers.VERSION}" for name in ANSWERS
    }
    assert [one["$ref"].rpartition("/")[2] for one in SCHEMAS[0]["oneOf"]] == list(ANSWERS)
    page = (ROOT / PAGE).read_text("utf-8")
    assert [name for name in ANSWERS if f"theorytools.{name}/1`" not in page] == []


def test_schema_prints_one_answer_s_or_all_or_a_verdict_s(cli):
    assert json.loads(cli("schema").out) == SCHEMAS[0]
    assert json.loads(cli("schema", "verdict").out) == SCHEMAS[1]
    one = json.loads(cli("schema", "error").out)
    Draft202012Validator(one, registry=REGISTRY).validate(
        {"schema": "theorytools.error/1", "exit": 2, "error": dict.fromkeys(("given", "required", "why", "try"), "x")}
    )
    assert "schema verify" in cli("schema", "verfy").err


@pytest.mark.parametrize(
    ("words", "name", "code"),
    [("verify", "verify", 1), ("verify tiny.sampled --at N=2", "verify", 0), ("verify --quick --seed 3", "verify", 1),
     ("falsify tiny.refuted --seconds 0.2", "falsify", 1), ("falsify tiny.holds --seconds 0.2", "falsify", 0),
     ("can", "can", 3), ("can tiny.holds --at N=7", "can", 0), ("list", "list", 0), ("list qstr", "list", 0),
     ("list tiny --summary", "summary", 0), ("search few heads", "search", 0), ("search nowherezz", "search", 1),
     ("review tiny.holds", "review", 0), ("review tiny", "review", 0), ("review qstr.question_a", "review", 0),
     ("show tiny", "show", 0), ("show qstr.lemma_11", "show", 0), ("necessity tiny.holds", "necessity.answer", 0),
     ("grade tiny.holds", "grade", 0), ("reseed tiny.sampled --salts 2", "reseed", 0), ("doctor", "doctor", 0),
     ("certificates tiny.holds", "certificates", 3), ("phase", "diagrams", 0), ("sweep", "sweeps", 0),
     ("sweep figure_01a --plan", "plan", 0), ("diff a b", "error", 2), ("phase qstr.nowhere", "error", 2)],
)  # fmt: skip
def test_every_answer_is_of_its_schema(cli, tmp_path, words, name, code):
    write(tmp_path, "holds", "sampled", "refuted", "slow")
    data = asked(cli, *words.split())
    assert (data["schema"], data["exit"]) == (f"theorytools.{name}/1", code)


def test_reports_sites_differences_and_replays_are_of_their_schemas(cli, tmp_path):
    write(tmp_path, "holds")
    asked(cli, "verify")
    for words in (["report"], ["site", "public"], ["diff", "site", "site"]):
        assert asked(cli, *words)["exit"] == 0
    assert asked(cli, "phase", "qstr.slope", "--out", "one.json")["written"] == ["one.json"]
    assert json.loads((tmp_path / "one.json").read_text("utf-8"))["name"] == "qstr.slope"


# -- one answer and nothing beside it ------------------------------------------------------------------------------
FAILURES = [
    ("falsify tiny.nowhere", 2), ("falsify", 2), ("falsify tiny.holds --seconds none", 2), ("verify --nonsense", 2),
    ("nonsense", 2), ("verify --witness gone.json", 2), ("verify tiny.holds --at M=3", 2), ("can tiny.nowhere", 2),
    ("can tiny.holds --at M=3", 2), ("falsify tiny.raising", 4), ("show tiny.misspelt", 4), ("report nowhere", 2),
    ("verify --format markdown", 2), ("grade tiny.raising", 4), ("certify gone.pt qstr.lemma_11", 4),
]  # fmt: skip


@pytest.mark.parametrize(("words", "code"), FAILURES)
def test_a_failure_is_an_error_object_with_four_parts_and_said_in_words_too(cli, tmp_path, words, code):
    write(tmp_path, "holds", "raising", "misspelt")
    answer = cli(*words.split(), "--json")
    data = told(answer.out, answer.code)
    assert (data["schema"], answer.code) == ("theorytools.error/1", code)
    assert data["error"]["required"]
    assert data["error"]["given"].split()[0] in answer.err
    without = cli(*words.split())
    if "markdown" not in words:
        assert (without.code, without.out) == (code, "")


@pytest.mark.parametrize("words", ["verify --json", "falsify tiny.interrupted --json", "verify -j 1 --format json"])
def test_an_interrupted_run_gives_no_half_answer(cli, tmp_path, words):
    write(tmp_path, "holds", "interrupted")
    answer = cli(*words.split())
    data = told(answer.out, INTERRUPTED)
    assert (data["schema"], answer.code) == ("theorytools.error/1", INTERRUPTED)


def test_what_a_command_itself_prints_by_mistake_does_not_come_before_its_answer(tmp_path, monkeypatch, capfd):
    def talkative(given):
        print("Python's prose")
        os.write(1, b"C's prose\n")
        return find_roots(given)

    write(tmp_path, "holds")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(listing, "find_roots", talkative)
    monkeypatch.setattr(sys, "argv", ["theorytools", "list", "tiny", "--json"])
    with pytest.raises(SystemExit):
        main()
    out, err = capfd.readouterr()
    assert told(out)["schema"] == "theorytools.list/1"
    assert {"Python's prose", "C's prose"} <= set(err.splitlines())


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_long_answer_that_nobody_reads_to_its_end_ends_with_141(tmp_path, unbuffered):
    line = [sys.executable, "-m", "theorytools", "list", "--json"]
    env = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env) as process:
        assert process.stdout.read(1) == b"{"
        process.stdout.close()
        assert process.wait() == CLOSED_PIPE


def test_a_process_that_is_interrupted_ends_with_130_and_an_error_object(tmp_path):
    write(tmp_path, "sleeping")
    line = [sys.executable, "-m", "theorytools", "falsify", "tiny.sleeping", "--json", "--seconds", "50"]
    with subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "checks" / "tiny" / "__pycache__").is_dir() and process.poll() is None:
            time.sleep(0.05)  # until the check was imported
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate()
    assert (process.returncode, told(out)["exit"]) == (INTERRUPTED, INTERRUPTED)


def test_a_fault_of_ours_is_infrastructure_and_not_an_unexpected_outcome(cli, monkeypatch, capsys, tmp_path):
    write(tmp_path, "holds")
    monkeypatch.setattr(can, "forecast", lambda *_: 1 // 0)
    for words in (["can", "tiny.holds"], ["can", "tiny.holds", "--json"]):
        with pytest.raises(AssertionError, match="Traceback"):
            cli(*words)
    monkeypatch.setattr(answers, "crashed", lambda: None)
    data = asked(cli, "can", "tiny.holds")
    assert (data["exit"], data["error"]["given"]) == (4, "ZeroDivisionError: integer division or modulo by zero")


def test_signs_that_standard_output_lacks_are_escaped_and_not_replaced(tmp_path):
    write(tmp_path, "holds")
    toml = tmp_path / "checks" / "tiny" / "paper.toml"
    toml.write_text(toml.read_text("utf-8").replace("Counting", "Zählen ≤ ∞"), encoding="utf-8")
    line = [sys.executable, "-X", "utf8=0", "-m", "theorytools", "list", "tiny", "--json"]
    env = {"PATH": "", "PYTHONIOENCODING": "ascii", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, env=env)
    (paper,) = told(done.stdout)["papers"]
    assert (paper["title"], done.stdout.isascii()) == ("Zählen ≤ ∞", True)


def test_who_asks_for_help_is_a_person():
    assert answers.asked(["verify", "--json"])
    assert answers.asked(["list", "--format", "json"])
    assert answers.asked(["list", "--format=json"])
    assert not answers.asked(["verify", "--json", "--help"])
    assert not answers.asked(["search", "--", "--json"])
    assert not answers.asked(["list", "json"])


# -- what stays open -----------------------------------------------------------------------------------------------
def test_an_undecided_verdict_says_which_budget_ended_and_what_to_raise(cli, tmp_path):
    write(tmp_path, "undecided", "slow")
    data = asked(cli, "verify")
    assert (data["exit"], [v["outcome"] for v in data["verdicts"]]) == (3, ["UNDECIDED", "UNDECIDED"])
    by, why = {one["id"]: one for one in data["open"]}, {v["id"]: v["reason"] for v in data["verdicts"]}
    assert (by["tiny.undecided"]["budget"], by["tiny.undecided"]["spent"]) == ("bits", 4096)
    assert "Budget(bits=8192)" in by["tiny.undecided"]["raise"]
    assert by["tiny.slow"] == {
        "id": "tiny.slow", "budget": "record", "spent": None, "raise": "theorytools verify tiny.slow --tier minutes",
        "reason": why["tiny.slow"],
    }  # fmt: skip
    work = asked(cli, "verify", "qstr.lemma_11", "--at", "N=1000000", "--no-report")
    assert (work["exit"], work["open"][0]["budget"]) == (3, "operations")
    assert "THEORYTOOLS_OPERATIONS=" in work["open"][0]["raise"]


def test_a_decided_verdict_has_nothing_open(cli, tmp_path):
    write(tmp_path, "holds", "refuted", "sampled")
    assert asked(cli, "verify")["open"] == []


# -- witnesses -----------------------------------------------------------------------------------------------------
def test_a_witness_of_another_version_is_refused_by_both_names(cli, tmp_path):
    write(tmp_path, "refuted")
    file = tmp_path / asked(cli, "falsify", "tiny.refuted", "--seconds", "0.2", "--save", "found")["witness"]
    good = file.read_text("utf-8")
    for version, advice in (("2", "a newer theorytools"), ("0", "search again")):
        file.write_text(good.replace("witness/1", f"witness/{version}"), "utf-8")
        for words in (["verify", "--witness", file], ["falsify", "tiny.refuted", "--from", file]):
            error = asked(cli, *words)["error"]
            assert f"theorytools.witness/{version}" in error["given"]
            assert "theorytools.witness/1" in error["required"]
            assert (error["try"].startswith(advice), bool(error["why"])) == (True, True)
    file.write_text(good, "utf-8")
    assert asked(cli, "verify", "--witness", file)["witnesses"][0]["changed"] is False


def test_a_witness_whose_check_changed_counts_if_it_still_is_one_and_else_is_called_stale(cli, tmp_path):
    check = write(tmp_path, "refuted") / "tiny" / "refuted.py"
    file = asked(cli, "falsify", "tiny.refuted", "--seconds", "0.2", "--save", "found")["witness"]
    text = check.read_text("utf-8")
    check.write_text(text.replace("grid=grid(N=[2, 3])", "grid=grid(N=[2, 3, 4])"), "utf-8")
    assert asked(cli, "verify", "--witness", file)["witnesses"][0]["changed"] is True
    check.write_text(text.replace("size <= N - 1]", "size <= N]"), "utf-8")
    error = asked(cli, "verify", "--witness", file)["error"]
    assert error["why"] == "stale: the check changed since the file was written"


# -- what can foretells --------------------------------------------------------------------------------------------
FACTOR = 10  # the page states it


@pytest.mark.parametrize(
    ("id", "at", "work"),
    [("qstr.lemma_12", {"n": [200]}, "declared"), ("qstr.definition_05_descent.certified", {"N": [6]}, "declared"),
     ("qstr.lemma_25_width", {"r_x": [200]}, "kept"), ("qstr.lemma_11_bits.stored", {"N": [128]}, "kept"),
     ("tiny.holds", {"N": [6]}, "counted"), ("tiny.sampled", {"N": [3]}, "counted")],
)  # fmt: skip
def test_the_work_foretold_is_what_a_judgement_takes_within_the_factor_stated(tmp_path, id, at, work):
    roots = find_roots(None) if not id.startswith("tiny") else [write(tmp_path, "holds", "sampled")]
    entry = Catalogue(roots).one(id)
    found = forecast(entry, at)
    assert found.work == work
    judge_entry(entry, at)  # what is kept has been made
    taken = CALL * counted(lambda: judge_entry(entry, at))[0]
    foretold = sum(point.operations for point in found.points if not point.outside)
    assert taken / FACTOR <= foretold <= taken * FACTOR
    assert f"within a factor of {'ten' if FACTOR == 10 else FACTOR} " in " ".join(
        (ROOT / PAGE).read_text("utf-8").split()
    )
    assert all(point.seconds == point.operations / 1e8 for point in found.points)


def test_evidence_is_that_of_the_stored_verdict_and_else_of_the_cheapest_point(cli, tmp_path):
    checks = write(tmp_path, "holds", "sampled", "undecided", "slow")
    (one,) = asked(cli, "can", "tiny.sampled", "--at", "N=3")["claims"]
    assert (one["known"], one["why"], one["points"][0]["evidence"]) == ("judged", "judged at N=2", "SAMPLED")
    (same,) = asked(cli, "can", "tiny.sampled", "--at", "N=2")["claims"]  # the only point of its grid is the one asked
    assert (same["known"], same["points"][0]["evidence"], same["points"][0]["operations"]) == ("unknown", None, None)
    (slow,) = asked(cli, "can", "tiny.slow")["claims"]
    assert (slow["known"], [record["there"] for record in slow["records"]]) == ("unknown", [False])
    asked(cli, "verify", "tiny.holds", "tiny.undecided")
    (stored,) = asked(cli, "can", "tiny.holds", "--at", "N=3")["claims"]
    assert (stored["known"], stored["outcome"], stored["points"][0]["evidence"]) == ("stored", "HOLDS", "EXACT")
    left = asked(cli, "can", "tiny.undecided")
    assert (left["exit"], left["claims"][0]["known"], left["claims"][0]["outcome"]) == (3, "stored", "UNDECIDED")
    path = checks / "tiny" / "holds.py"
    path.write_text(path.read_text("utf-8").replace("size <= N]", "size <= 2 * N]"), "utf-8")
    assert asked(cli, "can", "tiny.holds")["claims"][0]["known"] == "judged"  # another check: that verdict is not its
    (committed,) = asked(cli, "can", "qstr.lemma_11", "--at", "N=128")["claims"]
    assert (committed["known"], committed["points"][0]["evidence"]) == ("committed", "EXACT")


def test_no_point_asked_for_is_judged_and_nothing_is_written(cli, tmp_path):
    path = write(tmp_path, "holds") / "tiny" / "holds.py"
    heard = KINDS["holds"].replace("    return list(", "    open('seen', 'a').write(f'{p.N} ')\n    return list(")
    path.write_text(heard.replace("@", "holds"), "utf-8")
    before = {file for file in tmp_path.rglob("*") if "__pycache__" not in file.parts}
    assert cli("can", "tiny.holds", "--at", "N=5,2").code == 0
    assert set((tmp_path / "seen").read_text().split()) == {"3"}
    after = {file for file in tmp_path.rglob("*") if "__pycache__" not in file.parts}
    assert after - before == {tmp_path / "seen"}


def test_a_dear_point_is_not_judged_to_be_asked(cli, tmp_path):
    path = write(tmp_path, "holds") / "tiny" / "holds.py"
    path.write_text(KINDS["holds"].replace("    return list(", "    [abs(k) for k in range(10**6)]\n    return list("))
    (one,) = asked(cli, "can", "tiny.holds")["claims"]
    assert (one["known"], one["work"], one["points"][0]["fits"]) == ("unknown", "unknown", None)
    assert "more than the 2e+07 operations" in one["why"]
    path.write_text(KINDS["raising"].replace("@", "holds"), "utf-8")  # with this work it is not even called
    (path.parent / "work.toml").write_text('[operations]\n"tiny.holds" = "1e9*N"\n', "utf-8")
    (one,) = asked(cli, "can", "tiny.holds", "--at", "N=4")["claims"]
    assert (one["known"], one["work"], one["largest"]) == ("unknown", "declared", {"N": 3})  # as large as the grid is
    assert "the cheapest point takes 2.0e+09 operations" in one["why"]


def test_the_largest_size_fits_and_the_next_does_not(cli, monkeypatch):
    (one,) = asked(cli, "can", "qstr.lemma_11", "--at", "N=1000000")["claims"]
    largest, limit = one["largest"]["N"], one["limit"]
    assert (limit["enforced"], one["points"][0]["fits"], one["work"]) == (True, False, "declared")
    for size, fits in ((largest, True), (largest + 1, False)):
        (moved,) = asked(cli, "can", "qstr.lemma_11", "--at", f"N={size}")["claims"]
        assert all(point["fits"] for point in moved["points"]) is fits
    assert f"at most N = {largest} " in cli("verify", "qstr.lemma_11", "--at", "N=1000000", "--no-report").out
    monkeypatch.setenv("THEORYTOOLS_OPERATIONS", "1e12")
    (waits,) = asked(cli, "can", "qstr.lemma_11", "--at", "N=1000000")["claims"]
    assert (waits["limit"]["operations"], waits["limit"]["bytes"], waits["points"][0]["fits"]) == (1e12, None, True)


def test_of_a_size_beyond_all_reason_the_largest_is_told_too(cli, tmp_path):
    write(tmp_path, "holds")
    (one,) = asked(cli, "can", "tiny.holds", "--at", f"N={10**30}")["claims"]
    largest = one["largest"]["N"]
    assert (one["points"][0]["fits"], 3 < largest < 10**12) == (False, True)
    for size, fits in ((largest, True), (largest + 1, False)):
        assert asked(cli, "can", "tiny.holds", "--at", f"N={size}")["claims"][0]["points"][0]["fits"] is fits


@pytest.mark.parametrize("id", ["qstr.lemma_12", "qstr.lemma_25_width"])
def test_what_a_grid_takes_is_what_its_points_take_with_their_controls(id):
    entry = Catalogue(find_roots(None)).one(id)
    claim = load(entry)
    price = Price(claim, None, declared(entry, claim), counted=read_counted(entry.folder).get(entry.id))
    assert sum(price.whole(dict(point)) for point in claim.grid) == pytest.approx(price.grid)
    assert price.whole(dict(claim.grid[0])) > price(dict(claim.grid[0]))


def test_points_outside_packages_that_are_missing_and_broken_checks_are_told(cli, tmp_path, monkeypatch):
    checks = write(tmp_path, "holds", "misspelt")
    data = asked(cli, "can", "tiny.holds", "--at", "N=1")
    assert (data["exit"], "N >= 2" in data["claims"][0]["points"][0]["outside"]) == (2, True)
    both = asked(cli, "can", "tiny")
    assert (both["exit"], list(both["errors"]), len(both["claims"])) == (4, ["tiny.misspelt"], 1)
    path = checks / "tiny" / "holds.py"
    path.write_text(path.read_text("utf-8") + "\n\ndef solved():\n    import cvxpy\n\n    return cvxpy\n", "utf-8")
    monkeypatch.setattr("theorytools.claims.judging.forecast.installed", lambda name: name != "cvxpy")
    data = asked(cli, "can", "tiny.holds")
    assert (data["exit"], data["claims"][0]["missing"]) == (3, [{"package": "cvxpy", "extra": "solvers"}])
    assert "pip install 'theorytools[solvers]'" in cli("can", "tiny.holds").out


# -- the page ------------------------------------------------------------------------------------------------------
def agrees(shown, found):
    """Whether what the page shows is what came: "…" is anything, and as a key stands for fields that are left out."""
    if shown == "…":
        return True
    if isinstance(shown, dict):
        rest = {name: value for name, value in shown.items() if name != "…"}
        same = rest.keys() <= found.keys() if "…" in shown else rest.keys() == found.keys()
        return same and all(agrees(value, found[name]) for name, value in rest.items())
    if isinstance(shown, list):
        return len(shown) == len(found) and all(map(agrees, shown, found))
    return shown == found


def test_the_exchange_of_the_page_runs_as_it_is_shown(cli, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "checks" / "resample"
    folder.mkdir(parents=True)
    (toml,), (check,) = blocks(PAGE, "toml"), blocks(PAGE, "python")
    (folder / "paper.toml").write_text(toml, "utf-8")
    (folder / "claim_1.py").write_text(check, "utf-8")
    commands, shown = blocks(PAGE, "sh"), [json.loads(block) for block in blocks(PAGE, "json")]
    assert len(commands) == len(shown) == 6
    for command, one in zip(commands, shown, strict=True):
        words = shlex.split(command)
        if words[0] == "python":
            monkeypatch.setattr(sys, "argv", words[1:])
            with pytest.raises(SystemExit) as ended:
                runpy.run_path(str(ROOT / words[1]), run_name="__main__")
            assert not ended.value.code
            data = json.loads(capsys.readouterr().out)
        else:
            answer = cli(*words[1:])
            data = told(answer.out, answer.code)
        assert agrees(one, data), (command, data)


def test_the_page_lists_the_exit_codes_of_the_command_line():
    text = (ROOT / PAGE).read_text("utf-8")
    codes = [int(line.split("|")[1]) for line in text.splitlines() if line.startswith("| ") and line[2].isdigit()]
    allowed = {code for one in ANSWERS.values() for code in one["properties"]["exit"]["enum"]}
    assert (set(codes), codes) == (allowed | {141}, [2, 4, 1, 3, 0, 130, 141])
