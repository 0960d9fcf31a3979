r"""Deep networks trained by descent on any loss: the first layer in exact dyadic numbers, the rest in doubles.

.. math:: f(t,Wx)=\langle a,\sigma(A_2\sigma(A_1\sigma(Wx+b_t)))\rangle .

The gradient of the loss in ``W`` is :math:`gX` with a matrix ``g`` that back-propagation makes in doubles; ``g`` is
rounded to a multiple of :math:`2^{-30}`, and :math:`W\leftarrow(1-\eta\lambda)W-\eta gX` is then carried out exactly,
with powers of two :math:`\eta` and :math:`\eta\lambda`.  So what lies outside the span of the inputs is known exactly,
whatever rounding, loss and layers made of ``g``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Steps, checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure
from theorytools.numbers import draws as portable

from ._losses import TrainingLoss

Floats = NDArray[np.float64]
Integers = NDArray[Any]  # Python's, dtype object
CLIP = 2.0  # of the predictions, outside of training
GRAIN, START, TOKEN = 30, 20, 6  # binary digits after the point: of g, of the first layer at the start, of a token


@checked
@dataclass(frozen=True, eq=False)
class DeepNetwork:
    r"""A network of three hidden layers; ``V`` over :math:`2^e` is its first layer, exactly.

    Parameters
    ----------
    V : integers, shape ``(m, N d)``.
    e : binary digits after the point.
    b, A1, A2, a : doubles of shapes ``(N, m)``, ``(m, m)``, ``(m, m)``, ``(m, 1)``.
    """

    V: Integers = field(repr=False)
    e: int
    b: Floats = field(repr=False)
    A1: Floats = field(repr=False)
    A2: Floats = field(repr=False)
    a: Floats = field(repr=False)

    @property
    def W(self) -> Integers:
        """The first layer as fractions."""
        return self.V * Fraction(1, 2**self.e)

    @property
    def rounded(self) -> Floats:
        """The first layer in doubles."""
        return np.array([[v / 2**self.e for v in row] for row in self.V.tolist()], dtype=np.float64)

    def predictions(self, X: Floats, t: NDArray[np.int64]) -> Floats:
        """Return the clipped predictions, shape ``(n,)``, for prompts ``(n, N d)``."""
        h = np.maximum(X @ self.rounded.T + self.b[t], 0)
        out = np.maximum(np.maximum(h @ self.A1.T, 0) @ self.A2.T, 0) @ self.a
        return np.clip(out[:, 0], -CLIP, CLIP)

    def lipschitz(self) -> Enclosure:
        r"""Return :math:`\|A_1\|_F\|A_2\|_F\|a\|`, a Lipschitz constant in :math:`Wx`."""
        squares = [sum((Fraction(x) ** 2 for x in A.ravel().tolist()), Fraction(0)) for A in (self.A1, self.A2, self.a)]
        return Enclosure(squares[0] * squares[1] * squares[2]).sqrt()


@checked
@dataclass(frozen=True, eq=False)
class DeepDescent:
    r"""Full-batch descent with decay on the first layer.

    Parameters
    ----------
    X : integer inputs in units of :math:`2^{-6}`, shape ``(n, N d)``.
    t, y : indices from 0 and labels, shape ``(n,)``.
    loss : of :class:`TrainingLoss`.
    rate, decay : :math:`\eta` and :math:`\lambda`; :math:`\eta` and :math:`\eta\lambda` are powers of two below 1.
    all_layers : whether the others are trained too, without decay.

    Raises
    ------
    DomainError
        For other rates.
    """

    X: NDArray[np.int64] = field(repr=False)
    t: NDArray[np.int64] = field(repr=False)
    y: Floats = field(repr=False)
    loss: TrainingLoss
    rate: Fraction
    decay: Fraction
    all_layers: bool

    def __post_init__(self) -> None:
        for name, value in (("rate", self.rate), ("rate decay", self.rate * self.decay)):
            if value.numerator != 1 or value.denominator.bit_count() != 1 or value == 1:
                raise DomainError(f"{name} = {value}", required="2^-k, k >= 1", why="steps are exact dyadic numbers")

    def descend(self, net: DeepNetwork, updates: Steps, *, decay: bool = True, signs: bool = False) -> DeepNetwork:
        """Return the network after ``updates`` steps; ``signs`` takes the signs of the gradient, as Adam begins."""
        down, keep = self.rate.denominator.bit_length() - 1, (self.rate * self.decay).denominator.bit_length() - 1
        for _ in range(updates):
            g, others = self._back(net)
            if not np.abs(g).max() < 2.0**20:
                raise DomainError(f"slopes of {np.abs(g).max()}", required="below 2^20", why="the descent diverges")
            step = np.rint(g * 2.0**GRAIN).astype(np.int64).astype(object) @ self.X.astype(object)
            unit = GRAIN + TOKEN + down  # digits of the step
            if signs:
                step, unit = np.sign(step), down
            e, V = net.e + keep, net.V * (2**keep - bool(decay))
            if e < unit:
                e, V = unit, V * 2 ** (unit - e)
            b, A1, A2, a = (p - float(self.rate) * s * self.all_layers for p, s in others)
            net = DeepNetwork(V - step * 2 ** (e - unit), e, b, A1, A2, a)
        return net

    def training_risk(self, net: DeepNetwork) -> float:
        """Return the mean square of the clipped network's residuals on the training prompts."""
        return float(np.square(net.predictions(self.X / 2.0**TOKEN, self.t) - self.y).mean())

    def _back(self, net: DeepNetwork) -> tuple[Floats, list[tuple[Floats, Floats]]]:
        """The matrix g, shape ``(m, n)``, and the other layers with their gradients."""
        W, times, n = net.rounded, portable.product, len(self.y)
        h1 = np.maximum(times(self.X / 2.0**TOKEN, W.T) + net.b[self.t], 0)
        h2 = np.maximum(times(h1, net.A1.T), 0)
        h3 = np.maximum(times(h2, net.A2.T), 0)
        s = self.loss.rounded_slopes(times(h3, net.a)[:, 0] - self.y)[:, None] / n
        d3 = s * net.a.T * (h3 > 0)
        d2 = times(d3, net.A2) * (h2 > 0)
        d1 = times(d2, net.A1) * (h1 > 0)
        chosen = np.eye(len(net.b))[self.t]
        slopes = (times(chosen.T, d1), times(d2.T, h1), times(d3.T, h2), times(h3.T, s))
        return d1.T, list(zip((net.b, net.A1, net.A2, net.a), slopes, strict=True))


def random_network(rng: np.random.Generator, X: NDArray[np.int64], N: int, m: int, outer: Fraction) -> DeepNetwork:
    """Return a network whose first layer combines the inputs and has random rows of relative size ``outer`` besides."""
    n, p = X.shape
    inside = rng.integers(-64, 65, (m, n)).astype(object) @ X.astype(object)  # in units of 2^-12
    size = 2 ** (START - 2 * TOKEN) // max(1, int(np.sqrt(n * p) / 2))
    beyond = rng.integers(-64, 65, (m, p)).astype(object) * int(outer * 2**14)
    A1, A2 = (rng.standard_normal((m, m)) * np.sqrt(2 / m) for _ in range(2))
    first = inside * size + beyond
    return DeepNetwork(first, START, np.zeros((N, m)), A1, A2, rng.standard_normal((m, 1)) * np.sqrt(1 / m))
