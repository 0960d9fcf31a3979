"""The figure of a claim for a paper: column width, serif letters, thin lines; and its numbers as CSV."""

from __future__ import annotations

import io
import shutil
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError
from theorytools.optional import require
from theorytools.reporting.escapes import latex_text
from theorytools.reporting.figure_data import chart_csv
from theorytools.reporting.scales import scale
from theorytools.reporting.series import Chart, Mark, chart
from theorytools.shown import csv_text, visible

FORMATS = ("pdf", "svg", "png", "pgf", "csv")
SIGNS = {"<=": "≤", ">=": "≥", "==": "=", "<": "<", ">": ">", "!=": "≠"}
COLUMN = (3.25, 2.3)  # inches: the width of a column of two
COLOURS = ("#1d5c9e", "#ad4f0c", "#1c6b3c", "#6b3fa0")
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
            f"the figure of {verdict['id']}", required="a claim at several points", why="one point has no curve",
            advice=f"theorytools table {verdict['id']} writes its rows",
        )  # fmt: skip
    if kind == "csv":
        path.write_text(
            _run_csv(trained[0]) if trained else chart_csv(verdict, shown.assertion if shown else ""), encoding="utf-8"
        )
        return
    matplotlib = require("matplotlib")
    matplotlib.use("agg")
    from matplotlib.figure import Figure

    size, letters = STYLES[style]
    with matplotlib.rc_context({**letters, **(_tex() if kind == "pgf" else {})}):
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.add_subplot()
        if trained:
            _draw_run(axes, trained[0])
        elif shown:
            _draw_chart(axes, shown, verdict)
        _disarm(axes, kind)
        try:
            _save(figure, path, kind)
        except (RuntimeError, ValueError, OSError) as error:
            if kind != "pgf":
                raise
            raise _no_tex(str(error).splitlines()[0]) from None


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
        _draw_run(figure.add_subplot(), run)
        _save(figure, path, kind)


def _save(figure: Any, path: Path, kind: str) -> None:
    """Write a figure whole, without a date; nothing where it cannot be drawn."""
    drawn = io.BytesIO()
    dated = {"metadata": METADATA[kind]} if kind in METADATA else {}
    figure.savefig(drawn, format=kind, dpi=300, **dated)
    path.write_bytes((DEFAULT if kind == "pgf" else b"") + drawn.getvalue())


def _reads(verdict: Mapping[str, Any], run: Mapping[str, Any]) -> bool:
    """Whether a verdict reads a run that has a published curve."""
    names = {f"{run['sweep']}.{run['protocol']}", run["sweep"]}
    published = any(cell["published"] is not None for arm in run["arms"] for cell in arm["sizes"])
    return published and bool(names & set(verdict.get("trained") or ()))


def _disarm(axes: Any, kind: str) -> None:
    """Let labels of others be words: of a pgf figure each is run by TeX, and others set what stands between dollars."""
    legend = axes.get_legend()
    for label in (axes.xaxis.label, axes.yaxis.label, *(legend.get_texts() if legend else ())):
        label.set_text(_words(label.get_text(), kind))
    ticks = axes.xaxis.get_major_formatter()
    if hasattr(ticks, "seq"):
        ticks.seq = [_words(text, kind) for text in ticks.seq]


def _words(text: str, kind: str) -> str:
    if kind == "pgf":
        return latex_text(text)
    formula = text.removeprefix("$").removesuffix("$")
    return text if text == f"${formula}$" and "$" not in formula else visible(text).replace("$", r"\$")


def _draw_run(axes: Any, run: Mapping[str, Any]) -> None:
    for colour, arm in zip(COLOURS, run["arms"], strict=False):
        sizes = [cell["size"] for cell in arm["sizes"]]
        low, high = ([cell[end] for cell in arm["sizes"]] for end in ("low", "high"))
        middle = [(a * b) ** 0.5 for a, b in zip(low, high, strict=True)]
        bars = [[m - a for m, a in zip(middle, low, strict=True)], [b - m for m, b in zip(middle, high, strict=True)]]
        axes.errorbar(sizes, middle, yerr=bars, fmt="o", color=colour, capsize=1.5, label=str(arm["arm"]))
        told = [(cell["size"], cell["published"]) for cell in arm["sizes"] if cell["published"] is not None]
        if told:
            axes.plot(*zip(*told, strict=True), color=colour, alpha=0.6)
    axes.set(xscale="log", yscale="log", xlabel=f"${run['size']}$")
    axes.set_ylabel("prompts" if run.get("value", "samples") == "samples" else str(run["value"]).replace("_", " "))
    ticks = sorted({cell["size"] for arm in run["arms"] for cell in arm["sizes"]})
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    if any(arm["arm"] for arm in run["arms"]):
        axes.legend()


def _draw_chart(axes: Any, shown: Chart, verdict: Mapping[str, Any]) -> None:
    marks = [*shown.measured, *(mark for line in shown.lines for mark in line)]
    if shown.numeric and scale([x for x, _ in shown.ticks], ratio=15, pad=0).logarithmic:
        axes.set_xscale("log")
    if scale([end for mark in marks for end in (mark.low, mark.high)], ratio=30, pad=0).logarithmic:
        axes.set_yscale("log")
    for line in shown.lines:
        axes.plot(
            [float(m.x) for m in line],
            [_float(m.high) for m in line],
            "_-",
            color=COLOURS[0],
            label="bound" if line is shown.lines[0] else None,
        )
    axes.plot(
        [float(m.x) for m in shown.measured], [_middle(m) for m in shown.measured], "o", color="black", label="measured"
    )
    for sign, (name, spoiled) in zip("x+", shown.controls, strict=False):
        axes.plot([float(m.x) for m in spoiled], [_middle(m) for m in spoiled], sign, color=COLOURS[1], label=name)
    letters = {entry["name"]: entry.get("latex") or entry["name"] for entry in verdict.get("letters") or ()}
    entries = [a for a in verdict.get("assertions") or () if a.get("name") == shown.assertion]
    quantity = entries[0].get("quantity", "") if entries else ""
    axes.set_xlabel(_math(letters.get(shown.axis, ""), shown.axis))
    axes.set_ylabel(_math(entries[0].get("quantity_latex", "") if entries else "", quantity))
    axes.legend()
    _ticks(axes, shown)
    axes.minorticks_off()


def _ticks(axes: Any, shown: Chart) -> None:
    """The values of the axis as ticks, each label where the one before it leaves room."""
    axes.margins(0.06)
    low, high = axes.get_xlim()
    across = axes.transData.transform
    room, last = 0.09 * (across((high, 1))[0] - across((low, 1))[0]), float("-inf")
    labels = []
    for x, label in shown.ticks:
        here = across((float(x), 1))[0]
        fits = here - last >= room * max(1.0, len(label) / 3)
        labels.append(label if fits else "")
        last = here if fits else last
    axes.set_xticks([float(x) for x, _ in shown.ticks], labels)


def _math(latex: str, plain: str) -> str:
    """The formula where matplotlib can set it, else the words."""
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("agg").parse(f"${latex}$")
    except ValueError:
        return plain
    return f"${latex}$" if latex else plain


def _float(number: Decimal) -> float:
    return float(number) if number.is_finite() else float("nan")


def _middle(mark: Mark) -> float:
    low, high = _float(mark.low), _float(mark.high)
    return low if low == high else (low + high) / 2


def _run_csv(run: Mapping[str, Any]) -> str:
    lines = [["arm", run["size"], "low", "high", "published"]]
    lines += [
        [arm["arm"], c["size"], c["low"], c["high"], "" if c["published"] is None else c["published"]]
        for arm in run["arms"] for c in arm["sizes"]
    ]  # fmt: skip
    return csv_text(lines)
