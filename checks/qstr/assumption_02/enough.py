r"""The units that a square needs at a fixed error grow like $\sqrt{\log(nN)}$, without limit.

Setting    As in assumption_02_units: he2, $q=1$, $Z=\lceil\sqrt{3ed\log(nN)}\rceil$.
Statement  $M=\lceil Z(5/\sqrt2)^{1/2}\rceil$ pieces, $m\le M+1$ units, have an error of at most $\frac1{10}$; $M-1$
           pieces, in whatever network, have a larger one.
Witness    Equal cells, lowered by half of their error; the least error of all networks with $M-1$ pieces.
Measured   The largest error between two kinks by calculus, in rationals.
Control    The units that suffice at $nN=4$; knots an eighth of a cell off.
Reads      Derived here. For polynomials $g$ of degree two the paper's $r_a,r_w,m_g$ are therefore constants up to
           powers of $\log(nN)$.
"""

from dataclasses import replace
from math import ceil

from sympy import E, Rational, ceiling, log, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.feedforward.link_heads import link_head
from theorytools.constructions.feedforward.piecewise_linear import LineUnits

from ..notation import N, Z, cells, n
from .assumption_02 import error, width
from .units import radius

fewer = Quantity("error with a piece less", r"\varepsilon_{M-1}", "least of all networks with M - 1 pieces", (0, None))
tenth = Rational(1, 10)


def construct(p, cells=None) -> list[LineUnits]:
    cells = cells or p.cells
    return [LineUnits.square(p.Z, cells, centred=True), LineUnits.square(p.Z, max(cells - 1, 1), centred=True)]


def at_four(p):
    Z = ceil(sqrt(3 * E * p.d * log(4)))
    return construct(p, ceil(Z * sqrt(5 / sqrt(2))))


def moved(line):
    step = line.units[0][0] / 16  # the slope rises by two cells at a knot
    return replace(line, units=tuple((c, w, b + step) for c, w, b in line.units))


def measure(lines, p):
    heads = [link_head("he2", [1], 1, 1, line=line) for line in lines]
    return {error: lambda: heads[0].sup_error(p.Z), width: heads[0].m, fewer: lambda: heads[1].sup_error(p.Z)}


claim = Claim(
    "Assumption 2, enough units for a square",
    role="growth", source="derived here: Assumption 2",
    scope={"every N, n, d": "points", "some network": "exhibited", "every input": "closed form"},
    asserts=[error <= tenth, width <= cells + 1, fewer >= tenth],
    lets={Z: radius, cells: ceiling(radius * sqrt(sqrt(2) / (4 * tenth)))},
    grid=points("N n d", (2, 2, 1), (100, 1000, 1), (100, 1000, 10), (10**4, 10**6, 10), (10**6, 10**12, 10)),
    construct=construct, measure=measure, controls=[
        Control("the units for nN = 4", breaks=error, where=n * N > 4, construct=at_four),
        Control("knots an eighth of a cell off", breaks=error, construct=lambda p: list(map(moved, construct(p)))),
    ],
)
