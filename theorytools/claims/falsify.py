r"""Look for a point, or an object, that violates a statement; shrink it; confirm it with the whole budget.

The error probability is divided by the number of evaluations allowed before the search begins, so a sampled
violation is one at the claim's own level however many points were tried.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from typing import Any

import sympy

from theorytools.algebra.estimate import Budget
from theorytools.claims.claim import Claim
from theorytools.claims.grid import Point
from theorytools.claims.rows import Bench, measure_point, outside
from theorytools.claims.verdict import Row
from theorytools.errors import DomainError, TheoryError

EVALUATIONS = 2000
_SEARCH_BITS, _SEARCH_SAMPLES = 256, 20_000


@dataclass(frozen=True)
class Search:
    """What a search found: the violating row at the simplest point, or nothing in so many evaluations."""

    id: str
    evaluations: int
    outside: int
    seconds: float
    row: Row | None = None
    thing: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        row = None if self.row is None else self.row.to_json()
        return {"id": self.id, "evaluations": self.evaluations, "outside": self.outside,
                "seconds": round(self.seconds, 3), "violation": row, "object": self.thing}  # fmt: skip


def falsify(claim: Claim, id: str, *, evaluations: int = EVALUATIONS, seconds: float | None = None) -> Search:
    """Search the hypotheses of a claim for a violation.

    Parameters
    ----------
    claim, id : the claim and its id (seeds are keyed by it).
    evaluations : the largest number of points judged; fixed in advance, because it divides the error probability.
    seconds : stop earlier when this much time has passed.

    Returns
    -------
    Search
        With the violating row at the simplest point found, re-judged with the claim's whole budget.
    """
    from hypothesis import HealthCheck, Phase, find, settings
    from hypothesis.errors import Flaky, NoSuchExample, Unsatisfiable

    hunt = _Hunt(claim, id, evaluations, seconds)
    options = settings(
        max_examples=evaluations, database=None, deadline=None, derandomize=True,
        phases=[Phase.generate, Phase.shrink], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    # these mean that nothing was found, or that the limit came while shrinking; hunt.best keeps what was found
    with contextlib.suppress(Flaky, NoSuchExample, Unsatisfiable, _Finished):
        find(_points(claim, ".".join(id.split(".")[:2])), hunt.violates, settings=options)
    row = hunt.confirm()
    thing = repr(hunt.best[1]) if row is not None and hunt.best is not None and claim.search is not None else ""
    return Search(id, hunt.evaluated, hunt.outside, time.perf_counter() - hunt.started, row, thing)


class _Finished(BaseException):
    """The time or the evaluations are used up; no ``Exception``, which hypothesis would take for a finding."""


class _Hunt:
    """The predicate of the search, with a count of its evaluations and the simplest violation so far."""

    def __init__(self, claim: Claim, id: str, evaluations: int, seconds: float | None) -> None:
        self.claim, self.id, self.limit, self.seconds = claim, id, evaluations, seconds
        self.alpha = claim.budget.alpha / (evaluations * len(claim.quantities))
        self.started, self.evaluated, self.outside = time.perf_counter(), 0, 0
        self.best: tuple[Point, Any] | None = None
        full = claim.budget
        self.small = Budget(min(_SEARCH_BITS, full.bits), min(_SEARCH_SAMPLES, full.samples), full.alpha)

    def violates(self, candidate: tuple[Point, Any]) -> bool:
        late = self.seconds is not None and time.perf_counter() - self.started > self.seconds
        if late or self.evaluated >= self.limit:
            raise _Finished
        found = self._false_row(candidate, self.small) is not None
        if found:
            self.best = candidate
        return found

    def _false_row(self, candidate: tuple[Point, Any], budget: Budget) -> Row | None:
        point, thing = candidate
        claim = replace(self.claim, budget=budget)
        if claim.search is not None:
            claim = replace(claim, construct=lambda p: thing)
        self.evaluated += 1
        try:
            honest = measure_point(Bench(claim, self.alpha), point)
        except TheoryError:
            honest = None
        if honest is None or honest.skipped is not None:
            self.outside += 1
            return None
        return next((row for row in honest.rows if row.truth is False), None)

    def confirm(self) -> Row | None:
        """Judge the simplest violation once more with the claim's whole budget."""
        return None if self.best is None else self._false_row(self.best, self.claim.budget)


def _points(claim: Claim, check: str) -> Any:
    """The strategy: axes inside the univariate hypotheses, then an object where the claim can draw one."""
    from hypothesis import reject
    from hypothesis import strategies as st

    axes = {name: _axis(claim, name) for name in claim.grid.axes}

    @st.composite
    def candidate(draw: Any) -> tuple[Point, Any]:
        point = claim.point({name: draw(strategy) for name, strategy in axes.items()}, check)
        # an object is drawn only where the hypotheses hold: elsewhere it need not exist
        if claim.search is None or outside(claim, point) is not None:
            return point, None
        try:
            return point, claim.search(draw, point)
        except DomainError:  # no such object here
            reject()
            raise

    return candidate()


def _axis(claim: Claim, name: str) -> Any:
    from hypothesis import strategies as st

    values = [point[name] for point in claim.grid]
    words = sorted({value for value in values if isinstance(value, str)})
    if words:
        return st.sampled_from(words)
    numbers = [Fraction(value) for value in values]
    symbol = claim.all_letters().get(name)
    low, high = _range(claim, symbol)
    integral = symbol.is_integer if symbol is not None else all(x.denominator == 1 for x in numbers)
    top = max(numbers) if high is None else min(max(numbers), high)
    if integral:
        least = 1 if low is None and min(numbers) >= 1 else min(numbers) if low is None else -((-low) // 1)
        return st.integers(int(least), max(int(top), int(least)))
    least = (Fraction(0) if min(numbers) >= 0 else min(numbers)) if low is None else Fraction(low)
    return _fractions(least, max(top, least))


def _fractions(low: Fraction, high: Fraction) -> Any:
    """Fractions of denominator at most 16 or that of an end; it is drawn first, so that it shrinks first."""
    from hypothesis import strategies as st

    denominators = {*range(1, 17), low.denominator, high.denominator}
    held = {q: (ceil(low * q), floor(high * q)) for q in sorted(denominators) if ceil(low * q) <= floor(high * q)}
    return st.sampled_from(list(held)).flatmap(lambda q: st.integers(*held[q]).map(lambda p: Fraction(p, q)))


def _range(claim: Claim, symbol: sympy.Symbol | None) -> tuple[Fraction | None, Fraction | None]:
    """The interval that the one-letter hypotheses leave for a letter; strict ends are filtered later."""
    low: Fraction | None = None
    high: Fraction | None = None
    if symbol is None:
        return low, high
    for condition in [*getattr(symbol, "domain", []), *claim.requires]:
        if getattr(condition, "free_symbols", set()) != {symbol} or not isinstance(
            condition, sympy.core.relational.Relational
        ):
            continue
        edge = condition.rhs if condition.lhs == symbol else condition.lhs
        if not edge.is_Rational or symbol not in (condition.lhs, condition.rhs):
            continue
        value = Fraction(edge.p, edge.q)
        greater = isinstance(condition, sympy.Ge | sympy.Gt) == (condition.lhs == symbol)
        if isinstance(condition, sympy.Eq):
            low = high = value
        elif greater:
            low = value if low is None else max(low, value)
        else:
            high = value if high is None else min(high, value)
    return low, high
