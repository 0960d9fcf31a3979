"""What common practice would have said of the same statements, from the same numbers.

Each baseline reads the rows of a verdict: the middle of what was measured and of the right side, as doubles.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from functools import partial
from statistics import NormalDist

from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.estimate import Estimate, Evidence

RTOL, ATOL = 1e-5, 1e-8  # numpy.allclose's own
RELATIVE = 1e-3
LEVEL = 0.05
_FIRST_LOOK = 1024  # samples before the first interval of a sequence, doubled for each further one


def _middle(estimate: Estimate) -> float:
    low, high = estimate.floats
    if math.isinf(low) or math.isinf(high):
        return low if math.isinf(high) else high
    return low / 2 + high / 2


def _sides(row: Row) -> tuple[float, float, float]:
    """The left side, and the two ends of the right one."""
    return _middle(row.measured), _middle(row.bound[0]), _middle(row.bound[-1])


def _within(row: Row, slack: Callable[[float], float]) -> bool:
    left, low, high = _sides(row)
    below, above = left <= high + slack(high), left >= low - slack(low)
    near = below and above
    return {"<=": below, "<": below, ">=": above, ">": above, "==": near, "!=": not near}[row.relation]


def allclose(rows: Sequence[Row], rng: random.Random) -> bool:
    """Whether three random rows agree to numpy's tolerance, inequalities with the same room.

    Examples
    --------
    >>> from theorytools import Quantity, Control, Claim, grid, judge
    >>> one = Quantity("one", "1")
    >>> claim = Claim("One", one <= 1, grid(N=[1]), lambda p: 1, lambda x, p: {one: x},
    ...               [Control("more", breaks=one, construct=lambda p: 2)])
    >>> allclose([row for row in judge(claim, "a.b").rows if not row.control], random.Random(0))
    True
    """
    chosen = rng.sample(list(rows), min(3, len(rows)))
    return all(_within(row, lambda side: ATOL + RTOL * abs(side)) for row in chosen)


def relative(rows: Sequence[Row]) -> bool:
    """Whether every row agrees to a part in a thousand, as solvers of performance estimation are compared."""
    return all(_within(row, lambda side: RELATIVE * abs(side)) for row in rows)


def deviation(estimate: Estimate) -> float:
    r"""The standard error behind a sampled interval, as if it were the normal one of its level.

    Look :math:`j` of a sequence spends :math:`\alpha/(j(j+1))`; the draws themselves are not kept.
    """
    low, high = estimate.floats
    look = 1 + max(0, round(math.log2(max(int(estimate.work.get("samples", 0)), 1) / _FIRST_LOOK)))
    level = max(estimate.alpha / (look * (look + 1)), 1e-300)
    return (high - low) / 2 / NormalDist().inv_cdf(1 - level / 2) if level < 1 else math.inf


def t_test(rows: Sequence[Row]) -> bool | None:
    """Whether no sampled row rejects its right side at five percent; None where nothing was sampled.

    With a thousand draws and more, Student's law is the normal one to three digits.
    """
    sampled = [row for row in rows if row.measured.evidence is Evidence.SAMPLED]
    if not sampled or not all(math.isfinite(deviation(row.measured)) for row in sampled):
        return None
    return all(_within(row, partial(_room, row)) for row in sampled)


def _room(row: Row, side: float) -> float:
    """How far a sampled row may miss its right side at five percent, of an equality both ways."""
    sides = 2 if row.relation == "==" else 1
    return NormalDist().inv_cdf(1 - LEVEL / sides) * deviation(row.measured)


def baselines(rows: Sequence[Row], rng: random.Random) -> dict[str, bool]:
    """Return by name whether each baseline accepts a statement with these rows; those without rows accept nothing."""
    if not rows:
        return {}
    found = {"allclose at three random points": allclose(rows, rng), "relative tolerance 1e-3": relative(rows)}
    test = t_test(rows)
    return found if test is None else {**found, "t-test at 5 %": test}
