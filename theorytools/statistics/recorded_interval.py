"""A confidence interval that was computed when a record was made, as what a claim measures."""

from __future__ import annotations

from collections.abc import Iterator

from theorytools.arguments.checked import Count, checked
from theorytools.claims.language.estimate import Budget, Estimate, Evidence, Recipe, outward
from theorytools.errors import CheckError
from theorytools.numbers import End


@checked
def recorded_interval(low: float, high: float, *, alpha: float, samples: Count) -> Recipe:
    """Return the recipe of an interval that misses with probability at most ``alpha``; nothing more can be drawn.

    Parameters
    ----------
    low, high : the interval.
    alpha : its error probability, fixed before anything was drawn.
    samples : the draws that it rests on.

    Raises
    ------
    CheckError : while judging, if the claim may spend less than ``alpha`` on this row.

    Examples
    --------
    >>> recorded_interval(0.25, 0.75, alpha=1e-10, samples=1000).evidence.name
    'SAMPLED'
    """

    def steps(level: float, budget: Budget) -> Iterator[Estimate]:
        if level < alpha:
            raise CheckError(
                f"a recorded interval of error probability {alpha:.3g}",
                required=f"at most {level:.3g}, the share of this row",
                advice="fewer points or controls, or a record at a lower level",
            )
        ends = outward(low, high)  # those that were recorded are a library's tails
        yield Estimate(End(ends[0]), End(ends[1]), Evidence.SAMPLED, alpha, {"samples": samples})

    return Recipe(Evidence.SAMPLED, steps)
