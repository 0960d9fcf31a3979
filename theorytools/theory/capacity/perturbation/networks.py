r"""Two heads, or two networks, side by side: how far apart are their outputs, and how far their parameters?

Lipschitz inequalities in the parameters compare such distances.  All parameters are rational, so heads are compared
exactly; behind attention the outputs are enclosed at the ambient precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, PositiveInt, at_most, checked
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, euclidean, maximum, total
from theorytools.theory.capacity.perturbation.attention import AttentionPair, Matrix, Vector, dot


@dataclass(frozen=True)
class Head:
    r"""A two-layer head :math:`h\mapsto a^\top\mathrm{ReLU}(Wh+b)` with rational parameters.

    Parameters
    ----------
    a : shape ``(m,)``.
    rows : the rows of :math:`(W,b)`, shape ``(m, D + 1)``.
    """

    a: Vector
    rows: Matrix

    def __post_init__(self) -> None:
        if len(self.rows) != len(self.a) or len({len(row) for row in self.rows}) != 1:
            raise DomainError("weights of other shapes", required="shapes (m,) and (m, D + 1)")

    @classmethod
    def random(cls, rng: np.random.Generator, m: int, D: int, scale: int = 8) -> Head:
        """Return a head with entries drawn uniformly from the multiples of ``1/scale`` in [-1, 1]."""
        entries = [Fraction(x, scale) for x in rng.integers(-scale, scale, endpoint=True, size=m * (D + 2)).tolist()]
        return cls(entries[:m], [entries[m + i * (D + 1) : m + (i + 1) * (D + 1)] for i in range(m)])

    def __call__(self, h: Vector) -> Any:
        """Return the output: rational for a rational ``h``, an enclosure for enclosures."""
        units = [dot(row[:-1], h) + row[-1] for row in self.rows]
        if any(isinstance(u, Enclosure) for u in units):
            return total(maximum([u, 0]) * a for a, u in zip(self.a, units, strict=True))
        return dot(self.a, [max(u, Fraction(0)) for u in units])

    def norms(self) -> tuple[Enclosure, Enclosure]:
        r"""Return :math:`\|a\|` and :math:`\|(W,b)\|_F`."""
        return euclidean(self.a), euclidean(x for row in self.rows for x in row)

    def minus(self, other: Head) -> Head:
        """Return the differences of the parameters, as a head whose norms are the distances."""
        a = [x - y for x, y in zip(self.a, other.a, strict=True)]
        rows = [[x - y for x, y in zip(r, s, strict=True)] for r, s in zip(self.rows, other.rows, strict=True)]
        return Head(a, rows)


@checked
@dataclass(frozen=True)
class HeadPair:
    r"""Two heads and inputs of length at most :math:`\sqrt Hr_z` at which they are compared.

    Parameters
    ----------
    first, second : the heads.
    inputs : vectors :math:`h\in\mathbb R^{HD_e}`.
    """

    first: Head
    second: Head
    inputs: Matrix

    @classmethod
    @at_most(D_e=ENTRIES)
    def aligned(
        cls, *, m: int, H: NonNegativeInt, D_e: NonNegativeInt, r_z: Fraction, A: Fraction, B: Fraction, halved: str
    ) -> HeadPair:
        r"""Return a head whose units all point to :math:`(h,1)`, and the same with one layer ``halved``.

        ``halved`` is ``"outer"`` or ``"inner"``; :math:`\|h\|=\sqrt Hr_z`, and the Lipschitz inequality is an equality.

        Raises
        ------
        DomainError : :math:`1+Hr_z^2` is not the square of a rational, or ``m`` is neither 1 nor 2.
        """
        reach = Enclosure(1 + H * r_z**2).sqrt()
        if not reach.exact or m not in (1, 2):
            raise DomainError(f"H = {H}, r_z = {r_z}, m = {m}", required="sqrt(1 + H r_z^2) rational, m = 1 or 2")
        h = ([r_z] + [Fraction(0)] * (D_e - 1)) * H
        units = [Fraction(1)] if m == 1 else [Fraction(3, 5), Fraction(4, 5)]
        direction = [x / reach.fraction() for x in [*h, Fraction(1)]]
        heads = [
            Head([x * A * u for u in units], [[y * B * u * v for v in direction] for u in units])
            for x, y in ((1, 1), (Fraction(1, 2), 1) if halved == "outer" else (1, Fraction(1, 2)))
        ]
        return cls(heads[0], heads[1], [h])

    @classmethod
    @at_most(H=ENTRIES, D_e=ENTRIES, count=ENTRIES)
    def random(
        cls,
        rng: np.random.Generator,
        *,
        m: PositiveInt,
        H: PositiveInt,
        D_e: PositiveInt,
        r_z: Fraction,
        count: PositiveInt = 20,
    ) -> HeadPair:
        """Return two random heads, and inputs in which every head's part is ``r_z`` times a signed unit vector."""
        signs = rng.choice([-1, 1], size=(count, H)).tolist()
        places = rng.integers(D_e, size=(count, H)).tolist()
        inputs = [
            [r_z * s * int(k == place) for s, place in zip(ss, ps, strict=True) for k in range(D_e)]
            for ss, ps in zip(signs, places, strict=True)
        ]
        return cls(Head.random(rng, m, H * D_e), Head.random(rng, m, H * D_e), inputs)

    def gap(self) -> Fraction:
        r"""Return :math:`\max|f(h)-f'(h)|` over the inputs, exactly."""
        return Fraction(max(abs(self.first(h) - self.second(h)) for h in self.inputs))

    def sizes(self) -> tuple[Enclosure, Enclosure]:
        r"""Return the larger :math:`\|a\|` and the larger :math:`\|(W,b)\|_F` of the two."""
        (a, w), (b, v) = self.first.norms(), self.second.norms()
        return maximum([a, b]), maximum([w, v])

    def distances(self) -> tuple[Enclosure, Enclosure]:
        r"""Return :math:`\|a-a'\|` and :math:`\|(W,b)-(W',b')\|_F`."""
        return self.first.minus(self.second).norms()


@checked
@dataclass(frozen=True)
class NetworkPair:
    r"""Two networks on the same tokens: attention, then a two-layer head at every sampled position.

    Parameters
    ----------
    attention, heads : the two layers; the inputs of ``heads`` are not used.
    """

    attention: AttentionPair
    heads: HeadPair

    @classmethod
    def steep(cls, r_z: Fraction, A: Fraction, B: Fraction, theta: Fraction) -> NetworkPair:
        r"""Return the head :math:`A\,\mathrm{ReLU}(Bh)` on tokens :math:`\pm r_z`, with parameters 0 and ``theta``.

        The outputs at the first token are 0 and :math:`ABr_z\tanh(r_z^2\theta)`.
        """
        head = Head([A], [[B, Fraction(0)]])
        return cls(AttentionPair.two_tokens(r_z, Fraction(0), theta), HeadPair(head, head, []))

    @classmethod
    @at_most(H=ENTRIES)
    def equal_tokens(cls, heads: HeadPair, H: PositiveInt) -> NetworkPair:
        """Return attention on two equal tokens, whose outputs are the first of the inputs of ``heads``.

        Raises
        ------
        DomainError : heads without inputs, or inputs of a length that ``H`` does not divide.
        """
        if not heads.inputs or len(heads.inputs[0]) % H:
            raise DomainError(f"H = {H}", required="inputs whose length is a multiple of H")
        z = list(heads.inputs[0][: len(heads.inputs[0]) // H])
        zero = [[[Fraction(0)] * len(z)] * len(z)] * H
        return cls(AttentionPair([z, z], zero, zero), heads)

    @classmethod
    @at_most(m=ENTRIES, H=ENTRIES, D_e=ENTRIES, N=ENTRIES)
    def random(
        cls,
        rng: np.random.Generator,
        *,
        m: NonNegativeInt,
        H: PositiveInt,
        D_e: NonNegativeInt,
        r: Fraction,
        N: PositiveInt = 3,
    ) -> NetworkPair:
        """Return random tokens of entries up to ``r`` and random parameters up to 1, in eighths."""
        attention = AttentionPair.random(rng, N, D_e, H, r)
        return cls(attention, HeadPair(Head.random(rng, m, H * D_e), Head.random(rng, m, H * D_e), []))

    def gap(self) -> Enclosure:
        r"""Return :math:`\max_j|\hat y_j-\hat y_j'|` at the ambient precision."""
        pair = self.attention
        return maximum(
            abs(self.heads.first(pair.outputs(pair.first, j)) - self.heads.second(pair.outputs(pair.second, j)))
            for j in pair.positions
        )
