"""With which probability every minimiser of a drawn sample is good: samples counted, by certificates on both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from theorytools import Budget, Estimate, Evidence, Recipe
from theorytools.claims.language.estimate import outward
from theorytools.numbers import End
from theorytools.statistics.intervals import clopper_pearson

SAMPLES = 48  # half of all samples is proved where at most five are not certified, at the level of a row


def samples(p: Any, learner: Callable[[Any], Any]) -> list[Any]:
    """Return what a learner makes of 48 samples: ``trial`` is a letter of their seeds, not of the statement."""
    return [learner(replace(p, axes={**p.axes, "trial": k})) for k in range(SAMPLES)]


def share(learners: list[Any], limit: Fraction, margin: Fraction = Fraction(1, 2**13)) -> Recipe:
    r"""Return the probability that every parameter within a margin of the least empirical risk has R at most a limit.

    A sample counts as good where the upper end of its risks is at most the limit, as bad where the lower end of every
    one exceeds it.  The samples where the event happens are at least the good ones and at most all but the bad ones,
    and the ends of Clopper and Pearson increase with the count.
    """
    ends = [learner.risk(margin) for learner in learners]
    good, bad = sum(high <= limit for _, high in ends), sum(low > limit for low, _ in ends)

    def steps(alpha: float, budget: Budget) -> Iterator[Estimate]:
        n = len(ends)
        ends_of_share = clopper_pearson(good, n, alpha)[0], clopper_pearson(n - bad, n, alpha)[1]
        low, high = outward(*map(float, ends_of_share))  # the last bits of a library's tails are not seen in them
        work = {"samples": n, "good": good, "bad": bad}
        yield Estimate(End(max(low, 0.0)), End(min(high, 1.0)), Evidence.SAMPLED, alpha, work)

    return Recipe(Evidence.SAMPLED, steps)
