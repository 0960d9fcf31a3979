"""The command line: exit codes, messages instead of tracebacks, the same verdicts however it runs."""

import ctypes
import json
import os
import re
import subprocess
import sys

import pytest
from checkfolders import check, write

import theorytools
from theorytools.claims.judging.run import run
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.cli import main

HEAVY = ("numpy", "scipy", "sympy", "flint", "torch", "cvxpy", "matplotlib", "hypothesis")


def untimed(verdict):
    return {key: value for key, value in verdict.items() if key not in ("seconds", "cpu")}


# --- exit codes ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("kinds", "code", "said"),
    [(["holds"], 0, "HOLDS"), (["refuted"], 1, "REFUTED (not expected)"),
     (["powerless"], 1, "the control 'one item more' did not break"), (["undecided"], 3, "stays open at N=2"),
     (["slow"], 3, "run theorytools verify tiny.slow --tier minutes --record"),
     (["misspelt"], 4, "why: invalid syntax"), (["misfed"], 4, "axis N = 2"),
     (["uncontrolled"], 4, "at least one Control"), (["raising"], 4, 'raise RuntimeError("no items today")'),
     (["spendthrift"], 1, "above the limit 0.0001"), (["refuted", "undecided"], 1, ""),
     (["misspelt", "refuted", "undecided"], 4, "Lemma refuted")],
)  # fmt: skip
def test_exit_code_is_the_first_that_applies_and_the_others_still_run(cli, tmp_path, kinds, code, said):
    write(tmp_path, "holds", *kinds)
    answer = cli("verify")
    assert answer.code == code
    assert said in " ".join(f"{answer.out} {answer.err}".split())
    assert "tiny.holds" in answer.out
    assert (tmp_path / "site" / "index.html").is_file()


@pytest.mark.parametrize(
    ("point", "said"),
    [(["N=1"], "N >= 2' fails at N = 1"), (["N=5/2"], "N is an integer' fails: N = 5/2"), (["N=0"], "fails at N = 0"),
     (["N=nan"], "a number"), (["N=inf"], "a number"), (["N=-inf"], "a number"), (["N=two"], "a number"),
     (["N=[2,3]"], "a number"), (["N="], "NAME=VALUE"), (["N"], "NAME=VALUE"),
     (["M=3"], "an axis of the chosen claims: N"), (["N=3", "N=4"], "one value for each letter")],
)  # fmt: skip
def test_a_point_outside_the_hypotheses_or_no_point_at_all(cli, tmp_path, point, said):
    write(tmp_path, "holds", "misspelt")
    answer = cli("verify", *(part for text in point for part in ("--at", text)))
    assert answer.code == 2  # before the 4 of the check that does not load
    for part in ("given:", "required:", said):
        assert part in answer.err
    assert not (tmp_path / "site").exists()


def test_a_claim_named_in_full_must_have_the_letters_and_others_are_left_out_aloud(cli, tmp_path):
    write(tmp_path, "holds", "worded")  # axes N, and N and kind
    answer = cli("verify", "tiny.holds", "tiny.worded", "--at", "kind=plain", "--json")
    assert (answer.code, answer.json["schema"], (tmp_path / "site").exists()) == (2, "theorytools.error/1", False)
    for part in ("given:    the letter kind for tiny.holds", "required: axes of that claim: N", "why:", "try:"):
        assert part in answer.err
    assert "the letters M, kind for tiny.holds" in cli("verify", "tiny.holds", "--at", "kind=plain", "--at", "M=1").err
    answer = cli("verify", "tiny", "--at", "kind=plain", "--json")
    assert answer.err == "not judged, without an axis kind: tiny.holds\n"
    assert (answer.code, answer.json["left_out"]) == (0, ["tiny.holds"])
    assert [v["id"] for v in answer.json["verdicts"]] == ["tiny.worded"]
    answer = cli("verify", "tiny.holds", "--at", "N=3", "--json")
    assert (answer.code, answer.err, answer.json["left_out"]) == (0, "", [])


def test_claims_that_have_some_of_the_letters_are_judged_there_aloud(cli, tmp_path):
    write(tmp_path, "holds", "worded")
    answer = cli("verify", "tiny", "--at", "N=3", "--at", "kind=plain")
    assert answer.code == 0
    assert answer.err == "judged without kind, which they have no axis for: tiny.holds\n"
    assert "2 of 2 hold at the points asked for" in answer.out


@pytest.mark.parametrize("value", ["fancy", "3"])
def test_a_word_belongs_where_words_are(cli, tmp_path, value):
    write(tmp_path, "worded")
    answer = cli("verify", "--at", f"kind={value}")
    assert (answer.code, "one of plain" in answer.err) == (2, True)
    assert cli("verify", "--at", "kind=plain").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["verify", "tiny.hold"], "did you mean tiny.holds"),
     (["verify", "--tier", "days"], "one of seconds, minutes, hours"), (["verify", "--jobs", "-1"], "--jobs"),
     (["verify", "--checks", "nowhere"], "<paper>/paper.toml"),
     (["verify", "--record", "--at", "N=3"], "the claim's own grid"),
     (["show", "nothing"], "theorytools list shows all"), (["falsify", "tiny"], "one claim"),
     (["falsify", "tiny.holds", "--seconds", "nan"], "--seconds"),
     (["falsify", "tiny.holds", "--seconds", "inf"], "a number of seconds"),
     (["report", "empty"], "theorytools verify writes them"), (["new", "Tiny", "lemma_1"], "lower-case"),
     (["new", "tiny", "notation"], "reserved"), (["new", "tiny", "holds"], "left alone"),
     (["frobnicate"], "frobnicate")],
)  # fmt: skip
def test_usage_errors(cli, tmp_path, arguments, said):
    write(tmp_path, "holds", "refuted")
    answer = cli(*arguments)
    assert answer.code == 2
    assert said in answer.err


def test_python_returns_inapplicable_where_the_command_line_says_2(tmp_path):
    checks = write(tmp_path, "holds")
    verdict = theorytools.verify("tiny.holds", checks=checks, N=1)
    assert (verdict.outcome, verdict.as_expected) == ("INAPPLICABLE", False)
    assert "N >= 2" in verdict.reason
    with pytest.raises(theorytools.DomainError, match="a number"):
        theorytools.verify("tiny.holds", checks=checks, N="many")
    with pytest.raises(theorytools.DomainError, match="finite"):
        theorytools.verify("tiny.holds", checks=checks, N=float("nan"))
    with pytest.raises(theorytools.CheckError, match="no items today"):
        theorytools.verify("tiny.raising", checks=write(tmp_path, "raising"))


def test_a_paper_that_cannot_be_read_does_not_hide_the_others(cli, tmp_path):
    write(tmp_path, "holds")
    other = write(tmp_path, "holds", paper="torn") / "torn" / "paper.toml"
    other.write_text("[paper\n", encoding="utf-8")
    for command in (["verify"], ["list"]):
        answer = cli(*command)
        assert answer.code == 4
        assert "tiny.holds" in answer.out
        assert "torn/paper.toml" in answer.err


# --- the same verdicts --------------------------------------------------------------------------------------------
def test_verdicts_are_the_same_from_a_pool_in_reverse_order_where_one_check_kills_its_process(tmp_path):
    kinds = ["holds", "refuted", "sampled", "undecided", "dying"]
    entries = Catalogue(write(tmp_path, *kinds)).select([f"tiny.{kind}" for kind in kinds])
    alive = [(entry, {}) for entry in entries if entry.stem != "dying"]
    serial = {result.entry.id: untimed(result.verdict) for result in run(alive)}
    pooled = {r.entry.id: r for r in run([(entry, {}) for entry in reversed(entries)], processes=2)}
    assert pooled.keys() == {f"tiny.{kind}" for kind in kinds}
    assert "whose process died" in pooled.pop("tiny.dying").error
    assert {id: untimed(result.verdict) for id, result in pooled.items()} == serial


def test_json_is_all_that_stdout_carries(cli, tmp_path):
    write(tmp_path, "printing", "raising")
    answer = cli("verify", "--json")
    assert (answer.code, answer.json["exit"]) == (4, 4)
    assert [v["id"] for v in answer.json["verdicts"]] == ["tiny.printing"]
    assert "no items today" in answer.json["errors"]["tiny.raising"]["given"]
    assert "a check that talks" in answer.err
    for command in (["list"], ["show", "tiny.printing"], ["falsify", "tiny.printing", "--seconds", "0.5"]):
        assert cli(*command, "--json").json


@pytest.fixture
def descriptors(tmp_path, monkeypatch, capfd):
    """Run ``theorytools …`` in this process; return what came to file descriptors 1 and 2, C's buffers included."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["theorytools", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        ctypes.CDLL(None).fflush(None)
        assert (ended.value.code or 0) in (0, 3)  # 3: nothing to certify
        return capfd.readouterr()

    return call


@pytest.mark.parametrize(
    ("command", "sign"),
    [("verify --json --fresh --jobs 1", '{"schema"'), ("verify --json --fresh --jobs 2", '{"schema"'),
     ("verify --fresh", "tiny."), ("verify --format markdown --fresh", "|"), ("show tiny.banner --json", "{"),
     ("falsify tiny.banner --seconds 0.1 --json", "{"), ("certificates tiny.banner --json --output certs", "{"),
     ("necessity tiny.banner --json", "{"), ("table tiny.banner --format csv", "N,"),
     ("figure tiny.banner --format csv -o figure.csv", "figure.csv"), ("list tiny --summary --json", "{"),
     ("can tiny.banner --json", "{"), ("can tiny.banner", "tiny.")],
)  # fmt: skip
def test_nothing_but_the_answer_comes_to_standard_output_whoever_prints(descriptors, tmp_path, command, sign):
    write(tmp_path, "banner", *(["holds"] if "jobs" in command else []))
    said = descriptors(*command.split())
    assert said.out.startswith(sign)
    assert "speaks" not in said.out
    assert "an import speaks\n" in said.err
    if command.startswith("verify"):
        assert {"C speaks", "C speaks late", "Python speaks"} <= set(said.err.splitlines())


@pytest.mark.parametrize("command", ["verify --json --no-report", "verify --json --no-report 2>&-", "list tiny >&-"])
def test_a_banner_does_not_follow_the_answer_when_the_process_ends(tmp_path, command):
    write(tmp_path, "banner")
    line = ["sh", "-c", f'exec "$0" -m theorytools {command}', sys.executable]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, env=buffered)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    if command.startswith("verify"):
        assert json.loads(done.stdout)["verdicts"][0]["outcome"] == "HOLDS"
    if command.endswith("report"):
        assert "C speaks late" in done.stderr


# --- the other commands -------------------------------------------------------------------------------------------
def test_list_and_show(cli, tmp_path):
    checks = write(tmp_path, "holds", "misspelt")
    (checks / "tiny" / "extra.py").write_text(check("holds"), encoding="utf-8")
    answer = cli("list")
    assert answer.code == 0
    assert "3 of 3 statements have checks" in answer.out
    assert "tiny.misspelt" in answer.out
    assert "tiny.extra  extra (not listed), 1 claim" in answer.out  # in paper.toml
    answer = cli("show", "Lemma holds")
    for text in ("Among N items", "|x| ≤ N", "one item more", "Nobody", "checks/tiny/holds.py"):
        assert text in answer.out
    assert "Setting" not in answer.out
    assert "\nSetting  " in cli("show", "tiny.holds", "--all").out
    answer = cli("show", "tiny")
    assert answer.code == 4  # of one claim; the others are shown
    assert "tiny.holds" in answer.out
    assert "invalid syntax" in answer.err


@pytest.mark.parametrize("width", [60, 80])
def test_list_show_and_search_fit_a_terminal_and_cut_no_id(cli, tmp_path, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    answer = cli("list")
    names = [line for line in answer.out.splitlines() if re.match(r"\w+\.\w+  ", line)]
    assert len(names) > 80
    for asked in (answer, cli("show", "qstr.lemma_11"), cli("search", "few", "heads")):
        assert all(len(line) <= width for line in asked.out.splitlines() if len(line.split()) > 1)
    one = cli("list", "qstr.lemma_11").out
    claims = cli("list", "qstr.lemma_11", "--json").json["papers"][0]["statements"][0]["claims"]
    assert len(claims) > 20
    assert all(re.search(rf"^    {re.escape(id)}\b", one, re.M) for id in claims)


def test_list_by_role_and_in_other_formats(cli, tmp_path):
    write(tmp_path, "holds", "refuted")
    roles = cli("list", "--role", "pitfall").out
    assert "qstr.lemma_11_norms.class_norm  pitfall" in " ".join(roles.split()).replace(" pitfall:", "  pitfall:")
    assert "statement:" not in roles
    assert (answer := cli("list", "--role", "theorem")).code == 2
    assert "variant" in answer.err  # the roles there are
    for words in (
        ["list", "tiny"],
        ["show", "tiny.holds"],
        ["search", "items"],
        ["verify", "tiny"],
        ["list", "--summary"],
    ):
        marked = cli(*words, "--format", "markdown")
        assert re.search(r"^(\||### )", marked.out, re.M), (words, marked.out)
        assert cli(*words, "--format", "json").out.lstrip()[0] in "[{"
        assert cli(*words, "--format", "yaml").code == 2
        assert cli(*words, "--format", "markdown", "--json").code == 2


def test_many_verdicts_are_summed_up_by_statement(cli, tmp_path, monkeypatch):
    from theorytools.cli import display

    write(tmp_path, "holds", "refuted", "sampled")
    monkeypatch.setattr(display, "FEW", 2)
    short, long = cli("verify"), cli("verify", "-v")
    assert re.search(r"tiny\.refuted +1 +0 +0 +1 +0 +exact", short.out)
    assert "not expected" in long.out
    assert "-v" in short.out
    assert short.code == long.code == 1
    assert "tiny.refuted" in short.out.partition("statement")[2]  # the reason of what is not as expected follows


def test_falsify_finds_the_smallest_violation_and_says_how_to_repeat_it(cli, tmp_path):
    write(tmp_path, "holds", "refuted", "raising")
    answer = cli("falsify", "tiny.refuted", "--seconds", "5")
    assert answer.code == 1
    assert "--at N=2" in answer.out
    assert cli(*answer.out.partition("reproduce: theorytools ")[2].split()).code == 1
    answer = cli("falsify", "tiny.holds", "--seconds", "0.2")
    assert (answer.code, "proves nothing" in answer.out) == (0, True)
    assert cli("falsify", "tiny.raising").code == 4


def test_doctor_says_what_is_unfit(cli, tmp_path, monkeypatch):
    from theorytools.cli import doctor

    asked = []
    for probe in ("_torch", "_solvers"):
        monkeypatch.setattr(doctor, probe, lambda probe=probe: asked.append(probe) or "well")
    write(tmp_path, "holds")
    answer = cli("doctor", "--json")
    assert answer.code == 0, answer.out
    assert all(probe["fit"] for probe in answer.json["probes"].values())
    assert asked == []
    assert cli("doctor", "--deep").code == 0
    assert asked == ["_solvers", "_torch"]
    write(tmp_path, "misspelt")
    answer = cli("doctor")
    assert answer.code == 4
    assert "UNFIT: ValueError: checks that cannot be read: tiny.misspelt" in " ".join(answer.out.split())


def test_help_and_list_stay_light(tmp_path):
    write(tmp_path, "holds")
    code = (
        "import sys\nfrom theorytools.cli import main\n"
        "for word in ('--help', 'list'):\n"
        "    sys.argv = ['theorytools', word]\n"
        "    try: main()\n"
        "    except SystemExit as end: assert not end.code, end.code\n"
        f"sys.exit(' '.join(m for m in {HEAVY} if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (1, "")
    for command in ("list", "show", "verify", "falsify", "report", "new", "doctor", "Lemma holds"):
        assert command in done.stdout


@pytest.mark.parametrize("words", [["show", "tiny.holds"], ["doctor"]])
def test_show_and_doctor_load_no_package_that_they_do_not_use(tmp_path, words):
    write(tmp_path, "holds")
    code = (
        "import sys\nfrom theorytools.cli import main\n"
        f"sys.argv = ['theorytools', *{words!r}]\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "heavy = ('scipy', 'torch', 'cvxpy', 'matplotlib', 'hypothesis', 'rich.progress', 'jinja2')\n"
        "sys.exit(' '.join(m for m in heavy if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (1, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])  # the write fails at the end, or within the command
def test_a_reader_that_goes_away_is_no_traceback_and_no_success(tmp_path, unbuffered):
    write(tmp_path, "holds")
    process = subprocess.Popen(
        [sys.executable, "-m", "theorytools", "list"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )  # fmt: skip
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), err) == (141, b"")


def test_a_shell_completes_ids(tmp_path, monkeypatch):
    from theorytools.cli.app import _ids

    write(tmp_path, "holds")
    monkeypatch.chdir(tmp_path)
    assert _ids("tiny") == ["tiny", "tiny.holds"]
    assert "qstr.lemma_11" in _ids("qstr.lemma_1")
    assert _ids("nothing.of_the_kind") == []
    (tmp_path / "checks" / "tiny" / "paper.toml").write_text("[paper\n", encoding="utf-8")
    assert "qstr" in _ids("q")  # what cannot be read is left out
