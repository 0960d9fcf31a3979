r"""Mixed norms of matrices: the :math:`\ell_q` norm of the vector of column :math:`\ell_p` norms.

For conjugate exponents, :math:`\frac1p+\frac1{p'}=1`, and all :math:`r,s`:

.. math:: \|M_1M_2\|_{r,s}\le\|M_1\|_{r,p}\,\|M_2\|_{p',s}.

*Proof.*  Column :math:`k` of the product is :math:`\sum_i(M_2)_{ik}(M_1)_{\cdot i}`; by the triangle inequality and
Hölder its :math:`\ell_r` norm is at most :math:`\sum_i|(M_2)_{ik}|\|(M_1)_{\cdot i}\|_r\le\|M_1\|_{r,p}\|(M_2)_{\cdot
k}\|_{p'}`.  Take the :math:`\ell_s` norm over :math:`k`.  ∎

References
----------
Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 39, arXiv 2503.11272v1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from theorytools.arguments.checked import PositiveInt, Real, checked, ranks
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, euclidean, maximum, total

Matrix = Sequence[Sequence[Real]]


Exponent = Literal[1, 2, "max"]


_CONJUGATE: dict[Any, Exponent] = {1: "max", 2: 2, "max": 1}


def vector_norm(entries: Iterable[Any], p: Exponent) -> Enclosure:
    r"""Return :math:`\|v\|_p` for :math:`p\in\{1,2,\infty\}`: exact where it is rational and the entries are.

    Raises
    ------
    DomainError : another exponent.
    """
    sizes = [abs(Enclosure(x)) for x in entries]
    if p == 1:
        return total(sizes)
    if p == 2:
        return euclidean(sizes)
    if p == "max":
        return maximum(sizes)
    raise DomainError(f"the exponent {p!r}", required="1, 2 or 'max'")


@checked
@ranks(M=2)
def mixed_norm(M: Matrix, p: Exponent, q: Exponent) -> Enclosure:
    r"""Return :math:`\|M\|_{p,q}`, the :math:`\ell_q` norm of the column :math:`\ell_p` norms.

    Examples
    --------
    >>> mixed_norm([[3, 0], [4, 12]], 2, 1), mixed_norm([[3, 0], [4, 12]], 1, "max")
    (Enclosure(17), Enclosure(12))
    """
    return vector_norm([vector_norm(column, p) for column in zip(*M, strict=True)], q)


def conjugate(p: Exponent) -> Exponent:
    r"""Return :math:`p'` with :math:`\frac1p+\frac1{p'}=1`."""
    if p not in _CONJUGATE:
        raise DomainError(f"the exponent {p!r}", required="1, 2 or 'max'")
    return _CONJUGATE[p]


@checked
@dataclass(frozen=True)
class MatrixProduct:
    r"""A product :math:`M_1M_2` of rational matrices, shapes ``(d_1, d_2)`` and ``(d_2, d_3)``.

    Parameters
    ----------
    first, second : rows of integers or fractions.
    """

    first: Matrix
    second: Matrix

    def __post_init__(self) -> None:
        inner = {len(row) for row in self.first} | {len(self.second)}
        if len(inner) != 1 or len({len(row) for row in self.second}) != 1:
            raise DomainError("factors of other shapes", required="shapes (d_1, d_2) and (d_2, d_3)")

    @classmethod
    def random(cls, rng: np.random.Generator, shape: tuple[int, int, int], size: PositiveInt = 9) -> MatrixProduct:
        """Return two matrices of integers drawn uniformly from ``-size..size``."""
        d_1, d_2, d_3 = shape
        draw = rng.integers(-size, size, endpoint=True, size=d_2 * (d_1 + d_3)).tolist()
        rows = [draw[i * d_2 : (i + 1) * d_2] for i in range(d_1 + d_3)]
        return cls(rows[:d_1], [list(row) for row in zip(*rows[d_1:], strict=True)])

    @classmethod
    def aligned(cls, u: Sequence[int], weights: Sequence[int], v: Sequence[int], p: Exponent) -> MatrixProduct:
        r"""Return :math:`M_1=u\alpha^\top`, :math:`M_2=\alpha'v^\top` with equality in Hölder between the two.

        :math:`\alpha\ge0` are the weights and :math:`\alpha'=\alpha` for :math:`p=2`; for :math:`p=1,\infty` the one in
        the largest norm is constant.  The inequality is then an equality for all :math:`r,s`.
        """
        ones = [1] * len(weights)
        inner, outer = {1: (weights, ones), 2: (weights, weights), "max": (ones, weights)}[p]
        return cls([[x * a for a in inner] for x in u], [[a * y for y in v] for a in outer])

    def rows(self) -> list[list[Any]]:
        """Return the product itself, exactly."""
        columns = list(zip(*self.second, strict=True))
        return [[sum(a * b for a, b in zip(row, c, strict=True)) for c in columns] for row in self.first]

    def norm(self, r: Exponent, s: Exponent) -> Enclosure:
        r"""Return :math:`\|M_1M_2\|_{r,s}`."""
        return mixed_norm(self.rows(), r, s)
