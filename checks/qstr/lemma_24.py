r"""The gate h + 2 x relu(z - 1/2) reads z = 1 and z <= 1/2 exactly, and its range decides the radius of its domain.

Setting    $|x|\le r_x$, $|h|\le r_h$, $|z|\le1$ and the gate $\Psi=h+2x\sigma(z-\frac12)$ that a two-layer network is
           to approximate on a ball of radius $R=\sqrt{1+r_x^2+r_h^2}$.
Statement  $\max|\Psi|=r_x+r_h\le\sqrt2\,R$.  The reading $|\Psi|\le R$ fails, at $r_x=r_h=10$ with $20>14.2$.
Witness    The corners of the box and a grid of rational points inside it; $|\Psi|$ is convex in each variable, so the
           largest value is at a corner.
Measured   Largest $|\Psi|$, in rationals.
Control    The gate without its factor 2; without its offset $\frac12$; a bound by the larger of $r_x,r_h$; the repair
           $\sqrt2\,R$.
Reads      The display was not available to us; that the range is bounded by $R$ is inferred from the proof text.  The
           repair changes a constant only.  The rate of the approximation is not checked: the exact gate of
           proposition_26 replaces it.
"""

import itertools
from dataclasses import dataclass
from fractions import Fraction

from sympy import Max, sqrt

from theorytools import Claim, Control, Quantity, points

from .notation import r_h, r_x

largest = Quantity("range of the gate", r"\max|\Psi|", "largest absolute value on the box", (0, None))
R = sqrt(1 + r_x**2 + r_h**2)


@dataclass(frozen=True)
class Gate:
    """The gate with a factor and an offset."""

    factor: int = 2
    offset: Fraction = Fraction(1, 2)

    def __call__(self, x, h, z):
        """Return the value at one point."""
        return h + self.factor * x * max(z - self.offset, 0)


def construct(p) -> Gate:
    return Gate()


def measure(gate, p):
    steps = [Fraction(k, 4) for k in range(-4, 5)]
    box = itertools.product([s * p.r_x for s in steps], [s * p.r_h for s in steps], steps)
    return {largest: max(abs(gate(*at)) for at in box)}


shared = {"grid": points("r_x r_h", (10, 10), (100, 100), (3, 50), ("1/2", 2)), "construct": construct,
          "measure": measure}
claim = Claim(
    "Lemma 24, the range", asserts=[largest.equals(r_x + r_h), largest <= sqrt(2) * R], **shared,
    controls=[
        Control("the factor 2 left out", breaks=largest.equals(r_x + r_h), construct=lambda p: Gate(factor=1)),
        Control("the offset left out", breaks=[largest], where=r_x >= r_h,
                construct=lambda p: Gate(offset=Fraction(0))),
        Control("the larger radius only", breaks=largest, where=r_x >= 10,
                asserts=[largest <= sqrt(2) * Max(r_x, r_h)]),
    ],
)
radius = Claim(
    "Lemma 24, the range inside the radius", asserts=largest <= R, expect="REFUTED",
    note="The gate's range bounded by the radius of its domain.", **shared,
    controls=[Control("the radius times the root of 2", asserts=[largest <= sqrt(2) * R])],
)
