r"""Few heads on codes shorter than the prompt: a query that scores the indexed codes alike and every other lower."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention.layer import softmax
from theorytools.constructions.shapes import in_range, shaped
from theorytools.errors import DomainError
from theorytools.numbers import solve_rational
from theorytools.papers.qstr.few_heads.decoder import LogHeads

Array = NDArray[np.float64]
_GRID = 2**20  # the solution of the linear programme is rounded to this grid, then corrected


@checked
@dataclass(frozen=True)
class ShortCodeDecoder(LogHeads):
    r"""The decoder of :class:`.HeadDecoder` on sign codes with :math:`d_e<N`, for late positions.

    The tuple of late positions is fixed, so :math:`W^{(h)}_{QK}` maps their code :math:`\omega_{t_{i1}}` to any vector
    :math:`v_h\in\mathbb R^{d_e}`.  Take :math:`u` with

    .. math:: \langle u,E_k\rangle=1\ (k\in t_i),\qquad\langle u,E_j\rangle\le1-\mu\ (j\notin t_i),

    ``E`` the signs, and :math:`v_h` with :math:`\langle v_h,\omega_j\rangle=\beta\langle u,E_j\rangle` up to a
    correction that makes the scores of indexed codes :math:`\beta_{hk}`.  Other positions have weights of order
    :math:`e^{-\beta\mu}`; without them the code part gives the weights of the indexed tokens, whose codes are
    independent.

    Parameters
    ----------
    codes : sign codes, those of the indexed positions independent.
    task : the distribution with ``early="same"``: all positions have the late tuple.
    directions, odds, slope, limit : as in :class:`.LogReadout`.

    Raises
    ------
    DomainError
        For other codes or another task, or indexed codes that are dependent.

    References
    ----------
    Derived here.

    Examples
    --------
    >>> from theorytools import bch
    >>> from theorytools.papers.qstr.tasks.few_heads import FewTokens
    >>> task = FewTokens(N=16, d=2, q=2, early="same")
    >>> net = ShortCodeDecoder(bch(16).sign_code(), task, ((1, 0),), ((8, 4),), Fraction(1), 9)
    >>> net.margin() > 0, net.queries.shape
    (True, (1, 8))
    """

    codes: SignCode

    def __post_init__(self) -> None:
        if not isinstance(self.codes, SignCode) or self.codes.N != self.task.N or self.task.early != "same":
            raise DomainError(
                f"a {type(self.codes).__name__}, early = {self.task.early!r}",
                required=f"a SignCode with N = {self.task.N} rows and early = 'same'",
            )
        LogHeads.__post_init__(self)

    # -- exact -------------------------------------------------------------------------------------------
    @cached_property
    def query(self) -> list[Fraction]:
        r"""A vector ``u`` with :math:`\langle u,E_k\rangle=1` exactly at indexed codes, by a linear programme."""
        E, places = self.codes.signs.astype(np.int64), list(self.task.indices)
        indexed = E[places]
        rounded = [Fraction(round(float(x) * _GRID), _GRID) for x in _largest_margin(E, places)]
        missing = [1 - sum(int(e) * x for e, x in zip(row, rounded, strict=True)) for row in indexed]
        shares = solve_rational(indexed @ indexed.T, missing)
        return [x + sum(c * int(e) for c, e in zip(shares, column, strict=True))
                for x, column in zip(rounded, indexed.T, strict=True)]  # fmt: skip

    def margin(self) -> Fraction:
        r"""Return :math:`\mu=1-\max_{j\notin t_i}\langle u,E_j\rangle` in rationals."""
        others = np.delete(self.codes.signs.astype(np.int64), list(self.task.indices), axis=0)
        inner = (sum((int(e) * x for e, x in zip(row, self.query, strict=True)), Fraction(0)) for row in others)
        return 1 - max(inner)

    # -- float64 -----------------------------------------------------------------------------------------
    @cached_property
    def queries(self) -> Array:
        r"""The vectors :math:`v_h`, shape ``(H, d_e)``."""
        beta, indexed = self.readout.beta, self._omega[list(self.task.indices)]
        base = beta.min() * np.array([float(x) for x in self.query]) * np.sqrt(self.codes.d_e)
        return base + (beta - indexed @ base) @ np.linalg.pinv(indexed).T

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
        W, asked = np.zeros((d + (q + 1) * k, d + (q + 1) * k)), self._omega[self.task.indices[0]]
        W[d + k : d + 2 * k, :d] = float(self.slope) * np.sqrt(q / d) * np.outer(asked, self.directions[h])
        W[d + k : d + 2 * k, d : d + k] = q / d * np.outer(asked, self.queries[h])
        return W

    def forward(self, X: Array) -> tuple[Array, Array]:
        """Return what attention gives a late query: the code part and the data part.

        Parameters
        ----------
        X : tokens, shape ``(n, N, d)``.

        Returns
        -------
        tuple of arrays : shapes ``(n, H, d_e)`` and ``(n, H, d)``.
        """
        shaped("X", X, "n", self.task.N, self.task.d)
        scores = np.einsum("njd,hd->nhj", X, float(self.slope) * self.readout.w) + self.queries @ self._omega.T
        weights = softmax(scores)
        return weights @ self._omega, weights @ X

    def head(self, code_part: Array, data_part: Array) -> Array:
        """Return the predictions: a function of the output of attention.

        Parameters
        ----------
        code_part, data_part : as :meth:`forward` gives them.

        Returns
        -------
        array : shape ``(n,)``.
        """
        self._checked(code_part, data_part)
        return self.readout(code_part @ np.linalg.pinv(self._omega[list(self.task.indices)]), data_part)


def _largest_margin(E: NDArray[np.int64], places: list[int]) -> Array:
    """Return a vector of nearly largest margin up to 1, entries up to 10; only where to look."""
    from scipy.optimize import linprog

    others = np.delete(E, places, axis=0)
    solution = linprog(
        np.append(np.zeros(E.shape[1]), -1.0),
        A_ub=np.column_stack([others, np.ones(len(others))]), b_ub=np.ones(len(others)),
        A_eq=np.column_stack([E[places], np.zeros(len(places))]), b_eq=np.ones(len(places)),
        bounds=[(-10, 10)] * E.shape[1] + [(None, 1)],
    )  # fmt: skip
    if solution.x is None:
        raise DomainError(f"indexed codes {places}", required="independent codes")
    return np.asarray(solution.x[:-1])
