"""Collect checks as pytest items: one item per claim, its name the claim's id.

A ``.py`` file is collected only where a ``paper.toml`` stands beside it and its syntax tree makes a claim.  Other
collectors are kept off the files of a paper, but for its ``test_*.py``; every other file is left to them.  Until an
item runs, nothing heavy is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from theorytools.claims.language import ALPHA_LIMIT, TIERS

if TYPE_CHECKING:
    from theorytools.claims.papers.catalogue import Entry


class RemarkWarning(pytest.PytestWarning):
    """What the trial of a check found, though its verdict is the expected one."""


class NotAsExpected(Exception):
    """A claim whose verdict is not the expected one.

    Parameters
    ----------
    text : to be shown, with the table of rows.
    headline : the same in one line, the outcome first.
    """

    def __init__(self, text: str, headline: str) -> None:
        super().__init__(text)
        self.text, self.headline = text, headline


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--tier``, and the setting ``theorytools_search``."""
    group = parser.getgroup("theorytools", "theorem checks")
    group.addoption(
        "--tier",
        choices=TIERS,
        default=TIERS[0],
        help="slowest tier of claims to run; a slower claim is judged from its committed record (default: seconds)",
    )
    parser.addini(
        "theorytools_search",
        "search beside the grid of a claim that holds, and try its check (default: true); without it a claim "
        "is judged at the points of its grid alone",
        type="bool",
        default=True,
    )


class _Hooks:
    """The hooks that this plugin offers to a ``conftest.py``."""

    @pytest.hookspec(firstresult=True)
    def pytest_theorytools_judge(
        self, config: pytest.Config, entry: Entry, judge: Callable[[], Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        """Return the verdict of a claim as JSON data: what ``judge()`` returns, or one that this run has kept."""
        return judge()


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Offer ``pytest_theorytools_judge``."""
    pluginmanager.add_hookspecs(_Hooks)


@pytest.hookimpl(trylast=True)
def pytest_theorytools_judge(judge: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
    """Judge the claim, where no ``conftest.py`` has its verdict."""
    return judge()


def pytest_configure(config: pytest.Config) -> None:
    """Start the count of spent error probability."""
    config.pluginmanager.register(_Tally(), "theorytools-tally")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, Any, Any]:
    """Claim the check files for ourselves; python.py and doctest would import them without their package."""
    others = yield
    places = [folder / "paper.toml" for folder in (file_path.parent, file_path.parent.parent)]
    if file_path.suffix != ".py" or not any(place.is_file() for place in places):
        return others
    from theorytools.claims.papers.catalogue import is_check
    from theorytools.places import paper_folder

    if not (paper_folder(file_path) / "paper.toml").is_file():
        return others

    if is_check(file_path):
        return [CheckFile.from_parent(parent, path=file_path)]
    if file_path.stem.startswith("test_") or file_path.stem.endswith("_test"):
        return others
    return []  # notation and helpers of a paper: their relative imports need the paper's package


class CheckFile(pytest.File):
    """A check file; its items are read from the syntax tree."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield one item per claim."""
        from theorytools.claims.papers.catalogue import read_entries

        for entry in read_entries(self.path):
            yield ClaimItem.from_parent(self, name=entry.id, entry=entry)


class ClaimItem(pytest.Item):
    """One claim; it fails unless its verdict is the expected one."""

    def __init__(self, *, entry: Entry, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.entry = entry

    def runtest(self) -> None:
        """Judge the claim and compare with what it expects."""
        from theorytools.errors import TheoryError

        try:
            verdict = self.config.hook.pytest_theorytools_judge(config=self.config, entry=self.entry, judge=self._judge)
        except TheoryError as error:
            from theorytools.mistakes.door import explained

            told = explained(self.entry, error)
            first = str(told).splitlines()[0].removeprefix("given:").strip()
            raise NotAsExpected(f"{self.entry.id} could not be judged\n{told}", f"NOT JUDGED: {first}") from None
        self.user_properties.append(("theory_alpha", verdict["alpha"]["spent"]))
        self.user_properties.append(("theory_outcome", verdict["outcome"]))
        for remark in verdict.get("remarks") or ():
            where = f"{remark['line']}: " if remark["line"] else ""
            self.warn(RemarkWarning(f"{self.entry.id}: {remark['instrument']}: {where}{remark['text']}"))
        from theorytools.mistakes.slips import slips

        for text in slips(self.entry):
            self.warn(RemarkWarning(f"{self.entry.id}: {text}"))
        if not verdict["as_expected"]:
            from theorytools.reporting.plain_text import headline, verdict_text

            raise NotAsExpected(verdict_text(verdict), headline(verdict))

    def _judge(self) -> Mapping[str, Any]:
        from theorytools.claims.judging.run import judge_entry
        from theorytools.optional import naming_extras

        search = self.config.getini("theorytools_search")
        with naming_extras():
            return judge_entry(self.entry, tier=self.config.getoption("--tier"), search=search).to_json()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the table of rows instead of a traceback; the line of the summary begins with the outcome.

        Of the ways to show a failure this one alone carries a line for the summary through the workers of xdist.
        """
        if not isinstance(excinfo.value, NotAsExpected):
            return super().repr_failure(excinfo, style)
        from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

        text = ReprTraceback([ReprEntryNative([f"{excinfo.value.text}\n"])], None, "native")
        line = _line(self.entry)
        return ReprExceptionInfo(text, ReprFileLocation(str(self.path), line, excinfo.value.headline))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Name the item by the claim's id, at the line where the claim begins."""
        return self.path, _line(self.entry) - 1, self.entry.id


def _line(entry: Entry) -> int:
    from theorytools.claims.papers.lines import line_of

    return line_of(entry)


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.TestReport, config: pytest.Config) -> tuple[str, str, str] | None:
    """Call a failed claim by its outcome where its name leaves no room for that in a line of the summary."""
    if report.when != "call" or not report.failed:
        return None
    outcome = dict(report.user_properties).get("theory_outcome")
    width = config.get_terminal_writer().fullwidth
    if not outcome or len(f"FAILED {report.nodeid} - {outcome}...") < width:
        return None
    return "failed", "F", str(outcome)


class _Tally:
    """The error probability that a run has spent, its workers' included."""

    def __init__(self) -> None:
        self.spent = 0.0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add what one item spent; the properties travel from workers too."""
        if report.when == "call":
            self.spent += sum(float(str(value)) for name, value in report.user_properties if name == "theory_alpha")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Fail a run that spent more error probability than a report may carry."""
        if self.spent > ALPHA_LIMIT and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print what was spent."""
        if self.spent:
            verdict = "" if self.spent <= ALPHA_LIMIT else f", above the limit {ALPHA_LIMIT:g}: the run fails"
            terminalreporter.write_line(f"theorytools: error probability spent {self.spent:.3g}{verdict}")
