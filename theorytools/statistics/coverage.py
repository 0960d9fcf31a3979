r"""How often an interval contains the number it speaks of, simulated where that number is known.

An interval of level :math:`1-\alpha` contains its number in at least that share of data sets, under the law that its
docstring admits; under another law nobody promises it.  :func:`simulated_coverage` draws data sets of a law with a
known number and counts.  The count is uncertain itself, so a :class:`Coverage` carries the Clopper-Pearson interval of
the share, and calls an estimator too narrow only where that whole interval lies below the level.

The seed of a data set is made from the name of the study, the level of the count is fixed here, and both are the same
for every estimator: nothing is left to be chosen after a result was seen.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorytools.arguments.checked import STEPS, NonNegativeInt, PositiveInt, at_most, checked
from theorytools.claims.language.estimate import Budget, Recipe
from theorytools.errors import DisjointError, DomainError
from theorytools.statistics.intervals import clopper_pearson
from theorytools.statistics.slopes import checked_coverage

Ends = tuple[float, float]
DOUBT = 1e-3  # probability that the interval of a count misses the true coverage


@checked
@dataclass(frozen=True)
class Coverage:
    """How many of the simulated intervals contained the number, against the share that was promised.

    Attributes
    ----------
    hits, runs : the intervals that contained it, of those that the estimator gave.
    nominal : the level that it states; 1 where it never misses.
    refused : data sets for which it gave none, and said so.

    Examples
    --------
    >>> seen = Coverage(870, 1000, 0.95)
    >>> seen.share, seen.verdict, seen.low < 0.87 < seen.high
    (0.87, 'below', True)
    """

    hits: NonNegativeInt
    runs: NonNegativeInt
    nominal: float
    refused: NonNegativeInt = 0

    def __post_init__(self) -> None:
        if self.nominal != 1:
            checked_coverage(self.nominal)
        if self.hits > self.runs or not self.runs:
            raise DomainError(f"{self.hits} hits in {self.runs} runs", required="hits <= runs, and at least one run")

    @property
    def share(self) -> float:
        """The simulated coverage."""
        return self.hits / self.runs

    @property
    def low(self) -> float:
        """The lower end of the Clopper-Pearson interval of the coverage, which misses with probability 1e-3."""
        return float(clopper_pearson(self.hits, self.runs, DOUBT)[0])

    @property
    def high(self) -> float:
        """The upper end of that interval."""
        return float(clopper_pearson(self.hits, self.runs, DOUBT)[1])

    @property
    def verdict(self) -> str:
        """``below`` or ``above`` where the whole interval lies on one side of the nominal level, else ``at``."""
        return "below" if self.high < self.nominal else "above" if self.low > self.nominal else "at"


@checked
@at_most(runs=STEPS)
def simulated_coverage(
    interval: Callable[[Any], Any], truth: float, *, nominal: float, runs: PositiveInt, name: str
) -> Coverage:
    """Return how often ``interval(seed)``, the ends from one simulated data set, contains ``truth``.

    Parameters
    ----------
    interval : from a numpy ``SeedSequence`` to the two ends; it draws the data set and estimates.  A ``DomainError`` of
        the estimator counts as refused, ends that are NaN as a miss.
    truth : the number under the law that is drawn.
    nominal : the level that the interval states; 1 for one that never misses.
    runs : how many data sets.
    name : of the study; the seeds are made from it.

    Returns
    -------
    Coverage : the count, with its own uncertainty.

    Raises
    ------
    DomainError
        If the estimator refused every data set.

    Examples
    --------
    >>> from theorytools.numbers.draws import Draws
    >>> from theorytools.statistics.t_intervals import mean_interval
    >>> def five(seed):
    ...     return mean_interval(Draws(seed).standard_normal(5).tolist())
    >>> simulated_coverage(five, 0.0, nominal=0.95, runs=400, name="five Gaussians").verdict
    'at'
    """
    entropy = int.from_bytes(hashlib.sha256(f"coverage {name}".encode()).digest(), "big")
    hits = refused = 0
    for seed in np.random.SeedSequence(entropy).spawn(runs):
        try:
            low, high = interval(seed)
        except DomainError:
            refused += 1
            continue
        hits += low <= truth <= high
    return Coverage(hits, runs - refused, nominal, refused)


@checked
def whole_ladder(recipe: Recipe, alpha: float, budget: Budget) -> Ends:
    """Return the ends after the whole budget: they hold where *every* look at the ladder did.

    Estimates are nested, so the last one lies in all others; two disjoint looks give NaN, a miss.

    Examples
    --------
    >>> from theorytools.claims.language.estimate import fitted
    >>> whole_ladder(fitted(1.0, 2.0), 0.05, Budget())
    (1.0, 2.0)
    """
    try:
        *_, last = recipe.steps(alpha, budget)
    except DisjointError:
        return math.nan, math.nan
    return last.floats
