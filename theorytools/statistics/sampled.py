r"""Quantities that are measured by drawing: recipes whose intervals all hold together.

Every recipe takes ``draw`` and ``seed``: ``draw(rng, size)`` returns independent finite draws, shape
``(size,)``, and each climb makes its own generator from the ``SeedSequence``; or ``draw`` is one of
:func:`columns`, without a seed.  No more than 4096 are asked for at once, and a draw that would need more than
256 MB for them is refused.  Batches double the sample (1024, 2048, … ``budget.samples``); after each,
an interval at level :math:`\alpha/(j(j+1))` is cut to the one before.  With probability :math:`1-\alpha` all
contain the quantity (of the law of the doubles drawn): a reader may stop at whichever decides the question.
Ends are rounded outward to a grid of :math:`2^{-11}` to :math:`2^{-12}` of the interval's width: last bits of draws, of
their sums and of a library's tails, which differ between machines, are not seen in them.

In order of preference: a value that can be computed is not sampled; a bounded law, :func:`proportion` and
:func:`bounded_mean`; an unbounded :math:`Z\ge0`, :func:`lower_mean`, and :func:`truncated_mean` where a
moment is proved; a law known up to one number, :func:`gaussian_variance` and :func:`gaussian_mean`.
What was drawn when a record was made is a :func:`recorded_interval`.  Draws that come in groups of equal ones are not
independent, and no recipe here survives them: ``reports/estimators.json`` has simulated how little is then covered.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypeVar

import numpy as np

from theorytools.arguments.checked import NonNegativeInt, checked
from theorytools.claims.language.estimate import Budget, Estimate, Evidence, Recipe, outward
from theorytools.errors import BudgetError, CheckError, DomainError
from theorytools.numbers import Enclosure, End, float_lower, float_upper
from theorytools.numbers.draws import Draws
from theorytools.statistics import intervals
from theorytools.statistics.batches import batches
from theorytools.statistics.intervals import Floats

Draw: TypeAlias = "Callable[[np.random.Generator, int], Any] | Column"
Seed: TypeAlias = np.random.SeedSequence | None
Interval: TypeAlias = Callable[[Floats, float], tuple[Any, Any]]
T = TypeVar("T")


def bounded_mean(draw: Draw, seed: Seed = None, *, low: Any, high: Any) -> Recipe:
    """The mean of a law on ``[low, high]``, by empirical-Bernstein intervals.

    The range (numbers or Enclosures, rounded outward to doubles) is known beforehand, never the largest draw.

    ``DomainError`` if the range is empty or infinite and, while drawing, if a draw lies outside it.
    """
    a, b = float_lower(Enclosure(low).lower), float_upper(Enclosure(high).upper)
    intervals.checked_range([], a, b)

    def interval(x: Floats, alpha: float) -> tuple[Any, Any]:
        return intervals.empirical_bernstein(x, alpha, low=a, high=b)

    return _climbed(draw, seed, interval, lambda batch: intervals.checked_range(batch, a, b), within=(a, b))


def lower_mean(draw: Draw, seed: Seed = None, *, tau: Any) -> Recipe:
    r"""A lower limit of :math:`E Z`, :math:`Z\ge0`, that needs no tail: :math:`E Z\ge E\min(Z,\tau)`.

    The whole error probability is spent on the lower end; the upper end is infinite and ``work`` says so.
    ``tau`` is fixed before anything is drawn; a small one decides sooner.  ``DomainError`` for ``tau <= 0``
    and for a negative draw.
    """
    return _truncated(draw, seed, tau, None)


def truncated_mean(draw: Draw, seed: Seed = None, *, tau: Any, excess: Any) -> Recipe:
    r"""Both limits of :math:`E Z`, :math:`Z\ge0`, from those of :math:`E\min(Z,\tau)` and ``excess``.

    The caller has *proved* that the excess, a number or an Enclosure, is at least :math:`E(Z-\tau)_+`, for
    example by :func:`truncation_excess`.  ``DomainError`` also for an excess that is negative or infinite.
    """
    hidden = Enclosure(excess)
    if not (hidden.upper.finite and hidden.upper >= 0):
        raise DomainError(f"excess = {excess!r}", required="0 <= excess < inf", advice="or lower_mean")
    return _truncated(draw, seed, tau, hidden)


def _truncated(draw: Draw, seed: Seed, tau: Any, hidden: Enclosure | None) -> Recipe:
    level = _positive("tau", tau)  # rounded up: E(Z - tau)_+ only falls

    def prepare(batch: Floats) -> Floats:
        if negative := np.count_nonzero(batch < 0):
            raise DomainError(f"{negative} of {batch.size} draws are negative", required="Z >= 0")
        return np.minimum(batch, level)

    def interval(x: Floats, alpha: float) -> tuple[Any, Any]:
        sides = 1 if hidden is None else 2
        low, high = intervals.empirical_bernstein(x, alpha, low=0.0, high=level, sides=sides)
        return low, math.inf if hidden is None else float_upper((Enclosure(float(high)) + hidden).upper)

    note: dict[str, Any] = {} if hidden is not None else {"upper": "infinite: no moment known"}
    return _climbed(draw, seed, interval, prepare, hidden=hidden, tau=level, **note)


def truncation_excess(moment: Any, p: Any, tau: Any) -> Enclosure:
    r"""What truncation hides: :math:`E(Z-\tau)_+\le E Z^p(p-1)^{p-1}/(p^p\tau^{p-1})`, given the moment.

    For :math:`z\ge0` the quotient :math:`(z-\tau)_+/z^p` is largest at :math:`z=p\tau/(p-1)`, with the value
    :math:`(p-1)^{p-1}/(p^p\tau^{p-1})` (derived here); ``p = 2`` gives :math:`E Z^2/(4\tau)`.  The moment is
    an upper bound of :math:`E Z^p` proved from the law of ``Z``, never measured.  Numbers or Enclosures.

    Raises
    ------
    DomainError
        If ``p <= 1``, ``tau <= 0``, or the moment is negative or infinite.
    """
    m, order, level = Enclosure(moment), Enclosure(p), Enclosure(tau)
    finite = all(end.finite for number in (m, order, level) for end in (number.lower, number.upper))
    if not (finite and m.upper >= 0 and order.lower > 1 and level.lower > 0):
        raise DomainError(f"moment {m!r}, p = {p}, tau = {tau}", required="0 <= moment < inf, p > 1, tau > 0")
    return m * (order - 1) ** (order - 1) / (order**order * level ** (order - 1))


def proportion(draw: Draw, seed: Seed = None) -> Recipe:
    """The probability of 1, by Clopper-Pearson intervals; ``DomainError`` for a draw other than 0 and 1."""

    def prepare(batch: Floats) -> Floats:
        if wrong := np.count_nonzero((batch != 0) & (batch != 1)):
            raise DomainError(f"{wrong} of {batch.size} draws are neither 0 nor 1", required="0 or 1")
        return batch

    def interval(x: Floats, alpha: float) -> tuple[Any, Any]:
        return intervals.clopper_pearson(np.count_nonzero(x), x.size, alpha)

    return _climbed(draw, seed, interval, prepare)


def gaussian_variance(draw: Draw, seed: Seed = None, *, off: float = 0.0) -> Recipe:
    """The variance of residuals (the draws) proved to be Gaussian with mean zero, by their chi-square law.

    ``off`` bounds how far a computed residual is from the one that it stands for: where that is all there is of it, no
    variance but 0 can be excluded.
    """
    return _climbed(draw, seed, lambda x, alpha: intervals.gaussian_variance_interval(x, alpha, off))


def gaussian_mean(draw: Draw, seed: Seed = None, *, sigma: Any) -> Recipe:
    """The mean of a law proved to be Gaussian with standard deviation at most ``sigma`` (rounded up)."""
    deviation = _positive("sigma", sigma)
    return _climbed(draw, seed, lambda x, alpha: intervals.gaussian_mean_interval(x, alpha, sigma=deviation))


@checked
def recorded_interval(low: float, high: float, *, alpha: float, samples: NonNegativeInt) -> Recipe:
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


def _climbed(
    draw: Draw, seed: Seed, interval: Interval, prepare: Callable[[Floats], Floats] = np.asarray, *,
    within: tuple[float, float] = (-math.inf, math.inf), hidden: Enclosure | None = None, **work: Any,
) -> Recipe:  # fmt: skip
    """Return the recipe that reads ``interval`` at every doubling, look ``j`` at level ``alpha/(j(j+1))``."""
    if isinstance(draw, Column) and seed is not None:
        raise DomainError("a column and a seed", required="no seed", why="the simulation has its own")
    own = None if isinstance(draw, Column) else _checked_seed(seed)
    batches = draw.batches if isinstance(draw, Column) else partial(_drawn, draw, own, _checked)

    def steps(alpha: float, budget: Budget) -> Iterator[Estimate]:
        x, last = np.empty(0), None
        for epoch, batch in enumerate(batches(budget.samples), start=1):
            x = np.concatenate([x, prepare(batch)])
            low, high = outward(*map(float, interval(x, intervals.epoch_level(alpha, epoch))))
            low, high = max(low, within[0]), min(high, within[1])
            step = Estimate(End(low), End(high), Evidence.SAMPLED, alpha, {"samples": x.size, **work})
            last = step if last is None else step.within(last)
            yield last

    return Recipe(Evidence.SAMPLED, steps, None if isinstance(draw, Column) else Sampler(draw, seed, hidden, work))


@dataclass(frozen=True)
class Sampler:
    """What a sampled number is drawn by: draw, seed, and of a truncated mean ``excess`` and ``work["tau"]``."""

    draw: Any
    seed: Any
    excess: Enclosure | None
    work: Mapping[str, Any]


def columns(draw: Draw, seed: np.random.SeedSequence, *names: str) -> tuple[Column, ...]:
    """Several quantities from one simulation: ``draw(rng, size)`` returns a dict of arrays ``(size,)``.

    Each column takes the place of ``draw`` in a recipe; all read the same batches, which are kept as long as
    a column lives.  Every recipe spends its own error probability, so dependence between them does no harm.

    Raises
    ------
    DomainError
        If a name is given twice, or none; while drawing, if a name is not among the keys.
    """
    if not names or len(set(names)) < len(names):
        raise DomainError(f"the columns {names}", required="one or more names, each once")
    simulation = _Simulation(draw, _checked_seed(seed), names)
    return tuple(Column(simulation, name) for name in names)


@dataclass(frozen=True)
class Column:
    """One named output of a simulation; made by :func:`columns`."""

    simulation: _Simulation
    name: str

    def batches(self, samples: int) -> Iterator[Floats]:
        """Return the batches of this column that make up ``samples`` draws."""
        return (batch[self.name] for batch in self.simulation.batches(samples))


class _Simulation:
    """The batches drawn so far, per budget: the last batch of one budget is not a prefix of another's."""

    def __init__(self, draw: Draw, seed: Seed, names: tuple[str, ...]) -> None:
        self.draw, self.seed, self.names = draw, seed, names
        self.started: dict[int, tuple[Iterator[dict[str, Floats]], list[dict[str, Floats]]]] = {}

    def batches(self, samples: int) -> Iterator[dict[str, Floats]]:
        for index in itertools.count():
            fresh = _drawn(self.draw, self.seed, self._checked, samples)
            source, drawn = self.started.setdefault(samples, (fresh, []))
            try:
                drawn.extend(itertools.islice(source, max(index + 1 - len(drawn), 0)))
            except BaseException:
                del self.started[samples]  # the generator has moved on; begin again from the seed
                raise
            if len(drawn) <= index:
                return
            yield drawn[index]

    def _checked(self, raw: Any, size: int) -> dict[str, Floats]:
        if not (isinstance(raw, dict) and raw.keys() >= set(self.names)):
            given = f"the keys {list(raw)}" if isinstance(raw, dict) else type(raw).__name__
            raise DomainError(f"draw returned {given}", required=f"a dict with the keys {self.names}")
        return {name: _checked(raw[name], size) for name in self.names}


def _positive(name: str, number: Any) -> float:
    value = float_upper(Enclosure(number).upper)
    if not 0 < value < math.inf:
        raise DomainError(f"{name} = {number!r}", required=f"0 < {name} < inf")
    return value


def _checked_seed(seed: Any) -> np.random.SeedSequence:
    if not isinstance(seed, np.random.SeedSequence):
        why = "a recipe that was handed a generator gives other numbers when it is climbed again"
        raise DomainError(f"seed of type {type(seed).__name__}", required="a numpy SeedSequence", why=why)
    return seed


def _drawn(draw: Any, seed: Seed, checked: Callable[[Any, int], T], samples: int) -> Iterator[T]:
    """Yield checked batches of 1024, 1024, 2048, 4096, … draws, asked for in blocks of at most 4096."""
    if samples < 1:
        raise BudgetError(f"a budget of {samples} samples", required="at least one sample")
    rng = Draws(seed)
    for blocks in batches(draw, rng, checked, samples):
        yield blocks[0] if len(blocks) == 1 else _joined(blocks)


def _joined(blocks: list[Any]) -> Any:
    """The blocks of one batch as one; of dicts, name by name."""
    if isinstance(blocks[0], dict):
        return {name: _joined([block[name] for block in blocks]) for name in blocks[0]}
    whole = np.concatenate(blocks)
    whole.flags.writeable = False
    return whole


def _checked(raw: Any, size: int) -> Floats:
    values = np.asarray(raw)
    if values.shape != (size,) or not (values.dtype.kind in "biu" or values.dtype == np.float64):
        given = f"{type(raw).__name__}, shape {values.shape}, type {values.dtype}"
        raise DomainError(f"a draw of {given}", required=f"shape ({size},) of float64, integers or booleans")
    x = values.astype(np.float64)  # a copy: the caller may use its array again
    x.flags.writeable = False
    if bad := np.count_nonzero(~np.isfinite(x)):
        raise DomainError(f"{bad} of {size} draws are not finite", required="finite draws")
    if values.dtype.kind in "iu" and max(int(values.max()), -int(values.min())) > 2**53:  # as doubles 2^53 + 1 is 2^53
        raise DomainError("integers above 2^53", required="integers that doubles hold exactly")
    return x
