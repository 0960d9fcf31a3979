r"""Radon partitions: why fewer than :math:`2q` coordinates cannot select every set.

Any :math:`d_e+2` points of :math:`\mathbb R^{d_e}` split into :math:`A\cup B` with a common point of the two hulls,
:math:`\sum_A\lambda_ie_i=\sum_B\mu_je_j`, :math:`\sum\lambda_i=\sum\mu_j=1`.  Scores are linear in the encodings, hence
for every query :math:`\sum_A\lambda_i\sigma_i=\sum_B\mu_j\sigma_j`: some :math:`j\in B` scores at least as high as some
:math:`i\in A`.  For :math:`d_e\le2q-1` one part has at most ``q`` points; with :math:`T\ge d_e+1+q` a set
:math:`y\supseteq A` avoids ``B``, and then, for every :math:`V`,

.. math:: \mathbb E_X\|f-s\|^2\ge\|a_iV_1-\tfrac1qI\|_F^2+\|a_jV_1\|_F^2\ge\frac d{2q^2}\qquad(a_j\ge a_i).

References
----------
Wang, Wei, Hsu, Lee (2024), Neighbourly encodings, arXiv 2406.06893v1; derived here.

Restricted isometry constants over all subsets of a set of encodings, with proof.

.. math:: \delta_k=\max_{|S|\le\min(k,T)}\lVert E_S^\top E_S-I\rVert ,

the largest distance of an eigenvalue of a Gram matrix from 1; by interlacing the largest sets suffice.  An eigenvalue
in doubles proposes the value; proved is that :math:`\rho I\pm(E_S^\top E_S-I)` is positive semidefinite for every
``S``, by elimination in integers, and that some quotient :math:`x^\top(E_S^\top E_S-I)x/x^\top x` reaches the
lower end.

References
----------
Wang, Wei, Hsu, Lee (2024), Encodings, all subsets, arXiv 2406.06893v1; Candès, Tao (2005), Decoding by linear
programming.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm
from typing import Any

import numpy as np

from theorytools.arguments.checked import Steps, checked
from theorytools.codes.encodings import Encodings
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import Enclosure, between
from theorytools.papers.stsq.tasks.sparse_selection import subsets

Weights = dict[int, Fraction]


@checked
@dataclass(frozen=True)
class RadonPartition:
    r"""Two disjoint sets of positions whose encodings have intersecting hulls; the first is not the larger one.

    Attributes
    ----------
    inner, outer : :math:`\lambda` on ``A`` and :math:`\mu` on ``B``, positive, each with sum 1.
    """

    inner: Weights
    outer: Weights

    def defect(self, E: Encodings) -> Fraction:
        r"""Return :math:`\|\sum_A\lambda_ie_i-\sum_B\mu_je_j\|^2`, exactly; 0 for a partition of ``E``."""
        rows = [
            sum((x * E.vectors[i, k] for i, x in self.inner.items()), Fraction(0))
            - sum((x * E.vectors[j, k] for j, x in self.outer.items()), Fraction(0))
            for k in range(E.d_e)
        ]
        return E.squared_scale * sum((x * x for x in rows), Fraction(0))

    def subset(self, T: Steps, q: int) -> tuple[int, ...]:
        r"""Return a set of ``q`` positions that contains ``A`` and avoids ``B``.

        Raises
        ------
        DomainError
            If ``A`` has more than ``q`` positions, or too few are left: :math:`T\ge d_e+1+q` always suffices.
        """
        free = [i for i in range(T) if i not in self.inner and i not in self.outer]
        missing = q - len(self.inner)
        if not 0 <= missing <= len(free):
            raise DomainError(
                f"|A| = {len(self.inner)}, {len(free)} positions outside, q = {q}, T = {T}",
                required="|A| <= q and q - |A| free positions",
                why="y must contain A and avoid B",
                advice="d_e <= 2q - 1 and T >= d_e + 1 + q",
            )
        return tuple(sorted([*self.inner, *free[:missing]]))


@checked
def radon_partition(E: Encodings, positions: Sequence[int] | None = None) -> RadonPartition:
    r"""Return the partition of the first :math:`d_e+2` positions, or of the given ones, in rational numbers.

    Raises
    ------
    DomainError
        If the given encodings are affinely independent, as :math:`d_e+2` never are.
    """
    chosen = list(range(min(E.d_e + 2, E.T)) if positions is None else positions)
    rows = [[Fraction(1) for _ in chosen], *([Fraction(E.vectors[i, k]) for i in chosen] for k in range(E.d_e))]
    z = _kernel_vector(rows)
    if z is None:
        raise DomainError(
            f"{len(chosen)} affinely independent encodings",
            required=f"d_e + 2 = {E.d_e + 2} positions",
            why="independent points separate every way",
        )
    signs = [{i: x for i, x in zip(chosen, z, strict=True) if sign * x > 0} for sign in (1, -1)]
    inner, outer = sorted(signs, key=len)
    return RadonPartition(_normalised(inner), _normalised(outer))


def _normalised(weights: Weights) -> Weights:
    """Weights of one sign, over their sum: positive, with sum 1."""
    mass = sum(weights.values())
    return {i: x / mass for i, x in weights.items()}


def _kernel_vector(rows: list[list[Any]]) -> list[Fraction] | None:
    """A non-zero vector that every row sends to 0, by elimination; None where there is none."""
    width = len(rows[0])
    pivots: list[int] = []
    for column in range(width):
        done = len(pivots)
        pivot = next((r for r in range(done, len(rows)) if rows[r][column] != 0), None)
        if pivot is None:
            z = [Fraction(0)] * width
            z[column] = Fraction(1)
            for row, where in enumerate(pivots):
                z[where] = -rows[row][column]
            return z
        rows[done], rows[pivot] = rows[pivot], rows[done]
        lead = rows[done][column]
        rows[done] = [x / lead for x in rows[done]]
        for r in range(len(rows)):
            if r != done and rows[r][column] != 0:
                factor = rows[r][column]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[done], strict=True)]
        pivots.append(column)
    return None


_WIDTH = Fraction(1, 10**9)  # far above the rounding of eigenvalues in doubles; the proof does not rest on it


@checked
def restricted_isometry(E: Encodings, k: int) -> Enclosure:
    r"""Return :math:`\delta_k`: exact where it is a rational of denominator at most 1000, else within :math:`10^{-9}`.

    Raises
    ------
    DomainError
        If ``k < 1``.
    BudgetError
        If there are more than 200 000 subsets.

    Examples
    --------
    >>> from theorytools.codes.encodings import exact_encodings
    >>> restricted_isometry(exact_encodings([[1, 0], [Fraction(3, 5), Fraction(4, 5)]]), 2).fraction()
    Fraction(3, 5)
    """
    if k < 1:
        raise DomainError(f"k = {k}", required="k >= 1")
    size = min(k, E.T)
    chosen = np.array([tuple(range(E.T))] if size == E.T else list(subsets(E.T, size)))
    A = E.gram() - np.eye(E.T, dtype=int)
    blocks = A[chosen[:, :, None], chosen[:, None, :]]
    values, vectors = np.linalg.eigh(blocks.astype(np.float64))
    worst = int(np.abs(values).max(axis=1).argmax())
    column = int(np.abs(values[worst]).argmax())
    top = float(abs(values[worst, column]))
    simple = Fraction(top).limit_denominator(1000)
    if abs(simple - Fraction(top)) < _WIDTH / 1000 and _attained(blocks[worst], simple) and _bounded(blocks, simple):
        return Enclosure(simple)
    x = [Fraction(v) for v in vectors[worst][:, column]]
    reached = abs(x @ blocks[worst] @ np.array(x, dtype=object)) / sum(v * v for v in x)
    above = Fraction(ceil((reached + _WIDTH / 2) * 10**10), 10**10)  # a short number: the elimination is in integers
    if not _bounded(blocks, above):
        raise CertificateError("eigenvalues in doubles", required="a largest eigenvalue that can be certified")
    return between(reached, above)


def _attained(block: Any, rho: Fraction) -> bool:
    """Whether ``rho`` or ``-rho`` is an eigenvalue of the rational matrix."""
    from theorytools.numbers import rational_rank

    shift = rho * np.eye(len(block), dtype=object)
    return any(rational_rank((block + sign * shift).tolist()) < len(block) for sign in (1, -1))


def _bounded(blocks: Any, rho: Fraction) -> bool:
    """Whether all eigenvalues of all blocks lie in ``[-rho, rho]``."""
    common = lcm(rho.denominator, *{Fraction(x).denominator for x in blocks.flat})
    integers = np.vectorize(int, otypes=[object])(blocks * common)
    shift = int(rho * common) * np.eye(blocks.shape[-1], dtype=object)
    return all(_semidefinite((shift + sign * block).tolist()) for block in integers for sign in (1, -1))


def _semidefinite(M: list[list[int]]) -> bool:
    """Whether a symmetric integer matrix is positive semidefinite, by elimination without division."""
    while M:
        pivot, row = M[0][0], M[0][1:]
        if pivot < 0 or (pivot == 0 and any(row)):
            return False
        rest = [line[1:] for line in M[1:]]
        if pivot > 0:  # a positive multiple of the Schur complement
            rest = [
                [pivot * x - a * b for x, b in zip(line, row, strict=True)] for line, a in zip(rest, row, strict=True)
            ]
        M = rest
    return True
