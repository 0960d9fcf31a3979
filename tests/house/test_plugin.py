"""The pytest plugin: which files become items, what a failure says, and what a run may spend."""

import importlib
import re

import pytest
from checkfolders import NOTATION, check, write
from source_tree import FRONTS

from theorytools.claims.judging.record import write_record
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.reporting.plain_text import verdict_text

pytest_plugins = ["pytester"]
QUIET = ("-p", "no:cacheprovider", "-p", "no:benchmark", "-q")


@pytest.fixture(scope="module", autouse=True)
def _loaded(tmp_path_factory):
    """Import all that a claim needs: what a run inside a test is the first to import, pytester drops after it."""
    for entry in Catalogue(write(tmp_path_factory.mktemp("loaded"), "sampled", "undecided")).entries:
        verdict_text(judge_entry(entry).to_json())
    for front in map(importlib.import_module, FRONTS):
        for name in front.__all__:
            getattr(front, name)


@pytest.fixture
def checks(pytester):
    return write(pytester.path, "holds", "worded")


def test_a_mistake_is_told_with_its_line_and_what_to_write(pytester):
    file = write(pytester.path, "holds") / "tiny" / "holds.py"
    file.write_text(file.read_text(encoding="utf-8").replace("requires=", "require="), encoding="utf-8")
    told = pytester.runpytest_inprocess(*QUIET, "checks").stdout
    told.fnmatch_lines(
        ["given:    holds.py, line *, require=*", "why:      Claim has no require=", "try:      requires="]
    )


def spent(result):
    return re.search(r"theorytools: error probability spent (.*)", result.stdout.str()).group(1)


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [([], 2), (["checks"], 2), (["checks/tiny/holds.py"], 1), (["checks/tiny/holds.py::tiny.holds"], 1),
     (["-k", "worded"], 1), (["--doctest-modules"], 2), (["--doctest-modules", "checks/tiny/holds.py"], 1),
     (["--doctest-modules", "checks/tiny/notation.py"], 0), (["checks/tiny/notation.py"], 0)],
)  # fmt: skip
def test_one_item_per_claim_however_it_is_named(pytester, checks, arguments, passed):
    result = pytester.runpytest_inprocess(*QUIET, "-rA", *arguments)
    result.assert_outcomes(passed=passed)
    assert result.ret == (0 if passed else pytest.ExitCode.USAGE_ERROR)  # pytest: not found
    named = re.findall(r"PASSED checks/tiny/\w+\.py::(\S+)", result.stdout.str())
    assert set(named) <= {"tiny.holds", "tiny.worded"}
    assert len(named) == passed


def test_other_files_are_left_to_their_own_collectors(pytester, checks):
    foreign = pytester.mkdir("lemmas")
    (foreign / "lemma_11.py").write_text('claim = Claim("Lemma 11")\nraise SystemExit("imported")\n', encoding="utf-8")
    (foreign / "doc.py").write_text('"""\n>>> 1 + 1\n2\n"""\n', encoding="utf-8")
    (checks / "tiny" / "test_notation.py").write_text("def test_letters():\n    pass\n", encoding="utf-8")
    (checks / "tiny" / "_draft.py").write_text(check("refuted"), encoding="utf-8")
    (checks / "tiny" / "helper.py").write_text("from .notation import N\n", encoding="utf-8")
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=3)
    pytester.runpytest_inprocess(*QUIET, "lemmas/lemma_11.py").assert_outcomes(errors=1)  # python.py's, as ever
    result = pytester.runpytest_inprocess(*QUIET, "--doctest-modules", "--ignore", "lemmas/lemma_11.py")
    result.assert_outcomes(passed=4)


def test_two_folders_called_checks_do_not_meet(pytester):
    write(pytester.path / "one", "holds")
    home = write(pytester.path / "two", "holds") / "tiny"
    (home / "notation.py").write_text(NOTATION.replace("positive=True", "positive=False"), encoding="utf-8")
    (home / "holds.py").write_text(check("refuted"), encoding="utf-8")
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=1, failed=1)


def test_a_failure_is_a_table_or_a_message_and_no_traceback(pytester, checks):
    said = {
        "refuted": [
            "*REFUTED, expected HOLDS*",
            "point *measured *bound *evidence*",
            "N=2 *size *2 *<= *1 *REFUTED *exact",
        ],
        "powerless": ["*POWERLESS, expected HOLDS*", "*control 'one item more': did not break at * points*"],
        "undecided": ["*UNDECIDED, expected HOLDS*", "N=2 *open *enclosed"],
        "slow": ["*run theorytools verify tiny.slow --tier minutes --record*"],
        "misspelt": ["tiny.misspelt could not be judged", "why:      invalid syntax"],
        "raising": ["tiny.raising could not be judged", "*RuntimeError: no items today*"],
        "uncontrolled": ["tiny.uncontrolled could not be judged", "*at least one Control*"],
    }
    write(pytester.path, "holds", "worded", *said)
    result = pytester.runpytest_inprocess(*QUIET)
    result.assert_outcomes(passed=2, failed=len(said))
    for kind, lines in said.items():
        result.stdout.re_match_lines_random([f"_+ tiny.{kind} _+"])
        result.stdout.fnmatch_lines_random(lines)
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*theorytools/claims/*")


def test_a_slower_claim_is_judged_from_its_record(pytester):
    (entry,) = Catalogue(write(pytester.path, "slow")).entries
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(failed=1)
    pytester.runpytest_inprocess(*QUIET, "--tier", "hours").assert_outcomes(passed=1)
    write_record(entry, judge_entry(entry).to_json())
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=1)
    assert pytester.runpytest_inprocess(*QUIET, "--tier", "days").ret == pytest.ExitCode.USAGE_ERROR


def test_the_search_beside_the_grid_is_a_setting(pytester):
    write(pytester.path, "beyond")
    pytester.runpytest_inprocess(*QUIET, "-o", "theorytools_search=false").assert_outcomes(passed=1)
    result = pytester.runpytest_inprocess(*QUIET)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*REFUTED, expected HOLDS*"])


def told(folder):
    """What the claims of a folder spend: on the grid, and of that again the part of its looks that a search took."""
    total = 0.0
    for entry in Catalogue(folder / "checks").entries:
        verdict, alpha = judge_entry(entry), {"tiny.sampled": 1e-6, "tiny.spendthrift": 1e-3}.get(entry.id, 0.0)
        assert verdict.searched["evaluations"] < verdict.searched["most"]
        total += alpha * (1 + verdict.searched["evaluations"] / verdict.searched["most"])
    return f"{total:.3g}"


@pytest.mark.slow
def test_a_run_that_spends_too_much_fails_and_spends_the_same_in_parallel(pytester):
    write(pytester.path, "holds", "sampled")
    modest = pytester.runpytest_inprocess(*QUIET)
    assert (modest.ret, spent(modest)) == (0, told(pytester.path))
    write(pytester.path, "holds", "sampled", "spendthrift")
    serial = pytester.runpytest_inprocess(*QUIET)
    serial.assert_outcomes(passed=3)
    assert (serial.ret, spent(serial)) == (1, f"{told(pytester.path)}, above the limit 0.0001: the run fails")
    parallel = pytester.runpytest_subprocess(*QUIET, "-n", "2")
    parallel.assert_outcomes(passed=3)
    assert (parallel.ret, spent(parallel)) == (1, spent(serial))


def test_collecting_imports_nothing_heavy(pytester, checks):
    pytester.makeconftest(
        """
        import sys
        def pytest_collection_finish(session):
            heavy = ("numpy", "scipy", "sympy", "flint", "torch", "cvxpy", "matplotlib")
            print("items", len(session.items), "heavy", [name for name in heavy if name in sys.modules])
        """
    )
    result = pytester.runpytest_subprocess(*QUIET, "-s", "--collect-only")
    result.stdout.fnmatch_lines(["items 2 heavy []*"])


@pytest.mark.parametrize("workers", [(), pytest.param(("-n", "1"), marks=pytest.mark.slow)])
def test_the_summary_says_the_outcome_in_eighty_columns_however_long_the_name(pytester, monkeypatch, workers):
    """A message that is cut or left out hides what happened; one that only the main process knows is lost."""
    if workers:
        pytest.importorskip("xdist")
    write(pytester.path, "refuted", "powerless", "misspelt")
    deep = write(pytester.path / ("folder_" * 9), "powerless")
    for name, value in (("COLUMNS", "80"), ("CI", ""), ("BUILD_NUMBER", "")):
        monkeypatch.setenv(name, value)
        if not value:
            monkeypatch.delenv(name)
    run = pytester.runpytest_subprocess if workers else pytester.runpytest_inprocess
    result = run(*QUIET, *workers)
    lines = [line for line in result.outlines if "::tiny." in line]
    assert all(len(line) <= 80 for line in lines if str(deep.parent.name) not in line)
    result.stdout.fnmatch_lines_random([
        "FAILED checks/tiny/refuted.py::tiny.refuted - REFUTED at N=2: size 2, not <= 1",
        "FAILED checks/tiny/powerless.py::tiny.powerless - POWERLESS: *",
        "FAILED checks/tiny/misspelt.py::tiny.misspelt - NOT JUDGED: *",
        "POWERLESS folder_*::tiny.powerless*",
    ])  # fmt: skip


def test_a_failure_stands_at_the_line_of_its_claim(pytester, checks):
    write(pytester.path, "holds", "worded", "refuted", "misspelt")
    result = pytester.runpytest_inprocess(*QUIET, "--tb=line")
    found = {
        name: next(k for k, line in enumerate((checks / "tiny" / f"{name}.py").read_text("utf-8").splitlines(), 1)
                   if line.startswith(begin))
        for name, begin in (("refuted", "claim = Claim("), ("misspelt", "def construct(("))
    }  # fmt: skip
    for name, line in found.items():
        result.stdout.fnmatch_lines_random([f"*{name}.py:{line}: *"])
