r"""What the rows of a claim would have seen: which wrong statements they reject, over which sizes.

All from the stored intervals; nothing is measured again.  At a row the right side :math:`b` could be larger by any
factor up to :math:`e^{u}` and smaller by any up to :math:`e^{l}` before the measured interval refutes the assertion;
these two gaps answer every question below.

A wrong *constant* is :math:`(1+\varepsilon)^{\pm1}b`, seen where one gap of its direction is below
:math:`\log(1+\varepsilon)`.  A wrong *exponent* of a letter is :math:`b\,(x/x_0)^{\pm\delta}`, with :math:`x_0` the end
of the tested range at which it agrees with the claim, so that no constant is refuted in its place; of an equality it is
:math:`c\,b\,x^{\pm\delta}` with any constant :math:`c`, which two rows :math:`i, j` reject where
:math:`\delta\log(x_i/x_j)>u_i+l_j`.  A factor :math:`\log x` is treated likewise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.estimate import Estimate
from theorytools.claims.language.relation import LOWER, UPPER
from theorytools.numbers import Enclosure, End, float_upper

NEVER = math.inf


@dataclass(frozen=True)
class Gaps:
    """How far the right side of one row can move up and down, as logarithms, before the row refutes it."""

    sizes: Mapping[str, float]
    up: float
    down: float


def horizon(rows: Sequence[Row], letters: Mapping[str, Sequence[str]] | None = None) -> dict[str, dict[str, Any]]:
    """Return for each assertion what its rows would have seen.

    Parameters
    ----------
    rows : the claim's own rows; those of controls, rows that are not true and such
        whose premise is false are left out.
    letters : for each assertion the letters whose exponent is asked for; default: every axis with two sizes.

    Returns
    -------
    dict
        By assertion: ``constant``, the least ε whose factor 1 + ε is rejected (None where none is); ``zero``, whether
        the right side is zero at some row, so that any other value is rejected; ``exponents``, by letter the least δ
        rejected upwards and downwards (None where none is); ``logs``, letters of which a factor log, added or
        dropped, is rejected; ``shifts``, letters of which x + 1 for x, or x - 1, is rejected.
    """
    found: dict[str, list[Row]] = {}
    for row in rows:
        if not row.control and row.truth and not row.idle:
            found.setdefault(row.assertion, []).append(row)
    return {name: _of_assertion(group, (letters or {}).get(name)) for name, group in found.items()}


def _of_assertion(rows: Sequence[Row], wanted: Sequence[str] | None) -> dict[str, Any]:
    made = [_gaps(row) for row in rows]
    gaps = [g for g in made if g is not None]
    both = rows[0].relation == "=="
    names = [n for n in _sizes(rows[0]) if wanted is None or n in wanted]
    exponents, logs = {}, []
    for name in names:
        own = [g for g in gaps if name in g.sizes]
        if len({g.sizes[name] for g in own}) > 1:
            exponents[name] = [_known(x) for x in _exponents(name, own, both)]
            logs += [name] if _log(name, own, both) else []
    zero = any(_zero(row) for row in rows)
    shifts = sorted({name for row in rows for name in row.shifts})
    return {"constant": _constant(gaps, both), "zero": zero, "exponents": exponents, "logs": logs, "shifts": shifts}


def tested(points: Iterable[Mapping[str, str]]) -> dict[str, dict[str, Any]]:
    """Return for each numeric axis its least and largest value, as exact texts, and how many there are."""
    values: dict[str, dict[Fraction, str]] = {}
    for point in points:
        for name, text in point.items():
            number = _number(text)
            if number is not None:
                values.setdefault(name, {})[number] = text
    return {name: {"low": v[min(v)], "high": v[max(v)], "values": len(v)} for name, v in values.items()}


@lru_cache(maxsize=4096)
def _number(text: str) -> Fraction | None:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def _sizes(row: Row) -> dict[str, float]:
    """The axes that are positive numbers, as logarithms."""
    numbers = {name: _number(text) for name, text in row.point.items()}
    return {n: math.log(x.numerator) - math.log(x.denominator) for n, x in numbers.items() if x is not None and x > 0}


def _gaps(row: Row) -> Gaps | None:
    """The gaps of one row; None where either side reaches zero, or is unbounded, and of ``≠``."""
    low, high = row.measured.low, row.measured.high
    below, above = row.bound[0], row.bound[-1]  # one and the same, except of an equality within a tolerance
    if row.relation == "==":
        up, down = _equality(row.measured, below, above)
    elif row.relation in UPPER:
        up, down = NEVER, _quotient(above.high, low)
    elif row.relation in LOWER:
        up, down = _quotient(high, below.low), NEVER
    else:  # that two numbers differ is refuted by no other right side but one
        return None
    return None if up is None or down is None else Gaps(_sizes(row), up, down)


def _quotient(large: End, small: End) -> float | None:
    """The logarithm of a quotient of two numbers of one sign, at least 0; None where there is none."""
    if not (large.finite and small.finite):
        return None
    top, bottom = Enclosure(large.value), Enclosure(small.value)
    return _log_ratio(-bottom, -top) if large < 0 and small < 0 else _log_ratio(top, bottom)


def _equality(measured: Estimate, below: Estimate, above: Estimate) -> tuple[float | None, float | None]:
    """Of an equality within a tolerance: the middle moves, the tolerance stays."""
    ends = [measured.low, measured.high, below.low, below.high, above.low, above.high]
    if not all(end.finite for end in ends):
        return None, None
    m_low, m_high, *edges = (Enclosure(end.value) for end in ends)
    if measured.high < 0:
        m_low, m_high = -m_high, -m_low
        edges = [-edge for edge in reversed(edges)]
    width = (edges[3] - edges[0]) / 2
    least, most = (edges[0] + edges[2]) / 2, (edges[1] + edges[3]) / 2
    return _log_ratio(m_high + width, least), _log_ratio(most, m_low - width)


def _log_ratio(large: Enclosure, small: Enclosure) -> float | None:
    """The logarithm of a quotient, at least 0; None where one side is not positive: then the logarithm is unbounded."""
    value = float_upper((large / small).log().upper)
    return max(value, 0.0) if math.isfinite(value) else None


def _zero(row: Row) -> bool:
    """Whether the right side is exactly zero, so that nothing but zero passes."""
    return all(bound.low == bound.high == 0 for bound in row.bound) and row.measured.low == row.measured.high == 0


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _constant(gaps: Sequence[Gaps], both: bool) -> float | None:
    up, down = min((g.up for g in gaps), default=NEVER), min((g.down for g in gaps), default=NEVER)
    gap = max(up, down) if both else min(up, down)
    return math.expm1(gap) if gap < 700 else None


def _exponents(name: str, gaps: Sequence[Gaps], both: bool) -> tuple[float, float]:
    """The least change of an exponent that is rejected, upwards and downwards."""
    if both:
        pairs = [(a, b, a.sizes[name] - b.sizes[name]) for a in gaps for b in gaps if a.sizes[name] > b.sizes[name]]
        # c x^δ b: the larger size bounds c x^δ from above, the smaller one from below, and the other way round
        up = min(((a.up + b.down) / span for a, b, span in pairs), default=NEVER)
        return up, min(((a.down + b.up) / span for a, b, span in pairs), default=NEVER)
    first, last = _ends(name, gaps)
    rise, fall = (last, first) if gaps[0].up == NEVER else (first, last)  # the end at which the two agree
    ups = (_gap(g) / abs(g.sizes[name] - rise) for g in gaps if g.sizes[name] != rise)
    downs = (_gap(g) / abs(g.sizes[name] - fall) for g in gaps if g.sizes[name] != fall)
    return min(ups, default=NEVER), min(downs, default=NEVER)


def _gap(gaps: Gaps) -> float:
    return min(gaps.up, gaps.down)


def _ends(name: str, gaps: Sequence[Gaps]) -> tuple[float, float]:
    sizes = [g.sizes[name] for g in gaps]
    return min(sizes), max(sizes)


def _log(name: str, gaps: Sequence[Gaps], both: bool) -> bool:
    """Whether a factor log x, added as well as dropped, is rejected; sizes below 2 are left out."""
    own = [g for g in gaps if g.sizes[name] >= math.log(2) - 1e-12]
    sized = [(g, math.log(g.sizes[name])) for g in own]
    logs = [log for _, log in sized]
    if len(set(logs)) < 2:
        return False
    if both:
        pairs = [(a, b, x - y) for a, x in sized for b, y in sized]  # no gap is below 0, so the order needs no test
        added = any(a.up + b.down < span for a, b, span in pairs)
        return added and any(a.down + b.up < span for a, b, span in pairs)
    low, high = min(logs), max(logs)
    return any(_gap(g) < high - x for g, x in sized) and any(_gap(g) < x - low for g, x in sized)
