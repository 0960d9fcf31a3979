r"""A two-layer ReLU network in one dimension that passes through every datum, with its exact norms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theorytools.arguments.checked import STEPS, NonNegativeInt, Real, at_most, checked
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
class Interpolant1D(Network):
    r"""The piecewise linear function through sorted data as a two-layer ReLU network.

    .. math:: g(x)=\sum_{i=1}^na_i'\,\sigma(x+b_i'),\qquad b_i'=-\kappa_i,\ a_1'=s_1,\ a_i'=s_i-s_{i-1},

    with knots :math:`\kappa_1=z_1-1`, :math:`\kappa_i=z_{i-1}` and slopes :math:`s_1=y_1`,
    :math:`s_i=(y_i-y_{i-1})/(z_i-z_{i-1})`; all input weights are 1 before balancing.

    Parameters
    ----------
    z, y : abscissae in increasing order and values, ``n`` exact numbers each (a float is read as its shortest
        decimal).
    eps : the separation :math:`\epsilon\le1` of the data; the smallest gap, at most 1, unless given.
    knots, slopes : :math:`\kappa` and :math:`s` where they are not those of the lemma.

    Raises
    ------
    DomainError
        For no data, unequal lengths, abscissae that are not in increasing order, equal ones, and ``eps`` that
        is not positive, above 1 or above a gap.

    References
    ----------
    Mousavi-Hosseini, Sanford, Wu, Erdogdu (2025), Lemma 38, arXiv 2503.11272v1.

    Examples
    --------
    >>> net = Interpolant1D([-1, 0, "1/2"], [2, -1, 3])
    >>> [int(a) for a in net.a], [int(b) for b in net.b], int(net.residual())
    ([2, -5, 11], [2, 1, 0], 0)
    """

    z: Sequence[Real]
    y: Sequence[Real]
    eps: Real = None
    knots: Sequence[Real] | None = None
    slopes: Sequence[Real] | None = None

    def __post_init__(self) -> None:
        z, _ = sorted_data(self.z, self.y)
        if self.eps is not None and not 0 < shortest_fraction(self.eps) <= separation(z):
            raise DomainError(
                f"eps = {self.eps} for data with separation {separation(z)}",
                required="0 < eps <= 1 and eps at most the smallest gap",
                why="Lemma 38 bounds the slopes by |y_1| <= |y_1|/eps and (|y_i| + |y_{i-1}|)/eps",
            )
        for name, values in (("knots", self.knots), ("slopes", self.slopes)):
            if values is not None and len(values) != len(z):
                raise DomainError(f"{len(values)} {name}", required=f"n = {len(z)}")

    # -- the network of the lemma, in rationals ------------------------------------------------------------
    @cached_property
    def data(self) -> tuple[Exact, Exact]:
        """The abscissae and values as fractions."""
        return sorted_data(self.z, self.y)

    @property
    def n(self) -> int:
        """Number of data and of neurons."""
        return len(self.data[0])

    @property
    def separation(self) -> Fraction:
        r"""The :math:`\epsilon` of the lemma: the smallest gap, at most 1."""
        return separation(self.data[0]) if self.eps is None else shortest_fraction(self.eps)

    @cached_property
    def a(self) -> Exact:
        r"""Output weights :math:`a'`, the changes of slope, shape ``(n,)``."""
        slopes = slopes_through(*self.data) if self.slopes is None else self.slopes
        s = [shortest_fraction(x) for x in slopes]
        return (s[0], *(after - before for before, after in pairwise(s)))

    @cached_property
    def b(self) -> Exact:
        r"""Biases :math:`b'=-\kappa`, shape ``(n,)``."""
        knots = knots_before(self.data[0]) if self.knots is None else self.knots
        return tuple(-shortest_fraction(k) for k in knots)

    def evaluate(self, x: Real) -> Fraction:
        """Return the exact value :math:`g(x)`.

        Parameters
        ----------
        x : an exact number; a float is read as its shortest decimal.

        Returns
        -------
        Fraction : exact.
        """
        point = shortest_fraction(x)
        neurons = zip(self.a, self.b, strict=True)
        return sum((a * (point + b) for a, b in neurons if point + b > 0), Fraction(0))

    def residual(self) -> Fraction:
        r"""Return :math:`\max_i|g(z_i)-y_i|`."""
        return max(abs(self.evaluate(z) - y) for z, y in zip(*self.data, strict=True))

    def hits(self) -> int:
        """Return the number of data that the network passes through exactly."""
        return sum(self.evaluate(z) == y for z, y in zip(*self.data, strict=True))

    def squared_a(self) -> Fraction:
        r"""Return :math:`\|a'\|^2`."""
        return squared_norm(self.a)

    def squared_b(self) -> Fraction:
        r"""Return :math:`\|b'\|^2`."""
        return squared_norm(self.b)

    # -- parameter norms: rational or enclosed at the ambient precision ------------------------------------
    def plain_norm(self) -> Fraction:
        r"""Return :math:`\|a'\|^2+n+\|b'\|^2`, the squared parameter norm without balancing."""
        return self.squared_a() + self.n + self.squared_b()

    def global_norm(self) -> Enclosure:
        r"""Return :math:`2\|a'\|\sqrt{n+\|b'\|^2}`: one factor moved between the layers, as in (C.16)."""
        return 2 * Enclosure(self.squared_a() * (self.n + self.squared_b())).sqrt()

    def neuron_norm(self) -> Enclosure:
        r"""Return :math:`2\sum_i|a_i'|\sqrt{1+b_i'^2}`: a factor of its own moved within every neuron."""
        return 2 * total(abs(a) * Enclosure(1 + b**2).sqrt() for a, b in zip(self.a, self.b, strict=True))

    # -- float64 -------------------------------------------------------------------------------------------
    def head(self, balance: str = "neuron") -> ReluHead:
        """Return the network in float64.

        Parameters
        ----------
        balance : how each neuron's factor is split between its layers: ``"none"``, ``"global"`` (one factor for all) or
            ``"neuron"``; the function computed is the same.

        Returns
        -------
        ReluHead : ``a``, ``W``, ``b`` of shapes ``(n,)``, ``(n, 1)``, ``(n,)``.

        Raises
        ------
        DomainError : another word.
        """
        a, b = np.array([float(x) for x in self.a]), np.array([float(x) for x in self.b])
        lengths, sizes = np.sqrt(1 + b**2), np.abs(a)
        if balance == "global":
            lengths, sizes = np.full_like(b, np.linalg.norm(lengths)), np.full_like(a, np.linalg.norm(a))
        elif balance != "neuron":
            if balance != "none":
                raise DomainError(f"balance = {balance!r}", required="'none', 'global' or 'neuron'")
            lengths, sizes = np.ones_like(b), np.ones_like(a)
        # neuron i: a -> a alpha, (w, b) -> (w, b)/alpha, alpha^2 = length/size; a neuron with a = 0 vanishes
        alpha = np.sqrt(np.divide(lengths, sizes, out=np.zeros_like(a), where=sizes > 0))
        shrink = np.sqrt(sizes / lengths)
        return ReluHead(a * alpha, shrink[:, None], b * shrink)

    def __call__(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the outputs for abscissae of any shape, in float64."""
        return self.head("none")(checked_numbers("x", x, "...")[..., None])

    def exact(self, x: Any) -> list[Fraction]:
        """Return the values at integers or Fractions, shape ``(n,)``, exactly."""
        return [self.evaluate(point) for point in exact_array("x", x, "n")]

    def rounding(self, size: float, u: float = DOUBLE) -> float:
        r"""Return a bound on the rounding of values, balanced or not.

        The factors of a unit's two layers are roots of a quotient and of its inverse, of the same two doubles: their
        product is off by two quotients under roots and two roots, 3 roundings.  With ``a`` and ``b``, each rounded when
        it is made, multiplied and stored, a product of weights has 9; the forward pass adds two products and ``n``
        sums: :math:`\gamma_{n+11}` in all.
        """
        a, b = (np.abs([float(v) for v in part]) for part in (self.a, self.b))
        return float(gamma(len(a) + 11, u) * a @ (size + b))

    certificate = absent("it passes through its data: residual() and hits() say so")
    norms = absent("norms depend on the balance of the neurons: plain_norm(), global_norm(), neuron_norm()")

    def sizes(self) -> dict[str, int]:
        """Return the number of neurons and of parameters."""
        return {"width": self.n, "parameters": 3 * self.n}

    def module(
        self, dtype: torch.dtype | None = None, device: str = "cpu", *, balance: str = "neuron"
    ) -> torch.nn.Module:
        """Return a trainable module with these weights, from shape ``(…, 1)`` to ``(…, 1)``, in float64."""
        return twin("theorytools.papers.qstr.torch.two_layers:interpolant_module")(self, dtype, device, balance)


def sorted_data(z: Sequence[Any], y: Sequence[Any]) -> tuple[Exact, Exact]:
    """Return the data as fractions; ``DomainError`` unless ``z`` increases and ``y`` has its length."""
    if len(z) != len(y) or not len(z):
        raise DomainError(f"{len(z)} abscissae, {len(y)} values", required="n >= 1 of each")
    zs, ys = (tuple(shortest_fraction(x) for x in values) for values in (z, y))
    for i, (left, right) in enumerate(pairwise(zs)):
        if left == right:
            same = ys[i] == ys[i + 1]
            raise DomainError(
                f"z = {left} twice, with y = {ys[i]} and {ys[i + 1]}",
                required="distinct abscissae",
                why="the slope between them is 0/0" if same else "no function passes through both",
                advice="drop one of them" if same else "",
            )
        if left > right:
            raise DomainError(
                f"{left} before {right}", required="z in increasing order",
                why="slopes are those between neighbours", advice="sort the pairs (z, y) by z",
            )  # fmt: skip
    return zs, ys


def separation(z: Sequence[Fraction]) -> Fraction:
    r"""Return :math:`\epsilon=\min(1,\min_i(z_{i+1}-z_i))`."""
    return min([Fraction(1), *(right - left for left, right in pairwise(z))])


def knots_before(z: Sequence[Fraction]) -> list[Fraction]:
    r"""Return the knots :math:`\kappa=(z_1-1,z_1,\dots,z_{n-1})`."""
    return [z[0] - 1, *z[:-1]]


def slopes_through(z: Sequence[Fraction], y: Sequence[Fraction]) -> list[Fraction]:
    r"""Return the slopes :math:`s_1=y_1`, :math:`s_i=(y_i-y_{i-1})/(z_i-z_{i-1})`, for data in any order."""
    points = list(zip(z, y, strict=True))
    return [y[0], *((after[1] - before[1]) / (after[0] - before[0]) for before, after in pairwise(points))]


def squared_norm(values: Sequence[Any]) -> Fraction:
    """Return the exact sum of squares."""
    return sum((Fraction(x) ** 2 for x in values), Fraction(0))


@checked
@at_most(n=STEPS)
def alternating_data(n: NonNegativeInt, spacing: Real) -> tuple[Exact, Exact]:
    r"""Return data on which :math:`\|a'\|^2` comes close to its largest value :math:`16\|y\|^2/\epsilon^2`.

    The second difference has norm 4, approached on alternating signs below one arch of a sine:
    :math:`y_i=(-1)^i[64\sin\frac{\pi i}{n+1}]` in integers.  With :math:`z_1=-1` and the others around 0 at
    the given spacing, :math:`\|b'\|^2` is close to :math:`2+3\|z\|^2` as well.
    """
    h = shortest_fraction(spacing)
    heights = [round(64 * float(np.sin(np.pi * i / (n + 1)))) for i in range(1, n + 1)]
    z = (Fraction(-1), *((i - Fraction(n, 2)) * h for i in range(1, n)))
    return sorted_data(z, [(-1) ** i * height for i, height in enumerate(heights)])
