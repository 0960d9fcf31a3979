"""What ``verify`` shows: progress and a table on a terminal, plain lines in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.claims.language import ALPHA_LIMIT
from theorytools.claims.papers.catalogue import Entry

SILENCE = 10.0  # seconds without a word, where nobody sees the bar
_STYLE = {
    "HOLDS": "green",
    "REFUTED": "magenta",
    "UNDECIDED": "yellow",
    "POWERLESS": "red",
    "INAPPLICABLE": "yellow",
}


def controls_text(verdict: Mapping[str, Any]) -> str:
    """Return how many controls did what they must."""
    good = sum(c["outcome"] in ("breaks", "holds") for c in verdict["controls"])
    return f"{good}/{len(verdict['controls'])}"


def seconds_text(verdict: Mapping[str, Any]) -> str:
    """Return how long the judgement took; of a verdict read from a record, how long the recorded run did."""
    return f"{'rec ' if 'record' in verdict else ''}{verdict['seconds']:.2f}"


def partly_open(verdict: Mapping[str, Any]) -> bool:
    """Whether the points of a user that could be judged came out as expected and others stayed open."""
    left = any(s["open"] for s in verdict["skipped"])
    return bool(verdict["user_points"] and left and verdict["outcome"] == verdict["expect"])


def _remark(verdict: Mapping[str, Any]) -> str:
    return "" if verdict["as_expected"] else " (in part)" if partly_open(verdict) else " (not expected)"


def said(text: str, style: str) -> None:
    """Print a line, in a style where there is a terminal."""
    if not sys.stdout.isatty():
        print(text)
        return
    from rich.console import Console

    Console().print(text, style=style, highlight=False, markup=False)


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
            self.progress.update(
                self.task, description=f"{entry.id} {done}/{total}", completed=self.done + done / total
            )

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
        if not self.quiet:
            sys.stderr.write(f"{entry.id} could not be judged\n{text}\n")

    def summary(
        self, verdicts: Sequence[Mapping[str, Any]], errors: Mapping[str, str], spent: float, report: Path | None,
        *, user: bool, known: int = 0,
    ) -> None:  # fmt: skip
        """Print the table, the reasons of whatever is not as expected, and where the report is."""
        from theorytools.reporting import numbers as words

        header = ["claim", "statement", "role", "verdict", "evidence", "scope", "sizes", "would see", "points",
                  "controls", "seconds"]  # fmt: skip
        rows = [
            [v["id"], v["label"], v.get("role") or "-", v["outcome"] + _remark(v), (v["evidence"] or "-").lower(),
             words.scope(v), words.sizes(v), words.would_see(v), words.points(v), controls_text(v), seconds_text(v)]
            for v in verdicts
        ]  # fmt: skip
        if rows:
            self._table(header, rows)
        for v in verdicts:
            if not v["as_expected"] or user:
                self._details(v)
        self._uncommitted(verdicts)
        as_expected = sum(v["as_expected"] for v in verdicts)
        above = "" if spent <= ALPHA_LIMIT else f", above the limit {ALPHA_LIMIT:g}: the run fails"
        print(
            f"{as_expected} of {len({v['id'] for v in verdicts} | set(errors))} as expected"
            f"{f' ({known} stored before, unchanged)' if known else ''}; error probability spent {spent:.3g}{above}"
        )
        if report is not None:
            print(f"report: {report}")

    def _uncommitted(self, verdicts: Sequence[Mapping[str, Any]]) -> None:
        """Name, in red on a terminal, the claims that rest on a record made from code that no commit holds."""
        from theorytools.reporting.numbers import uncommitted

        if found := [v["id"] for v in verdicts if uncommitted(v)]:
            few = ", ".join(found[:4]) + (f" and {len(found) - 4} more" if len(found) > 4 else "")
            said(f"{len(found)} of these rest on records made from uncommitted code: {few}", "red")

    def _details(self, verdict: Mapping[str, Any]) -> None:
        from theorytools.reporting.layout import verdict_text

        if verdict["outcome"] == "INAPPLICABLE" and verdict["user_points"]:
            skipped = verdict["skipped"][0]
            point = ", ".join(f"{k}={v}" for k, v in skipped["point"].items())
            sys.stderr.write(
                f"given:    {verdict['id']} at {point}\n"
                f"required: {'; '.join(verdict['hypotheses']) or 'its hypotheses'}\n"
                f"why:      {skipped['reason']} ({verdict['label']})\n"
                f"try:      theorytools show {verdict['id']}\n"
            )
        else:
            print("\n" + verdict_text(verdict) + "\n")

    def _table(self, header: list[str], rows: list[list[str]]) -> None:
        if not sys.stdout.isatty():
            from theorytools.reporting.layout import table

            print(table([header, *rows]))
            return
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        made = Table(*header, box=None, pad_edge=False)
        for row in rows:
            made.add_row(*(Text(c, style=_STYLE.get(c.split()[0], "") if k == 3 else "") for k, c in enumerate(row)))
        Console().print(made)
