r"""A deep ReLU network that is linear and passes through its data, with the least norm of its kind."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import STEPS, NonNegativeInt, PositiveInt, at_most, checked
from theorytools.constructions.shapes import shaped
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, rational_dot, rational_product, solve_rational, total

Exact = NDArray[Any]


@checked
@at_most(depth=STEPS)
@dataclass(frozen=True, eq=False)
class LinearInterpolant:
    r"""The memoryless network :math:`x\mapsto\langle v,x\rangle`, :math:`v=X^\dagger y`, through two units per layer.

    With :math:`\beta=\lVert v\rVert^{1/L_y}`: :math:`W_1=\beta(v,-v)^\top/\lVert v\rVert`, :math:`W_l=\beta I_2`,
    :math:`W_{L_y}=\beta(1,-1)`; each layer has the squared norm :math:`2\beta^2`.

    Parameters
    ----------
    X : integer tokens at the sampled positions, independent, shape ``(n, d)``.
    y : exact labels, shape ``(n,)``.
    depth : the number :math:`L_y\ge2` of matrices.
    ridge : added to :math:`XX^\top`; 0 interpolates.

    Raises
    ------
    DomainError
        For fewer than two layers, or labels that are all zero.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Theorem 9, arXiv 2503.11272v1.  Derived here.

    Examples
    --------
    >>> net = LinearInterpolant(np.array([[3, 4]]), [5])
    >>> net.v.tolist(), net.hits(), net.squared_norm()
    ([Fraction(3, 5), Fraction(4, 5)], 1, Enclosure(4))
    """

    X: Exact
    y: Exact
    depth: PositiveInt = 2
    ridge: NonNegativeInt = 0

    def __post_init__(self) -> None:
        shaped("X", self.X, "n", "d")
        shaped("y", self.y, len(self.X))
        if self.depth < 2 or not any(self.y):
            raise DomainError(f"depth {self.depth}, labels {list(self.y)}", required="depth >= 2, a label not 0")

    @cached_property
    def v(self) -> Exact:
        r"""The shortest vector with :math:`Xv=y`, fractions of shape ``(d,)``."""
        X = np.array(self.X.tolist(), dtype=object)
        gram = X @ X.T + self.ridge * np.eye(len(X), dtype=int).astype(object)
        dual = np.array(solve_rational(gram, np.array([[Fraction(t)] for t in self.y], dtype=object)), dtype=object)
        return rational_product(X.T, dual[:, 0])

    @property
    def squared_v(self) -> Fraction:
        r"""The number :math:`\lVert v\rVert^2`."""
        return rational_dot(self.v, self.v)

    def hits(self) -> int:
        """Return the number of data that the layers map to their label, run on their rational multiples.

        Every layer is a positive multiple of an integer or rational matrix, and the multiples have product 1.
        """
        count = 0
        for x, label in zip(self.X.tolist(), self.y, strict=True):
            first = rational_dot(self.v, x)
            state: list[Any] = [max(first * sign, 0) for sign in (1, -1)]
            for _ in range(self.depth - 2):
                state = [max(value, 0) for value in state]
            count += state[0] - state[1] == label
        return count

    def layer_norms(self, balanced: bool = True) -> list[Enclosure]:
        r"""Return the squared norms of the layers.

        Parameters
        ----------
        balanced : whether all layers have one norm; otherwise the first carries all of :math:`\lVert v\rVert`.

        Returns
        -------
        list of Enclosure : ``depth`` squared norms.
        """
        if not balanced:
            return [Enclosure(2 * self.squared_v), *[Enclosure(2)] * (self.depth - 1)]
        share = Enclosure(self.squared_v) ** Fraction(1, self.depth)
        first = total(share * (x * x / self.squared_v) for x in self.v) * 2
        return [first, *[2 * share] * (self.depth - 1)]

    def squared_norm(self, balanced: bool = True) -> Enclosure:
        """Return the squared norm of all parameters; the transition and the read matrices are zero.

        Parameters
        ----------
        balanced : as in :meth:`layer_norms`.

        Returns
        -------
        Enclosure : the sum over the layers.
        """
        return total(self.layer_norms(balanced))
