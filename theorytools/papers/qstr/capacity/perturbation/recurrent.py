r"""Two recurrent networks, or two deep ones, side by side: how far apart are their outputs, and how far their maps?

Everything is rational.  States are scalars, so the projection on the ball of radius :math:`r_h` is a cut, and the
largest distance of two maps over all states is taken at a kink.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from theorytools.arguments.checked import ENTRIES, NonNegativeInt, PositiveInt, at_most, checked
from theorytools.errors import DomainError

Unit = tuple[Fraction, Fraction, Fraction, Fraction]


@checked
@dataclass(frozen=True)
class ScalarMap:
    r"""A transition :math:`f(h,z)=\beta h+c+\sum_ka_k\mathrm{ReLU}(w_kh+v_kz+b_k)` of a scalar state.

    Parameters
    ----------
    slope, offset : :math:`\beta` and :math:`c`.
    units : the :math:`(a_k,w_k,v_k,b_k)`.
    """

    slope: Fraction = Fraction(0)
    offset: Fraction = Fraction(0)
    units: tuple[Unit, ...] = ()

    def __call__(self, h: Fraction, z: Fraction) -> Fraction:
        """Return the increment."""
        return (
            self.slope * h
            + self.offset
            + sum((a * max(w * h + v * z + b, Fraction(0)) for a, w, v, b in self.units), Fraction(0))
        )

    def kinks(self, z: Fraction) -> list[Fraction]:
        """Return the states at which the slope changes."""
        return [-(v * z + b) / w for _, w, v, b in self.units if w]

    @classmethod
    @at_most(width=ENTRIES)
    def random(cls, rng: np.random.Generator, alpha: Fraction, width: NonNegativeInt = 3) -> ScalarMap:
        r"""Return a map with :math:`\sum|a_kw_k|\le\alpha`, entries multiples of 1/8 apart from that factor."""
        rows = [[Fraction(x, 8) for x in row] for row in rng.integers(-8, 9, (width, 4)).tolist()]
        return cls(Fraction(0), Fraction(0), tuple((a, w * alpha / width, v, b) for a, w, v, b in rows))


@checked
@dataclass(frozen=True)
class RecurrentPair:
    r"""Two scalar recurrences :math:`h_{j+1}=\Pi_{r_h}(h_j+f(h_j,z_j))`, :math:`h_1=0`, on the same inputs.

    Parameters
    ----------
    first, second : the transitions.
    inputs : :math:`z_1,\dots,z_{N-1}`.
    r_h : radius of the states.
    """

    first: ScalarMap
    second: ScalarMap
    inputs: Sequence[Fraction]
    r_h: Fraction

    def __post_init__(self) -> None:
        if self.r_h <= 0 or not len(self.inputs):
            raise DomainError(f"r_h = {self.r_h}, {len(self.inputs)} inputs", required="r_h > 0 and an input")

    @classmethod
    @at_most(N=ENTRIES)
    def shifted(cls, N: NonNegativeInt, alpha: Fraction, step: Fraction, sign: int = 1) -> RecurrentPair:
        r"""Return two maps :math:`\pm\alpha h+c`, offsets ``step`` apart, which drift by exactly :math:`S_N` steps."""
        slope = sign * Fraction(alpha)
        wide = Fraction(step) * (1 + Fraction(alpha)) ** N * 2 * N  # never cut
        zero = [Fraction(0)] * (N - 1)
        return cls(ScalarMap(slope), ScalarMap(slope, Fraction(step)), zero, wide)

    @classmethod
    @at_most(N=ENTRIES)
    def random(cls, rng: np.random.Generator, N: PositiveInt, alpha: Fraction, r_h: Fraction) -> RecurrentPair:
        r"""Return two random :math:`\alpha`-Lipschitz maps on random inputs."""
        z = [Fraction(x, 8) for x in rng.integers(-8, 9, N - 1).tolist()]
        return cls(ScalarMap.random(rng, alpha), ScalarMap.random(rng, alpha), z, r_h)

    def states(self, f: ScalarMap) -> list[Fraction]:
        r"""Return :math:`h_1,\dots,h_N`."""
        h = [Fraction(0)]
        for z in self.inputs:
            h.append(min(max(h[-1] + f(h[-1], z), -self.r_h), self.r_h))
        return h

    def drifts(self) -> list[Fraction]:
        r"""Return :math:`|h_j-\hat h_j|` at every position."""
        return [abs(a - b) for a, b in zip(self.states(self.first), self.states(self.second), strict=True)]

    def distance(self) -> Fraction:
        r"""Return :math:`d_\infty`, the largest distance of the maps over the inputs and all states of the ball."""
        return max(
            abs(self.first(h, z) - self.second(h, z))
            for z in set(self.inputs)
            for h in [-self.r_h, self.r_h, *self.first.kinks(z), *self.second.kinks(z)]
            if abs(h) <= self.r_h
        )

    def steepness(self) -> Fraction:
        """Return the largest slope of the first map in the state, over the inputs."""
        found = Fraction(0)
        for z in set(self.inputs):
            ends = sorted({-self.r_h, self.r_h, *(k for k in self.first.kinks(z) if abs(k) < self.r_h)})
            slopes = [abs(self.first(b, z) - self.first(a, z)) / (b - a) for a, b in pairwise(ends)]
            found = max(found, *slopes)
        return found
