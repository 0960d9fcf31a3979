"""One assertion at one point: both sides climb until it is decided, and what may then be said of the row.

What is true is also tried in stronger forms: with the bound moved towards falsehood by a factor (its power), and with
an integer letter of the right side moved by one (its shifts).  Those that are refuted here are what the row excludes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from theorytools.claims.judging.verdict import Row, implied
from theorytools.claims.language.assertion import Assertion
from theorytools.claims.language.bound import expression, recipe
from theorytools.claims.language.combined import left_ladder
from theorytools.claims.language.estimate import Budget, Estimate, Evidence
from theorytools.claims.language.grid import Point
from theorytools.claims.language.ladder import Ladder
from theorytools.claims.language.quantity import Combined, Quantity
from theorytools.claims.language.relation import related, trivial_end

FACTORS = (1.01, 1.05, 1.25, 2, 10, 100)


@dataclass(frozen=True)
class Comparison:
    """One assertion at one point, before it is decided.

    Parameters
    ----------
    assertion : of the claim, or of a control.
    ladders : of each quantity that was measured.
    values : of each letter.
    point : where it is judged.
    budget : the precision and the samples that a side may take.
    brief : whether only its truth is asked for: its power, its shifts and whether its bound says anything are several
        more climbs.
    powers : whether the first two are looked for otherwise.
    control : the name of the control whose row it is; empty for the claim's own.
    must_break : whether that control has to fail.
    """

    assertion: Assertion
    ladders: Mapping[Quantity, Ladder]
    values: Mapping[str, Any]
    point: Point
    budget: Budget
    brief: bool = False
    powers: bool = True
    control: str = ""
    must_break: bool = False

    def row(self) -> Row:
        """Climb until the assertion is decided or the budget is spent, of an implication both parts."""
        a = self.assertion
        if a.premise is None:
            return self._row()
        premise = replace(self, assertion=a.premise, brief=True, must_break=False)._row()
        powers = self.powers and premise.truth is not False
        row = replace(self, assertion=replace(a, premise=None, label=a.name), powers=powers)._row()
        return replace(row, premise=premise, truth=implied(premise.truth, row.truth))

    def _row(self) -> Row:
        ladder = left_ladder(self.assertion.quantity, self.ladders, self.values, self.budget)
        if self.assertion.sloped and ladder.at(0) is not None:
            return replace(self, assertion=self.assertion.on(ladder.best))._climbed(ladder)
        return self._climbed(ladder)

    def _climbed(self, ladder: Ladder) -> Row:
        a = self.assertion
        bounds = self._bounds(a)
        truth, steps = climb(a, ladder, bounds)
        tied = False
        if truth is None and a.tie != 0:
            loosened = a.loosened()
            tied = climb(loosened, ladder, self._bounds(loosened))[0] is True
            truth = True if tied else None
        ends = tuple(b.best for b in bounds)
        own = bool(truth) and not self.control and self.powers and not self.brief
        power, shifts = (self._power(ladder), self._shifts(ladder)) if own else (None, ())  # which may climb further
        return Row(
            self.point.text(), self.control, a.name, a.quantity.name, a.relation, truth, ladder.best, ends,
            None if self.control or self.brief else vacuous(a, self.values, ends, self.budget), tied, steps,
            power, self.must_break, shifts,
        )  # fmt: skip

    def _bounds(self, assertion: Assertion) -> list[Ladder]:
        return bound_ladders(assertion, self.values, self.budget)

    def _power(self, ladder: Ladder) -> float | None:
        """The smallest factor by which the bound, moved towards falsehood, is rejected here."""
        sign = sign_of(self.assertion, self.values, self.budget)
        if sign is None:
            return None
        sampled = ladder.evidence is Evidence.SAMPLED
        if not self.assertion.tightened(Fraction(2), sign=sign):  # it has no neighbour that is nearer to falsehood
            return None
        for factor in FACTORS:
            moved = self.assertion.tightened(Fraction(str(factor)), sign=sign)
            if all(climb(m, ladder, self._bounds(m), draw=not sampled)[0] is False for m in moved):
                return float(factor)
        return None

    def _shifts(self, ladder: Ladder) -> tuple[str, ...]:
        """The integer letters of the right side that, moved by one, make an assertion that is refuted here.

        Of an inequality one of the two is the stronger statement, and it is refuted; of an equality both are.  That two
        numbers differ has no stronger statement.
        """
        a = self.assertion
        if a.relation == "!=" or isinstance(a.quantity, Combined):  # its letters may stand on the left too
            return ()
        sampled, found = ladder.evidence is Evidence.SAMPLED, []
        used = {symbol.name for side in a.sides() for symbol in side.free_symbols}
        for name in sorted(used & set(self.point.axes)):
            size = self.point.axes[name]
            if isinstance(size, str) or Fraction(size).denominator != 1 or size < 2:
                continue
            moved = [bound_ladders(a, {**self.values, name: size + move}, self.budget) for move in (-1, 1)]
            wrong = [climb(a, ladder, bounds, draw=not sampled)[0] is False for bounds in moved]
            if all(wrong) if a.relation == "==" else any(wrong):
                found.append(name)
        return tuple(found)


def bound_ladders(assertion: Assertion, values: Mapping[str, Any], budget: Budget) -> list[Ladder]:
    """Return a ladder for each right side of an assertion, from its first step."""
    return [Ladder(recipe(side, values), 0.0, budget) for side in assertion.sides()]


def climb(assertion: Assertion, ladder: Ladder, bounds: list[Ladder], *, draw: bool = True) -> tuple[bool | None, int]:
    """Advance both sides together; ``draw=False`` takes no sample beyond those already drawn."""
    rung, spent = 0, False
    while not spent:
        limited = not draw and rung >= len(ladder.climbed)
        steps = [None if limited else ladder.at(rung), *(b.at(rung) for b in bounds)]
        spent = all(step is None for step in steps)
        if spent or not ladder.climbed:
            break
        truth = assertion.compare(ladder.best, [b.best for b in bounds])
        if truth is not None:
            return truth, rung + 1
        rung += 1
    return None, rung


def sign_of(assertion: Assertion, values: Mapping[str, Any], budget: Budget) -> int | None:
    """Return the sign of the right side, tolerance apart; None where no precision decides it."""
    ladder, rung = Ladder(recipe(assertion.expr, values), 0.0, budget), 0
    while (bound := ladder.at(rung)) is not None:
        for sign, found in ((1, bound.low > 0), (-1, bound.high < 0), (0, bound.low == bound.high == 0)):
            if found:
                return sign
        rung += 1
    return None


def vacuous(
    assertion: Assertion, values: Mapping[str, Any], bounds: Sequence[Estimate], budget: Budget
) -> bool | None:  # fmt: skip
    """Return whether the bound says no more than the quantity's trivial range (None when undecided)."""
    trivial = trivial_end(assertion.quantity.trivial, assertion.relation)
    if trivial is None:
        return False
    limit = Ladder(recipe(expression(trivial), values), 0.0, budget)
    rung = 0
    while (edge := limit.at(rung)) is not None:
        weaker = related(assertion.relation, edge, bounds)  # what lies in the trivial range then satisfies it
        if weaker is not None:
            return weaker
        rung += 1
    return None
