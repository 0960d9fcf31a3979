r"""How much of the label is left unknown by a network whose first layer reads a subspace: exact Bayes losses.

A feedforward network :math:`f(T,Wx)` sees the prompt :math:`x=(x_1;\dots;x_N)\in\mathbb R^p`, :math:`p=Nd`,
through the row space of :math:`W`.  With independent :math:`N(0,I_d)` tokens, the link
:math:`y=\langle u,x_t\rangle`, a unit vector :math:`u` and a uniform index :math:`t` independent of the
tokens, let :math:`\Pi` be the orthogonal projector on that row space and :math:`P_t` the embedding of
:math:`\mathbb R^d` as block :math:`t`.  Given :math:`(Wx,t)` the label is Gaussian with variance
:math:`1-\lVert\Pi P_tu\rVert^2`, so no such network has a squared loss below

.. math:: D(u)=\frac1N\sum_t\bigl(1-\lVert\Pi P_tu\rVert^2\bigr)=1-\frac1Nu^\top Mu,\qquad
    M=\sum_tP_t^\top\Pi P_t,\quad\operatorname{tr}M=\operatorname{rank}W .

All numbers are exact: integers and fractions in, fractions out.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, Numbers, PositiveInt, Real, at_most, checked, ranks
from theorytools.constructions.shapes import in_range
from theorytools.errors import DomainError
from theorytools.numbers import (
    Enclosure,
    between,
    first_independent,
    over_one,
    quick,
    rational_rank,
    solve_rational,
    working_precision,
)

Matrix = list[list[Fraction]]
Floats = NDArray[np.float64]


@checked
@dataclass(frozen=True)
class InputSpan:
    """The subspace of prompts that a first layer reads, and the Bayes losses it leaves.

    Attributes
    ----------
    rows : integer vectors of length :math:`p=Nd` that span it; made by :meth:`of`.
    N, d : sequence length and token dimension.

    Raises
    ------
    DomainError : rows of another length.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Theorem 6, arXiv 2503.11272v1.  Identities derived here.

    Examples
    --------
    >>> span = InputSpan.of([[1, 1]], N=2, d=1)
    >>> span.projector(), span.bayes_loss([1]), span.supremum()
    ([[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 2), Fraction(1, 2)]], Fraction(1, 2), Enclosure(1/2))
    """

    rows: tuple[tuple[int, ...], ...]
    N: NonNegativeInt
    d: NonNegativeInt

    def __post_init__(self) -> None:
        lengths = {len(row) for row in self.rows}
        if lengths - {self.N * self.d}:
            raise DomainError(f"rows of lengths {sorted(lengths)}", required=f"length N d = {self.N * self.d}")

    @classmethod
    def of(cls, W: Numbers, N: int, d: int) -> InputSpan:
        """Return the row space of a first layer.

        Parameters
        ----------
        W : integers or fractions, shape ``(m, N d)`` or ``(m, N, d)``, any rank but 0.
        N, d : sequence length and token dimension.

        Returns
        -------
        InputSpan : its rows scaled to integers.

        Raises
        ------
        DomainError
            For entries that are neither integers nor fractions, a shape that does not fit, or a zero matrix.
        """
        entries = np.array(W.tolist() if hasattr(W, "tolist") else W, dtype=object)
        if entries.ndim not in (2, 3) or not len(entries) or entries[0].size != N * d:
            raise DomainError(f"W of shape {entries.shape}", required=f"(m, {N * d}) or (m, {N}, {d}), m >= 1")
        _exact(entries.flat)
        rows = tuple(tuple(over_one(row)[0]) for row in entries.reshape(len(entries), -1))
        if not any(map(any, rows)):
            raise DomainError("a first layer that is zero", required="a row that is not zero")
        return cls(rows, N, d)

    @cached_property
    def rank(self) -> int:
        """The dimension of the span, by elimination over the rationals."""
        return rational_rank(self.rows)

    @cached_property
    def basis(self) -> NDArray[Any]:
        """The first rows that are independent: integers, shape ``(rank, p)``."""
        return np.array(self.rows, dtype=object)[first_independent(self.rows)]

    @cached_property
    def blocks(self) -> tuple[Matrix, ...]:
        r"""The blocks :math:`P_t^\top\Pi P_t` of the projector, each of shape ``(d, d)``."""
        if self._whole:
            return tuple(_identity(self.d) for _ in self._cuts)
        dual, scale = self._dual
        return tuple(_fractions(self.basis[:, cut].T @ dual[:, cut], scale) for cut in self._cuts)

    @cached_property
    def pooled(self) -> Matrix:
        r"""The matrix :math:`M=\sum_tP_t^\top\Pi P_t`, shape ``(d, d)``."""
        axes, zero = range(self.d), Fraction(0)
        return [[sum((block[k][l] for block in self.blocks), zero) for l in axes] for k in axes]

    def projector(self) -> Matrix:
        r"""Return :math:`\Pi=R^\top(RR^\top)^{-1}R`, ``R`` the basis; shape ``(p, p)``."""
        if self._whole:
            return _identity(self.N * self.d)
        dual, scale = self._dual
        return _fractions(self.basis.T @ dual, scale)

    @property
    def _whole(self) -> bool:
        """Whether every prompt is seen: the projector is then the identity, and neither basis nor solve is needed."""
        return self.rank == self.N * self.d

    @cached_property
    def _dual(self) -> tuple[NDArray[Any], int]:
        """The matrix (R Rᵀ)⁻¹ R, as integers over one denominator."""
        return over_one(solve_rational(self.basis @ self.basis.T, self.basis))

    @property
    def _cuts(self) -> list[slice]:
        return [slice(t * self.d, (t + 1) * self.d) for t in range(self.N)]

    def bayes_loss(self, u: Sequence[Real]) -> Fraction:
        r"""Return :math:`1-\frac1Nu^\top Mu/u^\top u`, which is :math:`D(u)` for a unit vector ``u``.

        Parameters
        ----------
        u : direction of the labels, ``d`` exact numbers, not all zero.

        Returns
        -------
        Fraction : in [0, 1].

        Raises
        ------
        DomainError : another number of entries, or all zero.
        """
        v = checked_direction(u, self.d)
        return 1 - v @ np.array(self.pooled, dtype=object) @ v / (self.N * (v @ v))

    def position_loss(self, u: Sequence[Real], t: int) -> Fraction:
        r"""Return :math:`1-\lVert\Pi P_tu\rVert^2/\lVert u\rVert^2`, the loss at one index.

        Parameters
        ----------
        u : direction of the labels, ``d`` exact numbers, not all zero.
        t : index, from 0.

        Returns
        -------
        Fraction : in [0, 1].

        Raises
        ------
        DomainError : an index or a direction that does not fit.
        """
        v, t = checked_direction(u, self.d), in_range("t", t, self.N, "token")
        return 1 - v @ np.array(self.blocks[t], dtype=object) @ v / (v @ v)

    def conditional_variance(self, u: Sequence[Real]) -> Fraction:
        r"""Return the mean over ``t`` of :math:`\operatorname{Var}(y\mid Wx,t)`, by Gaussian conditioning.

        :math:`\operatorname{Var}y-c_t^\top(RR^\top)^{-1}c_t` with the covariances :math:`c_t=RP_tu` of
        input and label: a second route to :meth:`bayes_loss` that forms neither projector nor :math:`M`.

        Parameters
        ----------
        u : direction of the labels, ``d`` exact numbers, not all zero.

        Returns
        -------
        Fraction : in [0, 1].
        """
        v = checked_direction(u, self.d)
        c = np.array([self.basis[:, cut] @ v for cut in self._cuts]).T
        solved = np.array(solve_rational(self.basis @ self.basis.T, c), dtype=object)
        return 1 - (c * solved).sum() / (self.N * (v @ v))

    def mean_loss(self, directions: Sequence[Sequence[Real]]) -> Fraction:
        """Return the average of the Bayes loss over ``directions``.

        Parameters
        ----------
        directions : one or more, each of ``d`` exact numbers.

        Returns
        -------
        Fraction : in [0, 1].

        Raises
        ------
        DomainError : no directions.
        """
        return sum(map(self.bayes_loss, _some(directions)), Fraction(0)) / len(directions)

    def worst_loss(self, directions: Sequence[Sequence[Real]]) -> Fraction:
        """Return the largest Bayes loss among ``directions``: a lower bound of the supremum over all.

        Parameters
        ----------
        directions : one or more, each of ``d`` exact numbers.

        Returns
        -------
        Fraction : in [0, 1].

        Raises
        ------
        DomainError : no directions.
        """
        return max(map(self.bayes_loss, _some(directions)))

    def supremum(self) -> Enclosure:
        r"""Return :math:`\sup_uD(u)=1-\lambda_{\min}(M)/N` at the ambient precision."""
        return 1 - smallest_eigenvalue(self.pooled, self.N) / self.N

    def infimum(self) -> Enclosure:
        r"""Return :math:`\inf_uD(u)=1-\lambda_{\max}(M)/N` at the ambient precision."""
        # N - lambda_max(M) is the smallest eigenvalue of N I - M, and 0 <= N I - M <= N I as 0 <= M <= N I
        rest = [[self.N * (k == l) - x for l, x in enumerate(row)] for k, row in enumerate(self.pooled)]
        return smallest_eigenvalue(rest, self.N) / self.N


def _some(directions: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
    if not len(directions):
        raise DomainError("no directions", required="at least one", why="their losses are compared")
    return directions


def smallest_eigenvalue(S: Matrix, bound: int) -> Enclosure:
    r"""Return :math:`\lambda_{\min}` of a symmetric rational matrix with :math:`0\preceq S\preceq bI`.

    Bisection: :math:`\lambda_{\min}>c` exactly when all pivots of :math:`S-cI` are positive (Sylvester).  The
    width is ``bound`` over 2 to the ambient precision; a scalar matrix gives its number.
    """
    d = len(S)
    if all(S[k][l] == (S[0][0] if k == l else 0) for k in range(d) for l in range(d)):
        return Enclosure(S[0][0])
    low, high = Fraction(0), Fraction(bound)
    for _ in range(working_precision()):
        middle = (low + high) / 2
        low, high = (middle, high) if positive_definite(S, middle) else (low, middle)
    return between(low, high)


def positive_definite(S: Matrix, shift: Fraction) -> bool:
    """Return whether the symmetric rational matrix ``S - shift I`` is positive definite: all pivots positive."""
    A = [[quick(x - shift) if k == l else quick(x) for l, x in enumerate(row)] for k, row in enumerate(S)]
    for k, pivot_row in enumerate(A):
        if pivot_row[k] <= 0:
            return False
        for row in A[k + 1 :]:
            factor = row[k] / pivot_row[k]
            row[k:] = [x - factor * y for x, y in zip(row[k:], pivot_row[k:], strict=True)]
    return True


@checked
@at_most(d=ENTRIES)
def orthonormal_basis(d: PositiveInt, rng: np.random.Generator) -> list[tuple[Fraction, ...]]:
    r"""Return a rational orthonormal basis of :math:`\mathbb R^d`: a random reflection's rows.

    Householder's :math:`I-2vv^\top/v^\top v` with integers :math:`1\le|v_k|\le9`.
    """
    v = [int(x) for x in rng.integers(1, 10, d) * rng.choice([-1, 1], d)]
    square = sum(x * x for x in v)
    return [tuple((k == l) - Fraction(2 * v[k] * v[l], square) for l in range(d)) for k in range(d)]


@checked
def loss_moments(N: int, d: int, n: int) -> tuple[Fraction, Fraction]:
    r"""Return mean and variance of :math:`D(u)` over the Gaussian data of ``n`` prompts, for a fixed ``u``.

    :math:`N(1-D(u))=\operatorname{tr}(\Pi Q)`, where :math:`\Pi` is a uniform projector of rank ``n`` and
    :math:`Q` a fixed one of rank ``N``.  Zonal polynomials have
    :math:`E\,C_\kappa(\Pi Q)=C_\kappa(I_n)C_\kappa(I_N)/C_\kappa(I_p)`, and
    :math:`\operatorname{tr}=C_{(1)}`, :math:`\operatorname{tr}^2=C_{(2)}+C_{(1,1)}`.

    References
    ----------
    Muirhead (1982), Aspects of Multivariate Statistical Theory, Theorem 7.2.5.
    """
    p = N * d
    if not 1 <= n <= p:
        raise DomainError(f"n = {n} prompts, N d = {p}", required="1 <= n <= N d", why="the rank is n")
    # C_(2)(I_m) = m(m + 2)/3 and C_(1,1)(I_m) = 2m(m - 1)/3; at p = 1 the latter is 0 for n and N as well
    symmetric = Fraction(n * (n + 2) * N * (N + 2), 3 * p * (p + 2))
    skew = Fraction(2 * n * (n - 1) * N * (N - 1), 3 * p * max(p - 1, 1))
    first = Fraction(n * N, p)
    return 1 - first / N, (symmetric + skew - first**2) / N**2


@checked
@ranks(X=4)
def pooled_blocks(X: Floats) -> Floats:
    r"""Return :math:`M=\sum_tP_t^\top\Pi P_t` in doubles, shape ``(size, d, d)``, for many data sets at once.

    Each of the data sets ``X``, shape ``(size, n, N, d)`` with ``n <= N d``, must have full row rank.
    ``DomainError`` for another shape.
    """
    size, n, N, d = X.shape
    if not X.size or n > N * d:
        raise DomainError(f"data sets of shape {X.shape}", required="(size, n, N, d), n <= N d, not empty")
    V = np.linalg.qr(X.reshape(size, n, N * d).transpose(0, 2, 1))[0].reshape(size, N, d, n)
    return np.einsum("stkn,stln->skl", V, V)


def checked_direction(u: Sequence[Any], d: int) -> NDArray[Any]:
    """Return ``u`` as fractions; ``DomainError`` unless it has ``d`` exact entries, not all zero."""
    v = np.array([Fraction(int(x.numerator), int(x.denominator)) for x in _exact(u)], dtype=object)
    if len(v) != d or not any(v):
        raise DomainError(f"a direction with {len(v)} entries", required=f"{d} entries, not all zero")
    return v


def _exact(entries: Any) -> list[Any]:
    found = list(entries)
    if not all(isinstance(x, numbers.Rational) and not isinstance(x, bool) for x in found):
        raise DomainError("entries that are not exact", required="integers or fractions", why="exact losses")
    return found


def _identity(size: int) -> Matrix:
    return [[Fraction(int(k == l)) for l in range(size)] for k in range(size)]


def _fractions(numerators: NDArray[Any], denominator: int) -> Matrix:
    return [[Fraction(int(x), denominator) for x in row] for row in numerators]
