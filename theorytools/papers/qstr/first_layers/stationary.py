r"""First layers that training leaves in the span of the data: stationary points and gradient descent, in rationals.

A network :math:`f(T,Wx)` with a loss :math:`\ell` and decay has the objective

.. math:: \hat L(W)+\tfrac\lambda2\lVert W\rVert_F^2,\qquad
    \hat L(W)=\frac1n\sum_i\ell\bigl(f(t^{(i)},Wx^{(i)})-y_i\bigr),\qquad
    \nabla\hat L=\frac1n\sum_i\ell'(r_i)\,\nabla_zf(t^{(i)},Wx^{(i)})\,x^{(i)\top}

with the residuals :math:`r_i`; :mod:`theorytools.tasks.sparse_regression` has losses whose slopes are
rational.  The gradient of the loss has its rows in the span of the inputs for every ``f``; so has
:math:`W=-\nabla\hat L/\lambda` wherever the objective is stationary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import STEPS, NonNegativeInt, at_most, checked, ranks
from theorytools.constructions.shapes import in_range, shaped
from theorytools.errors import DomainError
from theorytools.numbers import solve_rational
from theorytools.tasks.sparse_regression import slope_of
from theorytools.theory.first_layers.exact_span import InputSpan

Exact = NDArray[Any]  # fractions, dtype object


class Readout(Protocol):
    """The network behind the first layer, exact at exact arguments."""

    def __call__(self, t: int, z: Exact) -> tuple[Fraction, Exact]:
        """Return the value at index ``t`` and hidden vector ``z`` with its gradient in ``z``."""


@checked
@dataclass(frozen=True, eq=False)
class LinearReadout:
    r"""The network :math:`\langle c_t,z\rangle`, or :math:`\langle c_t,\sigma(z)\rangle`; ``C``: shape ``(N, m)``."""

    C: Exact
    relu: bool = False

    def __call__(self, t: int, z: Exact) -> tuple[Fraction, Exact]:
        """Return value and gradient; at a kink the derivative is 0."""
        in_range("t", t, len(self.C), "index")
        shaped("z", z, self.C.shape[1])
        on = np.array([int(not self.relu or x > 0) for x in z], dtype=object)
        return (self.C[t] * on) @ z, self.C[t] * on


@checked
@dataclass(frozen=True, eq=False)
class DecayedObjective:
    r"""The regularised loss of networks :math:`f(t,Wx)` on integer prompts, with exact gradients.

    Parameters
    ----------
    X : integer inputs, shape ``(n, N, d)``.
    t : indices from 0, shape ``(n,)``.
    y : exact labels, shape ``(n,)``.
    lam : the decay :math:`\lambda>0`.
    loss : a name among :data:`~theorytools.tasks.sparse_regression.SLOPES`.

    Raises
    ------
    DomainError
        For a decay that is not positive, unequal lengths, or an unknown loss.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Definition 5, arXiv 2503.11272v1.
    """

    X: NDArray[np.int64]
    t: Sequence[int]
    y: Sequence[Fraction]
    lam: Fraction
    loss: str = "squared"

    def __post_init__(self) -> None:
        slope_of(self.loss)
        if not self.lam > 0:
            raise DomainError(f"lam = {self.lam}", required="lam > 0", why="without decay W outside the span is free")
        if not len(self.X) == len(self.t) == len(self.y):
            raise DomainError(
                f"{len(self.X)} inputs, {len(self.t)} indices, {len(self.y)} labels", required="n of each"
            )

    @property
    def n(self) -> int:
        """The number of prompts."""
        return len(self.X)

    @cached_property
    def inputs(self) -> Exact:
        """The prompts as rows of integers, shape ``(n, N d)``."""
        return np.array(self.X.reshape(self.n, -1).tolist(), dtype=object)

    @cached_property
    def complement(self) -> Exact:
        r"""The projector :math:`I-\Pi` on the complement of the span of the inputs."""
        projector = np.array(InputSpan.of(self.X, *self.X.shape[1:]).projector(), dtype=object)
        return np.eye(len(projector), dtype=int).astype(object) - projector

    @ranks(W=2)
    def outside(self, W: Exact) -> Fraction:
        r"""Return :math:`\lVert W(I-\Pi)\rVert_F^2`."""
        return (W @ self.complement * W).sum() + Fraction(0)

    @ranks(W=2)
    def loss_gradient(self, W: Exact, f: Readout) -> Exact:
        r"""Return :math:`\nabla\hat L(W)`, shape ``(m, N d)``."""
        total = np.zeros_like(W)
        for t, x, y in zip(self.t, self.inputs, self.y, strict=True):
            value, slope = f(t, W @ x)
            total = total + slope_of(self.loss)(Fraction(value - y)) / self.n * np.outer(slope, x)
        return total

    @ranks(W=2)
    def gradient(self, W: Exact, f: Readout) -> Exact:
        r"""Return :math:`G=\nabla\hat L(W)+\lambda W`."""
        return self.loss_gradient(W, f) + self.lam * W

    @ranks(C=2)
    def stationary(self, C: Exact, weights: Exact | int = 1) -> Exact:
        r"""Return the stationary ``W`` of the linear read-out ``C`` under the squared loss.

        :math:`W=-\frac1{\lambda n}\sum_ir_ic_{t_i}(x^{(i)}/\omega)^\top`, where the residuals solve
        :math:`(I+\frac1{\lambda n}K)r=-y` with
        :math:`K_{ik}=\langle c_{t_i},c_{t_k}\rangle\langle x^{(i)},x^{(k)}/\omega\rangle`; the ``weights``
        :math:`\omega` multiply the decay of each input coordinate, all 1 unless given.

        Raises
        ------
        DomainError : weights that are not positive, or another loss.
        """
        if self.loss != "squared":
            raise DomainError(f"the loss {self.loss!r}", required="squared", why="it alone makes the equations linear")
        if not (np.asarray(weights) > 0).all():
            raise DomainError(f"weights = {weights}", required="weights > 0", why="each coordinate has its decay")
        chosen, scaled = C[list(self.t)], self.inputs / (weights * Fraction(1))
        K = (chosen @ chosen.T) * (self.inputs @ scaled.T) / (self.lam * self.n)
        right = -np.array([[Fraction(y)] for y in self.y], dtype=object)
        residual = np.array(solve_rational(K + np.eye(self.n, dtype=int).astype(object), right), dtype=object)
        return -(residual * chosen).T @ scaled / (self.lam * self.n)

    @ranks(W=2)
    @at_most(updates=STEPS)
    def descend(
        self, W: Exact, f: Readout, rate: Fraction, updates: NonNegativeInt, *, decay: bool = True, signs: bool = False
    ) -> Exact:
        r"""Return the first layer after ``updates`` steps :math:`W-\eta(\nabla\hat L+\lambda W)`.

        ``decay=False`` omits :math:`\lambda W`; ``signs`` replaces the gradient of the loss by its signs, the first
        step of Adam.
        """
        for _ in range(updates):
            slope = self.loss_gradient(W, f)
            if signs:
                slope = np.array([(x > 0) - (x < 0) for x in slope.flat], dtype=object).reshape(slope.shape)
            W = W - rate * (slope + (self.lam * W if decay else 0 * W))
        return W
