r"""A bidirectional recurrent network that solves the simple task without error, in integers.

States :math:`h^\to_1=h^\leftarrow_N=0` in :math:`\mathbb R^{qd}`, with :math:`\Pi_rh=(1\wedge r/\lVert h\rVert)h`,

.. math:: h^\to_{j+1}=\Pi_{r_h}(h^\to_j+f(h^\to_j,z_j)),\qquad
          h^\leftarrow_{j-1}=\Pi_{r_h}(h^\leftarrow_j+f(h^\leftarrow_j,z_j)),

and predictions :math:`\hat y_j=f_y(h^\to_j,h^\leftarrow_j,z_j)`.  The transition :math:`f` is a
:class:`PositionTracker`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from theorytools.arguments.checked import checked
from theorytools.constructions.feedforward.readout import ReluHead
from theorytools.constructions.network import DOUBLE, Network, absent, layers_rounding
from theorytools.constructions.recurrent.position_tracker import Numbers, PositionTracker
from theorytools.constructions.shapes import exact_array
from theorytools.constructions.twin import twin
from theorytools.errors import DomainError

if TYPE_CHECKING:
    import torch


def project(h: Numbers, radius: int) -> Numbers:
    r"""Return :math:`\Pi_rh=(1\wedge r/\lVert h\rVert)h` for states of shape ``(…, d_h)``.

    Integer states that the projection moves become exact rationals.

    Raises
    ------
    DomainError
        If such a state has an irrational norm.
    """
    return project_within(h, radius**2)


def project_within(h: Numbers, radius2: int | Fraction) -> Numbers:
    r"""Return :math:`\Pi_rh` for the squared radius :math:`r^2`, which need not be the square of a rational.

    Raises
    ------
    DomainError
        If an integer state is moved by an irrational factor.
    """
    if h.dtype.kind == "i" and h.size and np.abs(h).max() >= 2**24:
        h = h.astype(object)  # squares of such entries may leave int64
    squares = (h * h).sum(axis=-1)
    over = np.argwhere(squares > radius2)
    if not len(over):
        return h
    out = h.copy() if h.dtype.kind == "f" else h.astype(object)
    for index in map(tuple, over):
        square = squares[index]
        if h.dtype.kind == "f":
            out[index] *= math.sqrt(radius2 / square)
            continue
        exact = Fraction(radius2) / Fraction(square)
        factor = Fraction(math.isqrt(exact.numerator), math.isqrt(exact.denominator))
        if factor**2 != exact:
            raise DomainError(
                f"a state of squared norm {square}",
                required=f"{radius2} over the square of a rational",
                why="Pi_r is exact",
            )
        out[index] = [Fraction(v) * factor for v in h[index]]
    return out


@checked
@dataclass(frozen=True)
class SimpleRetrievalRNN(Network):
    r"""The network for simple qSTR: :math:`\hat y_j=a^\top\sigma(Wx_t+b)` at every position, exactly.

    The stored tokens of both directions and the gated current token add up to
    :math:`x_t=(x_{t_1},\dots,x_{t_q})`, because each slot is written once and every other increment is zero.  The
    readout has four layers.

    Attributes
    ----------
    tracker : the transition of both directions.
    head : two-layer link network :math:`v\mapsto a^\top\sigma(Wv+b)` on ``q d`` inputs.
    radius : radius :math:`r_h` of the states; :math:`r_h\ge\lVert x_t\rVert` leaves the projection inactive.

    Raises
    ------
    DomainError
        If the head has other than ``q d`` inputs, or the radius is not positive.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Proposition 28, arXiv 2503.11272v1; the network without error is
    derived here.

    Examples
    --------
    >>> from theorytools.constructions.feedforward.readout import ReluHead
    >>> tracker = PositionTracker(np.array([[1, 1], [1, -1]]), K=4, q=1, d=1)
    >>> absolute = ReluHead(np.array([1, 1]), np.array([[1], [-1]]), np.array([0, 0]))
    >>> SimpleRetrievalRNN(tracker, absolute, 4)([[[3], [-2]]], [[[1], [1]]]).tolist()
    [[2, 2]]
    """

    tracker: PositionTracker
    head: ReluHead
    radius: int

    def __post_init__(self) -> None:
        width = self.tracker.q * self.tracker.d
        if np.shape(self.head.W)[1] != width:
            raise DomainError(f"a head of {np.shape(self.head.W)[1]} inputs", required=f"q d = {width}")
        if not 0 < self.radius < math.inf:
            raise DomainError(f"radius {self.radius}", required="a positive number")

    @cached_property
    def readout(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        r"""The four weight matrices on :math:`(h^\to,h^\leftarrow,z)`; the third layer has the head's biases."""
        track, size = self.tracker, self.tracker.q * self.tracker.d
        unit, (rows, gates) = np.eye(size, dtype=np.int64), (track.encoder_rows, track.gate_rows)
        signs = np.kron(np.eye(2, dtype=np.int64), np.vstack([unit, -unit]))  # +-forward, +-backward
        first = np.block([
            [signs, np.zeros((4 * size, rows.shape[1]), dtype=np.int64)],
            [np.zeros((len(rows), 2 * size), dtype=np.int64), rows],
        ])  # fmt: skip
        total = np.hstack([unit, -unit, unit, -unit])
        second = np.block([
            [np.vstack([total, -total]), np.zeros((2 * size, gates.shape[1]), dtype=np.int64)],
            [np.zeros((2 * size, 4 * size), dtype=np.int64), gates],
        ])  # fmt: skip
        W = np.asarray(self.head.W)
        return first, second, np.hstack([W, -W, W, -W]), np.asarray(self.head.a)[None, :]

    def states(self, X: ArrayLike, T: ArrayLike) -> tuple[Numbers, Numbers]:
        """Return the forward and the backward states before each position.

        Parameters
        ----------
        X : tokens, shape ``(n, N, d)``.
        T : indices from 0, shape ``(n, N, q)``.

        Returns
        -------
        tuple of arrays : each of shape ``(n, N, q d)``.
        """
        Z = self.tracker.encode(X, T)
        return self._pass(Z), self._pass(Z[:, ::-1])[:, ::-1]

    def _pass(self, Z: Numbers) -> Numbers:
        h = np.zeros((len(Z), self.tracker.q * self.tracker.d), dtype=Z.dtype)
        found = [h]
        for j in range(Z.shape[1] - 1):
            h = project(h + self.tracker(Z[:, j], h), self.radius)
            found.append(h)
        return np.stack(found, axis=1)

    def __call__(self, X: ArrayLike, T: ArrayLike) -> Numbers:
        """Return the predictions, shape ``(n, N)``, for tokens ``(n, N, d)`` and indices ``(n, N, q)``."""
        v = np.concatenate([*self.states(X, T), self.tracker.encode(X, T)], axis=-1)
        first, second, third, last = self.readout
        v = np.maximum(np.maximum(v @ first.T, 0) @ second.T, 0)
        out: Numbers = (np.maximum(v @ third.T + np.asarray(self.head.b), 0) @ last.T)[..., 0]
        return out

    def exact(self, X: Any, T: ArrayLike) -> Numbers:
        """Return a call on integers or Fractions, exactly: the same code without a machine's numbers."""
        return self(exact_array("X", X, "n", len(self.tracker.signs), self.tracker.d), T)

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        """Return a bound on the rounding of predictions for integers: that of the head if no state is moved."""
        track, head = self.tracker, self.head
        width = track.q * track.d
        writing = layers_rounding([(W, None) for W in track.layers], max(size, 1.0), u)
        first, second, third, last = self.readout
        layers = [(first, None), (second, None), (third, np.asarray(head.b)), (last, None)]
        moved = width * size**2 > self.radius**2
        return math.inf if moved or writing else layers_rounding(layers, max(size, 1.0), u)

    certificate = absent("it makes no error within its radius")
    norms = absent("norms of three maps stand in one sum: squared_norm()")

    def sizes(self) -> dict[str, int]:
        """Return the dimension of a state."""
        return {"width": self.tracker.q * self.tracker.d}

    def squared_norm(self) -> int | float:
        r"""Return the squared norm of all weights and biases.

        With :math:`\tau=2d+4qd_e+4qd(1+K^2/d_e)` it is
        :math:`2(\tau+2qd)+\tau+12qd+4\lVert W\rVert_F^2+\lVert b\rVert^2+\lVert a\rVert^2`.
        """
        arrays = [*self.readout, np.asarray(self.head.b)]
        total: int | float = 2 * self.tracker.squared_norm() + sum((A * A).sum().item() for A in arrays)
        return total

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return a trainable ``torch.nn.Module``, ``forward(X, T)``, that computes the same function."""
        return twin("theorytools.constructions.torch.recurrent:simple_retrieval_module")(self, dtype, device)
