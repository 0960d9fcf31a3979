r"""Restricted isometry constants over all subsets of a set of encodings, with proof.

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

from fractions import Fraction
from math import ceil, lcm
from typing import Any

import numpy as np

from theorytools.arguments.checked import checked
from theorytools.codes.encodings import Encodings
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import Enclosure, between
from theorytools.papers.stsq.tasks.sparse_selection import subsets

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
