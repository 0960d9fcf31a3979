r"""The block construction computed in float64, float32 or bfloat16, with its bound and its worst observed error."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, PositiveInt, Real, at_most, checked
from theorytools.arguments.values import within_budget
from theorytools.claims.language.estimate import Recipe, enclosed
from theorytools.codes.bch import BCHCode
from theorytools.codes.equiangular import EquiangularCode
from theorytools.codes.linear import LinearCode
from theorytools.codes.protocol import Code
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention.formats import Arithmetic, arithmetic, doubles, rounded_down
from theorytools.constructions.attention.leakage import Profiles, worst_leakage
from theorytools.constructions.shapes import in_range
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import Enclosure, maximum
from theorytools.numbers.rational import shortest_fraction
from theorytools.numbers.softmax import exact_number
from theorytools.papers.qstr.precision.hard_prompts import (
    Order,
    line_prompts,
    random_prompts,
    some_orders,
    total_in_order,
)
from theorytools.papers.qstr.precision.rounding import MachineWeights, admit, certified_error, differences, heaviest

Array = NDArray[np.float64]

_NUMBERS = 2**26  # products of one query: 512 MiB of doubles


@checked
@dataclass(frozen=True, eq=False)
class MachineAttention:
    r"""One head of the block construction as a machine computes it, step by step as :mod:`.rounding` describes.

    Parameters
    ----------
    codes : sign codes of at most :math:`2^p` signs, or the standard basis.
    beta : effective inverse temperature, an exact number.
    how : an :class:`Arithmetic` or its name: ``float64``, ``float32``, ``bfloat16`` (scores and sums in float32),
        ``bfloat16_scores`` (sums in float32), ``bfloat16_sums`` (everything).
    d : token dimension.
    exponentials : ``"library"``, or ``"nearest"`` for correctly rounded ones, the same on every machine.
    counts : ``codes.gram_counts()``, where it is known already.

    Raises
    ------
    DomainError
        For an unknown arithmetic, a negative temperature, or codes whose inner products would be rounded.

    Examples
    --------
    >>> from theorytools import bch
    >>> head = MachineAttention(bch(64), beta=22, how="float32")
    >>> tokens = np.linspace(-1, 1, 64).reshape(64, 1)
    >>> float(abs(head.retrieve(tokens, t=3) - tokens[3])[0]) <= head.certified(r_x=1)
    True
    >>> print(f"{float(head.certified(r_x=1)):.2e}, of which rounding {float(head.rounding_part(r_x=1)):.1e}")
    7.09e-04, of which rounding 7.7e-06
    """

    codes: Code
    beta: Real
    how: str | Arithmetic = "float64"
    d: NonNegativeInt = 1
    exponentials: str = "library"
    counts: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None

    def __post_init__(self) -> None:
        if exact_number(self.beta, "beta").is_negative:
            raise DomainError(f"beta = {self.beta}", required="beta >= 0", why="the indexed score is the largest")
        if self.exponentials not in ("library", "nearest"):
            raise DomainError(f"exponentials = {self.exponentials!r}", required="'library' or 'nearest'")
        admit(self.codes, self.arithmetic)

    @property
    def N(self) -> int:
        """Sequence length."""
        return self.codes.N

    @property
    def arithmetic(self) -> Arithmetic:
        """The formats."""
        return arithmetic(self.how)

    @cached_property
    def profiles(self) -> Profiles:
        """The distances of the code, row by row; a linear code answers with one row."""
        values, counts = self.codes.gram_counts() if self.counts is None else self.counts
        rows = np.asarray(counts)
        s = self.codes.gram_denominator
        return Profiles(tuple(s - int(v) for v in values), rows[:1] if rows.strides[0] == 0 else rows, s)

    @cached_property
    def weights(self) -> MachineWeights:
        """The attention weights before division, one for each inner product that occurs."""
        p = self.profiles
        return MachineWeights.of(p.gaps, p.denominator, self.beta, self.arithmetic, exponentials=self.exponentials)

    @cached_property
    def spill(self) -> Fraction:
        r"""The largest sum :math:`\hat S` of weights outside the indexed position, relative to the indexed one."""
        return self.weights.spill(self.profiles)

    # -- the bound ---------------------------------------------------------------------------------------
    def leakage(self) -> Enclosure:
        r"""Return :math:`L`, the leakage in exact arithmetic, at the ambient precision."""
        beta, p = exact_number(self.beta, "beta"), self.profiles
        rows = heaviest(p, np.exp(-float(beta) / p.denominator * np.array(p.gaps, dtype=float)))
        return worst_leakage(rows, beta)

    def certified(self, r_x: Real, *, terms: int | None = None, spill: Real = None) -> Any:
        r"""Return the bound over :math:`r_x` on the error of a retrieved token.

        It holds for all prompts with :math:`\|x_j\|\le r_x` and all orders of summation: see :mod:`.rounding`.

        Parameters
        ----------
        r_x : bound on the norm of every token, positive.
        terms, spill : stand in for :math:`N` and :math:`\hat S`, to see what they contribute.

        Returns
        -------
        Fraction : exact.
        """
        used = self.spill if spill is None else spill
        return certified_error(terms or self.N, self.d, shortest_fraction(r_x), self.arithmetic, used)

    def rounding_part(self, r_x: Real, *, terms: int | None = None, spill: Real = None) -> Enclosure:
        """Return :meth:`certified` minus :math:`2L`: what machine arithmetic adds to the bound on leakage.

        Parameters
        ----------
        r_x, terms, spill : as in :meth:`certified`.

        Returns
        -------
        Enclosure : at the ambient precision.
        """
        return Enclosure(self.certified(r_x, terms=terms, spill=spill)) - 2 * self.leakage()

    # -- the machine -------------------------------------------------------------------------------------
    def row(self, t: int) -> Array:
        """Return the weights of one query as the machine computes them.

        Parameters
        ----------
        t : position of the query's index, from 0.

        Returns
        -------
        array : doubles, shape ``(N,)``.

        Raises
        ------
        CertificateError : the library's exponential of a number depends on its place in the array.
        """
        products = row_products(self.codes, in_range("t", t, self.N))
        known = self.weights.table()[self.codes.gram_denominator - products]
        if self.exponentials == "library":
            scores, beta = self.arithmetic.scores, exact_number(self.beta, "beta")
            computed = doubles(scores.exp(differences(scores, beta, self.codes.gram_denominator, products)))
            if not np.array_equal(computed, known):
                raise CertificateError(
                    "an exponential that depends on its place in the array",
                    required="one value for each argument",
                    advice="exponentials='nearest'",
                )
        return known

    def retrieve(self, X: Array, t: int, *, weights: Order | None = None, tokens: Order | None = None) -> Array:
        """Return the retrieved tokens of one query, every operation rounded as the machine rounds it.

        Parameters
        ----------
        X : coordinates of tokens as columns, shape ``(N, M)``, finite.
        t : position of the query's index, from 0.
        weights, tokens : the orders of the two sums (a permutation and the lanes of each pass); as the positions stand,
            one after the other, unless given.

        Returns
        -------
        array : shape ``(M,)``.

        Raises
        ------
        DomainError : another shape, numbers that are not finite, or a position that does not exist.
        """
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or len(X) != self.N or not np.isfinite(X).all() or not 0 <= t < self.N:
            raise DomainError(
                f"tokens of shape {X.shape}, t = {t}", required=f"finite tokens ({self.N}, M), 0 <= t < {self.N}"
            )
        plain = (np.arange(self.N), (1,))
        row = self.row(t)
        products = self._products(self._shares(row, self._normaliser(row, weights or plain)), X)
        return self._stored_total(products, tokens or plain)

    def _normaliser(self, row: Array, order: Order) -> Any:
        return total_in_order(self.arithmetic.sums.cast(row), order)

    def _shares(self, row: Array, normaliser: Any) -> Any:
        how = self.arithmetic
        return how.sums.cast(how.stored.cast(how.sums.cast(row) / normaliser))

    def _products(self, shares: Any, X: Array) -> Any:
        how = self.arithmetic
        within_budget("products of one query", X.size, _NUMBERS, why="they are held in memory", advice="fewer columns")
        return shares[:, None] * how.sums.cast(how.stored.cast(X))

    def _stored_total(self, products: Any, order: Order) -> Array:
        return doubles(self.arithmetic.stored.cast(total_in_order(products, order)))

    # -- the worst that was seen -------------------------------------------------------------------------
    def probes(self, count: NonNegativeInt) -> list[int]:
        """Return positions of largest spill as doubles see it: only where to look.

        Parameters
        ----------
        count : most positions returned.

        Returns
        -------
        list of int : from 0.
        """
        table, p = self.weights.table(), self.profiles
        sums = np.broadcast_to(p.counts @ table[list(p.gaps)], (self.N,))
        return [int(t) for t in np.flatnonzero(sums >= sums.max() * (1 - 1e-9))[:count]]

    @at_most(draws=ENTRIES)
    def observed(
        self, r_x: Real, seed: np.random.SeedSequence, *, positions: PositiveInt = 2, draws: PositiveInt = 4
    ) -> Recipe:
        """Return the largest error met over extremal, awkward and random prompts and orders of summation.

        The outputs are dyadic rationals, so their distance to the real token is exact; :meth:`certified` bounds it.

        Parameters
        ----------
        r_x : radius of the prompts, positive.
        seed : of the random prompts and orders.
        positions, draws : how many queries, and random prompts for each.

        Returns
        -------
        Recipe : encloses that error, a fact about this machine.

        Raises
        ------
        DomainError : a radius that is not positive.
        """
        rng = np.random.default_rng(seed)
        radius = shortest_fraction(r_x)
        if radius <= 0:
            raise DomainError(f"r_x = {radius}", required="r_x > 0", why="prompts fill a ball")
        worst = [self._worst(t, radius, draws, rng) for t in self.probes(positions)]
        plain, squared = max(a for a, _ in worst), max(b for _, b in worst)
        return enclosed(lambda: maximum([Enclosure(plain), Enclosure(squared).sqrt()]))

    def _worst(self, t: int, radius: Fraction, draws: int, rng: np.random.Generator) -> tuple[Fraction, Fraction]:
        """Return the largest error of prompts on a line, and the largest squared one of prompts in d dimensions."""
        line = line_prompts(self.N, t, rounded_down(radius), self.arithmetic.stored, rng)
        space = random_prompts(self.N, self.d, rounded_down(radius), draws, rng)
        X = np.concatenate([line, space.transpose(1, 0, 2).reshape(self.N, draws * self.d)], axis=1)
        row = self.row(t)
        orders = list(some_orders(row, t, rng))
        normalisers = {float(doubles(z)): z for z in (self._normaliser(row, order) for order in orders)}
        plain, squared = Fraction(0), Fraction(0)
        for z in {min(normalisers), max(normalisers)}:
            products = self._products(self._shares(row, normalisers[z]), X)
            for order in orders:
                here, there = largest_miss(self._stored_total(products, order), X[t], line.shape[1], self.d)
                plain, squared = max(plain, here), max(squared, there)
        return plain, squared


def largest_miss(tokens: Array, wanted: Array, scalars: int, d: int) -> tuple[Fraction, Fraction]:
    """Return the largest error of the first ``scalars`` entries, and the largest squared one of groups of ``d``.

    Doubles choose the entry, its error is exact.
    """
    missed = abs(tokens - wanted)
    i = int(missed[:scalars].argmax())
    j = scalars + d * int((missed[scalars:].reshape(-1, d) ** 2).sum(axis=1).argmax())
    exact = [Fraction(tokens[k]) - Fraction(wanted[k]) for k in (i, *range(j, j + d))]
    return abs(exact[0]), sum((x * x for x in exact[1:]), Fraction(0))


def row_products(code: Code, t: int) -> NDArray[np.int64]:
    r"""Return the integers :math:`K_{tj}` of one row of the Gram matrix, shape ``(N,)``."""
    products: NDArray[np.int64]
    if isinstance(code, EquiangularCode):
        products = np.full(code.N, code.rho.numerator)
        products[t] = code.gram_denominator
        return products
    if isinstance(code, BCHCode | LinearCode):
        signs = code.rows(range(code.N))
    elif isinstance(code, SignCode):
        signs = code.signs
    else:
        raise DomainError(f"a code of type {type(code).__name__}", required="sign codes, or the standard basis")
    # single precision holds every partial sum: integers of modulus at most d_e < 2^24
    products = (signs.astype(np.float32) @ signs[t].astype(np.float32)).astype(np.int64)
    return products
