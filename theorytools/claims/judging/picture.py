"""A verdict as a picture: every quantity against the letter that varies most, with its bound and its controls."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from theorytools.errors import DomainError
from theorytools.optional import require


def size_letter(rows: Sequence[Any]) -> str:
    """Return the letter with the most different numbers among the rows' points; empty where none varies."""
    names = dict.fromkeys(name for row in rows for name in row.at)
    values = {
        name: {row.at[name] for row in rows if isinstance(row.at.get(name), int | Fraction)} for name in names
    }  # fmt: skip
    best = max(names, key=lambda name: len(values[name]), default="")
    return best if best and len(values[best]) > 1 else ""


def plot_verdict(rows: Sequence[Any], title: str, letter: str = "") -> Any:
    """Return a matplotlib figure with a panel for each quantity.

    Parameters
    ----------
    rows : of a verdict, those of controls too.
    title : above the first panel.
    letter : what runs along the x-axis; the one that varies most unless given.

    Raises
    ------
    DomainError : no letter varies, or the one asked for does not.
    MissingPackageError : without matplotlib.
    """
    own = [row for row in rows if not row.control]
    along = letter or size_letter(own)
    if len({x for row in own if isinstance(x := row.at.get(along), int | Fraction)}) < 2:
        raise DomainError(
            f"a picture along {letter!r}" if letter else "a picture of rows at one point",
            required="a letter with several numbers among the points", why="one point has no curve",
            advice="verdict.to_frame() is its table",
        )  # fmt: skip
    require("matplotlib")
    from matplotlib.figure import Figure

    quantities = list(dict.fromkeys(row.assertion for row in own))
    figure = Figure(figsize=(4.6 * len(quantities), 3.4), layout="constrained")
    for k, name in enumerate(quantities):
        axes = figure.add_subplot(1, len(quantities), k + 1)
        _panel(axes, [row for row in rows if row.assertion == name], along)
        quantity = next(row.quantity for row in own if row.assertion == name)
        axes.set(xlabel=along, ylabel=quantity, title="" if k else title)
        axes.legend(fontsize="small")
    return figure


def _panel(axes: Any, rows: Sequence[Any], along: str) -> None:
    placed = [(row.at[along], row) for row in rows if isinstance(row.at.get(along), int | Fraction)]
    placed.sort(key=lambda pair: pair[0])
    own = [(float(x), row) for x, row in placed if not row.control]
    xs = [x for x, _ in own]
    there = [(x, *row.measured.floats) for x, row in own if all(map(math.isfinite, row.measured.floats))]
    middle = [low / 2 + high / 2 for _, low, high in there]
    reach = [
        [m - low for m, (_, low, _) in zip(middle, there, strict=True)],
        [high - m for m, (_, _, high) in zip(middle, there, strict=True)],
    ]
    axes.errorbar([x for x, _, _ in there], middle, yerr=reach, fmt="o", color="black", label="measured")
    ends, relation = [row.bound[-1].floats[1] for _, row in own], own[0][1].relation
    axes.plot(xs, ends, "_", markersize=14, color="#1d5c9e", label=f"bound ({relation})")
    spoiled = [(float(x), row) for x, row in placed if row.control and math.isfinite(sum(row.measured.floats))]
    for sign, name in zip("x+1", dict.fromkeys(row.control for _, row in spoiled), strict=False):
        broken = [(x, sum(row.measured.floats) / 2) for x, row in spoiled if row.control == name]
        axes.plot(*zip(*broken, strict=True), sign, color="#ad4f0c", label=f"control: {name}")
    if middle and min(middle) > 0 and max(middle) > 30 * min(middle):
        axes.set_yscale("log")
    if xs and min(xs) > 0 and max(xs) > 15 * min(xs):
        axes.set_xscale("log")


def numbers(point: Mapping[str, str]) -> dict[str, int | Fraction | str]:
    """Return a point's values as exact numbers where they are numbers, else as the words they are."""
    found: dict[str, int | Fraction | str] = {}
    for name, text in point.items():
        try:
            value = Fraction(text)
        except ValueError:
            found[name] = text
            continue
        found[name] = int(value) if value.denominator == 1 else value
    return found
