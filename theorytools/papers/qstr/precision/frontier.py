r"""From which length on a format is too coarse: certificate and observation on a grid of lengths."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import NonNegativeInt, Real, checked
from theorytools.claims.language.estimate import Budget, Recipe
from theorytools.codes.bch import BCHCode, bch
from theorytools.codes.families import rademacher
from theorytools.codes.protocol import Code
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention.formats import Arithmetic, arithmetic
from theorytools.constructions.attention.temperature import checked_target, sufficient_temperature
from theorytools.errors import DomainError
from theorytools.numbers.rational import shortest_fraction
from theorytools.numbers.softmax import exact_number
from theorytools.papers.qstr.precision.machine import MachineAttention

Counted = tuple[Code, tuple[NDArray[np.int64], NDArray[np.int64]]]


@dataclass(frozen=True)
class Length:
    r"""One length of the grid.

    Attributes
    ----------
    N, d_e : number and dimension of the codes.
    spill : :math:`\hat S`, None where two codes are equal and no temperature exists.
    certified : the bound on the error of a retrieved token over :math:`r_x`, None likewise.
    observed : whether some prompt and order of summation was seen to miss the target.
    """

    N: int
    d_e: int
    spill: Fraction | None
    certified: Fraction | None
    observed: bool


@checked
@dataclass(frozen=True)
class Frontier:
    """The lengths at which one arithmetic misses a target on one family of codes; failures need not be monotone."""

    how: Arithmetic
    target: Fraction
    lengths: tuple[Length, ...]

    @property
    def uncertified(self) -> tuple[int, ...]:
        """The lengths whose certificate exceeds the target."""
        return tuple(x.N for x in self.lengths if x.certified is None or x.certified > self.target)

    @property
    def missed(self) -> tuple[int, ...]:
        """The lengths at which an error above the target was seen; all of them are uncertified."""
        return tuple(x.N for x in self.lengths if x.observed)

    @property
    def first(self) -> int | None:
        """The first length without certificate; None if there is none."""
        return min(self.uncertified, default=None)

    @property
    def spill(self) -> Fraction:
        r"""The largest :math:`\hat S` of all lengths."""
        return max((x.spill for x in self.lengths if x.spill is not None), default=Fraction(0))


@checked
def precision_frontier(
    codes: Iterable[Counted],
    how: str | Arithmetic,
    target: Real,
    *,
    leakage: Real,
    r_x: Real = 1,
    d: NonNegativeInt = 1,
    cooling: Real = 1,
    seed: np.random.SeedSequence | None = None,
) -> Frontier:
    r"""Return at which lengths the construction, run in this arithmetic, is certified and seen to miss a target.

    At each length the inverse temperature is the one that Lemma 11 certifies for ``leakage`` in exact arithmetic,
    :math:`\beta=\log((N-1)(1/\delta-1))/(1-\rho)` with the code's own coherence.  A length *fails* where the bound of
    :mod:`.rounding` exceeds ``target`` times :math:`r_x`; it is *missed* where some prompt was seen to err more.
    Exponentials are correctly rounded, so the answer is the same on every machine.

    Parameters
    ----------
    codes : codes with their ``gram_counts()``, see :func:`counted_code`.
    how : the arithmetic or its name.
    target : error allowed, over :math:`r_x`.
    leakage : weight :math:`\delta` allowed outside the indexed position, in exact arithmetic.
    r_x, d : bound on the norm of a token, and its dimension.
    cooling : factor on the inverse temperature.
    seed : for the prompts and orders that are tried; without one nothing is observed.

    Raises
    ------
    DomainError
        For an unknown arithmetic, a target or leakage that is not positive, codes too long for the format.
    """
    how, allowed = arithmetic(how), shortest_fraction(target)
    if allowed <= 0:
        raise DomainError(f"target = {allowed}", required="target > 0", why="rounding alone makes some error")
    checked_target(leakage)
    if shortest_fraction(r_x) <= 0 or d < 1 or not exact_number(cooling, "cooling").is_positive:
        given = f"r_x = {r_x}, d = {d}, cooling = {cooling}"
        raise DomainError(given, required="positive numbers", why="a ball, a dimension, a factor on a temperature")
    tried = [_length(code, counts, how, allowed, leakage, r_x, d, cooling, seed) for code, counts in codes]
    return Frontier(how, allowed, tuple(tried))


def _length(
    code: Code, counts: Any, how: Arithmetic, target: Fraction, leakage: Any, r_x: Any, d: int, cooling: Any,
    seed: np.random.SeedSequence | None,
) -> Length:  # fmt: skip
    rho = Fraction(int(counts[0][0]), code.gram_denominator)
    if rho == 1:
        return Length(code.N, code.d_e, None, None, False)
    beta = cooling * sufficient_temperature((code.N, rho), leakage)
    head = MachineAttention(code, beta, how, d=d, exponentials="nearest", counts=counts)
    seen = False
    if seed is not None:
        child = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, code.N))
        limit = target * shortest_fraction(r_x)
        seen = _lower_end(head.observed(r_x, child, positions=1, draws=1)) > limit
    return Length(code.N, code.d_e, head.spill, head.certified(r_x), seen)


def _lower_end(recipe: Recipe) -> Any:
    return next(iter(recipe.steps(0.0, Budget(bits=128)))).low


@checked
def counted_code(family: str, N: int, rng: np.random.Generator) -> Counted:
    r"""Return ``N`` codes with their distances: ``rademacher`` with :math:`d_e=\lfloor5\log N\rfloor`, or ``bch``.

    Parameters
    ----------
    family : ``"rademacher"`` or ``"bch"``.
    N : number of codes, at least 2.
    rng : for random signs.

    Returns
    -------
    tuple : the code, and its ``gram_counts()``, as :func:`precision_frontier` takes them.

    Raises
    ------
    DomainError : another family.

    Examples
    --------
    >>> code, (products, counts) = counted_code("bch", 16, np.random.default_rng(0))
    >>> code.N, int(counts[0].sum())  # the products of one code with the others
    (16, 15)
    """
    if family not in ("rademacher", "bch"):
        raise DomainError(f"the family {family!r}", required="rademacher or bch")
    code: SignCode | BCHCode = rademacher(N, math.floor(5 * math.log(N)), rng) if family == "rademacher" else bch(N)
    return code, code.gram_counts()
