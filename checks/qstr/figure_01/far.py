r"""Prompts at lengths 128 and 256, predicted from lengths 16 to 64 before any of these runs.

Setting    As in figure_01_longer; three networks each at $N=128$ and 256.
Statement  The geometric means of $n$ lie within a factor $\frac32$ of the line through the means of $\log n$ at
           $N=16,32,64$, and the exponent over $N=16,\dots,256$ is at most the slope of what Theorem 10 asks for there.
Witness    Trained networks.
Measured   Mean over prediction, a number of the record; the exponent with its 95 % t-interval from the repeats.
Control    The prediction from $N=4,8,16$; the short lengths of figure_01.
Reads      Both parts are the sweep's rule. The line is a description of lengths 16 to 64, no law.
"""

from fractions import Fraction
from math import exp, log

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted, observed
from theorytools.numbers import between
from theorytools.papers.qstr.capacity.generalisation import GeneralisationBound
from theorytools.papers.qstr.capacity.sample_size import required_n_slope
from theorytools.statistics.censored import Repeats
from theorytools.statistics.slopes import mean_slope
from theorytools.training.record import SweepRecord, recorded

from ..notation import slope_10
from .longer import slope

growth = Quantity("exponent", r"b_{\mathrm{tr}}", "of the Transformer's samples in the length, N = 16, ..., 256")
ratio = Quantity("mean over prediction", r"n/\hat n", "geometric mean of the prompts over the extended line", (0, None))


def construct(p) -> SweepRecord:
    return recorded(__file__, "far_lengths")


def measure(record, p, sizes=(16, 32, 64)):
    near = recorded(__file__, "lengths")
    line = slope(near, "transformer", sizes)
    means = record.means("transformer")
    reached, one = means[p.N], near.repeats("transformer").at((16, 32, 64))
    two = record.repeats("transformer")
    whole = Repeats(one.sizes + two.sizes, one.low + two.low, one.high + two.high)
    fit = mean_slope(whole, noise="repeats")
    return {growth: fitted(fit.low, fit.high, level=fit.level),
            ratio: observed(Fraction(reached / exp(line.intercept + line.slope * log(p.N))), "numpy")}


def asked(p):
    ends = required_n_slope(GeneralisationBound(N=100, n=1, d=10, q=1), "N", (16, 256))
    return {slope_10: lambda: between(*ends)}


def short():
    fit = slope(recorded(__file__, "figure_01a"), "transformer", (4, 6, 8, 10, 12))
    return fitted(fit.low, fit.high, level=fit.level)


asserts = [ratio >= Rational(2, 3), ratio <= Rational(3, 2), growth <= slope_10]
claim = Claim(
    "Figure 1a, predicted lengths",
    role="prediction", source="derived here: Figure 1a with Theorem 10",
    scope={"every N": "points", "every repeat": "recorded"},
    asserts=asserts, derive=lambda record, p: asked(p), derived=[slope_10], listed=["N"],
    grid=points("N", (128,), (256,)), construct=construct, measure=measure, controls=[
        Control("predicted from the short lengths", asserts=asserts[:2], breaks=asserts[0],
                measure=lambda record, p: {ratio: measure(record, p, (4, 8, 16))[ratio]}),
        Control("short prompts", asserts=[growth <= slope_10], breaks=growth,
                measure=lambda record, p: {growth: short()}),
    ],
)
