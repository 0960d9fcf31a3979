r"""Two-layer ReLU heads :math:`a^\top\sigma(Wv+b)` with explicit weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Entries, checked, ranks
from theorytools.constructions.inputs import shaped
from theorytools.errors import DomainError

Array = NDArray[np.float64]


@checked
@dataclass(frozen=True)
class ReluHead:
    r"""A two-layer ReLU network :math:`v\mapsto a^\top\sigma(Wv+b)` without output bias.

    Attributes
    ----------
    a, b : output weights and biases, shape ``(m,)``.
    W : input weights, shape ``(m, D)``.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Assumption 2, arXiv 2503.11272v1.
    """

    a: Array
    W: Array
    b: Array

    def __post_init__(self) -> None:
        a, W, b = np.asarray(self.a), np.asarray(self.W), np.asarray(self.b)
        if W.ndim != 2 or a.shape != (W.shape[0],) or b.shape != a.shape:
            raise DomainError(
                f"a {a.shape}, W {W.shape}, b {b.shape}",
                required="shapes (m,), (m, D), (m,)",
                why="a·relu(W v + b)",
            )
        if not all(np.isfinite(x).all() for x in (a, W, b)):
            raise DomainError("weights that are NaN or infinite", required="finite weights")

    def __call__(self, v: Array) -> Array:
        """Return the outputs, shape ``(…,)``, for inputs of shape ``(…, D)``."""
        shaped("v", v, "...", self.W.shape[1])
        return np.maximum(np.asarray(v) @ self.W.T + self.b, 0.0) @ self.a


@checked
@ranks(u=1)
def linear_head(u: Array, q: Entries) -> ReluHead:
    r"""Return the head that computes :math:`q^{-1/2}\sum_h\langle u,v_h\rangle` exactly with two units.

    Parameters
    ----------
    u : direction, shape ``(d,)``.
    q : number of retrieved tokens; the input is :math:`(v_1,\dots,v_q)`, shape ``(…, q d)``.

    Notes
    -----
    :math:`z=\sigma(z)-\sigma(-z)`: ``a = (1, -1)`` and rows :math:`\pm(u,\dots,u)/\sqrt q`, so
    :math:`\lVert a\rVert=\lVert W\rVert_F=\sqrt2` for a unit vector ``u``.
    """
    v = np.tile(np.asarray(u, dtype=np.float64), q) / np.sqrt(q)
    return ReluHead(np.array([1.0, -1.0]), np.stack([v, -v]), np.zeros(2))
