r"""Networks that see a prompt through few linear neurons and select tokens as well as that permits.

The prompt is :math:`\operatorname{vec}X=(x_1;\dots;x_T)\in\mathbb R^{Td}`; the target is the mean
:math:`s=\frac1q\sum_{i\in y}x_i` of the tokens in the subset :math:`y`.  Behind a first layer :math:`W` the best
prediction for independent :math:`N(0,I_d)` tokens is the conditional mean, which is linear,

.. math:: f(X,y)=E[s\mid W\operatorname{vec}X,y]=\frac1q\sum_{i\in y}G_iW\operatorname{vec}X,\qquad
    G_i=P_i^\top W^\top(WW^\top)^{-1},

:math:`P_i` the embedding of :math:`\mathbb R^d` as block :math:`i`.  Arrays: ``X`` has shape ``(n, T, d)``, ``Y``
``(n, q)`` with positions from 0, predictions ``(n, d)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.amounts import amount
from theorytools.arguments.checked import ENTRIES, STEPS, NonNegativeInt, PositiveInt, at_most, checked
from theorytools.constructions.network import DOUBLE, LARGEST, Network, absent, gamma
from theorytools.constructions.shapes import checked_numbers, exact_array, in_range, indices, shaped
from theorytools.constructions.twin import twin
from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import first_independent, over_one, shortest_fraction, solve_rational

if TYPE_CHECKING:
    import torch

Exact = NDArray[Any]  # integers and fractions, dtype object
Array = NDArray[np.float64]

_SUBSETS = 20_000  # more are not enumerated
_NUMBERS = 2**22  # Gaussians drawn at once


@checked
@dataclass(frozen=True, eq=False)
class LinearBottleneck(Network):
    r"""The best prediction of the mean of the selected tokens from :math:`W\operatorname{vec}X`.

    Parameters
    ----------
    W : first layer, integers or fractions, shape ``(m, T d)``; rows may depend on each other.
    T, d, q : number of tokens, their dimension, number of selected tokens, ``1 <= q <= T``.
    scale : factor on the read-out; 1 is the conditional mean.

    Raises
    ------
    DomainError
        For sizes or a layer that do not fit.
    BudgetError
        By :meth:`risk` and :meth:`residual`, for too many subsets.

    References
    ----------
    Wang, Wei, Hsu, Lee (2024), fcn, arXiv 2406.06893v1.  The network is derived here.

    Examples
    --------
    >>> W = np.array([[1, 1, 1]], dtype=object)  # one neuron, the sum of three tokens in one dimension
    >>> net = LinearBottleneck(W, 3, 1, 1)
    >>> net.readout.ravel().tolist(), net.risk()
    ([Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)], Fraction(2, 3))
    """

    W: Exact = field(repr=False)
    T: int
    d: int
    q: int
    scale: int | Fraction = 1

    def __post_init__(self) -> None:
        if self.T < 1 or self.d < 1 or not 1 <= self.q <= self.T:
            raise DomainError(f"T = {self.T}, d = {self.d}, q = {self.q}", required="d >= 1 and 1 <= q <= T")
        if np.ndim(self.W) != 2 or np.shape(self.W)[1] != self.T * self.d:
            raise DomainError(f"W of shape {np.shape(self.W)}", required=f"(m, {self.T * self.d})")

    @property
    def m(self) -> int:
        """Neurons of the first layer."""
        return len(self.W)

    @cached_property
    def independent(self) -> list[int]:
        """The first rows of ``W`` that are independent, by elimination over the rationals."""
        return first_independent(self.W) if self.m else []

    @cached_property
    def readout(self) -> Exact:
        r"""The matrices :math:`G_i`, fractions of shape ``(T, d, m)``; dependent rows have coefficients 0."""
        G = np.full((self.T * self.d, self.m), Fraction(0), dtype=object)
        if kept := self.independent:
            R = self.W[kept]
            G[:, kept] = np.array(solve_rational(R @ R.T, R), dtype=object).T * shortest_fraction(self.scale)
        return G.reshape(self.T, self.d, self.m)

    def coefficients(self, y: Sequence[int]) -> Exact:
        """Return the matrix that takes the prompt to the prediction.

        Parameters
        ----------
        y : the ``q`` selected positions, from 0.

        Returns
        -------
        array : fractions, shape ``(d, T d)``.

        Raises
        ------
        DomainError : another number of positions, or one that does not exist.
        """
        shaped("y", y, self.q)
        for i in y:
            in_range("i", i, self.T)
        maps, scale = self._maps
        return sum(maps[i] for i in y) * Fraction(1, self.q * scale)

    @cached_property
    def _maps(self) -> tuple[Exact, int]:
        """The matrices from the prompt to the read-out of each position, integers ``(T, d, T d)`` over one number."""
        (G, g), (W, w) = over_one(self.readout), over_one(self.W)
        return G @ W, g * w

    def risk(self) -> Fraction:
        r"""Return the population loss :math:`E\lVert f-s\rVert^2`, exactly: a mean over all subsets.

        Raises
        ------
        BudgetError : too many subsets.
        """
        maps, scale = self._maps
        gaps = maps - scale * np.eye(self.T * self.d, dtype=int).astype(object).reshape(maps.shape)  # of each position
        total = sum(int((gap * gap).sum()) for gap in (gaps[list(y)].sum(axis=0) for y in self._subsets()))
        return Fraction(total, (scale * self.q) ** 2 * comb(self.T, self.q))

    def _subsets(self) -> list[tuple[int, ...]]:
        if comb(self.T, self.q) > _SUBSETS:
            raise BudgetError(f"{amount(comb(self.T, self.q))} subsets", required=f"at most {_SUBSETS}")
        return list(combinations(range(self.T), self.q))

    @cached_property
    def floats(self) -> tuple[Array, Array]:
        """First layer and read-out in doubles, shapes ``(m, T d)`` and ``(T, d, m)``."""
        return self.W.astype(np.float64), self.readout.astype(np.float64)

    def __call__(self, X: Array, Y: NDArray[np.int64]) -> Array:
        """Return the predictions, shape ``(n, d)``, for prompts ``(n, T, d)`` and subsets ``(n, q)``."""
        X = checked_numbers("X", X, "n", self.T, self.d)
        Y = indices("Y", Y, self.T, len(X), self.q)
        W, G = self.floats
        return np.einsum("ndm,nm->nd", G[Y].mean(axis=1), X.reshape(len(X), -1) @ W.T)

    def exact(self, X: Any, Y: NDArray[np.int64]) -> Exact:
        """Return a call on integers or Fractions, exactly."""
        X = exact_array("X", X, "n", self.T, self.d)
        Y = indices("Y", Y, self.T, len(X), self.q)
        maps, scale = self._maps
        rows = [sum(maps[i] for i in y) @ x.ravel() for x, y in zip(X, Y.tolist(), strict=True)]
        return np.array(rows).reshape(len(X), self.d) * Fraction(1, self.q * scale)

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        r"""Return a bound on the rounding of predictions.

        Both layers are rounded to doubles and stored, 4 roundings; a read-out is a mean of ``q``, a sum and a quotient;
        two products and :math:`Td+m-2` sums follow: :math:`\gamma_{Td+m+q+4}`.
        """
        return gamma(self.T * self.d + self.m + self.q + 4, u) * size * self._sums

    @property
    def _sums(self) -> float:
        """What a prediction is at most, times the inputs."""
        W, G = (np.abs(part) for part in self.floats)
        return float((G.reshape(-1, self.m) @ W.sum(axis=1)).max(initial=0))

    def residual_rounding(self, u: float = DOUBLE) -> float:
        r"""Return a bound on the rounding of a draw of :meth:`residual`.

        A drawn normal is at most :data:`LARGEST` in modulus.  Each of :math:`P=\binom Tqd` means is off by
        :math:`\gamma_{q+1}` of that, each prediction by :meth:`rounding`; their sum, over :math:`\binom Tq^{1/2}`, is
        rounded :math:`P+4` times.
        """
        subsets = comb(self.T, self.q)
        count = subsets * self.d
        each = self.rounding(LARGEST, u) + gamma(self.q + 1, u) * LARGEST
        whole = each + gamma(count + 4, u) * (LARGEST * (1 + self._sums) + each)
        return count / subsets**0.5 * whole * (1 + 1e-9)

    certificate = absent("the error is random: risk() is its exact mean square")
    norms = absent("the claims count neurons")

    def sizes(self) -> dict[str, int]:
        """Return the neurons of the first layer and the number of parameters."""
        return {"width": self.m, "parameters": 2 * self.m * self.T * self.d}

    @at_most(size=STEPS)
    def residual(self, rng: np.random.Generator, size: PositiveInt) -> Array:
        r"""Run the network to draw Gaussians of mean zero whose variance is the population loss.

        :math:`\binom Tq^{-1/2}\sum_{y,k}(s-f)_k(X^{(y,k)},y)` with an independent fresh prompt for every subset and
        coordinate: for each, the residual is linear in its prompt, so the sum is Gaussian, and its variance is the
        mean over the subsets of the summed variances of the coordinates.

        Parameters
        ----------
        rng : generator of the prompts.
        size : number of draws.

        Returns
        -------
        array : doubles, shape ``(size,)``.

        Raises
        ------
        BudgetError : too many subsets.
        """
        pairs = [(y, k) for y in self._subsets() for k in range(self.d)]
        step = max(_NUMBERS // (len(pairs) * self.T * self.d), 1)
        sizes = [min(step, size - start) for start in range(0, size, step)]
        return np.concatenate([self._residual(rng, count, pairs) for count in sizes])

    def _residual(self, rng: np.random.Generator, size: int, pairs: list[tuple[tuple[int, ...], int]]) -> Array:
        X = rng.standard_normal((size * len(pairs), self.T, self.d))
        Y = np.tile(np.array([y for y, _ in pairs]), (size, 1))
        k = np.tile([k for _, k in pairs], size)
        rows = np.arange(len(X))
        gaps = X[rows[:, None], Y].mean(axis=1) - self(X, Y)
        return gaps[rows, k].reshape(size, len(pairs)).sum(axis=1) / np.sqrt(comb(self.T, self.q))

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return a trainable ``torch.nn.Module`` that computes the same function (float64 unless asked)."""
        return twin("theorytools.papers.stsq.torch.bottleneck:CompressorModule")(self, dtype, device)


@checked
class OptimalLinearBottleneck(LinearBottleneck):
    r"""The network of least loss with ``m`` neurons in its first layer; made by :meth:`of`.

    The first :math:`\min(m,d)` neurons are the coordinates of the sum of all tokens, the others contrasts
    :math:`\sum_{i\le j}x_i-jx_{j+1}`, coordinate by coordinate: integer rows orthogonal to each other, the span of
    the first ``m`` eigenvectors of :math:`M=E\,A_y^\top A_y`.  Its loss is
    :func:`~theorytools.theory.first_layers.bottleneck.compressor_risk`, the least of any network with ``m`` neurons
    there.

    Parameters
    ----------
    W, T, d, q, scale : as of :class:`LinearBottleneck`.

    References
    ----------
    Wang, Wei, Hsu, Lee (2024), fcn, arXiv 2406.06893v1.  The network is derived here.

    Examples
    --------
    >>> net = OptimalLinearBottleneck.of(2, 3, 1, 1)
    >>> net.W.tolist(), net.risk()
    ([[1, 1, 1], [1, -1, 0]], Fraction(1, 3))
    """

    @classmethod
    @at_most(m=ENTRIES, T=ENTRIES, d=ENTRIES)
    def of(
        cls, m: NonNegativeInt, T: PositiveInt, d: PositiveInt, q: int, *, scale: int | Fraction = 1
    ) -> OptimalLinearBottleneck:
        """Return the network for these sizes.

        Parameters
        ----------
        m : neurons of the first layer, at least 0; those beyond ``T d`` are zero.
        T, d, q : number of tokens, their dimension, number of selected tokens.
        scale : factor on the read-out; 1 is the conditional mean.

        Returns
        -------
        OptimalLinearBottleneck : the network.

        Raises
        ------
        DomainError : sizes out of range.
        """
        if m < 0:
            raise DomainError(f"m = {m} neurons", required="m >= 0")
        return cls(eigenvector_rows(T, d)[:m] if m <= T * d else _padded(m, T, d), T, d, q, scale)


def eigenvector_rows(T: int, d: int) -> Exact:
    r"""Return the rows :math:`v_j\otimes e_k`, integers of shape ``(T d, T d)``, ``k`` varying fastest.

    :math:`v_0=\mathbf 1` and :math:`v_j=(1,\dots,1,-j,0,\dots,0)` with ``j`` ones, orthogonal to each other.
    """
    V = [[1] * T] + [[1] * j + [-j] + [0] * (T - j - 1) for j in range(1, T)]
    return np.kron(np.array(V, dtype=object), np.eye(d, dtype=int).astype(object))


def _padded(m: int, T: int, d: int) -> Exact:
    rest = np.zeros((m - T * d, T * d), dtype=int).astype(object)
    return np.vstack([eigenvector_rows(T, d), rest])
