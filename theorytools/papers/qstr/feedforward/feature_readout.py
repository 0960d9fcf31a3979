r"""A two-layer network with one read-out per index, and its population risk in closed form.

.. math:: f(t,Wx)=\langle a_t,\sigma(Wx)\rangle .

For :math:`x\sim N(0,I)` and rows :math:`w_i` of the first layer, with :math:`\theta_{ij}` the angle of two rows,

.. math:: E\,\sigma(w_i^\top x)\sigma(w_j^\top x)=\frac{\lVert w_i\rVert\lVert w_j\rVert}{2\pi}
    \bigl(\sin\theta_{ij}+(\pi-\theta_{ij})\cos\theta_{ij}\bigr),\qquad
    E\,\langle v,x\rangle\sigma(w_i^\top x)=\tfrac12\langle v,w_i\rangle .
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import ENTRIES, PositiveInt, at_most, checked
from theorytools.constructions.network import DOUBLE, Network, absent, layers_rounding
from theorytools.constructions.shapes import exact_array, indices, shaped
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, pi, portable, rational_dot, rational_product, total
from theorytools.tasks.sparse_regression import Array, Indices, checked_prompts

Exact = NDArray[Any]  # fractions, dtype object


@checked
@dataclass(frozen=True, eq=False)
class FeatureReadout(Network):
    r"""The network :math:`\langle a_t,\sigma(Wx)\rangle` with exact weights.

    Parameters
    ----------
    W : first layer, fractions of shape ``(m, N d)``, no row zero.
    A : one read-out per index, fractions of shape ``(N, m)``.
    relu : :math:`\sigma` is the ReLU; otherwise the identity.

    Raises
    ------
    DomainError
        For shapes that do not fit, floats, and rows that are zero.

    References
    ----------
    Cho, Saul (2009), Kernel Methods for Deep Learning, for the expectation of two ReLUs.

    Examples
    --------
    >>> one = Fraction(1)
    >>> net = FeatureReadout(np.array([[one, 0], [0, one]]), np.array([[one, 0], [0, one]]), relu=False)
    >>> net.exact([[[3], [-2]]], [[[1], [0]]]).tolist(), net.risk([one])
    ([[Fraction(-2, 1), Fraction(3, 1)]], Enclosure(0))
    """

    W: Exact = field(repr=False)
    A: Exact = field(repr=False)
    relu: bool = True

    def __post_init__(self) -> None:
        if self.W.ndim != 2 or self.A.ndim != 2 or self.A.shape[1] != len(self.W) or self.W.shape[1] % len(self.A):
            raise DomainError(f"W {self.W.shape}, A {self.A.shape}", required="(m, N d) and (N, m)")
        if any(isinstance(x, float) for x in (*self.W.flat, *self.A.flat)):
            raise DomainError(
                "weights that are floats", required="fractions",
                advice="compute them from exact inputs; a weight that is a double by definition is Fraction(w)",
            )  # fmt: skip
        if not self.W.any(axis=1).all():
            raise DomainError("a row of the first layer that is zero", required="rows that are not zero")

    @classmethod
    @at_most(N=ENTRIES)
    def least_squares(cls, W: Exact, N: PositiveInt, u: Sequence[Fraction], ridge: float = 0.0) -> FeatureReadout:
        r"""Return the ReLU network on ``W`` whose read-outs minimise risk plus ``ridge`` :math:`\lVert a_t\rVert^2`.

        Solved in doubles, with the shortest read-outs if there are several; the weights are then fractions with 24
        bits, the same on every machine.

        Parameters
        ----------
        W : first layer, fractions of shape ``(m, N d)``, no row zero.
        N : number of indices.
        u : direction of the labels, shape ``(d,)``.
        ridge : at least 0.

        Returns
        -------
        FeatureReadout : with ReLU.

        Raises
        ------
        DomainError : a negative ridge, or as the class.
        """
        if ridge < 0:
            raise DomainError(f"ridge = {ridge}", required="ridge >= 0", why="it is added to a semidefinite matrix")
        checked = cls(W, np.zeros((N, len(W)), dtype=int).astype(object))
        shaped("u", np.asarray(u), W.shape[1] // N)
        rows, v = W.astype(np.float64), np.array([float(x) for x in u])
        norms = np.linalg.norm(rows, axis=1)
        cosines = np.clip((rows / norms[:, None]) @ (rows / norms[:, None]).T, -1, 1)
        angles = np.arccos(cosines)
        K = np.outer(norms, norms) * (np.sin(angles) + (np.pi - angles) * cosines) / (2 * np.pi)
        right = rows.reshape(len(rows), N, -1) @ v / 2
        A = portable.coarse(np.linalg.lstsq(K + ridge * np.eye(len(K)), right, rcond=None)[0].T)
        return replace(checked, A=np.array([[Fraction(x) for x in row] for row in A.tolist()], dtype=object))

    def risk(self, u: Sequence[Fraction]) -> Enclosure:
        r"""Return the population risk on labels :math:`\langle u,x_t\rangle`, :math:`\lVert u\rVert=1`, ``t`` uniform.

        :math:`\frac1N\sum_t\bigl(1-2a_t^\top b_t+a_t^\top Ka_t\bigr)` with :math:`b_t,K` the expectations above, at the
        ambient precision.

        Parameters
        ----------
        u : the direction, ``d`` Fractions.

        Returns
        -------
        Enclosure : rational without the ReLU.

        Raises
        ------
        DomainError : squares that do not sum to 1.
        """
        shaped("u", np.asarray(u), self.W.shape[1] // len(self.A))
        v = np.array(list(u), dtype=object) + Fraction(0)
        if (v * v).sum() != 1:
            raise DomainError(
                f"the direction {tuple(u)}", required="squares that sum to 1", why="labels have variance 1"
            )
        N = len(self.A)
        seen = self.W.reshape(len(self.W), N, -1) @ v  # <w_i, P_t u>
        products, pairs = rational_product(self.W, self.W.T), rational_product(self.A.T, self.A)  # sums over the index
        cross = rational_dot(self.A.T.flat, seen.flat) * (1 if self.relu else 2)
        if not self.relu:
            return Enclosure((N - cross + rational_dot(pairs.flat, products.flat)) / Fraction(N))
        terms = (
            pairs[i, j] * (1 if i == j else 2) * _two_relus(products[i, j], products[i, i], products[j, j])
            for i in range(len(products))
            for j in range(i + 1)
        )
        return (N - cross + total(terms)) / N

    def __call__(self, X: Array, T: Indices) -> Array:
        """Return the predictions, shape ``(b, N)``, for prompts ``(b, N, d)`` and indices ``(b, N, 1)``."""
        X, T = checked_prompts(X, T)
        if X.shape[1] * X.shape[2] != self.W.shape[1] or X.shape[1] != len(self.A) or T.shape[2] != 1:
            raise DomainError(f"X {X.shape}, T {T.shape}", required="(b, N, d), one index")
        z = X.reshape(len(X), -1) @ self.W.astype(np.float64).T
        values = (np.maximum(z, 0) if self.relu else z) @ self.A.astype(np.float64).T
        return np.take_along_axis(values, T[:, :, 0], axis=1)

    def exact(self, X: Any, T: Indices) -> Exact:
        """Return a call on integers or Fractions, exactly."""
        N = len(self.A)
        X = exact_array("X", X, "b", N, self.W.shape[1] // N)
        T = indices("T", T, N, len(X), N, 1)
        z = rational_product(X.reshape(len(X), -1), self.W.T)
        return np.take_along_axis(rational_product(np.maximum(z, 0) if self.relu else z, self.A.T), T[:, :, 0], axis=1)

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        """Return a bound on the rounding of predictions."""
        return layers_rounding([(self.W, None), (self.A, None)], size, u)

    module = absent("it is judged by its exact risk and never trained")
    certificate = absent("the error is random: risk() is its exact mean square")
    norms = absent("no claim speaks of its norms")

    def sizes(self) -> dict[str, int]:
        """Return the neurons of the first layer and the number of weights."""
        return {"width": len(self.W), "parameters": self.W.size + self.A.size}


def _two_relus(product: Fraction, first: Fraction, second: Fraction) -> Enclosure:
    """The expectation of two ReLUs from the inner product and the squared norms of their rows."""
    if product * product == first * second:  # parallel rows: angle 0 or pi
        return Enclosure(max(product, Fraction(0)) / 2)
    both = Enclosure(first * second).sqrt()
    # sin = sqrt(1 - cos^2), rational under the root; until the precision tells the cosine from 1 the result is open
    sine, angle = Enclosure(first * second - product**2).sqrt(), (product / both).apply("acos")
    return (sine + product * (pi() - angle)) / (2 * pi())
