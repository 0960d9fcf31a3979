r"""Two-layer ReLU heads :math:`a^\top\sigma(Wv+b)` with explicit weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Real, checked
from theorytools.constructions.network import DOUBLE, Network, absent, layers_rounding
from theorytools.constructions.shapes import exact_array, shaped
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, maximum, total

Array = NDArray[np.float64]


@checked
@dataclass(frozen=True)
class ReluHead(Network):
    r"""A two-layer ReLU network :math:`v\mapsto a^\top\sigma(Wv+b)` without output bias.

    Attributes
    ----------
    a, b : output weights and biases, shape ``(m,)``.
    W : input weights, shape ``(m, D)``.

    Raises
    ------
    DomainError : shapes that do not fit, or weights that are NaN or infinite.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Assumption 2, arXiv 2503.11272v1.

    Examples
    --------
    >>> absolute = ReluHead(np.array([1, 1]), np.array([[1], [-1]]), np.array([0, 0]))
    >>> absolute(np.array([[-3.0], [2.0]])).tolist()
    [3.0, 2.0]
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

    def exact(self, v: Any) -> list[Any]:
        """Return the outputs for integers or Fractions of shape ``(n, D)``, by the weights as stored."""
        return [exact_label(self, row) for row in exact_array("v", v, "n", self.W.shape[1]).tolist()]

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        """Return a bound on the rounding of outputs for inputs of modulus up to ``size``."""
        return layers_rounding([(self.W, self.b), (self.a[None], None)], size, u)

    module = absent("a head is a part of the modules of the networks that have one")
    certificate = absent("a head is the link itself or an approximation of one: see LinkHead")

    def norms(self) -> dict[str, Enclosure]:
        """Return the norms of the weights as stored."""
        parts = {"a": self.a, "W": self.W, "b": self.b}
        return {name: Enclosure(sum(Fraction(float(x)) ** 2 for x in part.flat)).sqrt() for name, part in parts.items()}

    def sizes(self) -> dict[str, int]:
        """Return the number of units and that of the weights."""
        return {"width": len(self.a), "parameters": self.a.size + self.W.size + self.b.size}


@checked
def exact_label(head: ReluHead, tokens: Sequence[Real]) -> Enclosure:
    r"""Return :math:`a^\top\sigma(Wv+b)` at the ambient precision, ``v`` being exact numbers or enclosures."""
    if len(tokens) != head.W.shape[1]:
        raise DomainError(f"{len(tokens)} numbers", required=f"{head.W.shape[1]} inputs of the head", why="W v + b")
    weights = zip(head.a, head.W, head.b, strict=True)
    return total(
        Fraction(float(a))
        * maximum(
            [total(Fraction(float(w)) * v for w, v in zip(row, tokens, strict=True) if w) + Fraction(float(b)), 0]
        )
        for a, row, b in weights
    )
