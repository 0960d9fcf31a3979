r"""A query with score 1 on a set and small scores everywhere else, by repeated corrections.

The shortest :math:`w_0` with score 1 on ``y`` may have a few large scores off ``y``.  Let :math:`T_k` be the ``q``
positions outside :math:`y\cup T_{k-1}` where :math:`|\langle w_k,e_i\rangle|` is largest, and :math:`w_{k+1}` the
shortest vector with score 0 on ``y`` and the scores of :math:`w_k` on :math:`T_k`.  Then
:math:`w=w_0-w_1+w_2-\dots` has score 1 on ``y``, and with :math:`\delta=\delta_{3q}<\frac12`

.. math:: |\langle w,e_i\rangle|\le\frac\delta{1-2\delta}\quad(i\notin y) .

Proof (derived here).  The shortest vector with values ``c`` on ``S`` has
:math:`\lVert E_{S'}^\top w\rVert\le\frac\delta{1-\delta}\lVert c\rVert` on ``q`` positions ``S'`` off ``S``, where
:math:`|S|\le2q`.  So the ``q`` largest scores of :math:`w_k` have norm at most :math:`r^{k+1}\sqrt q`,
:math:`r=\frac\delta{1-\delta}`, all others are at most :math:`r^{k+1}`, and those on :math:`T_k` are cancelled by
:math:`w_{k+1}`: what is left is at most :math:`r+r^2+\dots=\frac\delta{1-2\delta}`.  After ``K`` corrections the
:math:`q` scores on :math:`T_K` remain, at most :math:`r^{K+1}\sqrt q` in norm.

References
----------
Wang, Wei, Hsu, Lee (2024), Encodings, all subsets, arXiv 2406.06893v1; Candès, Tao (2005), Decoding by linear
programming; Sanford, Hsu, Telgarsky (2023), arXiv 2306.02896.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import STEPS, NonNegativeInt, at_most, checked
from theorytools.codes.encodings import Encodings
from theorytools.constructions.shapes import shaped
from theorytools.errors import DomainError
from theorytools.notebook import fields_html
from theorytools.numbers import solve_rational
from theorytools.numbers.separation import min_norm_weights
from theorytools.papers.stsq.tasks.sparse_selection import checked_subset


@checked
@dataclass(frozen=True)
class DualCertificate:
    r"""A query for one set, with what its corrections left.

    Attributes
    ----------
    y : the set.
    scores : :math:`\langle w,e_i\rangle` for all positions, Fractions.
    corrections : :math:`\lVert c_k\rVert^2` of the scores that correction ``k = 1, 2, …`` cancelled.
    """

    y: tuple[int, ...]
    scores: NDArray[np.object_]
    corrections: tuple[Fraction, ...]

    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        shaped("scores", self.scores, "T")
        checked_subset(self.y, len(self.scores))

    @property
    def largest(self) -> Fraction:
        """Largest modulus of a score off the set."""
        return max(abs(Fraction(s)) for i, s in enumerate(self.scores) if i not in self.y)


@checked
@at_most(steps=STEPS)
def dual_certificate(E: Encodings, y: Sequence[int], steps: NonNegativeInt, *, sign: int = -1) -> DualCertificate:
    """Return the query after at most ``steps`` corrections; fewer where no score is left to cancel.

    Parameters
    ----------
    E, y, steps : encodings, a set of positions, the number of corrections, 0 for the dual query itself.
    sign : each correction is added with this power of it; anything but -1 is only to study what goes wrong.

    Raises
    ------
    DomainError
        If the encodings on the set, or on it and the positions being corrected, are dependent; or ``steps < 0``.
    """
    y = checked_subset(y, E.T)
    if steps < 0:
        raise DomainError(f"steps = {steps}", required="steps >= 0")
    K = E.products
    part = K[:, y] @ np.array(min_norm_weights(K, y), dtype=object)
    before: tuple[int, ...] = ()
    scores, norms = part, []
    for k in range(1, steps + 1):
        free = [i for i in range(E.T) if i not in y and i not in before]
        worst = tuple(sorted(free, key=lambda i: -abs(part[i]))[: len(y)])
        if not any(part[i] for i in worst):
            break
        norms.append(sum((Fraction(part[i]) ** 2 for i in worst), Fraction(0)))
        S = [*y, *worst]
        solved = solve_rational(K[np.ix_(S, S)].tolist(), [0] * len(y) + [part[i] for i in worst])
        part = K[:, S] @ np.array(solved, dtype=object)
        scores, before = scores + sign**k * part, worst
    return DualCertificate(y, scores, tuple(norms))
