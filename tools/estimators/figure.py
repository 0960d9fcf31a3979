r"""Nominal against simulated coverage of every estimator: the record ``reports/estimators.json`` and its figure.

``schema``
    ``theorytools.estimators/1``.
``doubt``, ``versions``
    The probability that an interval of a simulated coverage misses; Python and libraries.
``panels``
    One for each estimator: ``title``, its ``estimators`` by name, the ``claims`` that rest on one of them, its
    ``studies`` and its ``twin``, the same study of a version with one step ``spoiled``.  A study has ``law``,
    ``sizes``, ``admitted`` (whether the estimator promises anything under that law), ``nominal``, ``hits`` of
    ``runs``, what was ``refused``, and ``share``, ``low``, ``high``, ``verdict`` as a
    :class:`~theorytools.statistics.coverage.Coverage` has them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

SCHEMA = "theorytools.estimators/1"
RECORD, FIGURE = Path("reports") / "estimators.json", Path("reports") / "estimators.svg"
_LABEL, _PLOT, _ROW, _GAP, _HEAD = 304, 210, 14, 30, 60  # units of the view box
_DECADES = 3  # the axis is the logarithm of the share of misses, from all to one in a thousand
_TICKS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999)
_STYLE = (
    ".cov text{font:10px sans-serif;fill:#333}.cov .h{font-weight:700;font-size:11px}.cov .t{font-size:9px;fill:#666}"
    ".cov .w,.cov .n,.cov .a,.cov .o{stroke-width:1.2;stroke:#1d5c9e;fill:#1d5c9e}.cov .n{stroke:#888;fill:none}"
    ".cov .a{stroke:#e2e2e2;stroke-width:.8}.cov .o{fill:none}.cov .b{stroke:#b3400a;fill:#b3400a}"
    ".cov .b.o{fill:none}.cov .x{stroke:#b3400a;stroke-width:1.6}"
    "@media(prefers-color-scheme:dark){.cov text{fill:#ddd}.cov .t{fill:#aaa}.cov .w,.cov .o{stroke:#7db4ec}"
    ".cov .w{fill:#7db4ec}.cov .o{fill:none}.cov .n{stroke:#aaa}.cov .a{stroke:#444}"
    ".cov .b{stroke:#f0a065;fill:#f0a065}.cov .b.o{fill:none}.cov .x{stroke:#f0a065}}"
)
Panel = Mapping[str, Any]
Study = Mapping[str, Any]


def figure(record: Mapping[str, Any]) -> str:
    """Return the panels as one SVG that is readable on light and on dark ground."""
    columns = _columns(record["panels"])
    heights = [sum(map(_height, column)) for column in columns]
    width, height = 2 * (_LABEL + _PLOT + _GAP), _HEAD + max(heights)
    body = [*_legend()]
    for place, column in enumerate(columns):
        top = _HEAD
        for panel in column:
            body += _drawn(panel, place * (_LABEL + _PLOT + _GAP), top)
            top += _height(panel)
    title = "Coverage of every estimator: simulated, against the level it states"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="cov" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img"><title>{title}</title><style>{_STYLE}</style>{"".join(body)}</svg>\n'
    )


def _columns(panels: Sequence[Panel]) -> tuple[list[Panel], list[Panel]]:
    """The panels in two columns of about one height, in their order."""
    half, first = sum(map(_height, panels)) / 2, 0
    while sum(map(_height, panels[:first])) < half:
        first += 1
    return list(panels[:first]), list(panels[first:])


def _height(panel: Panel) -> int:
    return _ROW * (len(panel["studies"]) + 4)


def _across(coverage: float) -> float:
    """Where a coverage stands on the axis."""
    return _PLOT * min(-math.log10(max(1 - coverage, 10.0**-_DECADES)) / _DECADES, 1)


def _text(name: str, x: float, y: float, said: str, anchor: str = "start") -> str:
    return f'<text class="{name}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(said)}</text>'


def _path(name: str, drawn: str) -> str:
    return f'<path class="{name}" d="{drawn}"/>'


def _drawn(panel: Panel, left: float, top: float) -> list[str]:
    """One panel: axis, a line for each law, and the spoiled twin below them."""
    start, lines = left + _LABEL, [*panel["studies"], panel["twin"]]
    bottom = top + _ROW * (len(lines) + 1)
    parts = [_text("h", left + 4, top + 10, panel["title"])]
    for tick in _TICKS:
        x = round(start + _across(tick), 1)
        parts += [_path("a", f"M{x:g} {top + _ROW:g}V{bottom:g}"),
                  _text("t", x, bottom + 10, f"{100 * tick:g}", "middle")]  # fmt: skip
    for k, study in enumerate(lines):
        y, spoiled = top + _ROW * (k + 1.5), k == len(panel["studies"])
        said = f"spoiled: {panel['spoiled']}" if spoiled else f"{study['law']}; {study['sizes']}"
        parts.append(_text("t" if spoiled else "", start - 6, y + 3.5, _short(said), "end"))
        parts += _marked(study, start, y, spoiled)
    return parts


def _short(said: str) -> str:
    return said if len(said) <= 54 else f"{said[:53]}…"


def _marked(study: Study, start: float, y: float, spoiled: bool) -> list[str]:
    """The nominal level, the interval of the coverage, and the coverage itself."""
    low, here, high, level = (round(start + _across(study[key]), 1) for key in ("low", "share", "high", "nominal"))
    tone = "w b" if study["verdict"] == "below" else "w"
    parts = [_path("n", f"M{level:g} {y - 6:g}v12"), _path(tone, f"M{low:g} {y:g}H{high:g}")]
    if spoiled:
        return [*parts, _path("x", f"M{here - 3:g} {y - 3:g}l6 6m0-6l-6 6")]
    shape = tone if study["admitted"] else tone.replace("w", "o")
    return [*parts, f'<circle class="{shape}" cx="{here:g}" cy="{y:g}" r="3"/>']


def _legend() -> list[str]:
    """What the marks mean, in two lines above the panels."""
    entries = [
        ("w", 0, "a law that the estimator admits"), ("o", 190, "a law that it does not admit"),
        ("w b", 360, "too narrow: the whole interval below the level"), ("x", 620, "spoiled on purpose"),
        ("n", 740, "the level stated"),
    ]  # fmt: skip
    parts = []
    for name, x, said in entries:
        drawn = {"x": "m-3-3l6 6m0-6l-6 6", "n": "m0-6v12"}.get(name)
        at = f"M{x + 10} 16"
        circle = f'<circle class="{name}" cx="{x + 10}" cy="16" r="3"/>'
        parts += [_path(name, at + drawn) if drawn else circle, _text("", x + 18, 19.5, said)]
    said = "Share of simulated data sets whose interval contains the number, in %; bars: missed once in 1,000"
    return [*parts, _text("t", 4, 40, said)]
