r"""The least scale that fetches a position exactly is proportional to $\frac1\gamma$ and to $\ln N$.

Setting    As in nn_transformer_rounding: $N=2^k$ equidistant vectors, $R=e^{\beta_1\gamma}$.
Statement  The least $\beta_1$ at which the fetched code rounds exactly has slope $-1$ against $\gamma$; against
           $k=\log_2N$ it has the slope of $\ln(2^k+1)$, which is 1 up to $\frac1{30}$ on this window. It is
           $\frac1\gamma\ln(N+1+\nu)$, $\nu=(N+1)R^{1-3/\gamma}$.
Witness    NearestNeighbour, by position, with $R$ from a grid of 64ths; $N=64,128$ for the slope in the margin,
           $\gamma=1$ for the other.
Measured   The least $R$ of the grid, by bisection, each $R$ tried in rationals; least-squares log-log slopes.
Control    The scale not divided by the margin; one power more of either; a fixed scale.
Reads      Derived here. $\nu$ and the grid move $\ln R\ge\ln65$ by at most $\frac1{65}(\frac1{65}+\frac1{64})<5\cdot
           10^{-4}$, its logarithm by half of $1.2\cdot10^{-4}$ either way, and five points 2 apart by ratio turn this
           into less than $10^{-4}$ of slope. Against $k$ the formula's own slope, of $\ln(2^k+1)$, is taken: at $k=4$
           both together move $\ln R$ by less than $\frac1{17}(\frac1{17}+\frac1{64})<\frac1{220}$, the slope by
           $\frac1{200}$.
"""

from fractions import Fraction

from sympy import Rational, log

from theorytools import Claim, Control, Enclosure, Quantity, points
from theorytools.claims.language.slope import curve_slope
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask, equidistant

from ..notation import N, gamma, k

by_margin = Quantity("scale by margin", r"\beta_1(\gamma)", "least that fetches exactly, N vectors", (0, None))
by_number = Quantity("scale by number", r"\beta_1(k)", "least that fetches exactly, margin 1", (0, None))
MARGINS = [Fraction(1, j) for j in (1, 2, 4, 8, 16)]
POWERS = [4, 6, 8, 10]


def least(N, margin) -> Fraction:
    """The least R in 64ths that fetches the code of the first vector exactly: all queries are alike."""
    X = equidistant(N, int(N / margin) - N)
    task = NearestTask(X, X[:1])
    low, high = 65, 64 * 4 * N
    while low < high:
        middle = (low + high) // 2
        if NearestNeighbour(task, pull=Fraction(middle, 64)).code_error() == 0:
            high = middle
        else:
            low = middle + 1
    return Fraction(low, 64)


def construct(p):
    return [(least(p.N, m), m) for m in MARGINS], [(least(2**e, 1), 1) for e in POWERS]


def scale(R, margin, power=1):
    return lambda: Enclosure(R).log() / Enclosure(Fraction(margin) ** power)


def measure(found, p, power=1, fixed=False):
    margins, numbers = found
    sizes = [(Fraction(3), 1)] * len(POWERS) if fixed else numbers
    return {by_margin: curve_slope(MARGINS, [scale(*pair, power) for pair in margins]),
            by_number: curve_slope(POWERS, [scale(*pair) for pair in sizes])}


def slopes(of_margin, of_number):
    return [by_margin.slope(gamma, of_margin, "==", within=Rational(1, 5000)),
            by_number.slope(k, of_number, "==", within=Rational(1, 200))]


claim = Claim(
    "Nearest neighbour, how the scale grows",
    role="growth", source="derived here: nearest neighbour by two layers",
    scope={"every margin and number N of a window": "points", "some network": "exhibited",
           "every query": "closed form"},
    grid=points("N", (64,), (128,)), requires=[N >= 64],
    asserts=[*slopes(1 / gamma, log(2**k + 1)), by_number.slope(k, k, "==", within=Rational(1, 30))],
    construct=construct, measure=measure, controls=[
        Control("not divided by the margin", breaks=by_margin, measure=lambda found, p: measure(found, p, power=0)),
        Control("a fixed scale", breaks=by_number, measure=lambda found, p: measure(found, p, fixed=True)),
        Control("one power more", breaks=[by_margin, by_number], asserts=slopes(gamma**-2, log(2**k + 1) ** 2)),
        Control("a hundredth of a power more", breaks=[by_margin, by_number],
                asserts=slopes(gamma ** -Rational(101, 100), log(2**k + 1) ** Rational(101, 100))),
    ],
)
