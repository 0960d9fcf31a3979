r"""A piecewise linear function misses a square by an amount that grows with the ball, like $\log(nN)$.

Setting    $g(v)=(\langle u,v\rangle^2-1)/\sqrt2$ (he2, $q=1$) on $\|v\|\le Z$, $Z$ the radius of the assumption,
           $\sqrt{3ed\log(nN)}$, rounded up to an integer.
Statement  A network whose restriction to the line through $u$ has $M$ linear pieces (at most $m+1$ with $m$ units) is
           off by at least $\sqrt2Z^2/(4M^2)$ somewhere; $M$ equal cells, lowered by half of their error, attain that
           with at most $M+1$ units.
Adversary  Interpolants at random knots, lowered by half of their error; the equal cells; falsify draws the knots.
Measured   The largest error between two kinks by calculus, in rationals.
Control    Half of the radius; a piece less in the bound.
Reads      Derived here: on a piece of length $\ell$ a line misses $z^2$ by at least $\ell^2/8$.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import E, Eq, Rational, ceiling, log, sqrt

from theorytools import Claim, Control, points
from theorytools.constructions.feedforward.link_heads import link_head
from theorytools.constructions.feedforward.piecewise_linear import SQUARE, LineUnits

from ..notation import N, Z, cells, d, n
from .assumption_02 import error

bound = sqrt(2) * Z**2 / (4 * cells**2)
radius = ceiling(sqrt(3 * E * d * log(n * N)))


def construct(p) -> LineUnits:
    if p.knots == "random":
        return through(p.rng("knots").choice(128 * p.Z - 1, p.cells - 1, replace=False) + 1, p)
    return LineUnits.square(p.Z, p.cells, centred=True)


def through(knots, p):
    line = LineUnits.square_through([-p.Z, *(Fraction(int(k), 64) - p.Z for k in sorted(knots)), p.Z])
    return replace(line, offset=line.offset - line.largest_error(SQUARE, p.Z)[0] / 2)


def search(draw, p):
    from hypothesis import strategies as st
    size = p.cells - 1
    return through(draw(st.lists(st.integers(1, 128 * p.Z - 1), min_size=size, max_size=size, unique=True)), p)


def measure(line, p, part=1):
    return {error: lambda: link_head("he2", [1], 1, 1, line=line).sup_error(Fraction(p.Z, part))}


claim = Claim(
    "Assumption 2, least error for a square",
    role="sharpness", source="derived here: Assumption 2",
    scope={"every knots, N, n, d, cells": "points", "every radius": "points", "every network": "drawn"},
    lets={Z: radius},
    asserts=replace(error >= bound, tie=Rational(1, 10**1000)),  # attained at an irrational number
    grid=points("knots N n d cells",
                ("equal", 2, 2, 1, 7), ("equal", 100, 1000, 10, 64), ("equal", 10**4, 10**6, 10, 64),
                ("random", 2, 2, 1, 7), ("random", 100, 1000, 3, 20), ("random", 10**4, 10**6, 10, 64)),
    construct=construct, measure=measure, search=search, controls=[
        Control("half of the radius", breaks=error, measure=lambda line, p: measure(line, p, part=2),
                construct=lambda p: LineUnits.square(Fraction(p.Z, 2), p.cells, centred=True)),
        Control("a piece less in the bound", breaks=error, where=Eq(cells, 7),
                construct=lambda p: LineUnits.square(p.Z, p.cells, centred=True),
                asserts=[error >= bound.subs(cells, cells - 1)]),
    ],
)
