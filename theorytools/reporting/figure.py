"""A plot with its legend and caption, ready for the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from theorytools.reporting.mathml import mathml, with_math
from theorytools.reporting.plots import Scale, draw
from theorytools.reporting.rows import letter, letters
from theorytools.reporting.series import Chart, chart

BOUND_WORDS = {"<=": "bound from above", ">=": "bound from below", "==": "predicted band"}


@dataclass(frozen=True)
class Figure:
    """The drawing and the words around it."""

    svg: Markup
    up: Markup
    across: Markup
    bound: str
    controls: tuple[tuple[str, Markup], ...]
    notes: tuple[str, ...]


def figure(verdict: Mapping[str, Any]) -> Figure | None:
    """Return the plot of a verdict, or None when nothing varies."""
    shown = chart(verdict)
    if shown is None:
        return None
    entry = next((a for a in verdict.get("assertions") or () if a.get("name") == shown.assertion), {})
    words = f"{verdict.get('id', '')}: {entry.get('quantity', 'measured')} and its bound against {shown.axis}"
    svg, across, up = draw(shown, title=words)
    quantity = entry.get("quantity_latex")
    return Figure(
        svg=Markup(svg),
        up=mathml(quantity) if quantity else Markup("<i>{}</i>").format(entry.get("quantity", "measured")),
        across=letter(shown.axis, letters(verdict)),
        bound=BOUND_WORDS.get(shown.relation, "bound"),
        controls=tuple(zip("×+", (with_math(name) for name, _ in shown.controls), strict=False)),
        notes=_notes(shown, across, up),
    )


def _notes(shown: Chart, across: Scale, up: Scale) -> tuple[str, ...]:
    marks = [*shown.measured, *(mark for _, spoiled in shown.controls for mark in spoiled)]
    both = across.logarithmic and up.logarithmic
    scales = "Both scales are logarithmic." if both else "The vertical scale is logarithmic."
    notes = [scales] if up.logarithmic else ["The horizontal scale is logarithmic."] if across.logarithmic else []
    if any(up.place(mark.low) is None for mark in marks):
        notes.append("▽ the interval reaches down to zero." if up.logarithmic else "▽ no finite lower end.")
    if any(mark.high.is_infinite() for mark in marks):
        notes.append("△ no finite upper end.")
    if shown.tightest:
        notes.append("Each position shows its tightest row only.")
    return tuple(notes)
