r"""The two-layer heads have a covering whose size is a power of one over its radius, the number of parameters.

Setting    Heads as in Lemma 14; the distance of two heads is their largest difference on $\|h\|\le\sqrt Hr_z$.
Statement  $\log\mathcal{C}(\mathcal{F}_{\mathrm{2NN}},\varepsilon)\le
           m(HD_e+2)\log(1+4AB\sqrt{1+Hr_z^2}/\varepsilon)$.
Proof      With $l=\sqrt{1+Hr_z^2}$ coverings of $\|a\|\le A$ and of $\|(W,b)\|_F\le B$ by radii $\varepsilon/(2Bl)$ and
           $\varepsilon/(2Al)$ make one of the heads (lemma_14). A largest set of points of a ball of $\mathbb{R}^k$ at
           mutual distances above $\varrho$ covers it, and its balls of radius $\frac\varrho2$ are disjoint: at most
           $(1+2R/\varrho)^k$ points. Here $2R/\varrho=4ABl/\varepsilon$ twice, with $m$ and $m(HD_e+1)$ parameters.
Witness    At $m=H=D_e=1$: a grid, half of the radius for $a$, half for $(w,b)$, with all centres in the class. Against
           smaller bounds: heads at mutual distances above $2\varepsilon$, of which no ball holds two.
Measured   Sizes, counted; the distance of every member from the centre of its cell, bounded on whole boxes, rational.
Control    A grid three times as coarse; one laid out without $\sqrt{1+Hr_z^2}$; one parameter for three; a lower bound
           with three parameters, of which $aw$ and $ab$ determine a head up to its sign; heads at four times the
           distance.
Reads      The constants are derived here; the paper states $m_gHD_e$ parameters up to constants.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Rational, exp

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.capacity.covering import head
from theorytools.theory.capacity.grid_covers import HeadGrid, exact_root

from ..notation import A, B, eps_c, r_z

size = Quantity("size of the covering", r"|\mathcal{N}|", "an upper bound of the covering number", (1, None))
radius = Quantity("radius of the covering", r"\max_f\min_{f'\in\mathcal{N}}d(f,f')", "bounded cell by cell", (0, None))
apart = Quantity("separated heads", "|S|", "a lower bound of the covering number", (1, None))
step = head(eps_c, m=1, H=1, D_e=1, A=A, B=B, r_z=r_z)
bound, ratio = exp(step.expr), 4 * A * B * step.factors["lipschitz"] / eps_c


def construct(p, coarse=1, lipschitz=None) -> HeadGrid:
    numbers = [Fraction(x) for x in (p.A, p.B, p.r_z, p.eps_c)]
    return HeadGrid(*numbers, lipschitz or exact_root(1 + numbers[2] ** 2), coarse)


claim = Claim(
    "Lemma 14, a covering",
    role="statement", source="published: Lemma 14; prose",
    scope={"every A, B, r_z": "proof", "every radius eps_c": "proof", "some covering": "exhibited",
           "every head": "closed form"},
    asserts=[size <= bound, radius <= eps_c],
    grid=points("A B r_z eps_c", (1, 1, "3/4", 1), (1, 1, "3/4", "1/2"), (2, "1/2", "3/4", 1), (1, 1, "12/5", 1)),
    construct=construct, measure=lambda g, p: {size: g.size(), radius: g.radius()}, controls=[
        Control("three times as coarse", breaks=radius, construct=lambda p: construct(p, coarse=3)),
        Control("laid out for Lipschitz constant 1", breaks=radius,
                construct=lambda p: construct(p, lipschitz=Fraction(1))),
        Control("one parameter for three", asserts=[size <= 1 + ratio], breaks=size),
    ],
)
separated = Claim(
    "Lemma 14, two of three parameters count",
    role="sharpness", source="derived here: Lemma 14",
    scope={"every A, B, r_z": "points", "every radius eps_c": "points", "some heads": "exhibited"},
    asserts=[apart <= bound, apart >= (A * B / (2 * eps_c)) ** 2],
    requires=[eps_c <= A * B / 4, r_z >= Rational(3, 4)],  # coarser heads, and nearly constant ones, are fewer
    grid=points("A B r_z eps_c", (1, 1, "3/4", "1/64"), (1, 1, "12/5", "1/64"), (2, 1, "4/3", "1/64"),
                (1, 1, "3/4", "1/16"), (1, 1, "3/4", "1/1024")),
    construct=construct, measure=lambda g, p: {apart: g.packed()}, controls=[
        Control("one parameter for three", asserts=[apart <= 1 + ratio], breaks=apart),
        Control("heads at four times the distance", asserts=[apart >= (A * B / (2 * eps_c)) ** 2], breaks=apart,
                construct=lambda p: replace(construct(p), eps=4 * Fraction(p.eps_c))),
        Control("three parameters where two count", asserts=[apart >= (A * B / (2 * eps_c)) ** 3], breaks=apart),
    ],
)
