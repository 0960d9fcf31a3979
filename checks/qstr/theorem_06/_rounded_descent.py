r"""First layers trained in doubles by descent and by Adam, with a bound of what rounding puts outside the span.

Networks :math:`f(t,Wx)=\langle c_t,\sigma(Wx)\rangle` with a ReLU, squared loss
:math:`\hat L=\frac1{2n}\sum_i(f(t^{(i)},Wx^{(i)})-y_i)^2`.  The gradient of the loss is :math:`gX` with some matrix
``g``: its rows lie in the span of the inputs.  Gradient descent with decay :math:`\lambda`, exactly, has

.. math:: W_k(I-\Pi)=(1-\eta\lambda)^kW_0(I-\Pi) ;

Adam divides the entries of the gradient by different numbers, and leaves the span.  Sums run from the first term to the
last, so the doubles that come out are the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Steps, checked, ranks
from theorytools.errors import DomainError
from theorytools.numbers import draws as portable

Floats = NDArray[np.float64]

_U = 2.0**-53
_BETA1, _BETA2, _STABLE = 0.9, 0.999, 1e-8  # Adam's usual constants


@checked
@dataclass(frozen=True, eq=False)
class FirstLayerDescent:
    r"""The training of a first layer; the read-outs stay as they are.

    Parameters
    ----------
    X, t, y : inputs of shape ``(n, N, d)``, indices from 0 and labels of shape ``(n,)``.
    C : read-outs, shape ``(N, m)``.
    rate, decay : :math:`\eta` and :math:`\lambda\ge0`, such that :math:`\eta` is a power of two and
        :math:`1-\eta\lambda` a double: only sums and products of a step are rounded.

    Raises
    ------
    DomainError
        For other rates and decays, and unequal lengths.

    References
    ----------
    Kingma, Ba (2015), arXiv 1412.6980; Loshchilov, Hutter (2019), arXiv 1711.05101, for the decoupled decay.
    """

    X: Floats = field(repr=False)
    t: NDArray[np.int64] = field(repr=False)
    y: Floats = field(repr=False)
    C: Floats = field(repr=False)
    rate: Fraction
    decay: Fraction

    def __post_init__(self) -> None:
        if not len(self.X) == len(self.t) == len(self.y):
            raise DomainError(
                f"{len(self.X)} inputs, {len(self.t)} indices, {len(self.y)} labels", required="n of each"
            )
        power = self.rate > 0 and np.frexp(float(self.rate))[0] == 0.5 and Fraction(float(self.rate)) == self.rate
        keep = 1 - self.rate * self.decay
        if not power or self.decay < 0 or keep < 0 or Fraction(float(keep)) != keep:
            raise DomainError(
                f"rate = {self.rate}, decay = {self.decay}",
                required="rate = 2^-k, 1 - rate decay >= 0 a double, decay >= 0",
                why="the bound of the rounding is derived for exact factors",
            )

    @property
    def flat(self) -> Floats:
        """The inputs, shape ``(n, N d)``."""
        return self.X.reshape(len(self.X), -1)

    @ranks(W=2)
    def slopes(self, W: Floats) -> Floats:
        r"""Return ``g``, shape ``(m, n)``, with :math:`\nabla\hat L=gX`."""
        z = portable.product(self.flat, W.T)
        chosen = self.C[self.t]
        rest = (np.maximum(z, 0) * chosen).sum(axis=1) - self.y
        return (rest[:, None] * chosen * (z > 0)).T / len(self.y)

    @ranks(W=2)
    def descend(self, W: Floats, updates: int) -> tuple[Floats, Fraction]:
        r"""Return the layer after ``updates`` steps :math:`(1-\eta\lambda)W-\eta gX`, and a bound of the rounding.

        The bound is for the norm of :math:`W_k(I-\Pi)-(1-\eta\lambda)^kW_0(I-\Pi)`.  A step rounds the product
        ``g X``, by at most :math:`\frac{nu}{1-nu}|g||X|` entrywise, in whatever order it is summed; then two products,
        one of them by a power of two, and a sum.  Errors of earlier steps shrink like the layer does.  The factor
        1.01 covers :math:`\frac1{1-nu}`, terms of second order and the rounding of the bound itself; the last is a few
        units per update, so these are limited to a million.
        """
        if not 0 <= updates <= 10**6:
            raise DomainError(f"{updates} updates", required="0 to a million")
        keep, rate, n, drift = float(1 - self.rate * self.decay), float(self.rate), len(self.y), 0.0
        for _ in range(updates):
            g = self.slopes(W)
            step = portable.product(g, self.flat)
            rounded = (
                2 * keep * np.abs(W) + rate * np.abs(step) + rate * n * portable.product(np.abs(g), np.abs(self.flat))
            )
            drift = keep * drift + 1.01 * _U * math.sqrt(float(np.square(rounded).sum()))
            W = keep * W - rate * step
        return W, Fraction(drift)

    @ranks(W=2)
    def momentum(self, W: Floats, updates: Steps) -> Floats:
        """Return the layer after steps with heavy-ball momentum 0.9 and coupled decay: its rows stay in the span."""
        return self._adaptive(W, updates, lambda mean, _: mean, coupled=True)

    @ranks(W=2)
    def adam(self, W: Floats, updates: Steps, *, coupled: bool = False) -> Floats:
        """Return the layer after steps of AdamW, or of Adam with the decay in the gradient (``coupled``)."""
        return self._adaptive(W, updates, lambda mean, square: mean / (np.sqrt(square) + _STABLE), coupled=coupled)

    def _adaptive(
        self, W: Floats, updates: int, direction: Callable[[Floats, Floats], Floats], *, coupled: bool
    ) -> Floats:
        rate, decay = float(self.rate), float(self.decay)
        mean, square = np.zeros_like(W), np.zeros_like(W)
        left_1 = left_2 = 1.0  # the constants to the power k
        for _ in range(updates):
            left_1, left_2 = left_1 * _BETA1, left_2 * _BETA2
            G = portable.product(self.slopes(W), self.flat) + (decay * W if coupled else 0.0)
            mean, square = _BETA1 * mean + (1 - _BETA1) * G, _BETA2 * square + (1 - _BETA2) * G * G
            shrunk = W if coupled else (1 - rate * decay) * W
            W = shrunk - rate * direction(mean / (1 - left_1), square / (1 - left_2))
        return W
