r"""The paper's recurrent network with any weights that are rational, run without rounding.

States :math:`h^\to_1=h^\leftarrow_N=0`,

.. math:: h^\to_{j+1}=\Pi_{r_h}(h^\to_j+f^\to(h^\to_j,z_j)),\qquad
          h^\leftarrow_{j-1}=\Pi_{r_h}(h^\leftarrow_j+f^\leftarrow(h^\leftarrow_j,z_j)),

predictions :math:`\hat y_j=f_y(h^\to_j,h^\leftarrow_j,z_j)`; each :math:`f` is a ReLU network.

*Integers.*  A layer with weights over the denominator :math:`L` maps vectors over :math:`D` to vectors over :math:`LD`.
A pass carries :math:`D` along and works with numerators.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import checked
from theorytools.constructions.shapes import exact_array, shaped
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, maximum
from theorytools.numbers.spectrum import largest_eigenvalue

Exact = NDArray[Any]  # integers and fractions as objects
Layer = tuple[Exact, Exact]  # weights, shape (out, in), and biases, shape (out,)
Over = tuple[Exact, int]  # numerators, and the denominator of all
Whole = tuple[
    list[tuple[NDArray[np.int64], Exact]], int, Exact, int
]  # rows: places and weights; biases; both over ints


@checked
@dataclass(frozen=True, eq=False)
class ResidualRNN:
    r"""A bidirectional residual recurrence with rational weights, exact at any length.

    A layer is a pair :math:`(W,b)`, integers and fractions; ReLU stands between layers, none after the last.

    Attributes
    ----------
    forward, backward : layers of the two transitions, from :math:`(h,z)` to increments of ``h``.
    readout : layers from :math:`(h^\to,h^\leftarrow,z)` to one number.
    radius2 : :math:`r_h^2`; a state beyond it is refused, since a projection that acts is irrational.

    Raises
    ------
    DomainError
        If the layers do not fit together, or the squared radius is not positive.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), section on recurrent networks, arXiv 2503.11272v1.

    Examples
    --------
    >>> import numpy as np
    >>> add = ((np.array([[0, 1], [0, -1]]), np.array([0, 0])), (np.array([[1, -1]]), np.array([0])))  # h + z
    >>> total = ((np.array([[1, 1, 1]]), np.array([0])), (np.array([[1]]), np.array([0])))
    >>> ResidualRNN(add, add, total, radius2=100)([[[1], [2], [3]]]).astype(int).tolist()
    [[6, 6, 6]]
    """

    forward: tuple[Layer, ...]
    backward: tuple[Layer, ...]
    readout: tuple[Layer, ...]
    radius2: Fraction

    def __post_init__(self) -> None:
        for name in ("forward", "backward", "readout"):
            layers = tuple(_layer(name, W, b) for W, b in getattr(self, name))
            for (W, _), (V, _) in pairwise(layers):
                shaped(f"a layer of {name}", V, "out", len(W))
            object.__setattr__(self, name, layers)
        wide = self.width + self.inputs
        shaped("the first layer backward", self.backward[0][0], "out", wide)
        shaped("the last layer backward", self.backward[-1][0], self.width, "in")
        shaped("the first layer of the readout", self.readout[0][0], "out", wide + self.width)
        shaped("the last layer of the readout", self.readout[-1][0], 1, "in")
        if self.radius2 <= 0 or self.inputs < 1:
            raise DomainError(
                f"radius2 = {self.radius2}, {self.inputs} inputs", required="radius2 > 0 and an input",
                why="states live in a ball and tokens are read",
            )  # fmt: skip

    @property
    def width(self) -> int:
        r"""Dimension :math:`d_h` of a state."""
        return len(self.forward[-1][0])

    @property
    def inputs(self) -> int:
        r"""Dimension :math:`D_e` of an encoded token."""
        return int(self.forward[0][0].shape[1]) - self.width

    def states(self, Z: Any) -> tuple[Exact, Exact]:
        r"""Return :math:`h^\to_j` and :math:`h^\leftarrow_j` at every position.

        Parameters
        ----------
        Z : encoded tokens, shape ``(n, N, D_e)``, integers and fractions.

        Returns
        -------
        tuple of arrays : fractions, each of shape ``(n, N, d_h)``.

        Raises
        ------
        DomainError : entries that are not exact, another shape, or a state beyond the radius.
        """
        Z = exact_array("Z", Z, "n", "N", self.inputs)
        forward, backward = self._passes(Z)
        return _stacked(forward), _stacked(backward)

    def _passes(self, Z: Exact) -> tuple[list[Over], list[Over]]:
        return self._pass(self.forward, Z), self._pass(self.backward, Z[:, ::-1])[::-1]

    def _pass(self, layers: Sequence[Layer], Z: Exact) -> list[Over]:
        """The states at each position, as whole numbers over one denominator."""
        whole, scale = _integers(layers), _denominator(Z, *(b for _, b in layers))
        h = np.zeros((len(Z), self.width), dtype=object)
        found = [(h, scale)]
        for j in range(Z.shape[1] - 1):
            out, grown = _run(whole, np.concatenate([h, _scaled(Z[:, j], scale)], axis=1), scale)
            h, scale = self._inside(h * (grown // scale) + out, grown), grown
            found.append((h, scale))
        return found

    def _inside(self, h: Exact, scale: int) -> Exact:
        longest = max((h * h).sum(axis=1), default=0)
        if longest > self.radius2 * scale**2:
            raise DomainError(
                f"a state of squared length {float(Fraction(longest, scale**2)):.6g}",
                required=f"at most radius2 = {self.radius2}", why="a projection that acts is irrational",
                advice="a larger radius, or tokens of the kind the network is made for",
            )  # fmt: skip
        return h

    def __call__(self, Z: Any) -> Exact:
        """Return the predictions, fractions of shape ``(n, N)``, for encoded tokens ``(n, N, D_e)``."""
        Z = exact_array("Z", Z, "n", "N", self.inputs)
        layers, own = _integers(self.readout), _denominator(Z, *(b for _, b in self.readout))
        out = []
        for j, ((h, first), (k, second)) in enumerate(zip(*self._passes(Z), strict=True)):
            scale = math.lcm(first, second, own)
            v = np.concatenate([h * (scale // first), k * (scale // second), _scaled(Z[:, j], scale)], axis=1)
            out.append(_over(*_run(layers, v, scale))[:, 0])
        return np.stack(out, axis=1)

    def squared_norm(self) -> Fraction:
        r"""Return :math:`\lVert\mathrm{vec}\,\Theta\rVert^2`, the sum of the squares of all weights and biases."""
        parts = (part for layers in (self.forward, self.backward, self.readout) for layer in layers for part in layer)
        return sum((Fraction(x) ** 2 for part in parts for x in part.ravel()), Fraction(0))

    def slope(self) -> Enclosure:
        r"""Return the least :math:`\alpha` of the paper's constraint: the larger product, over the two directions, of
        :math:`\lVert W_L\rVert_{op}\cdots\lVert W_2\rVert_{op}\lVert W_{1,h}\rVert_{op}`, ``W_1,h`` the columns of h.
        """
        squares = []
        for layers in (self.forward, self.backward):
            (first, _), *rest = layers
            matrices = [first[:, : self.width], *(W for W, _ in rest)]
            squares.append(math.prod((largest_eigenvalue(_gram(W)) for W in matrices), start=Enclosure(1)))
        return maximum(squares).sqrt()


def _layer(name: str, W: Any, b: Any) -> Layer:
    W = exact_array(f"weights of {name}", W, "out", "in")
    return W, exact_array(f"biases of {name}", b, len(W))


def _gram(W: Exact) -> list[list[Any]]:
    """The smaller of the two Gram matrices; both have the squared operator norm as largest eigenvalue."""
    A = W if len(W) <= W.shape[1] else W.T
    return [[Fraction(x) for x in row] for row in A @ A.T]


def _denominator(*arrays: Exact) -> int:
    return math.lcm(1, *(Fraction(x).denominator for array in arrays for x in array.ravel()))


def _scaled(array: Exact, scale: int) -> Exact:
    """Numerators over ``scale``, a multiple of every denominator."""
    out = np.empty(array.size, dtype=object)
    out[:] = [int(x * scale) for x in array.ravel()]
    return out.reshape(array.shape)


def _stacked(states: Sequence[Over]) -> Exact:
    return np.stack([_over(h, scale) for h, scale in states], axis=1)


def _over(array: Exact, scale: int) -> Exact:
    out = np.empty(array.size, dtype=object)
    out[:] = [Fraction(int(x), scale) for x in array.ravel()]
    return out.reshape(array.shape)


def _integers(layers: Sequence[Layer]) -> list[Whole]:
    found = []
    for W, b in layers:
        L, D = _denominator(W), _denominator(b)
        places = [np.flatnonzero(row) for row in W]
        found.append(([(k, _scaled(row[k], L)) for k, row in zip(places, W, strict=True)], L, _scaled(b, D), D))
    return found


def _run(layers: Sequence[Whole], v: Exact, scale: int) -> Over:
    """The outputs of a ReLU network, for inputs over ``scale``, whole rows ``(n, in)``."""
    for number, (rows, L, b, D) in enumerate(layers):
        v = np.maximum(v, 0) if number else v
        scale *= L
        out = np.empty((len(v), len(rows)), dtype=object)
        for unit, (k, w) in enumerate(rows):
            out[:, unit] = v[:, k] @ w if len(k) else 0
        v = out + b * (scale // D)
    return v, scale
