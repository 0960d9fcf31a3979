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
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theorytools.arguments.checked import STEPS, NonNegativeInt, at_most, checked
from theorytools.codes.encodings import Encodings
from theorytools.errors import DomainError

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

    @at_most(T=STEPS)
    def subset(self, T: NonNegativeInt, q: int) -> tuple[int, ...]:
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
