r"""A square needs more units the larger the ball: their number grows like $\sqrt{\log(nN)}$, without limit.

Setting    $g(v)=(\langle u,v\rangle^2-1)/\sqrt2$ (he2, $q=1$) on $\|v\|\le Z$, $Z$ the radius of the assumption,
           $\sqrt{3ed\log(nN)}$, rounded up to an integer.
Statement  A network whose restriction to the line through $u$ has $M$ linear pieces (at most $m+1$ with $m$ units) is
           off by at least $\sqrt2Z^2/(4M^2)$ somewhere; $M$ equal cells, lowered by half of their error, attain that
           with $M+1$ units. An error of $\frac1{10}$ takes $M=\lceil Z(5/\sqrt2)^{1/2}\rceil$ pieces.
Adversary  Interpolants at random knots, lowered by half of their error; the equal cells; falsify draws the knots.
Measured   The largest error between two kinks by calculus, in rationals.
Control    Half of the radius; a piece less in the bound; the units that suffice at $nN=4$; knots an eighth cell off.
Reads      Derived here: on a piece of length $\ell$ a line misses $z^2$ by at least $\ell^2/8$. For polynomials $g$ of
           degree two the paper's $r_a,r_w,m_g$ are therefore constants up to powers of $\log(nN)$.
"""

from dataclasses import replace
from fractions import Fraction
from math import ceil

from sympy import E, Rational, ceiling, log, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions import LineUnits, link_head
from theorytools.constructions.line_units import SQUARE

from .assumption_02 import error, width
from .notation import N, Z, cells, d, n

fewer = Quantity("error with a piece less", r"\varepsilon_{M-1}", "least of all networks with M - 1 pieces", (0, None))
bound = sqrt(2) * Z**2 / (4 * cells**2)
radius = ceiling(sqrt(3 * E * d * log(n * N)))
tenth = Rational(1, 10)


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


def sufficient(p, cells=None) -> list[LineUnits]:
    cells = cells or p.cells
    return [LineUnits.square(p.Z, cells, centred=True), LineUnits.square(p.Z, max(cells - 1, 1), centred=True)]


def at_four(p):
    Z = ceil(sqrt(3 * E * p.d * log(4)))
    return sufficient(p, ceil(Z * sqrt(5 / sqrt(2))))


def moved(line):
    step = line.units[0][0] / 16  # the slope rises by two cells at a knot
    return replace(line, units=tuple((c, w, b + step) for c, w, b in line.units))


def both(lines, p):
    heads = [link_head("he2", [1], 1, 1, line=line) for line in lines]
    return {error: lambda: heads[0].sup_error(p.Z), width: heads[0].m, fewer: lambda: heads[1].sup_error(p.Z)}


claim = Claim(
    "Assumption 2, least error for a square", lets={Z: radius},
    asserts=replace(error >= bound, tie=Rational(1, 10**1000)),  # attained at an irrational number
    grid=points("knots N n d cells",
                ("equal", 2, 2, 1, 7), ("equal", 100, 1000, 10, 64), ("equal", 10**4, 10**6, 10, 64),
                ("random", 2, 2, 1, 7), ("random", 100, 1000, 3, 20), ("random", 10**4, 10**6, 10, 64)),
    construct=construct, measure=measure, search=search, force="corroborates", controls=[
        Control("half of the radius", breaks=error, measure=lambda line, p: measure(line, p, part=2),
                construct=lambda p: LineUnits.square(Fraction(p.Z, 2), p.cells, centred=True)),
    ],
)
enough = Claim(
    "Assumption 2, enough units for a square", asserts=[error <= tenth, width <= cells + 1, fewer >= tenth],
    lets={Z: radius, cells: ceiling(radius * sqrt(sqrt(2) / (4 * tenth)))},
    grid=points("N n d", (2, 2, 1), (100, 1000, 1), (100, 1000, 10), (10**4, 10**6, 10), (10**6, 10**12, 10)),
    construct=sufficient, measure=both, controls=[
        Control("the units for nN = 4", breaks=error, where=n * N > 4, construct=at_four),
        Control("knots an eighth of a cell off", breaks=error, construct=lambda p: list(map(moved, sufficient(p)))),
    ],
)
