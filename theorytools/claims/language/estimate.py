r"""What was measured, how strongly, and how to measure it more sharply.

An :class:`Estimate` is an interval with its kind of evidence and its error probability.  A :class:`Recipe`
produces a ladder of nested estimates: more bits for enclosures, more samples for confidence sequences.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from fractions import Fraction
from typing import Any

from theorytools.arguments.checked import NonNegativeInt, Precision, checked
from theorytools.claims.language.machine import machine
from theorytools.errors import DisjointError, DomainError, NumberError
from theorytools.notebook import number_html
from theorytools.numbers import (
    NEGATIVE_INFINITY,
    POSITIVE_INFINITY,
    Enclosure,
    End,
    at_precision,
    float_lower,
    float_upper,
)
from theorytools.numbers.float_result import FloatResult

FROM_EXACT = (
    "compute it with enclosed(lambda: …) from exact inputs; Fraction(x) keeps the rounding, and is right only in "
    "observed(Fraction(x), …), where the run in floats is itself what is measured"
)


class Evidence(IntEnum):
    """How strong a number is; a verdict is as strong as its weakest row.

    ``OBSERVED`` is a run in the arithmetic of one machine and its libraries, which ``work`` names: a fact about that
    run, reported as it came out; nothing is claimed of another machine.

    Examples
    --------
    >>> min(Evidence.EXACT, Evidence.SAMPLED).name
    'SAMPLED'
    """

    FITTED = 1
    OBSERVED = 2
    SAMPLED = 3
    ENCLOSED = 4
    EXACT = 5


@checked
@dataclass(frozen=True)
class Budget:
    """The work a claim may spend before it is UNDECIDED: bits and samples, never seconds.

    Parameters
    ----------
    bits, samples : largest precision of ball arithmetic, and most random draws.
    alpha : error probability of the whole claim, divided over its rows before anything is drawn.

    Examples
    --------
    >>> [step.work["bits"] for step in enclosed(lambda: Enclosure(2).sqrt()).steps(0.0, Budget(bits=256))]
    [64, 128, 256]
    """

    bits: Precision = 4096
    samples: NonNegativeInt = 1_000_000
    alpha: float = 1e-6


@checked
@dataclass(frozen=True)
class Estimate:
    """An interval that contains the quantity, with its evidence.

    Parameters
    ----------
    low, high : the ends, ``low <= high``; they may be infinite.
    evidence : how strong it is.
    alpha : probability that a sampled interval (the whole sequence of them) misses; 0 where nothing was drawn.
    work : what was spent (``bits``, ``samples``, ``window``), in JSON types.

    Raises
    ------
    NumberError : ``low > high``; also a :class:`~theorytools.DomainError`.

    Examples
    --------
    >>> third = Estimate.of(Fraction(1, 3))
    >>> third.evidence.name, str(third)
    ('EXACT', '0.333333')
    """

    low: End
    high: End
    evidence: Evidence
    alpha: float = 0.0
    work: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise NumberError(f"the ends {self.low!r} and {self.high!r}", required="low <= high in an estimate")

    @classmethod
    def of(cls, number: Any, **work: Any) -> Estimate:
        """Return the estimate of a rational (EXACT) or of a ball (ENCLOSED; unbounded for an undefined one)."""
        box = certain(number)
        return cls(box.lower, box.upper, Evidence.EXACT if box.exact else Evidence.ENCLOSED, work=work)

    def within(self, other: Estimate) -> Estimate:
        """Return this estimate cut to ``other``, so that successive estimates are nested.

        Both intervals contain the quantity (jointly, for a confidence sequence), so their intersection does.

        Raises
        ------
        DisjointError : the intersection is empty: one of them is wrong, and what drew or computed them with it.
        """
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low > high:
            drawn = Evidence.SAMPLED in (self.evidence, other.evidence)
            raise DisjointError(
                f"two estimates of one quantity that are disjoint: {other} and then {self}",
                required="estimates that all contain the quantity",
                why="the draws are not independent draws of one law" if drawn else "each is said to enclose one number",
                advice="draw every item from the generator that is handed over, and keep all of them"
                if drawn else "compute one number from exact inputs, without draws or a state kept between calls",
            )  # fmt: skip
        return replace(self, low=low, high=high)

    @property
    def floats(self) -> tuple[float, float]:
        """The interval in doubles, rounded outward."""
        return float_lower(self.low), float_upper(self.high)

    _repr_html_ = number_html

    def __str__(self) -> str:
        low, high = (f"{value:.6g}" for value in self.floats)
        return low if low == high else f"[{low}, {high}]"


def certain(number: Any, what: str = "a measured value") -> Enclosure:
    """Return the enclosure of an exact number or an enclosure; a float is refused, for its rounding is unknown."""
    if isinstance(number, Enclosure):
        return number
    if isinstance(number, numbers.Rational) and not isinstance(number, bool):
        return Enclosure(number)
    rounded = isinstance(number, numbers.Real) and not isinstance(number, numbers.Rational)
    raise DomainError(
        f"{what}: {number!r} of type {type(number).__name__}",
        required="an int, a Fraction or an Enclosure",
        why="a float or a truth value is not a certificate",
        advice=FROM_EXACT if rounded else "an exact number, enclosed(lambda: …), or a sampled recipe",
    )


Steps = Callable[[float, Budget], Iterator[Estimate]]


@checked
@dataclass(frozen=True)
class Recipe:
    """How to measure one quantity: a ladder of nested estimates, jointly valid.

    Parameters
    ----------
    evidence : the weakest evidence that its estimates have.
    steps : ``steps(alpha, budget)`` yields the estimates.  With probability at least ``1 - alpha`` *all* of them
        contain the quantity, so a reader may stop at whichever decides the question.
    sampler : of a sampled number what draws it, for whoever puts the draws to trial.

    Examples
    --------
    >>> third = exactly(Fraction(1, 3))
    >>> third, float(third), third.fraction
    (Recipe(0.333333, exact), 0.3333333333333333, Fraction(1, 3))
    """

    evidence: Evidence
    steps: Steps
    sampler: Any = field(default=None, repr=False, compare=False)
    _repr_html_ = number_html

    @property
    def value(self) -> Estimate:
        """The first estimate, of an enclosure the one at 64 bits, within the usual budget."""
        return next(self.steps(Budget().alpha, Budget()))

    @property
    def fraction(self) -> Fraction:
        """The number itself, where it is known as a rational.

        Raises
        ------
        NumberError : elsewhere; also a :class:`~theorytools.DomainError`.
        """
        value = self.value
        if value.evidence is not Evidence.EXACT or value.low != value.high or not hasattr(value.low.value, "q"):
            raise NumberError(
                f"the fraction of {value}", required="an exact number", advice="recipe.value is its interval"
            )
        return Fraction(int(value.low.value.p), int(value.low.value.q))

    def __float__(self) -> float:
        """The middle of the first estimate, rounded to the nearest double: for reading, never for a proof."""
        value = self.value
        low, high = value.floats
        if not (math.isfinite(low) and math.isfinite(high)):
            raise NumberError(f"float() of {value}", required="two ends that doubles hold", advice="recipe.value")
        return float(Enclosure(value.low.value)) if value.low == value.high else low / 2 + high / 2

    def __repr__(self) -> str:
        if self.evidence is Evidence.SAMPLED:  # nothing is drawn to be printed
            return "Recipe(sampled)"
        value = self.value
        return f"Recipe({value}, {value.evidence.name.lower()})"


def exactly(number: int | Fraction | Enclosure) -> Recipe:
    """Return the recipe of a number that is known as a rational.

    Parameters
    ----------
    number : an integer, a Fraction, or an enclosure that is a single rational.

    Returns
    -------
    Recipe : evidence EXACT.

    Raises
    ------
    NumberError : a ball; also a :class:`~theorytools.DomainError`, as for a float.

    Examples
    --------
    >>> next(exactly(Fraction(1, 3)).steps(0.0, Budget())).evidence.name
    'EXACT'
    """
    box = certain(number)
    if not box.exact:
        raise NumberError("exactly() of a ball", required="an integer or a rational", advice="enclosed(lambda: …)")
    estimate = Estimate.of(box)
    return Recipe(Evidence.EXACT, lambda alpha, budget: iter([estimate]))


@checked
def enclosed(compute: Callable[[], Any], *, first_bits: Precision = 64) -> Recipe:
    """Return the recipe that evaluates ``compute()`` in ball arithmetic at 64, 128, … bits.

    ``compute`` takes no argument, uses the ambient precision and returns an :class:`Enclosure`; if that turns
    out rational the evidence of the row is EXACT and the ladder ends.

    Parameters
    ----------
    compute : a function without arguments that returns an :class:`Enclosure` or a rational.
    first_bits : the precision of the first evaluation.

    Returns
    -------
    Recipe : evidence ENCLOSED, or EXACT where the number turns out rational.

    Examples
    --------
    >>> step = next(enclosed(lambda: Enclosure(2).sqrt()).steps(0.0, Budget()))
    >>> str(step), step.evidence.name, step.work
    ('1.41421', 'ENCLOSED', {'bits': 64})
    """

    def steps(alpha: float, budget: Budget) -> Iterator[Estimate]:
        bits, last = min(first_bits, budget.bits), None
        while True:
            step = Estimate.of(at_precision(bits, compute), bits=bits)
            last = step if last is None else step.within(last)
            yield last
            if last.evidence is Evidence.EXACT or bits >= budget.bits:
                return
            bits = min(2 * bits, budget.bits)

    return Recipe(Evidence.ENCLOSED, steps)


@checked
def enclosed_between(low: Callable[[], Any], high: Callable[[], Any], *, first_bits: Precision = 64) -> Recipe:
    """Return the recipe of a number known only between two others, such as a dual and a primal value.

    Each side is evaluated in ball arithmetic; the estimate reaches from the lower end of ``low()`` to the upper end
    of ``high()``, and a rational side stays an exact end.  Evidence is ENCLOSED unless both sides are rational and
    equal.

    Parameters
    ----------
    low, high : functions without arguments, evaluated at the ambient precision.
    first_bits : the precision of the first evaluation.

    Returns
    -------
    Recipe : an interval that holds the number.

    Examples
    --------
    >>> str(next(enclosed_between(lambda: 1, lambda: Enclosure(2).sqrt()).steps(0.0, Budget())))
    '[1, 1.41421]'
    """

    def both() -> tuple[Enclosure, Enclosure]:
        return certain(low()), certain(high())

    def steps(alpha: float, budget: Budget) -> Iterator[Estimate]:
        bits, last = min(first_bits, budget.bits), None
        while True:
            left, right = at_precision(bits, both)
            exact = left.exact and right.exact
            known = Evidence.EXACT if exact and left.lower == right.upper else Evidence.ENCLOSED
            step = Estimate(left.lower, right.upper, known, work={"bits": bits})
            last = step if last is None else step.within(last)
            yield last
            if exact or bits >= budget.bits:
                return
            bits = min(2 * bits, budget.bits)

    return Recipe(Evidence.ENCLOSED, steps)


def outward(low: float, high: float) -> tuple[float, float]:
    r"""Return an interval of doubles rounded outward to a dyadic grid, at most :math:`2^{-11}` of its width.

    The result contains the interval, so it is valid where that is, and it is the same for all intervals between the
    same points of the grid: ends that move by a part :math:`10^{-12}` of the width, as another order of a sum moves
    them, show with a probability of about :math:`10^{-8}`.  An infinite end stays, and the other is rounded to
    20 bits; a single point stays.

    Examples
    --------
    >>> outward(0.25, 0.75), outward(0.3, math.inf), outward(0.0, 0.1)
    ((0.25, 0.75), (0.2999997138977051, inf), (0.0, 0.100006103515625))
    """
    finite = [x for x in (low, high) if math.isfinite(x)]
    width = high - low if len(finite) == 2 else max(map(abs, finite), default=0.0)
    if not 2.0**-1000 < width < 2.0**1000 or max(map(abs, finite)) > width * 2.0**36:
        return low, high
    step = 2.0 ** (math.frexp(width)[1] - (12 if len(finite) == 2 else 20))
    below = math.floor(low / step) * step if math.isfinite(low) else low
    return below, math.ceil(high / step) * step if math.isfinite(high) else high


def fitted(low: float, high: float, **work: Any) -> Recipe:
    """Return the recipe of a fitted number with its interval, rounded :func:`outward`; nothing more can be drawn."""
    low, high = outward(low, high)
    estimate = Estimate(End(low), End(high), Evidence.FITTED, work=work)
    return Recipe(Evidence.FITTED, lambda alpha, budget: iter([estimate]))


def observed(value: int | Fraction | Callable[[], Any] | Recipe, *libraries: str) -> Recipe:
    """Return the recipe of a number that one machine's own arithmetic gave: OBSERVED, with that machine in ``work``.

    Parameters
    ----------
    value : what came out, a rational (every float is one, and a :class:`FloatResult` names its libraries); or what is
        computed from it, a callable at the ambient precision or a recipe, whose steps keep their ends.
    libraries : the packages whose arithmetic ran, by their names on PyPI, such as ``"numpy"``.

    Returns
    -------
    Recipe : evidence OBSERVED.

    Raises
    ------
    DomainError
        For a float, a truth value, or a package that is not installed.

    Examples
    --------
    >>> step = next(observed(Fraction(1, 3), "numpy").steps(0.0, Budget()))
    >>> step.evidence.name, sorted(step.work)
    ('OBSERVED', ['machine', 'numpy', 'processor'])
    """
    if isinstance(value, FloatResult):
        libraries, value = tuple(sorted({*value.libraries, *libraries})), value.exact
    made = value if isinstance(value, Recipe) else enclosed(value) if callable(value) else exactly(value)
    where = machine(*libraries)

    def steps(alpha: float, budget: Budget) -> Iterator[Estimate]:
        for step in made.steps(alpha, budget):
            yield replace(step, evidence=Evidence.OBSERVED, work={**step.work, **where})

    return Recipe(Evidence.OBSERVED, steps)


def unbounded(evidence: Evidence) -> Estimate:
    """Return the estimate that says nothing."""
    return Estimate(NEGATIVE_INFINITY, POSITIVE_INFINITY, evidence)
