r"""Empirical risks on a finite law of prompts: their exact laws, from the table of losses.

For losses :math:`\ell_{pj}` of position ``j`` in prompt ``p`` (all prompts equally likely) and ``n`` independent
prompts,

.. math:: R=\overline{\ell},\qquad\hat R_{n,N}=\frac1{nN}\sum_{i\le n}\sum_j\ell_{p_ij},\qquad
          \hat R_n=\frac1n\sum_{i\le n}\ell_{p_ij_i},\quad j_i\text{ uniform on }[N]\text{ and independent.}
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Size, checked
from theorytools.arguments.values import within_budget
from theorytools.constructions.shapes import in_range
from theorytools.errors import DomainError

Law = dict[Fraction, Fraction]
_SUMS = 2**24


@checked
@dataclass(frozen=True)
class LossTable:
    r"""The loss of every position of every prompt.

    Parameters
    ----------
    losses : integers, shape ``(P, N)``.
    unit : the loss itself is ``losses / unit``.

    Raises
    ------
    DomainError
        For a table that is not of integers or has another shape, or a unit below 1.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), eqs. (2.1)-(2.3), arXiv 2503.11272v1.

    Examples
    --------
    >>> table = LossTable(np.array([[0, 4], [2, 2]]))
    >>> table.risk(), mean(table.law(2)), variance(table.law(2)), variance(table.law(2, whole=False))
    (Fraction(2, 1), Fraction(2, 1), Fraction(0, 1), Fraction(1, 1))
    """

    losses: NDArray[np.int64]
    unit: int = 1

    def __post_init__(self) -> None:
        table = np.asarray(self.losses)
        if table.ndim != 2 or not table.size or table.dtype.kind not in "iu" or self.unit < 1:
            raise DomainError(
                f"losses of shape {table.shape} and type {table.dtype}", required="integers, (P, N), over a unit >= 1"
            )

    @classmethod
    def squared(cls, y: NDArray[np.int64], predicted: NDArray[np.int64], unit: int = 1) -> LossTable:
        r"""Return the squared errors :math:`(y-\hat y)^2` of labels ``y`` and predictions ``predicted / unit``."""
        if np.shape(y) != np.shape(predicted):
            given = f"labels of shape {np.shape(y)}, predictions of shape {np.shape(predicted)}"
            raise DomainError(given, required="one prediction for each label", why="errors are their differences")
        return cls(np.square(unit * y - predicted), unit**2)

    def risk(self) -> Fraction:
        """Return :math:`R`, the mean loss over positions and prompts."""
        return Fraction(int(self.losses.sum()), self.losses.size * self.unit)

    def law(self, n: Size, *, whole: bool = True, positions: Iterable[int] | None = None) -> Law:
        r"""Return the law of :math:`\hat R_{n,N}` (``whole``) or :math:`\hat R_n`, by convolving one prompt's law.

        Parameters
        ----------
        n : number of prompts.
        whole : average a prompt's losses over its positions, or draw one position.
        positions : where :math:`\hat R_n` may look, all unless given.

        Raises
        ------
        DomainError
            For positions that are not there, or none.
        BudgetError
            For more than 2^24 sums.
        """
        N = self.losses.shape[1]
        if whole:
            counts = Counter(Fraction(int(total), N * self.unit) for total in self.losses.sum(axis=1))
        else:
            places = [in_range("a position", j, N) for j in (range(N) if positions is None else positions)]
            if not places:
                raise DomainError("no positions", required="one or more", why="a loss is drawn there")
            seen = self.losses[:, places]
            counts = Counter(Fraction(int(loss), self.unit) for loss in seen.flat)
        sums = n * len(counts) * _most_sums(list(counts), n)
        within_budget("sums", sums, _SUMS, why="laws are convolved", advice="take fewer prompts")
        one = {value / n: Fraction(count, counts.total()) for value, count in counts.items()}
        law: Law = {Fraction(0): Fraction(1)}
        for _ in range(n):
            law = _sum(law, one)
        return law

    def within(self) -> Fraction:
        r"""Return :math:`E\operatorname{Var}_j(\ell_{pj}\mid p)`, the variance over the positions of a prompt."""
        P, N = self.losses.shape
        squares, totals = np.square(self.losses).sum(axis=1), np.square(self.losses.sum(axis=1))
        return Fraction(int((N * squares - totals).sum()), P * N**2 * self.unit**2)


def mean(law: Law) -> Fraction:
    """Return the mean of a finite law."""
    return sum((value * chance for value, chance in law.items()), Fraction(0))


def variance(law: Law) -> Fraction:
    """Return the variance of a finite law."""
    return sum((value**2 * chance for value, chance in law.items()), -(mean(law) ** 2))


def _most_sums(values: list[Fraction], n: int) -> int:
    """No less than the number of different sums of n of the values: multiples of one step above the smallest sum."""
    scale = math.lcm(*(value.denominator for value in values))
    above = [int((value - min(values)) * scale) for value in values]
    return n * (max(above) // max(math.gcd(*above), 1)) + 1


def _sum(first: Law, second: Law) -> Law:
    result: dict[Any, Fraction] = {}
    for (a, p), (b, r) in ((x, y) for x in first.items() for y in second.items()):
        result[a + b] = result.get(a + b, Fraction(0)) + p * r
    return result
