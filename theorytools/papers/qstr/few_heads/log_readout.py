"""The readout that takes logarithms of attention weights: from weights and averages to the conditional mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked, ranks
from theorytools.errors import DomainError
from theorytools.numbers import rational_rank
from theorytools.papers.qstr.tasks.few_heads import FewTokens

Integers = tuple[tuple[int, ...], ...]


_BLOCK = 4096  # prompts per block: the arrays of one stay in the cache


_FLOOR = 2.0**-40  # smaller weights are read as this: a readout has a value for every input


_RIDGE = 2.0**-50  # a few roundings of A A', whose rows have norm 1 at most: equal rows stay solvable
Array = NDArray[np.float64]


@checked
@dataclass(frozen=True)
class LogReadout:
    r"""The label from the weights on indexed tokens and the averages :math:`\sum_j\pi_{hj}x_j` of ``H`` heads.

    With the scores :math:`\beta_{hk}+\lambda\langle w_h,x_k\rangle` of the indexed tokens,

    .. math:: \lambda\langle w_h,x_k-x_1\rangle=\log\frac{\pi_{hk}}{\pi_{h1}}-(\beta_{hk}-\beta_{h1}),\qquad
              \langle w_h,x_1\rangle\sum_k\pi_{hk}=\langle w_h,\textstyle\sum_j\pi_{hj}x_j\rangle
              -\sum_k\pi_{hk}\langle w_h,x_k-x_1\rangle .

    With the projections :math:`P_{\mathcal W}` on the span of the :math:`w_h` and :math:`P_{\mathcal A}` on that of
    the weights, and the indexed tokens as rows of ``X``, the prediction is

    .. math:: \hat y=(qd)^{-1/2}\bigl(\|XP_{\mathcal W}\|^2+\|P_{\mathcal A}X(I-P_{\mathcal W})\|^2-r\bigr),\qquad
              r=qh_w+H(d-h_w),

    the conditional mean given all that is decoded when other Gaussian tokens have no weight, clipped to
    :math:`[-\sqrt{qd},c]`.

    Parameters
    ----------
    task : the distribution, with the link ``sq`` and indices to Gaussian tokens.
    directions : the vectors :math:`w_h`, ``H`` rows of ``d`` integers, of rank :math:`h_w`.
    odds : the numbers :math:`e^{\beta_{hk}}`, ``H`` rows of ``q`` positive integers, ``H <= q``.
    slope : :math:`\lambda`; 0 when the scores do not depend on tokens.
    limit : ``c``, positive.

    Raises
    ------
    DomainError
        For parameters outside these ranges.

    Examples
    --------
    >>> read = LogReadout(FewTokens(N=7, d=2, q=2), ((1, 0),), ((2, 1),), Fraction(1, 2), 9)
    >>> read.products(np.array([[[0.5, 0.25]]]), np.array([[[1.5, 0.0]]])).round(9).tolist()
    [[[2.0, 2.0]]]
    """

    task: FewTokens
    directions: Integers
    odds: Integers
    slope: Fraction
    limit: int

    def __post_init__(self) -> None:
        task, H = self.task, len(self.odds)
        shapes = {len(row) for row in self.odds} == {task.q} and {len(w) for w in self.directions} == {task.d}
        if not (shapes and 1 <= H == len(self.directions) <= task.q and min(map(min, self.odds)) >= 1):
            raise DomainError(
                f"{len(self.directions)} directions, odds {self.odds}",
                required=f"H directions in R^{task.d}, H rows of q = {task.q} positive integers, 1 <= H <= q",
            )
        if task.link != "sq" or max(task.indices) >= task.K or self.limit < 1:
            raise DomainError(
                f"the link {task.link!r}, indices {task.indices}, limit = {self.limit}",
                required=f"the link 'sq', indices below K = {task.K}, limit >= 1",
            )

    def __call__(self, A: Array, data_part: Array) -> Array:
        """Return predictions ``(n,)`` from weights on indexed tokens ``(n, H, q)`` and averages ``(n, H, d)``."""
        q, d, root = self.task.q, self.task.d, math.sqrt(self.task.q * self.task.d)
        spanned, inverse, rest = self._projections
        A = np.maximum(A, _FLOOR)
        size = np.square(inverse @ self.products(A, data_part)).sum(axis=(1, 2)) if spanned else 0.0
        if spanned < d:
            # ||P_A X Q||^2 = tr (M Q)' (A A')^{-1} M Q with M = A X
            MQ, gram = data_part @ rest, A @ A.transpose(0, 2, 1) + _RIDGE * np.eye(A.shape[1])
            size = size + np.einsum("nhk,nhk->n", MQ, np.linalg.solve(gram, MQ))
        rank = q * spanned + len(self.odds) * (d - spanned)
        return np.clip((size - rank) / root, -root, self.limit)

    @ranks(A=(1, 3), data_part=(1, 3))
    def products(self, A: Array, data_part: Array) -> Array:
        r"""Return the decoded :math:`\langle w_h,x_k\rangle`; the slope is not zero.

        Parameters
        ----------
        A : weights on the indexed tokens, shape ``(n, H, q)``, positive.
        data_part : averages :math:`\sum_j\pi_{hj}x_j`, shape ``(n, H, d)``.

        Returns
        -------
        array : shape ``(n, H, q)``.
        """
        apart = (np.log(A / A[:, :, :1]) - (self.beta - self.beta[:, :1])) / float(self.slope)
        own = np.einsum("hd,nhd->nh", self.w, data_part)
        start = (own - np.einsum("nhk,nhk->nh", A, apart)) / A.sum(axis=2)
        return start[:, :, None] + apart

    @cached_property
    def w(self) -> Array:
        """The directions, shape ``(H, d)``."""
        return np.array(self.directions, dtype=np.float64)

    @cached_property
    def beta(self) -> Array:
        r"""The temperatures :math:`\beta_{hk}`, shape ``(H, q)``."""
        return np.array([[math.log(x) for x in row] for row in self.odds])

    @cached_property
    def _projections(self) -> tuple[int, Array, Array]:
        r"""The dimension of :math:`\mathcal W`, the pseudo-inverse of the directions, :math:`I-P_{\mathcal W}`."""
        spanned = rational_rank(self.directions) if self.slope else 0
        inverse: NDArray[np.float64] = np.linalg.pinv(self.w).astype(np.float64, copy=False)
        return spanned, inverse, np.eye(self.task.d) - (inverse @ self.w if spanned else 0)
