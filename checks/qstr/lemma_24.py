r"""The gate h + 2 x relu(z - 1/2) reads z = 1 and z <= 1/2 exactly, and its range decides the radius of its domain.

Setting    $|x|\le r_x$, $|h|\le r_h$, $|z|\le1$ and the gate $\Psi=h+2x\sigma(z-\frac12)$ that a two-layer network is
           to approximate on a ball of radius $R=\sqrt{1+r_x^2+r_h^2}$.
Statement  $\Psi=h+x$ at $z=1$ and $\Psi=h$ for $z\le\frac12$.  $\max|\Psi|=r_x+r_h\le\sqrt2\,R$.  The reading
           $|\Psi|\le R$ fails wherever $2r_xr_h>1$, at $r_x=r_h=10$ with $20>14.2$.
Witness    The corners of the box and a grid of rational points inside it; $|\Psi|$ is convex in each variable, so the
           largest value is at a corner.
Measured   Largest $|\Psi|$ and the points that are misread, in rationals.
Control    The gate without its factor 2; without its offset $\frac12$, with $\frac14$; a bound by the larger of
           $r_x,r_h$; the repair $\sqrt2\,R$.
Reads      The display was not available to us; that the range is bounded by $R$ is inferred from the proof text.  The
           repair changes a constant only.  Of the approximation only the rate is followed, in lemma_25_rates; the
           exact gate of proposition_26 replaces it.
"""

import itertools
from dataclasses import dataclass
from fractions import Fraction

from sympy import Max, sqrt

from theorytools import Claim, Control, Quantity, points

from .notation import r_h, r_x

largest = Quantity("range of the gate", r"\max|\Psi|", "largest absolute value on the box", (0, None))
misread = Quantity("points misread", r"\#\{\Psi\ne h+x\,\mathbb{1}[z=1]\}", "with z = 1 or z <= 1/2", (0, None))
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
    box = list(itertools.product([s * p.r_x for s in steps], [s * p.r_h for s in steps], steps))
    wrong = sum(gate(x, h, z) != h + x * (z == 1) for x, h, z in box if z == 1 or 2 * z <= 1)
    return {largest: max(abs(gate(*at)) for at in box), misread: wrong}


shared = {"grid": points("r_x r_h", (10, 10), (100, 100), (3, 50), ("1/2", 2), (2000, 1000)), "construct": construct,
          "measure": measure}
claim = Claim(
    "Lemma 24, the range",
    role="statement", source="derived here: Lemma 24, with an exact gate",
    scope={"every r_x, r_h": "points", "every radius": "points", "some gate": "exhibited",
           "every input": "closed form"},
    asserts=[largest.equals(r_x + r_h), largest <= sqrt(2) * R, misread.equals(0)], **shared,
    controls=[
        Control("the factor 2 left out", breaks=[largest.equals(r_x + r_h), misread],
                construct=lambda p: Gate(factor=1)),
        Control("the offset left out", breaks=[largest, misread], where=r_x >= r_h,
                construct=lambda p: Gate(offset=Fraction(0))),
        Control("the offset 1/4", breaks=misread, asserts=[misread.equals(0)],
                construct=lambda p: Gate(offset=Fraction(1, 4))),
        Control("the radius of the domain", breaks=largest, where=2 * r_x * r_h > 1, asserts=[largest <= R]),
        Control("the larger radius only", breaks=largest, where=r_x >= 10,
                asserts=[largest <= sqrt(2) * Max(r_x, r_h)]),
    ],
)
