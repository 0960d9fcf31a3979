r"""Few heads with a block between positions and data, and the readout that attains the least error.

The weights of head ``h`` carry the numbers :math:`\langle w_h,x_j\rangle` besides the averages
:math:`\sum_j\pi_{hj}x_j`: :math:`H` heads learn :math:`H(q+d)-H^2` of the ``q d`` Gaussian directions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, STEPS, NonNegativeInt, PositiveInt, at_most, checked, ranks
from theorytools.codes.protocol import Code
from theorytools.constructions.attention.layer import softmax
from theorytools.constructions.shapes import in_range, shaped
from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import Enclosure
from theorytools.papers.qstr.few_heads.log_readout import _BLOCK, Integers, LogReadout
from theorytools.papers.qstr.few_heads.visible_span import VisibleSpan
from theorytools.papers.qstr.tasks.few_heads import FewTokens

Array = NDArray[np.float64]
_SLACK = 2.0**-20  # a code part of doubles is off by 1e-15; in exact arithmetic any excess over zero will do


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
    @at_most(H=STEPS)
    def standard(cls, codes: Any, task: FewTokens, H: NonNegativeInt, *, odds: int = 2**86, **options: Any) -> Any:
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

    @at_most(size=ENTRIES)
    def late_squares(self, rng: np.random.Generator, size: PositiveInt) -> Array:
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
