r"""Few heads with a block between positions and data, and the readout that attains the least error.

The weights of head ``h`` carry the numbers :math:`\langle w_h,x_j\rangle` besides the averages
:math:`\sum_j\pi_{hj}x_j`: :math:`H` heads learn :math:`H(q+d)-H^2` of the ``q d`` Gaussian directions.

The readout that takes logarithms of attention weights: from weights and averages to the conditional mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Entries, Steps, checked, ranks
from theorytools.codes.protocol import Code
from theorytools.constructions.attention.layer import softmax
from theorytools.constructions.network import in_range, shaped
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import Enclosure, rational_rank
from theorytools.papers.qstr.few_heads.visible_span import VisibleSpan
from theorytools.papers.qstr.tasks.few_heads import FewTokens

Integers = tuple[tuple[int, ...], ...]
_BLOCK = 4096  # prompts per block: the arrays of one stay in the cache
_FLOOR = 2.0**-40  # smaller weights are read as this: a readout has a value for every input
_RIDGE = 2.0**-50  # a few roundings of A A', whose rows have norm 1 at most: equal rows stay solvable


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


Array = NDArray[np.float64]


@checked
@dataclass(frozen=True)
class LogHeads:
    """Heads whose scores are of positions and of data, read by :class:`LogReadout`: what both decoders share."""

    codes: Code
    task: FewTokens
    directions: Integers
    odds: Integers
    slope: Fraction = Fraction(3, 20)
    limit: int = 10

    forward: ClassVar[Callable[..., tuple[Array, Array]]]
    head: ClassVar[Callable[[Any, Array, Array], Array]]

    def __post_init__(self) -> None:
        self.readout  # noqa: B018 -- refuses what is no network

    @classmethod
    def standard(cls, codes: Any, task: FewTokens, H: Steps, *, odds: int = 2**86, **options: Any) -> Any:
        """Let head ``h`` read coordinate ``h`` modulo ``d`` and weigh index ``h`` four times as much as the others."""
        directions = tuple(tuple(int(k == h % task.d) for k in range(task.d)) for h in range(H))
        weighed = tuple(tuple(4 * odds if k == h else odds for k in range(task.q)) for h in range(H))
        return cls(codes, task, directions, weighed, **options)

    @cached_property
    def readout(self) -> LogReadout:
        """The readout behind the decoded weights."""
        return LogReadout(self.task, self.directions, self.odds, self.slope, self.limit)

    def late(self, X: Array) -> Array:
        """Return the predictions at late positions, shape ``(n,)``, for tokens ``(n, N, d)``."""
        return self.head(*self.forward(X))

    def late_squares(self, rng: np.random.Generator, size: Entries) -> Array:
        r"""Draw :math:`(y_i-\hat y_i)^2` at late positions of fresh prompts, by the forward pass, shape ``(size,)``."""
        squares = np.empty(size)
        for start in range(0, size, _BLOCK):
            X = self.task.draw(rng, min(_BLOCK, size - start))
            squares[start : start + _BLOCK] = np.square(self.task.labels(X)[:, -1] - self.late(X))
        return squares

    def _checked(self, code_part: Array, data_part: Array) -> None:
        shaped("code_part", code_part, "n", len(self.odds), self.codes.d_e)
        shaped("data_part", data_part, len(code_part), len(self.odds), self.task.d)

    @cached_property
    def _omega(self) -> Array:
        return np.asarray(self.codes.matrix())


_SLACK = 2.0**-20  # a code part of doubles is off by 1e-15; in exact arithmetic any excess over zero will do


@checked
@dataclass(frozen=True)
class HeadDecoder(LogHeads):
    r"""Attention whose weights are known functions of the tokens, decoded by logarithms and one small solve per prompt.

    Head ``h`` has a block :math:`\alpha_{hk}I` between index slot ``k`` and own codes and, between own codes and data,
    :math:`\lambda\sqrt{q/d}\,(\sum_j\omega_j)w_h^\top`.  With orthonormal codes the scores of a late query are

    .. math:: \langle z_i,W^{(h)}z_j\rangle=\beta_{hk}1_{j=t_{ik}}+\lambda\langle w_h,x_j\rangle,\qquad
              \beta_{hk}=\alpha_{hk}d/q .

    The code part :math:`\sum_j\pi_{hj}\omega_j` gives the weights; :class:`LogReadout` does the rest.  At blank tuples,
    where the last token has more weight than its neighbour, the prediction is :math:`-\sqrt{qd}`.

    Parameters
    ----------
    codes : orthonormal position codes.
    task, directions, odds, slope, limit : as in :class:`LogReadout`; slope 0 leaves block-diagonal attention matrices.

    Raises
    ------
    DomainError
        For parameters outside their ranges.

    References
    ----------
    Derived here; it attains the lower bound behind Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Proposition 3,
    arXiv 2503.11272v1.

    Examples
    --------
    >>> from theorytools import hadamard
    >>> net = HeadDecoder.standard(hadamard(7), FewTokens(N=7, d=4, q=3), 1)
    >>> net.late_error().fraction()  # 2 (1 - 1/q) (1 - 1/d)
    Fraction(1, 1)
    """

    codes: Code

    def __post_init__(self) -> None:
        if self.codes.N != self.task.N or self.codes.coherence() != 0 or self.codes.absolute_coherence() != 0:
            raise DomainError(
                f"{self.codes.N} codes, |<omega_i, omega_j>| up to {self.codes.absolute_coherence()}",
                required=f"N = {self.task.N} orthonormal codes",
            )
        LogHeads.__post_init__(self)

    @property
    def H(self) -> int:
        """The number of heads."""
        return len(self.odds)

    # -- exact -------------------------------------------------------------------------------------------
    def revealed(self) -> VisibleSpan:
        """Return the span of what is decoded where all scores of data vanish: weights are rational there."""
        columns = {t: k for k, t in enumerate(self.task.indices)}
        weights = [[row[columns[j]] if j in columns else 1 for j in range(self.task.K)] for row in self.odds]
        directions = self.directions if self.slope else ()
        return VisibleSpan(directions, tuple(map(tuple, weights)), self.task)

    def late_error(self) -> Enclosure:
        r"""Return :math:`E(y_i-\hat y_i)^2` at late positions for the prediction before it is clipped, in rationals.

        The minors of the row matrix are analytic in the tokens.  One that is not zero where all scores of data vanish
        is zero for almost no tokens; so if the rank there is the largest that these directions admit, it is the rank
        almost surely, and the error is :math:`(qd)^{-1/2}(\chi^2_m-m)` with ``m`` the dimension of the rest.

        Raises
        ------
        DomainError
            If a Gaussian token is not indexed (its weight is noise: the error depends on the temperature).
        CertificateError
            If the weights of the heads are dependent where the scores of data vanish: nothing is proved then.
        """
        shown = self.revealed()
        rest, (spanned, known) = shown.residual, shown.dimensions
        if self.slope and spanned < self.task.d and known < self.H:
            raise CertificateError(
                f"odds {self.odds}",
                required="independent rows",
                why="the rank at one point is the rank almost everywhere only where it is the largest possible",
            )
        return Enclosure(Fraction(2 * rest, self.task.q * self.task.d))

    def risk(self) -> Enclosure:
        r"""Return :math:`R=\frac1N\sum_iE(y_i-\hat y_i)^2`; blank tuples are recognised."""
        late = self.late_error()
        return self.task.average(lambda indices: late if indices == self.task.indices else Enclosure(0))

    # -- float64 -----------------------------------------------------------------------------------------
    def W_QK(self, h: int) -> Array:
        """Return the merged query-key matrix of one head, row = query side.

        Parameters
        ----------
        h : number of the head, from 0.

        Returns
        -------
        array : shape ``(D_e, D_e)``, :math:`D_e=d+(q+1)d_e`.
        """
        (d, q), k, h = (self.task.d, self.task.q), self.codes.d_e, in_range("h", h, len(self.odds), "head")
        W = np.zeros((d + (q + 1) * k, d + (q + 1) * k))
        W[d : d + k, :d] = float(self.slope) * np.sqrt(q / d) * np.outer(self._omega.sum(axis=0), self.directions[h])
        for slot, beta in enumerate(self.readout.beta[h], start=1):
            W[d + slot * k : d + (slot + 1) * k, d : d + k] = beta * q / d * np.eye(k)
        return W

    @ranks(X=3)
    def forward(self, X: Array, indices: Sequence[int] | None = None) -> tuple[Array, Array]:
        """Return what attention gives a query: the code part and the data part.

        Parameters
        ----------
        X : tokens, shape ``(n, N, d)``.
        indices : the ``q`` positions that the query asks for; the late ones unless given.

        Returns
        -------
        tuple of arrays : shapes ``(n, H, d_e)`` and ``(n, H, d)``.
        """
        shaped("X", X, "n", self.task.N, self.task.d)
        scores = np.einsum("njd,hd->nhj", X, float(self.slope) * self.readout.w)
        for k, place in enumerate(self.task.indices if indices is None else indices):
            scores[:, :, place] += self.readout.beta[:, k]
        weights = softmax(scores)
        return weights @ self._omega, weights @ X

    def head(self, code_part: Array, data_part: Array) -> Array:
        """Return the predictions: a function of the output of attention at one position.

        Parameters
        ----------
        code_part, data_part : as :meth:`forward` gives them.

        Returns
        -------
        array : shape ``(n,)``.
        """
        self._checked(code_part, data_part)
        pi, task = code_part @ self._omega.T, self.task
        late = (pi[:, :, -1] <= pi[:, :, -2] + _SLACK).all(axis=1)
        A, predictions = pi[:, :, list(task.indices)], np.full(len(pi), -np.sqrt(task.q * task.d))
        if late.all():
            return self.readout(A, data_part)
        predictions[late] = self.readout(A[late], data_part[late])
        return predictions

    def predict(self, X: Array) -> Array:
        """Return the predictions for prompts with the tuples of the task.

        Parameters
        ----------
        X : tokens, shape ``(n, N, d)``.

        Returns
        -------
        array : shape ``(n, N)``.
        """
        parts = [np.repeat(self.head(*self.forward(X, t))[:, None], count, axis=1) for t, count in self.task.groups()]
        return np.concatenate(parts[::-1], axis=1)
