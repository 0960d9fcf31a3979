"""The figure of a claim for a paper: column width, serif letters, thin lines; and its numbers as CSV."""

from __future__ import annotations

import io
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError
from theorytools.optional import require
from theorytools.reporting.escapes import latex_text
from theorytools.reporting.numbers import band_text, estimate_text
from theorytools.reporting.paper_axes import chart_title, draw_chart, draw_run, run_title
from theorytools.reporting.series import Chart, chart
from theorytools.shown import csv_text, visible

FORMATS = ("pdf", "svg", "png", "pgf", "csv")
COLUMN = (3.25, 2.3)  # inches: the width of a column of two
STYLE = {
    "font.family": "serif", "mathtext.fontset": "cm", "font.size": 8, "axes.linewidth": 0.5, "lines.linewidth": 0.9,
    "lines.markersize": 3.2, "legend.frameon": False, "legend.fontsize": 7, "axes.spines.top": False,
    "axes.spines.right": False, "svg.hashsalt": "theorytools", "svg.fonttype": "path", "pdf.fonttype": 42,
}  # fmt: skip
SLIDES = {
    "font.family": "sans-serif", "font.size": 16, "lines.linewidth": 2, "lines.markersize": 7, "legend.fontsize": 13,
    "axes.linewidth": 1,
}  # fmt: skip
STYLES = {"paper": (COLUMN, STYLE), "slides": ((8.0, 4.5), STYLE | SLIDES)}
ENGINES = ("pdflatex", "lualatex", "xelatex")  # any of them measures the letters of a pgf figure
DEFAULT = b"\\providecommand{\\mathdefault}[1]{#1}\n"  # the labels of logarithmic axes are set with it
METADATA = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {"Software": None}}


def write_figure(
    verdict: Mapping[str, Any], runs: Sequence[Mapping[str, Any]], path: Path, kind: str, style: str = "paper"
) -> None:
    """Write what the rows of a verdict show: trained curves beside the published ones, else measured against bound.

    Parameters
    ----------
    verdict : a stored verdict.
    runs : the paper's trained runs, of which those that the verdict reads are drawn.
    path, kind : where to, and one of ``FORMATS``.
    style : one of ``STYLES``: a column of a paper, or wide with large letters.

    Raises
    ------
    DomainError : for a claim at one point, which has no curve.
    MissingPackageError : without matplotlib, for anything but ``csv``.
    """
    trained = [run for run in runs if _reads(verdict, run)]
    shown = None if trained else chart(verdict)
    if not trained and shown is None:
        raise DomainError(
            f"the figure of {verdict['id']}", required="a claim at several points",
            why=f"one point has no curve{_numbers(verdict)}",
            advice=f"theorytools table {verdict['id']} writes its rows",
        )  # fmt: skip
    if kind == "csv":
        path.write_text(_run_csv(trained[0]) if trained else _chart_csv(shown), encoding="utf-8")
        return
    matplotlib = require("matplotlib")
    matplotlib.use("agg")
    from matplotlib.figure import Figure

    size, letters = STYLES[style]
    with matplotlib.rc_context({**letters, **(_tex() if kind == "pgf" else {})}):
        figure = Figure(figsize=size, layout="constrained")
        title = run_title(trained[0]) if trained else ""
        if trained:
            draw_run(figure, trained[0])
        elif shown:
            title = chart_title(verdict, shown)
            draw_chart(figure, shown, verdict)
        _disarm(figure, kind)
        try:
            _save(figure, path, kind, title)
        except (RuntimeError, ValueError, OSError) as error:
            if kind != "pgf":
                raise
            raise _no_tex(str(error).splitlines()[0]) from None


def _numbers(verdict: Mapping[str, Any]) -> str:
    """The numbers of a claim at one point, to be read instead of a figure."""
    rows = [row for row in verdict.get("rows") or () if not row.get("control") and row.get("bound")]
    said = [f"{row['quantity']} {estimate_text(row['measured'])} {row.get('relation', 'against')} "
            f"{band_text(row['bound'])}" for row in rows[:3]]  # fmt: skip
    return f"; it has {', '.join(said)}" if said else ""


def _tex() -> dict[str, Any]:
    """The settings of a pgf figure: the engine that is here, and the fonts of the document that takes it in."""
    engine = next((name for name in ENGINES if shutil.which(name)), None)
    if engine is None:
        raise _no_tex("no TeX engine is here")
    return {"pgf.texsystem": engine, "pgf.rcfonts": False, "font.family": "serif"}


def _no_tex(given: str) -> DomainError:
    return DomainError(
        f"--format pgf: {given}", required=f"one of the TeX engines {', '.join(ENGINES)}",
        why="the widths of its letters are asked of TeX", advice="--format pdf needs none",
    )  # fmt: skip


def write_run(run: Mapping[str, Any], path: Path, kind: str) -> None:
    """Write the arms of a trained run as a column figure: intervals at each size, and the published curve if any.

    Parameters
    ----------
    run : with ``size``, ``value`` and ``arms``.
    path, kind : where to, and one of ``FORMATS`` but ``csv``.

    Raises
    ------
    MissingPackageError : without matplotlib.
    """
    matplotlib = require("matplotlib")
    matplotlib.use("agg")
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=COLUMN, layout="constrained")
        draw_run(figure, run)
        _disarm(figure, kind)
        _save(figure, path, kind, run_title(run))


def _save(figure: Any, path: Path, kind: str, title: str) -> None:
    """Write a figure whole, with its title and without a date; nothing where it cannot be drawn."""
    drawn = io.BytesIO()
    dated = {"metadata": {**METADATA[kind], "Title": title}} if kind in METADATA else {}
    figure.savefig(drawn, format=kind, dpi=300, **dated)
    path.write_bytes((DEFAULT if kind == "pgf" else b"") + drawn.getvalue())


def _reads(verdict: Mapping[str, Any], run: Mapping[str, Any]) -> bool:
    """Whether a verdict reads a run that has a published curve."""
    names = {f"{run['sweep']}.{run['protocol']}", run["sweep"]}
    published = any(cell["published"] is not None for arm in run["arms"] for cell in arm["sizes"])
    return published and bool(names & set(verdict.get("trained") or ()))


def _disarm(figure: Any, kind: str) -> None:
    """Let labels of others be words: of a pgf figure each is run by TeX, and others set what stands between dollars."""
    from matplotlib.text import Text

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            ticks = axis.get_major_formatter()
            if hasattr(ticks, "seq"):
                ticks.seq = [_words(text, kind) for text in ticks.seq]
    ticked = {id(label) for axes in figure.axes for label in (*axes.get_xticklabels(), *axes.get_yticklabels())}
    for label in figure.findobj(Text):
        if id(label) not in ticked:
            label.set_text(_words(label.get_text(), kind))


def _words(text: str, kind: str) -> str:
    if kind == "pgf":
        return latex_text(text)
    formula = text.removeprefix("$").removesuffix("$")
    return text if text == f"${formula}$" and "$" not in formula else visible(text).replace("$", r"\$")


def _chart_csv(shown: Chart | None) -> str:
    lines: list[list[Any]] = [["what", shown.axis if shown else "", "low", "high"]]
    if shown:
        lines += [["measured", m.x, m.low, m.high] for m in shown.measured]
        lines += [["bound", m.x, m.low, m.high] for line in shown.lines for m in line]
        lines += [[f"control: {name}", m.x, m.low, m.high] for name, own in shown.controls for m in own]
    return csv_text(lines)


def _run_csv(run: Mapping[str, Any]) -> str:
    lines = [["arm", run["size"], "low", "high", "published"]]
    lines += [
        [arm["arm"], c["size"], c["low"], c["high"], "" if c["published"] is None else c["published"]]
        for arm in run["arms"] for c in arm["sizes"]
    ]  # fmt: skip
    return csv_text(lines)
