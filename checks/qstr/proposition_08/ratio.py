r"""One number per position is twice the least dimension without error; at an error of one percent a logarithm more.

Setting    As in Proposition 8: a slot per payload, $d_h=N$, $U=I$, $r_h=\sqrt{2N}$, hence
           $L\|U\|_{\mathrm{op}}=2\sqrt N$.
Statement  At $c\to0$ the bound is $\frac{N-1}2$, and $d_h$ is $\frac{2N}{N-1}$ times as large.  At $c=\frac1{100}$,
           $c'=\frac N{N-1}c$, and the best resolution the factor is at least $(6+\log8N)/\log10$.
Witness    StoreAllRNN with the clipped readout.
Measured   Dimension and slope of the network, the slope twice, by its radius and by the formula; the maximum over the
           resolution by bisection, each sign of the derivative proved, and beside it the best of many listed
           resolutions.
Control    The error of a whole order less; one more slot; the form for one state, which is twice as large; a radius one
           per cent larger.
Reads      The constants are derived here.  The error $c$ is what is tolerated, not the risk of the network.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Rational, log, sqrt

from theorytools import Claim, Control, Quantity, enclosed, grid
from theorytools.constructions.recurrent.store_all import StoreAllRNN
from theorytools.numbers import Enclosure, minimum
from theorytools.papers.qstr.memory.rate_distortion import best_dimension_per_payload

from ..notation import N, tried
from .least import RESOLUTIONS

exact = Quantity("over the bound, no error", r"d_h/\tfrac{N-1}2", "dimension over the bound at c = 0", (0, None))
steep = Quantity("slope", r"L\|U\|_{\mathrm{op}}", "of the network", (0, None))
least = Quantity("over the bound", r"d_h/\max_{\eta'}", "the same at an error of one percent", (0, None))


def construct(p) -> StoreAllRNN:
    return StoreAllRNN.binary(p.N, 2 * p.N, clipped=True)


def derive(net, p):
    def best():
        c, K = Enclosure(Fraction(p.N, 100 * (p.N - 1))).sqrt(), 2 * net.slope() ** 2
        return minimum([-(K / x**2).log() / (c + x).log() for x in RESOLUTIONS if 2 * x < 1]) * Fraction(p.N, p.N - 1)

    return {tried: best}


def measure(net, p, c=Fraction(1, 100), more=0, sides=2):
    def bound():
        K = sides * net.slope() ** 2  # one state alone: twice the bound, without the factor 2 in its logarithm
        return best_dimension_per_payload(Fraction(p.N, p.N - 1) * c, K) * (p.N - 1) * Fraction(2, sides)

    width = net.d_h + more
    return {exact: Fraction(sides * width, p.N - 1), least: enclosed(lambda: width / bound()), steep: net.slope}


whole, slope = exact.equals(2 * N / (N - 1)), steep.equals(2 * sqrt(N), within=sqrt(N) / 10**12)
above, below = least >= Rational(999, 1000) * tried, least <= tried
claim = Claim(
    "Proposition 8, slots over the bound",
    role="sharpness", source="derived here: Proposition 8", scope={"every N": "points", "some network": "exhibited"},
    asserts=[whole, slope, below, above, least >= (6 + log(8 * N)) / log(10)],
    requires=[N >= 2], construct=construct, measure=measure, derive=derive, derived=[tried],
    grid=grid(N=[16, 64, 256, 1024, 16384, 131072]),
    controls=[
        Control("a tenth of the error", breaks=above, asserts=[above],
                measure=lambda net, p: measure(net, p, c=Fraction(1, 1000))),
        Control("one more slot", breaks=exact, asserts=[whole],
                measure=lambda net, p: measure(net, p, more=1)),
        Control("one state alone", breaks=[exact, above], asserts=[whole, above],
                measure=lambda net, p: measure(net, p, sides=1)),
        Control("a radius one per cent larger", breaks=steep, asserts=[whole, slope],
                construct=lambda p: replace(construct(p), radius2=Fraction(101, 100) ** 2 * 2 * p.N)),
    ],
)
