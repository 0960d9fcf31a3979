r"""Projections of two dimensions: a sum of $P$ products has the error $\sqrt P\,h^2/8$ with $2PM$ units.

Setting    $g(v)=P^{-1/2}\sum_{p\le P}v_{2p-1}v_{2p}$ on $\|v\|\le Z$: $P$ functions of two coordinates each, $k=2$;
           networks $a^\top\sigma(Wv+b)$ with $m$ units, $A=\|a\|_2$, $B=\|(W,b)\|_F$, every unit balanced.
Statement  $M$ cells of width $h=2Z/M$ on each of the $2P$ directions give the error $\sqrt P\,h^2/8$ with
           $m\le2PM$ and $AB\le\sqrt P(2Z\sqrt{1+Z^2}+2\operatorname{arsinh}Z+1)$. So an error of $\sqrt\varepsilon$
           takes $m=2PZ\,(\sqrt P/(2\sqrt\varepsilon))^{1/2}$ units up to rounding: $P^{5/4}\varepsilon^{-1/4}$.
Witness    $v_1v_2=\frac12(w_+^2-w_-^2)$, $w_\pm=(v_1\pm v_2)/\sqrt2$: the interpolants of assumption_02 on $2P$
           orthonormal directions, half of them with the sign $-$.
Proof      An interpolant of a square is above it by at most $h^2/4$, and nowhere below. So the two halves of a product
           miss by numbers in $[0,\frac{h^2}8]$ of opposite signs, and $g$ by at most $P^{-1/2}P\frac{h^2}8$; attained
           where every $w_+$ is the middle of a cell and every $w_-$ an end of one, one of them 0 and the other
           $\pm\frac h2$, of norm $\sqrt P\,h/2\le Z$ if $P\le M^2$.
Measured   The error executed at that input and at others, and what no input exceeds, by calculus in rationals; norms
           enclosed.
Control    Half of the cells; knots a quarter cell off; the squares of $w_+$ alone; a unit missing; $\frac{h^2}{16}$ for
           $\frac{h^2}8$.
Reads      Derived here. The paper's remark has $m_g=\tilde O((P/\sqrt\varepsilon)^k)$ for every Lipschitz function of
           $k$ dimensions, by an existence proof; of degree two fewer units are enough, and only these are built here.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from sympy import log, sqrt

from theorytools import Claim, Control, Enclosure, Quantity, enclosed_between, letter, points
from theorytools.constructions.feedforward.piecewise_linear import SQUARE, LineUnits

from ..notation import Z, cells
from .assumption_02 import product, width

pairs = letter("pairs", "products in a link", latex="P", integer=True, positive=True)
error = Quantity("error", r"\sup_{\|v\|\le Z}|g(v)-\hat g(v)|", "of the network for a sum of products", (0, None))
formula = sqrt(pairs) * (2 * Z / cells) ** 2 / 8


@dataclass(frozen=True)
class Products:
    """Squares on a line, for the half of the directions with the sign + and for the half with the sign -."""

    plus: LineUnits
    minus: LineUnits | None
    pairs: int
    h: Fraction  # width of a cell

    def executed(self, radius) -> Fraction:
        """Return by how much one product is missed at the worst of some inputs, the same in all pairs."""
        far = Fraction(radius) / (2 * self.pairs)
        places = [*(k * self.h / 4 for k in range(-8, 9)), far, -far]
        plus, minus = ([(line(z) + 1 if line else 0) - z**2 for z in places] for line in (self.plus, self.minus))
        return max(abs(a - b) for x, a in zip(places, plus, strict=True) for y, b in zip(places, minus, strict=True)
                   if self.pairs * (x**2 + y**2) <= Fraction(radius) ** 2) / 2

    def most(self, radius) -> Fraction:
        """Return what no input misses a product by, the square of w_- missed wholly where it is left out."""
        above = [line.largest_error(SQUARE, radius)[0] if line else Fraction(radius) ** 2
                 for line in (self.plus, self.minus)]
        return max(above) / 2

    @property
    def units(self) -> int:
        """The number of units."""
        return self.pairs * sum(len(line.units) for line in (self.plus, self.minus) if line)


def construct(p, cells=None, shift=0, short=0) -> Products:
    cells = cells or p.cells
    line, h = LineUnits.square(p.Z, cells), Fraction(2 * p.Z) / cells
    units = tuple((c, w, b - shift * h * w) for c, w, b in line.units)[: len(line.units) - short]
    return Products(replace(line, units=units), line, p.pairs, h)


def measure(net, p):
    root = Enclosure(p.pairs).sqrt
    return {error: enclosed_between(lambda: root() * net.executed(p.Z), lambda: root() * net.most(p.Z)),
            width: net.units,
            product: lambda: root() * (net.plus.path_norm() + (net.minus or net.plus).path_norm()) / 2}


claim = Claim(
    "Assumption 2, products",
    role="variant", source="derived here: Assumption 2",
    scope={"every pairs, Z, cells": "points", "some network": "exhibited", "every input": "proof"},
    asserts=[error.equals(formula, within=formula / 10**9), width <= 2 * pairs * cells,
             product <= sqrt(pairs) * (2 * Z * sqrt(1 + Z**2) + 2 * log(Z + sqrt(1 + Z**2)) + 1)],
    requires=[pairs <= cells**2], construct=construct, measure=measure,
    grid=points("pairs Z cells", (2, 5, 16), (3, 5, 64), (10, 20, 34), (5, "7/2", 256), (3, 1, 2), (2, 3, 5)),
    controls=[
        Control("half of the cells", breaks=error, where=cells >= 16, construct=lambda p: construct(p, p.cells // 2)),
        Control("knots a quarter cell off", breaks=error, construct=lambda p: construct(p, shift=Fraction(1, 4))),
        Control("the squares of w_+ alone", breaks=error,
                construct=lambda p: replace(construct(p), minus=None)),
        Control("a unit missing", breaks=error, construct=lambda p: construct(p, short=1)),
        Control("h^2/16 for h^2/8", breaks=error, asserts=[error.equals(formula / 2, within=formula / 10**9)]),
    ],
)
