r"""Averages of random vertices: how far the sparse approximation of Lemma 16 errs, exactly.

A matrix with :math:`\sum|\Theta_{ab}|\le R_1` is the mean of a random vertex :math:`\pm R_1E_{ab}`; the average of
:math:`k` of them errs on :math:`z`, :math:`\|z\|\le r_z`, by :math:`\|(\bar\Theta-\Theta)^\top z\|`, where

.. math:: \mathbb E\|(\bar\Theta-\Theta)^\top z\|^2\le\frac{R_1^2r_z^2}k,\qquad
          \Pr\bigl(\|(\bar\Theta-\Theta)^\top z\|\ge\epsilon\bigr)\le2\exp\Bigl(-\frac{k\epsilon^2}{8R_1^2r_z^2}\Bigr).

So :math:`k=\lceil R_1^2r_z^2/\epsilon^2\rceil` terms cover in the root mean square over any sample; in the largest
distance over :math:`n` tokens the second inequality asks for a further :math:`8\log(2n+1)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, prod

from theorytools.arguments.checked import Rows, checked
from theorytools.errors import BudgetError, DomainError

_MOST_OUTCOMES = 100_000


@checked
@dataclass(frozen=True)
class ScalarAverage:
    r"""One entry, :math:`\Theta=R_1\theta`: the average of :math:`k` independent signs with mean :math:`\theta`.

    Parameters
    ----------
    theta : mean of a sign, in [-1, 1].
    k : number of terms.
    scale : :math:`R_1r_z`.
    """

    theta: Fraction
    k: int
    scale: Fraction

    def __post_init__(self) -> None:
        if not -1 <= self.theta <= 1 or self.k < 1:
            raise DomainError(f"theta = {self.theta}, k = {self.k}", required="-1 <= theta <= 1, k >= 1")

    def miss(self, eps: Fraction) -> Fraction:
        r"""Return the probability that the average errs by ``eps`` or more, exactly.

        Raises
        ------
        BudgetError : more than 100,000 terms: their powers are numbers of so many digits.
        """
        if self.k > _MOST_OUTCOMES:
            raise BudgetError(
                f"an average of k = {self.k} terms", required=f"at most {_MOST_OUTCOMES}",
                why="every number of positive signs is summed over", advice="fewer tokens, or a larger eps",
            )  # fmt: skip
        up, down = (1 + Fraction(self.theta)) / 2, (1 - Fraction(self.theta)) / 2
        errs = (j for j in range(self.k + 1) if self.scale * abs(Fraction(2 * j, self.k) - 1 - self.theta) >= eps)
        return sum((comb(self.k, j) * up**j * down ** (self.k - j) for j in errs), Fraction(0))


@checked
@dataclass(frozen=True)
class MatrixAverage:
    r"""The average of :math:`k` random vertices with mean :math:`\Theta`, by enumeration of all outcomes.

    What :math:`\sum|\Theta_{ab}|` leaves of :math:`R_1` goes to :math:`\pm R_1E_{11}` in equal parts.

    Parameters
    ----------
    Theta : rows of fractions, shape ``(D_e, H D_e)``.
    tokens : the sampled tokens, shape ``(n, D_e)``.
    R_1 : bound on the sum of the absolute entries, positive.
    k : number of terms, at least 1.

    Raises
    ------
    DomainError : a bound that is not positive, or no terms.
    """

    Theta: Rows
    tokens: Rows
    R_1: Fraction
    k: int

    def __post_init__(self) -> None:
        if not self.R_1 > 0 or self.k < 1:
            raise DomainError(f"R_1 = {self.R_1}, k = {self.k}", required="R_1 > 0, k >= 1")

    def vertices(self) -> dict[tuple[int, int, int], Fraction]:
        """Return the probability of every vertex that may occur, by row, column and sign.

        Raises
        ------
        DomainError : the entries sum to more than ``R_1``.
        """
        left = 1 - sum(abs(x) for row in self.Theta for x in row) / Fraction(self.R_1)
        if left < 0:
            raise DomainError("entries that sum to more than R_1", required=f"a sum of at most R_1 = {self.R_1}")
        chances = {(0, 0, 1): left / 2, (0, 0, -1): left / 2}
        for a, row in enumerate(self.Theta):
            for b, x in enumerate(row):
                key = (a, b, 1 if x >= 0 else -1)
                chances[key] = chances.get(key, Fraction(0)) + abs(x) / Fraction(self.R_1)
        return {key: chance for key, chance in chances.items() if chance}

    def outcomes(self) -> Iterator[tuple[Fraction, Fraction]]:
        r"""Yield the probability of every sequence of vertices, and its :math:`\|(\bar\Theta-\Theta)^\top z\|^2`.

        The squares are averaged over the tokens.

        Raises
        ------
        BudgetError : more than 100000 sequences.
        """
        chances = self.vertices()
        if len(chances) ** self.k > _MOST_OUTCOMES:
            raise BudgetError(f"{len(chances)}^{self.k} outcomes", required=f"at most {_MOST_OUTCOMES}")
        for sequence in product(chances, repeat=self.k):
            yield prod((chances[v] for v in sequence), start=Fraction(1)), self._error2(sequence)

    def mean_square(self) -> Fraction:
        r"""Return :math:`\mathbb E` of the squared error, mean over the tokens."""
        return sum((chance * error for chance, error in self.outcomes()), Fraction(0))

    def least_square(self) -> Fraction:
        r"""Return the smallest squared error of an average that may occur, mean over the tokens."""
        return min(error for _, error in self.outcomes())

    def count(self) -> int:
        r"""Return how many averages of ``k`` vertices there are, 0 among them.

        They are :math:`R_1/k` times the integer matrices whose absolute entries sum to at most ``k``.
        """
        entries = sum(len(row) for row in self.Theta)
        ways = [1] + [0] * self.k  # ways[s]: vectors so far with absolute sum s
        for _ in range(entries):
            ways = [ways[s] + 2 * sum(ways[:s]) for s in range(self.k + 1)]
        return sum(ways)

    def _error2(self, sequence: tuple[tuple[int, int, int], ...]) -> Fraction:
        error = [[-x for x in row] for row in self.Theta]
        for a, b, sign in sequence:
            error[a][b] += sign * Fraction(self.R_1) / self.k
        squares = (
            sum((z * row[b] for z, row in zip(token, error, strict=True)), Fraction(0)) ** 2
            for token in self.tokens
            for b in range(len(error[0]))
        )
        return sum(squares, Fraction(0)) / len(self.tokens)
