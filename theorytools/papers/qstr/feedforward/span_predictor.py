r"""Explicit networks that see the prompt through the span of their training inputs.

Both are linear in the prompt for each index: the prediction at a position with index ``t`` is
:math:`\langle c_t,x\rangle`, :math:`x=(x_1;\dots;x_N)\in\mathbb R^{Nd}`.  For Gaussian tokens, the link
:math:`y=\langle u,x_t\rangle` with a unit vector ``u``, and a uniform index, the residual at index ``t`` is
Gaussian with variance :math:`\lVert P_tu-c_t\rVert^2`, where :math:`P_t` embeds :math:`\mathbb R^d` as block
``t``.  So the population risk is :math:`\frac1N\sum_t\lVert P_tu-c_t\rVert^2`,
rational when the data are.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import BODY, STEPS, PositiveInt, at_most, checked
from theorytools.constructions.network import DOUBLE, LARGEST, Network, absent, gamma, layers_rounding
from theorytools.constructions.shapes import exact_array, indices, rationals, shaped
from theorytools.constructions.twin import twin
from theorytools.errors import DomainError
from theorytools.numbers import rational_dot, rational_product, shortest_fraction, solve_rational
from theorytools.tasks.sparse_regression import Array, Indices, checked_prompts, labels

if TYPE_CHECKING:
    import torch

Exact = NDArray[Any]  # integers and fractions, dtype object

_CHUNK = 4096  # draws simulated at once


@dataclass(frozen=True, eq=False)
class _IndexedLinear(Network):
    """A network that is linear in the prompt for each index, with exact coefficients."""

    X: Annotated[NDArray[np.int64], BODY] = field(repr=False)
    u: Annotated[Sequence[Fraction], BODY]

    def __post_init__(self) -> None:
        _require_integers("training inputs", self.X, 3)
        if len(u := rationals("the direction u", self.u)) != self.d or sum(x * x for x in u) != 1:
            raise DomainError(
                f"the direction {tuple(u)}",
                required=f"{self.d} integers or fractions whose squares sum to 1",
                why="labels have variance 1, and a rational direction keeps the risk rational",
                advice="theorytools.theory.first_layers.exact_span.orthonormal_basis(d, rng)[0]",
            )

    @property
    def N(self) -> int:
        """Sequence length."""
        return self.X.shape[1]

    @property
    def d(self) -> int:
        """Token dimension."""
        return self.X.shape[2]

    @property
    def _flat(self) -> Exact:
        return np.array(self.X.reshape(len(self.X), -1).tolist(), dtype=object)

    def _labels(self, X: Exact, t: int) -> Exact:
        """The products of the prompts with block ``t`` of the direction."""
        return rational_product(X[:, t * self.d : (t + 1) * self.d], _fractions(self.u))

    @property
    @abstractmethod
    def coefficients(self) -> Exact:
        """The vectors :math:`c_t`, fractions of shape ``(N, N d)``."""

    def exact(self, X: Any, T: Indices) -> Exact:
        """Return a call on integers or Fractions, exactly."""
        X = exact_array("X", X, "m", self.N, self.d)
        T = indices("T", T, self.N, len(X), self.N, 1)
        return np.take_along_axis(rational_product(X.reshape(len(X), -1), self.coefficients.T), T[:, :, 0], axis=1)

    def _prompts(self, X: Array, T: Indices) -> tuple[Array, Indices]:
        X, T = checked_prompts(X, T)
        if X.shape[1:] != (self.N, self.d) or T.shape[2] != 1:
            raise DomainError(f"X {X.shape}, T {T.shape}", required=f"(m, {self.N}, {self.d}), (m, {self.N}, 1)")
        return X, T

    certificate = absent("the error is random: risk() is its exact mean square")

    def risk(self, u: Sequence[Fraction] | None = None) -> Fraction:
        r"""Return the population risk :math:`\frac1N\sum_t\lVert P_tu-c_t\rVert^2`, exactly.

        ``u`` is the direction of the labels, the network's own unless given.
        """
        if u is not None:
            shaped("u", list(u), self.d)
        gaps = -self.coefficients
        for t in range(self.N):
            gaps[t, t * self.d : (t + 1) * self.d] += _fractions(self.u if u is None else u)
        return rational_dot(gaps.flat, gaps.flat) / self.N


@checked
@dataclass(frozen=True, eq=False)
class SpanPredictor(_IndexedLinear):
    r"""The best network that sees the prompt only through the span of the training inputs.

    With ``V`` an orthonormal basis of the span (``n`` rows),

    .. math:: W=V,\qquad f(t,z)=\langle VP_tu,z\rangle,\qquad c_t=V^\top VP_tu .

    Among all :math:`f(T,Wx)` with rows of :math:`W` in the span it has the smallest risk, :math:`D(u)`.

    Parameters
    ----------
    X : integer training inputs, independent, shape ``(n, N, d)``.
    u : rational unit direction of the labels, shape ``(d,)``.

    Raises
    ------
    DomainError
        For inputs or a direction of the wrong kind, and for dependent inputs when they are solved with.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Theorem 6, arXiv 2503.11272v1.  Attainment derived here.

    Examples
    --------
    >>> net = SpanPredictor(np.array([[[1], [0]]]), (Fraction(1),))
    >>> net.coefficients.tolist(), net.risk()
    ([[Fraction(1, 1), Fraction(0, 1)], [Fraction(0, 1), Fraction(0, 1)]], Fraction(1, 2))
    """

    @cached_property
    def coefficients(self) -> Exact:
        r"""The vectors :math:`c_t=X^\top(XX^\top)^{-1}XP_tu`, fractions of shape ``(N, N d)``."""
        X = self._flat
        seen = np.array([self._labels(X, t) for t in range(self.N)]).T
        return rational_product(np.array(solve_rational(X @ X.T, seen), dtype=object).T, X)

    @cached_property
    def W(self) -> Array:
        """The first layer ``V`` in doubles: orthonormal rows, shape ``(n, N d)``."""
        X = self.X.reshape(len(self.X), -1).astype(np.float64)
        return np.ascontiguousarray(np.linalg.qr(X.T)[0].T)

    @cached_property
    def readout(self) -> Array:
        r"""The vectors :math:`VP_tu` in doubles, shape ``(N, n)``."""
        V = self.W.reshape(-1, self.N, self.d)
        return np.einsum("ntk,k->tn", V, np.array(self.u, dtype=np.float64))

    def __call__(self, X: Array, T: Indices) -> Array:
        """Return the predictions, shape ``(m, N)``, for prompts ``(m, N, d)`` and indices ``(m, N, 1)``."""
        X, T = self._prompts(X, T)
        z = X.reshape(len(X), -1) @ self.W.T
        return np.take_along_axis(z @ self.readout.T, T[:, :, 0], axis=1)

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        r"""Return a bound on the rounding of predictions :math:`\langle VP_tu,Vx\rangle`, :math:`\lVert u\rVert=1`.

        The doubles :math:`\hat V`, :math:`\hat r_t` of a factorisation define the linear map
        :math:`\hat V^\top\hat r_t`, whose distance from :math:`c_t` is taken in fractions, whatever ``u``:
        :math:`\max_t\lVert c_t-\hat V^\top\hat r_t\rVert_1` for each unit of the inputs.  To this comes the rounding of
        two layers, each weight stored once: :math:`\gamma_{Nd+n+4}` of
        :math:`\max_t\sum_i|\hat r_{ti}|\sum_j|\hat V_{ij}|`.
        """
        return (self._turned + gamma(self.W.shape[1] + len(self.W) + 4, u) * self._sums) * size

    @property
    def _sums(self) -> float:
        r""":math:`\max_t\sum_i|\hat r_{ti}|\sum_j|\hat V_{ij}|`, which a prediction is at most, times the inputs."""
        return float((np.abs(self.readout) @ np.abs(self.W).sum(axis=1)).max(initial=0))

    def residual_rounding(self, u: float = DOUBLE) -> float:
        r"""Return a bound on the rounding of a draw of :meth:`residual`.

        A drawn normal is at most :data:`LARGEST` in modulus.  Each of ``N`` labels is off by
        :math:`\gamma_{d+2}\|u\|_1` of that, each prediction by :meth:`rounding`; their sum, over
        :math:`\sqrt N`, is rounded :math:`N+4` times.
        """
        ones, sums = float(sum(map(abs, self.u))), self._sums
        each = self.rounding(LARGEST, u) + gamma(self.d + 2, u) * LARGEST * ones
        return self.N**0.5 * (each + gamma(self.N + 4, u) * (LARGEST * (ones + sums) + each)) * (1 + 1e-9)

    @cached_property
    def _turned(self) -> float:
        """The largest sum of moduli of a row of the map that the doubles define, less the exact one."""
        V, r = (np.array([[Fraction(x) for x in row] for row in part.tolist()]) for part in (self.W, self.readout))
        gaps = self.coefficients - rational_product(r, V)
        return float(max(sum(map(abs, row)) for row in gaps.tolist()))

    norms = absent("the first layer is orthonormal, the read-outs are its products with u")

    def sizes(self) -> dict[str, int]:
        """Return the neurons of the first layer and the number of parameters."""
        return {"width": len(self.X), "parameters": len(self.X) * (self.N * self.d + self.N)}

    @at_most(size=STEPS)
    def residual(self, rng: np.random.Generator, size: PositiveInt, u: Sequence[Fraction] | None = None) -> Array:
        r"""Run the network to draw Gaussians of mean zero whose variance is the population risk.

        :math:`N^{-1/2}\sum_t(y-f)(x^{(t)},t)` with independent fresh prompts :math:`x^{(1)},\dots,x^{(N)}`:
        residuals are linear in their prompts, so the sum is Gaussian and its variance the mean of theirs.

        Parameters
        ----------
        rng : generator of the prompts.
        size : number of draws.
        u : direction of the labels, shape ``(d,)``; the network's own unless given.

        Returns
        -------
        array : doubles, shape ``(size,)``.
        """
        v = np.array(self.u if u is None else u, dtype=np.float64)
        shaped("u", v, self.d)
        sizes = [min(_CHUNK, size - start) for start in range(0, size, _CHUNK)]
        return np.concatenate([self._residual(rng, count, v) for count in sizes])

    def _residual(self, rng: np.random.Generator, size: int, v: Array) -> Array:
        X = rng.standard_normal((size * self.N, self.N, self.d))
        T = np.broadcast_to(np.tile(np.arange(self.N), size)[:, None, None], (len(X), self.N, 1))
        gaps = labels(X, T, "lin", v) - self(X, T)
        return gaps[:, 0].reshape(size, self.N).sum(axis=1) / np.sqrt(self.N)

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return a trainable ``torch.nn.Module`` that computes the same function (float64 unless asked)."""
        return twin("theorytools.papers.qstr.torch.first_layers:SpanModule")(self, dtype, device)


@checked
@dataclass(frozen=True, eq=False)
class PerIndexRidge(_IndexedLinear):
    r"""A linear network with one weight vector per index, fitted by ridge regression or minimum norm.

    The prompts with index ``t``, stacked in :math:`X_t`, and their labels determine

    .. math:: c_t=X_t^\top(X_tX_t^\top+\lambda I)^{-1}X_tP_tu,

    zero where no prompt has this index.  :math:`\lambda=0` is minimum-norm interpolation.

    Parameters
    ----------
    X : integer training inputs, shape ``(n, N, d)``.
    u : rational unit direction of the labels, shape ``(d,)``.
    t : indices of the prompts, shape ``(n,)``.
    lam : ridge parameter :math:`\lambda\ge0` in the units of ``X``; 0 needs independent inputs per index.

    Raises
    ------
    DomainError
        As :class:`SpanPredictor` (dependent inputs only for ``lam = 0``); for wrong indices or ``lam < 0``.

    Examples
    --------
    >>> X = np.array([[[1], [0]], [[0], [2]]])
    >>> PerIndexRidge(X, (Fraction(1),), np.array([0, 1]), lam=4).coefficients.tolist()
    [[Fraction(1, 5), Fraction(0, 1)], [Fraction(0, 1), Fraction(1, 2)]]
    """

    t: NDArray[np.int64] = field(repr=False)
    lam: int | Fraction = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_integers("indices", self.t, 1)
        if len(self.t) != len(self.X) or not ((self.t >= 0) & (self.t < self.N)).all():
            raise DomainError(f"{len(self.t)} indices", required=f"{len(self.X)}, from 0 to {self.N - 1}")
        if shortest_fraction(self.lam) < 0:
            raise DomainError(f"lam = {self.lam}", required="lam >= 0")

    @cached_property
    def coefficients(self) -> Exact:
        """The vectors :math:`c_t`, fractions of shape ``(N, N d)``."""
        return np.stack([self._fit(t) for t in range(self.N)])

    def __call__(self, X: Array, T: Indices) -> Array:
        """Return the predictions, shape ``(m, N)``, for prompts ``(m, N, d)`` and indices ``(m, N, 1)``."""
        X, T = self._prompts(X, T)
        values = X.reshape(len(X), -1) @ self.coefficients.astype(np.float64).T
        return np.take_along_axis(values, T[:, :, 0], axis=1)

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        """Return a bound on the rounding of predictions."""
        return layers_rounding([(self.coefficients, None)], size, u)

    module = absent("it is fitted, not trained")
    norms = absent("no claim speaks of its norms")

    def sizes(self) -> dict[str, int]:
        """Return the number of weights."""
        return {"parameters": self.coefficients.size}

    def _fit(self, t: int) -> Exact:
        X = self._flat[self.t == t]
        if not len(X):
            return _fractions([0] * (self.N * self.d))
        gram = X @ X.T
        if self.lam:
            gram = gram + shortest_fraction(self.lam) * np.eye(len(X), dtype=int).astype(object)
        return rational_product(np.array(solve_rational(gram, self._labels(X, t)), dtype=object), X)


def _require_integers(what: str, array: Any, ndim: int) -> None:
    given = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
    fits = isinstance(array, np.ndarray) and array.ndim == ndim and array.dtype.kind in "iu"
    if not fits or not array.size:
        raise DomainError(f"{what}: {given}", required=f"a numpy array of integers with {ndim} axes")


def _fractions(entries: Any) -> Exact:
    return np.array([shortest_fraction(x) for x in entries], dtype=object)
