r"""Sparse token selection by attention with another rule than the softmax, in rational numbers.

Weights depend on positions only, :math:`f=\alpha\sum_ia_i(y)x_i`, so for Gaussian tokens the loss of a subset is
:math:`d\sum_i(\alpha a_i-\tau_i)^2`, :math:`\tau_i=\mathbf 1\{i\in y\}/q`.  With scores
:math:`\sigma_i=\langle e_i,e_y\rangle`:

* ``hard``: equal weights on all tokens with the largest score, the limit of the softmax as :math:`\beta\to\infty`;
* ``top``: equal weights on the ``k`` tokens with the largest scores, ties by position;
* ``linear``: :math:`a_i=\sigma_i`, the softmax left out;
* ``free``: the best linear attention of the encodings, :math:`a=E^\top w_y` closest to :math:`\tau` over all query
  vectors :math:`w_y\in\mathbb R^{d_e}`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Real, checked
from theorytools.codes.encodings import Encodings
from theorytools.errors import DomainError
from theorytools.numbers import first_independent, solve_rational
from theorytools.papers.stsq.attention.selector_queries import Query, checked_query, query, scores
from theorytools.papers.stsq.tasks.sparse_selection import checked_sizes, checked_subset, subsets

RULES = ("hard", "top", "linear", "free")


@checked
@dataclass(frozen=True, eq=False)
class RuleSelector:
    r"""Attention on positional encodings with another rule than the softmax.

    Parameters
    ----------
    E : the encodings of the ``T`` positions.
    q, d : selected tokens, ``1 <= q < T``, and token dimension.
    rule : ``"hard"``, ``"top"``, ``"linear"`` or ``"free"``.
    query : the query of the first three (see :mod:`.selector_queries`).
    alpha : :math:`\alpha`, rational.
    k : how many tokens ``top`` keeps; ``q`` unless given.

    Raises
    ------
    DomainError
        For an unknown rule, ``k`` outside ``1..T``, and sizes outside the task.

    References
    ----------
    Wang, Wei, Hsu, Lee (2024), one-layer attention, arXiv 2406.06893v1; the other rules and their losses are ours.

    Examples
    --------
    >>> from theorytools.codes.encodings import orthonormal_encodings
    >>> [RuleSelector(orthonormal_encodings(4), 2, 1, "top", k=k).loss((0, 2)) for k in (1, 2, 4)]
    [Fraction(1, 2), Fraction(0, 1), Fraction(1, 4)]
    """

    E: Encodings
    q: int
    d: int
    rule: str
    query: Query = "dual"
    alpha: Real = 1
    k: int | None = None

    def __post_init__(self) -> None:
        checked_sizes(self.E.T, self.q, self.d)
        checked_query(self.query)
        if self.rule not in RULES or not 1 <= self.kept <= self.E.T:
            raise DomainError(f"rule {self.rule!r}, k = {self.k}", required=f"one of {RULES}, 1 <= k <= T")

    @property
    def kept(self) -> int:
        """How many tokens ``top`` keeps."""
        return self.q if self.k is None else self.k

    def scores(self, y: Sequence[int]) -> list[Fraction]:
        r"""Return :math:`\langle e_i,e_y\rangle` for all positions.

        Parameters
        ----------
        y : the ``q`` selected positions, from 0.

        Returns
        -------
        list of Fraction : ``T`` of them.

        Raises
        ------
        DomainError : positions that do not exist or repeat, another number of them, or a set without a query.
        """
        return [Fraction(s) for s in scores(self.E, query(self.E, self._set(y), self.query))]

    def attention(self, y: Sequence[int]) -> list[Fraction]:
        """Return the weights of all positions; those of ``linear`` and ``free`` need not sum to 1.

        Parameters
        ----------
        y : the ``q`` selected positions, from 0.

        Returns
        -------
        list of Fraction : ``T`` of them.
        """
        if self.rule == "free":
            rows = self._projector[list(self._set(y))]
            return list(rows.sum(axis=0) * Fraction(1, self.q))
        sigma = self.scores(y)
        if self.rule == "linear":
            return sigma
        order = sorted(range(self.E.T), key=lambda i: (-sigma[i], i))
        kept = [i for i in order if sigma[i] == sigma[order[0]]] if self.rule == "hard" else order[: self.kept]
        return [Fraction(int(i in set(kept)), len(kept)) for i in range(self.E.T)]

    def loss(self, y: Sequence[int]) -> Fraction:
        r"""Return :math:`E_X\|f-s\|^2` for Gaussian tokens and this subset.

        Parameters
        ----------
        y : the ``q`` selected positions, from 0.

        Returns
        -------
        Fraction : not divided by ``d``.
        """
        alpha, chosen = Fraction(self.alpha), set(self._set(y))
        gaps = (alpha * a - Fraction(int(i in chosen), self.q) for i, a in enumerate(self.attention(y)))
        return self.d * sum((gap * gap for gap in gaps), Fraction(0))

    def risk(self) -> Fraction:
        """Return the mean loss over all subsets."""
        losses = [self.loss(y) for y in subsets(self.E.T, self.q)]
        return sum(losses, Fraction(0)) / math.comb(self.E.T, self.q)

    @cached_property
    def _projector(self) -> NDArray[Any]:
        """The orthogonal projector on the span of the encodings' coordinates, as functions of the position."""
        columns = self.E.vectors.T
        R = columns[first_independent(columns)]
        projector: NDArray[Any] = R.T @ np.array(solve_rational(R @ R.T, R), dtype=object)
        return projector

    def _set(self, y: Sequence[int]) -> tuple[int, ...]:
        chosen = checked_subset(y, self.E.T)
        if len(chosen) != self.q:
            raise DomainError(f"{len(chosen)} selected positions", required=f"q = {self.q}")
        return chosen
