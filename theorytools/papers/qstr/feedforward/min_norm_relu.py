r"""A two-layer ReLU network with rational neurons in any dimension, its exact outputs and its least parameter norm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import Numbers, Real, checked
from theorytools.constructions.feedforward.readout import ReluHead
from theorytools.constructions.network import DOUBLE, Network, absent, gamma
from theorytools.constructions.shapes import checked_numbers, exact_array
from theorytools.constructions.twin import twin
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, shortest_fraction, total

if TYPE_CHECKING:
    import torch

Exact = tuple[Fraction, ...]


@checked
@dataclass(frozen=True)
class MinNormReLU(Network):
    r"""The network :math:`x\mapsto\sum_ka_k\sigma(\langle w_k,x\rangle)` without biases, neurons in rationals.

    A neuron is the same for :math:`(\alpha a_k,w_k/\alpha)`, :math:`\alpha>0`; the shortest choice has
    :math:`a_k^2=\|w_k\|^2`, so that the function costs

    .. math:: \|a\|^2+\|W\|_F^2=2\sum_k|a_k|\,\|w_k\|.

    A feature that is constant plays the bias.  ``theorytools.papers.qstr.interpolation.convex_relu.least_norm_relu``
    makes the network with the least such norm through given data.

    Parameters
    ----------
    a : output weights, exact numbers, shape ``(m,)``; none for the network that is 0.
    W : directions, exact numbers, shape ``(m, D)``.
    D : dimension of the inputs; that of ``W`` unless given.

    Raises
    ------
    DomainError
        For shapes that do not fit, entries that are not finite, or a network without neurons and dimension.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Definition 5, arXiv 2503.11272v1.

    Examples
    --------
    >>> net = MinNormReLU([2, -1], [[1, 0], [0, 3]])
    >>> int(net.evaluate([1, 1])), net.squared_norm()
    (-1, Enclosure(10))
    """

    a: Sequence[Real]
    W: Numbers
    D: int = 0

    def __post_init__(self) -> None:
        a = tuple(map(shortest_fraction, self.a))
        W = tuple(tuple(map(shortest_fraction, w)) for w in self.W)
        D = self.D or (len(W[0]) if W else 0)
        if len(a) != len(W) or D < 1 or any(len(w) != D for w in W):
            raise DomainError(
                f"{len(a)} output weights, {len(W)} directions, D = {D}",
                required="shapes (m,) and (m, D), D >= 1",
                why="neuron k is a_k relu(<w_k, x>)",
            )
        for name, value in (("a", a), ("W", W), ("D", D)):
            object.__setattr__(self, name, value)

    @property
    def m(self) -> int:
        """Number of neurons."""
        return len(self.a)

    # -- exact ----------------------------------------------------------------------------------------------------
    def evaluate(self, x: Iterable[Real]) -> Fraction:
        """Return the exact output for one input.

        Parameters
        ----------
        x : exact numbers, shape ``(D,)``.

        Returns
        -------
        Fraction : exact.

        Raises
        ------
        DomainError : another number of entries.
        """
        point = [shortest_fraction(v) for v in x]
        if len(point) != self.D:
            raise DomainError(f"an input with {len(point)} entries", required=f"D = {self.D} entries")
        return sum((a * max(_inner(w, point), Fraction(0)) for a, w in zip(self.a, self.W, strict=True)), Fraction(0))

    def costs(self) -> list[Enclosure]:
        r"""Return :math:`|a_k|\,\|w_k\|` at the ambient precision, shape ``(m,)``."""
        return [abs(a) * Enclosure(_inner(w, w)).sqrt() for a, w in zip(self.a, self.W, strict=True)]

    def squared_norm(self) -> Enclosure:
        r"""Return :math:`2\sum_k|a_k|\,\|w_k\|`, the squared norm of the balanced parameters."""
        return 2 * total(self.costs())

    # -- float64 --------------------------------------------------------------------------------------------------
    def head(self) -> ReluHead:
        r"""Return the balanced network, ``a`` of shape ``(m,)``, ``W`` of shape ``(m, D)``, biases 0, in float64.

        :math:`\|a\|^2+\|W\|_F^2` is :meth:`squared_norm` up to rounding.
        """
        a = np.array([float(x) for x in self.a])
        W = np.array([[float(x) for x in w] for w in self.W]).reshape(self.m, self.D)
        lengths, sizes = np.linalg.norm(W, axis=1), np.abs(a)
        # alpha^2 = length/size; a neuron that is 0 has no balance and vanishes
        both = (lengths > 0) & (sizes > 0)
        shrink = np.sqrt(np.divide(sizes, lengths, out=np.zeros_like(a), where=both))
        return ReluHead(np.sign(a) * np.sqrt(lengths * sizes), shrink[:, None] * W, np.zeros(self.m))

    def __call__(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the outputs in float64, shape ``(…,)``, for inputs of shape ``(…, D)``."""
        return self.head()(checked_numbers("x", x, "...", self.D))

    def exact(self, x: Any) -> list[Fraction]:
        """Return the outputs for integers or Fractions, shape ``(n, D)``, exactly."""
        return [self.evaluate(point) for point in exact_array("x", x, "n", self.D)]

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        r"""Return a bound on the rounding of outputs.

        The balanced weights are :math:`\sqrt{ls}` and :math:`\sqrt{s/l}\,w` of the same two doubles, length and size: a
        product of them is off by a product and a quotient under roots and two roots, 3 roundings, by those of ``a``
        and ``w``, of their product, and of two that are stored, 5 more; the forward pass adds two products and
        :math:`m+D-2` sums: :math:`\gamma_{m+D+8}` in all.
        """
        sums = (abs(a) * sum(map(abs, w)) for a, w in zip(self.a, self.W, strict=True))
        return gamma(self.m + self.D + 8, u) * size * float(sum(sums))

    certificate = absent("it is a norm that is proved: squared_norm()")

    def norms(self) -> dict[str, Enclosure]:
        """Return the norms of both layers, equal by the balance."""
        each = total(self.costs()).sqrt()
        return {"0.weight": each, "2.weight": each}

    def sizes(self) -> dict[str, int]:
        """Return the number of neurons and of parameters."""
        return {"width": self.m, "parameters": self.m * (self.D + 1)}

    def module(self, dtype: torch.dtype | None = None, device: str = "cpu") -> torch.nn.Module:
        """Return a trainable module with the balanced weights, from shape ``(…, D)`` to ``(…, 1)``, in float64."""
        return twin("theorytools.papers.qstr.torch.two_layers:min_norm_module")(self, dtype, device)


def _inner(v: Iterable[Fraction], w: Iterable[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(v, w, strict=True) if x and y), Fraction(0))
