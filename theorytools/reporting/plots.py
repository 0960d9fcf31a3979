"""The figure of a verdict: the drawing, the question that it answers, and what stands around it on a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from markupsafe import Markup

from theorytools.reporting.curves_picture import LOWER, SHAPES, UPPER, curves_picture, spoiled_ends
from theorytools.reporting.lines_picture import lines_picture, setting_words
from theorytools.reporting.mathml import mathml, with_math
from theorytools.reporting.numbers import interval, pretty, significant
from theorytools.reporting.rows import letter, letters
from theorytools.reporting.scales import Scale
from theorytools.reporting.series import Chart, Setting, Spot, chart
from theorytools.reporting.signs import letter_signs

ASKED = {"<=": "at most its bound", "<": "below its bound", ">=": "at least its bound", ">": "above its bound",
         "==": "what the formula says", "!=": "another value"}  # fmt: skip
SIDE = {"<=": "bound from above", "<": "bound from above", ">=": "bound from below", ">": "bound from below",
        "==": "predicted", "!=": "what it differs from"}  # fmt: skip
SIGNS = dict(zip(SHAPES, "●■▲◆", strict=True))
# which scales are logarithmic, by whether the one across and the one up are
LOGARITHMIC = {
    (True, True): "Both scales are logarithmic.", (False, True): "The vertical scale is logarithmic.",
    (True, False): "The horizontal scale is logarithmic.",
}  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """The drawing of a verdict and the words around it; ``axis`` is the main letter, as the verdict names it.

    ``question`` is what the picture answers and ``answer`` what it shows, ``up`` and ``across`` name its axes, ``keys``
    are what its marks mean (class, sign and words of each), and ``notes`` sentences on its scales and on what is left
    out.  ``up`` is empty where every row stands on a line of its own.
    """

    svg: Markup
    axis: str
    question: str
    answer: str
    up: Markup
    across: Markup
    keys: tuple[tuple[str, str, Markup], ...]
    notes: tuple[str, ...]


def figure(verdict: Mapping[str, Any], letter: str = "") -> Figure | None:
    """Return the figure of a verdict, or None where it has a single point, whose numbers say all.

    Parameters
    ----------
    verdict : a stored verdict.
    letter : along which the curves run; chosen as :mod:`theorytools.reporting.series` says unless given.
    """
    shown = chart(verdict, letter)
    if shown is None:
        return None
    entry = entry_of(verdict, shown)
    asked, answer = question(shown), answered(shown, letters(verdict))
    title = f"{verdict.get('label') or verdict.get('id', '')}: {asked}"
    if shown.axis:
        svg, across, up = curves_picture(shown, title, described(shown, letters(verdict)))
        notes = [LOGARITHMIC.get((across.logarithmic, up.logarithmic), ""), _beyond(shown, up)]
    else:
        svg, level = lines_picture(shown, title, described(shown, letters(verdict)), letters(verdict))
        notes = [LOGARITHMIC[True, False] if level.logarithmic else "", _beyond(shown, level)]
    return Figure(
        svg=Markup(svg), axis=shown.axis, question=asked, answer=answer,
        up=_quantity(entry, shown) if shown.axis else Markup(""),
        across=_axis(verdict, shown) if shown.axis else _quantity(entry, shown),
        keys=_keys(verdict, shown), notes=tuple(note for note in (*notes, *left_out(shown)) if note),
    )  # fmt: skip


def entry_of(verdict: Mapping[str, Any], shown: Chart) -> Mapping[str, Any]:
    """Return what the verdict says of the assertion that is drawn."""
    entries = (one for one in verdict.get("assertions") or () if one.get("name") == shown.assertion)
    return next(entries, {})


def question(shown: Chart) -> str:
    """Return what a figure asks: ``Leakage: at most its bound?``"""
    name = shown.quantity or "measured"
    return f"{name[:1].upper()}{name[1:]}: {ASKED.get(shown.relation, 'as its bound says')}?"


def answered(shown: Chart, latex: Mapping[str, str]) -> str:
    """Return what the rows that are drawn say to it: ``Yes, at all 6 points; least slack 1.`` with what breaks it."""
    spots = shown.spots
    failing = sum(spot.truth is False for spot in spots)
    open_ = sum(spot.truth is None for spot in spots)
    some = "drawn " if shown.total > len(spots) else ""
    if failing:
        where = f"all {failing}" if failing == len(spots) else f"{failing} of the {len(spots)}"
        said = [f"No: it fails at {where} {some}points (ringed)"]
    elif open_:
        said = [f"Open at {open_} of the {len(spots)} {some}points (ringed)"]
    else:
        said = [f"Yes, at all {len(spots)} {some}points" if len(spots) > 2 else f"Yes, at both {some}points"]
    slacks = [spot.slack for spot in spots if spot.slack is not None]
    if slacks and shown.relation in (*UPPER, *LOWER):
        least = min((s for s in spots if s.slack is not None), key=lambda s: (s.slack is None, s.slack))
        at = f" at {', '.join(setting_words(_place(shown, least), dict(latex)))}" if shown.axis else ""
        told = pretty(significant(Decimal(min(slacks)), 3, "ROUND_FLOOR", strip=True))  # a slack below 1 stays below it
        said.append(f"least slack {told}{at}" + (", attained to 15 digits" if min(slacks) == 1 else ""))
    return "; ".join(said) + "."


def _place(shown: Chart, spot: Spot) -> Setting:
    """The main letter of a row and what tells its curve from the others."""
    own = next(curve.setting for curve in shown.curves if spot in curve.spots)
    return ((shown.axis, spot.word), *own)


def described(shown: Chart, latex: Mapping[str, str]) -> str:
    """Return what can be read off a figure, in sentences: for whoever hears it instead of seeing it."""
    said = [answered(shown, latex)]
    if shown.axis:
        (_, first), (_, last) = shown.ticks[0], shown.ticks[-1]
        sign = letter_signs(shown.axis, latex.get(shown.axis, ""))
        said.append(f"{sign} runs from {first} to {last}.")
    for curve in shown.curves[:4]:
        at = ", ".join(setting_words(curve.setting, dict(latex)))
        ends = [curve.spots[0], curve.spots[-1]] if len(curve.spots) > 1 else [curve.spots[0]]
        told = " to ".join(
            f"{pretty(interval(*spot.measured))} against {pretty(interval(*spot.bound))}" for spot in ends
        )
        said.append(f"{at + ': ' if at else ''}measured {told}.")
    if shown.control:
        count = sum(spot.spoiled is not None for spot in shown.spots)
        said.append(f"The control, {shown.control}, fails at {count} of them.")
    return " ".join(said)


def left_out(shown: Chart) -> list[str]:
    """Return what a figure does not show of its rows."""
    rest, drawn = shown.total - len(shown.spots), len(shown.curves)
    if not rest:
        return []
    some = f"{drawn} of {shown.settings} {'settings' if shown.axis else 'rows'}" if shown.settings > drawn else ""
    other = f"the other {rest} rows are in the table" if rest > 1 else "the other row is in the table"
    return [f"{some}; {other}." if some else f"{other.capitalize()}."]


def _beyond(shown: Chart, own: Scale) -> str:
    """What arrows mean, where a drawn interval has an end that the scale does not reach."""
    intervals = [span for spot in shown.spots for span in (spot.measured, *spoiled_ends(spot))]
    places = [own.place(end) for span in intervals for end in span]
    beyond = any(place is None or not own.low <= place <= own.high for place in places)
    return "Arrows lead to zero or beyond the scale." if beyond else ""


def _quantity(entry: Mapping[str, Any], shown: Chart) -> Markup:
    """The quantity as a formula, then in words."""
    words = [one for one in (entry.get("quantity") or shown.quantity, entry.get("meaning")) if one]
    latex = entry.get("quantity_latex")
    told = with_math(": ".join(words))
    return Markup("{}, {}").format(mathml(latex), told) if latex else told


def _axis(verdict: Mapping[str, Any], shown: Chart) -> Markup:
    """The main letter, then what it means."""
    meaning = next((one.get("meaning") for one in verdict.get("letters") or () if one["name"] == shown.axis), "")
    sign = letter(shown.axis, letters(verdict))
    return Markup("{}, {}").format(sign, with_math(meaning)) if meaning else sign


def _keys(verdict: Mapping[str, Any], shown: Chart) -> tuple[tuple[str, str, Markup], ...]:
    latex = letters(verdict)
    settings = [", ".join(setting_words(curve.setting, latex)) for curve in shown.curves]
    if shown.axis and len(shown.curves) > 1:
        found = [("measured", SIGNS[sign], Markup.escape(said)) for sign, said in zip(SHAPES, settings, strict=False)]
    else:
        found = [("measured", "●", Markup("measured"))]
    found.append(("bound", "—" if shown.axis else "|", Markup(SIDE.get(shown.relation, "bound"))))
    if shown.control:
        object_ = any(spot.spoiled and spot.spoiled.measured for spot in shown.spots)
        sign, what = ("×", "control") if object_ else ("┆" if not shown.axis else "┄", "bound of the control")
        found.append(("control", sign, Markup("{}: {}").format(what, with_math(shown.control))))
    truths = {spot.truth for spot in shown.spots}
    found += [("failing", "◯", Markup("fails"))] if False in truths else []
    found += [("undecided", "◯", Markup("open"))] if None in truths else []
    return tuple(found)
