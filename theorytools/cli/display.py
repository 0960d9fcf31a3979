"""What ``verify`` shows: progress and a table on a terminal, plain lines in a pipe."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.claims.language import ALPHA_LIMIT
from theorytools.claims.papers.catalogue import Entry
from theorytools.cli.formats import hanging, wrapped
from theorytools.cli.row_table import MOST, row_lines
from theorytools.reporting.cpu import in_words
from theorytools.shown import visible

FEW = 12  # verdicts that are shown one by one
NUMBERS = 3  # of so few verdicts the rows are shown, too
FEW_POINTS = 3  # left out, that are named
SILENCE = 10.0  # seconds without a word, where nobody sees the bar
_STYLE = {
    "HOLDS": "green",
    "REFUTED": "magenta",
    "WITNESS FAILS": "magenta",
    "UNDECIDED": "yellow",
    "POWERLESS": "red",
    "INAPPLICABLE": "yellow",
}


def controls_text(verdict: Mapping[str, Any]) -> str:
    """Return how many controls did what they must, of those that apply at some point, and how many apply at none."""
    applied = [one for one in verdict["controls"] if one["applied"]]
    good = sum(one["outcome"] in ("breaks", "holds") for one in applied)
    never = len(verdict["controls"]) - len(applied)
    return f"{good}/{len(applied)}" + (f" ({never} more at none of these points)" if never else "")


def seconds_text(verdict: Mapping[str, Any]) -> str:
    """Return how long the whole judgement took, its search included, in seconds; of a verdict read from a record, how
    long the recorded run did.
    """
    return f"{'rec ' if 'record' in verdict else ''}{verdict['seconds']:.2f}"


def partly_open(verdict: Mapping[str, Any]) -> bool:
    """Whether the statement holds at the points of a user that could be judged and others stayed open."""
    left = any(s["open"] for s in verdict["skipped"])
    return bool(verdict["user_points"] and left and verdict["outcome"] == "HOLDS")


def _remark(verdict: Mapping[str, Any]) -> str:
    part = "in part" if partly_open(verdict) else ""
    if verdict["user_points"] and verdict["expect"] != "HOLDS":
        said = "; ".join(filter(None, [part, f"its grid expects {verdict['expect']}"]))
        return f" ({said})"
    return "" if verdict["as_expected"] else f" ({part or 'not expected'})"


def _remarks(verdict: Mapping[str, Any], margin: str = "") -> None:
    """What the trial of a check found; after the verdict, or after its id where many are shown."""
    from theorytools.reporting import words

    for remark in words.remarks(verdict):
        print(hanging(f"{margin}remark     " if margin else f"{verdict['id']}  remark  ", remark))


def by_statement(verdicts: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of a table with one line for each statement: its claims by outcome and evidence."""
    from theorytools.claims.language.estimate import Evidence

    found: dict[str, list[Mapping[str, Any]]] = {}
    for v in verdicts:
        source = v.get("source") or {}
        paper = source.get("paper") or v["id"].partition(".")[0]
        found.setdefault(f"{paper}.{source.get('statement') or 'other'}", []).append(v)
    rows = []
    for name, own in found.items():
        outcomes = [v["outcome"] for v in own]
        holds, refuted = outcomes.count("HOLDS"), outcomes.count("REFUTED")
        grades = dict.fromkeys(e.name.lower() for e in Evidence if any(v["evidence"] == e.name for v in own))
        counts = [len(own), sum(v["as_expected"] for v in own), holds, refuted, len(own) - holds - refuted]
        rows.append([name, *map(str, counts), ", ".join(grades) or "-"])
    return ["statement", "claims", "expected", "HOLDS", "REFUTED", "other", "evidence"], rows


def said(text: str, style: str) -> None:
    """Print a line, in a style where there is a terminal."""
    if not sys.stdout.isatty():
        print(text)
        return
    from rich.console import Console

    Console().print(visible(text), style=style, highlight=False, markup=False)


def _inapplicable(verdict: Mapping[str, Any]) -> None:
    """Say on standard error which hypothesis fails at the points of a user."""
    skipped = verdict["skipped"][0]
    point = ", ".join(f"{k}={v}" for k, v in skipped["point"].items())
    sys.stderr.write(
        f"given:    {verdict['id']} at {point}\n"
        f"required: {'; '.join(verdict['hypotheses']) or 'its hypotheses'}\n"
        f"why:      {skipped['reason']} ({verdict['label']})\n"
        f"try:      theorytools show {verdict['id']}\n"
    )


class Display:
    """Context manager around a run; all methods are silent when ``quiet``.

    On a terminal a bar moves; without one, work that takes longer than ``SILENCE`` seconds tells how far it is.
    """

    def __init__(self, *, quiet: bool, total: int) -> None:
        self.quiet, self.total = quiet, total
        self.progress: Any = None
        self.task: Any = None
        self.done, self.told = 0, time.monotonic()

    def __enter__(self) -> Display:
        if not self.quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
            )
            self.progress = Progress(*columns, console=Console(stderr=True), transient=True)
            self.task = self.progress.add_task("claims", total=self.total)
            self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.progress is not None:
            self.progress.stop()

    def step(self, entry: Entry, done: int, total: int) -> None:
        """Show how far one claim has come."""
        if self.progress is not None:
            described = visible(f"{entry.id} {done}/{total}").replace("[", "\\[")
            self.progress.update(self.task, description=described, completed=self.done + done / total)

    def _advance(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress.update(self.task, completed=self.done)

    def verdict(self, verdict: Mapping[str, Any]) -> None:
        """Show one verdict as soon as it is there; without a terminal a line once in ``SILENCE`` seconds."""
        self._advance()
        if self.progress is None and not self.quiet and time.monotonic() - self.told >= SILENCE:
            self.told = time.monotonic()
            sys.stderr.write(f"{self.done} of {self.total}: {verdict['id']} {verdict['outcome']}\n")
            sys.stderr.flush()

    def error(self, entry: Entry, text: str) -> None:
        """Show at once why a claim could not be judged."""
        self._advance()
        if self.progress is not None:  # above the bar, which would be painted over the text
            self.progress.console.out(visible(f"{entry.id} could not be judged\n{text}"), highlight=False)
        elif not self.quiet:
            sys.stderr.write(f"{entry.id} could not be judged\n{text}\n")

    def wrote(self, path: Path) -> None:
        """Say on standard error which record was written, for a program too."""
        if self.progress is not None:
            self.progress.console.out(visible(f"wrote {path}"), highlight=False)
        else:
            sys.stderr.write(f"wrote {path}\n")

    def summary(
        self, verdicts: Sequence[Mapping[str, Any]], errors: Mapping[str, str], spent: float, report: Path | None,
        *, user: bool, known: int = 0, verbose: bool = False, judged: Sequence[Mapping[str, Any]] = (),
        command: float = 0.0, rows: int | None = MOST,
    ) -> None:  # fmt: skip
        """Print the verdicts, the reasons of whatever is not as expected, and where the report is.

        More than ``FEW`` verdicts are summed up by statement unless ``verbose``; whatever is not as expected is named.
        Of few verdicts, of those at a user's points and of what is not as expected the ``rows`` are shown that matter.
        What the verdicts ``judged`` now took is told by parts, beside the processor seconds of the whole ``command``.
        """
        whole = verbose or len(verdicts) <= FEW
        if not whole:
            self._table(*by_statement(verdicts))
        for v in verdicts:
            detailed = len(verdicts) <= NUMBERS or not v["as_expected"] or user
            if whole or detailed:
                self._block(v, rows if detailed else 0)
            else:
                _remarks(v)
        self._uncommitted(verdicts)
        as_expected = sum(v["as_expected"] for v in verdicts)
        above = "" if spent <= ALPHA_LIMIT else f", above the limit {ALPHA_LIMIT:g}: the run fails"
        print(
            wrapped(
                f"{as_expected} of {len({v['id'] for v in verdicts} | set(errors))} "
                f"{'hold at the points asked for' if user else 'as expected'}"
                f"{f' ({known} stored before, unchanged)' if known else ''}; error probability spent {spent:.3g}{above}"
            )
        )
        if judged:
            told = f"judged in {in_words(judged)}; the whole command, with imports and pages, {command:.2f} s"
            print(wrapped(told))
        if not whole:
            print("each claim by itself: theorytools verify -v")
        if report is not None:
            print(f"report: {report}")

    def _block(self, v: Mapping[str, Any], rows: int | None) -> None:
        """One verdict: its id, whole, and what came out; what it is about and what was covered; then its rows."""
        from theorytools.reporting import words

        outcome = f"{v['outcome']} {v.get('limit', '')}".strip() + _remark(v)
        head = hanging("", f"{v['id']}  {outcome}  {(v['evidence'] or 'no evidence').lower()}", 4)
        said(head, _STYLE.get(v["outcome"], ""))
        because, _, advice = re.sub(r" {2,}", " ", v["reason"]).partition("; try: ")
        facts = {
            "about": "; ".join(filter(None, [v["label"], v.get("role")])),
            "because": because if v["outcome"] != "HOLDS" else "", "scope": words.scope(v),
            "sizes": words.sizes(v), "excludes": words.excludes(v), "trend": "; ".join(words.trends(v)),
            "searched": words.searched(v).removeprefix("searched "),
            "judged": f"points {words.points(v)}, controls {controls_text(v)}, {seconds_text(v)} s",
            "took": in_words([v]) if "search" in v["cpu"] else "",
        }  # fmt: skip
        for name, text in facts.items():
            if text and text not in ("-", "–"):
                print(hanging(f"    {name:<11}", text))
        if advice and v["outcome"] != "HOLDS":
            print(f"    {'try':<11}{advice}")  # whole, to be copied
        _remarks(v, "    ")
        if rows != 0:
            self._details(v, rows)

    def _uncommitted(self, verdicts: Sequence[Mapping[str, Any]]) -> None:
        """Name, in red on a terminal, the claims that rest on a record made from code that no commit holds."""
        from theorytools.reporting.words import uncommitted

        if found := [v["id"] for v in verdicts if uncommitted(v)]:
            few = ", ".join(found[:4]) + (f" and {len(found) - 4} more" if len(found) > 4 else "")
            said(f"{len(found)} of these rest on records made from uncommitted code: {few}", "red")

    def _details(self, verdict: Mapping[str, Any], rows: int | None) -> None:
        """What one verdict rests on: its rows, points left out, controls that did otherwise, records, the command."""
        from theorytools.reporting import words
        from theorytools.reporting.plain_text import UNCOMMITTED, point_text

        if verdict["outcome"] == "INAPPLICABLE" and verdict["user_points"]:
            _inapplicable(verdict)
            return
        for line in row_lines(verdict, rows):
            print(line)
        facts = [
            (f"{'not judged' if one['open'] else 'left out'}", f"{point_text(one['point'])}: {one['reason']}")
            for one in verdict["skipped"] if not one.get("control")
        ]  # fmt: skip
        left = len(facts) - FEW_POINTS
        facts = [*facts[:FEW_POINTS], *([("", f"and {left} more points")] if left > 0 else [])]
        odd = [one for one in verdict["controls"] if one["outcome"] not in ("breaks", "holds")]
        facts += [("control", f"'{one['name']}' {words.control(one)}") for one in odd]
        made, dirty = words.record(verdict)
        facts += [("record", f"{made}{UNCOMMITTED if dirty else ''}")] if made else []
        for name, made, dirty in words.trained(verdict):
            facts.append(("trained", f"the record {name} of {made}{UNCOMMITTED if dirty else ''}"))
        if confirmed := words.confirmed(verdict):
            facts.append(("confirmed", f"from the committed record of {confirmed}, not judged in this run"))
        print()
        for name, text in facts:
            print(hanging(f"    {name:<11}", text))
        if verdict.get("command"):
            print(f"    {'again':<11}{verdict['command']}\n")  # whole, to be copied

    def _table(self, header: list[str], rows: list[list[str]]) -> None:
        if not sys.stdout.isatty():
            from theorytools.reporting.plain_text import table

            print(table([header, *rows]))
            return
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        made = Table(box=None, pad_edge=False)
        for k, name in enumerate(header):
            made.add_column(name, no_wrap=k == 0, overflow="fold")  # an id is never cut
        for row in rows:
            made.add_row(*(Text(visible(c), style="red" if k == 2 and c != row[1] else "") for k, c in enumerate(row)))
        Console().print(made)
