"""Left sides that are computed from several measured numbers, and how they are refined together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from theorytools.claims.language.assertion import Side
from theorytools.claims.language.bound import Values, enclose
from theorytools.claims.language.estimate import Budget, Estimate, Evidence, Recipe
from theorytools.claims.language.ladder import Ladder
from theorytools.claims.language.quantity import Quantity
from theorytools.numbers import Enclosure, at_precision, between

_FIRST_BITS = 64


def left_ladder(quantity: Side, ladders: Mapping[Quantity, Ladder], values: Values, budget: Budget) -> Ladder:
    """Return the ladder of a left side: that of the quantity, or of the formula in the ladders of its parts.

    Parameters
    ----------
    quantity : the left side.
    ladders : of every measured quantity.
    values : letters by name, for the coefficients of the formula.
    budget : how far it may be refined.
    """
    if isinstance(quantity, Quantity):
        return ladders[quantity]
    parts = {part.name: ladders[part] for part in quantity.parts}
    weakest = min(ladder.evidence for ladder in parts.values())

    def steps(alpha: float, budget: Budget) -> Iterator[Estimate]:
        bits, rung, last = min(_FIRST_BITS, budget.bits), 0, None
        while True:
            # all parts are climbed together; one that has ended stays at its last step
            more = [ladder.at(rung) is not None for ladder in parts.values()]
            spent = not any(more) and last is not None and last.work["bits"] >= budget.bits
            if spent or not all(ladder.climbed for ladder in parts.values()):
                return
            best = {name: ladder.best for name, ladder in parts.items()}
            step = _evaluated(quantity, best, values, bits)
            last = step if last is None else step.within(last)
            yield last
            if last.evidence is Evidence.EXACT:
                return
            bits, rung = min(2 * bits, budget.bits), rung + 1

    # the parts have booked what they may err
    return Ladder(Recipe(weakest, steps), sum(ladder.alpha for ladder in parts.values()), budget)


def _evaluated(quantity: Side, best: Mapping[str, Estimate], values: Values, bits: int) -> Estimate:
    """The formula in the intervals of its parts; the probability that one of these misses is at most their sum."""

    def compute() -> Enclosure:
        return enclose(quantity.formula, {**values, **{name: _box(estimate) for name, estimate in best.items()}})

    box, weakest = at_precision(bits, compute), min(estimate.evidence for estimate in best.values())
    if weakest > Evidence.SAMPLED:
        weakest = Evidence.EXACT if box.lower == box.upper else Evidence.ENCLOSED
    alpha = sum(estimate.alpha for estimate in best.values())
    return Estimate(box.lower, box.upper, weakest, alpha, _work(best, bits))


def _box(estimate: Estimate) -> Enclosure:
    if not (estimate.low.finite and estimate.high.finite):
        return Enclosure(0).log()  # a ball has two ends: of a number that is bounded on one side it says nothing
    return between(Enclosure(estimate.low.value), Enclosure(estimate.high.value))


def _work(best: Mapping[str, Estimate], bits: int) -> dict[str, Any]:
    """What was spent: of everything what one part says of it, of samples the sum."""
    spent: dict[str, Any] = {}
    for estimate in best.values():
        spent |= estimate.work
    drawn = [int(estimate.work["samples"]) for estimate in best.values() if "samples" in estimate.work]
    return {**spent, "bits": bits, **({"samples": sum(drawn)} if drawn else {})}
