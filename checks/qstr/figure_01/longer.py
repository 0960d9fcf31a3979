r"""At longer prompts the Transformer's samples grow more slowly than Theorem 10 asks for; at short ones, linearly.

Finding    Trained Transformers: from $N=16$ on the prompts they need grow more slowly than Theorem 10 asks for; at
           lengths up to 12 their exponent is close to 1.
Setting    Figure 1a's task and Transformer, $N=4,8,16,32,64$, three networks for each length; $n$ prompts until the
           test loss is below 0.7.
Statement  Over $N=16,32,64$ the exponent of $n$ is at most the slope of what Theorem 10 asks for over the same window,
           and it is smaller than over $N=4,8,16$.
Witness    The trained networks of question_a.
Measured   Exponents by least squares, 95 % t-intervals from the repeats; Theorem 10 between certified crossings.
Control    The short lengths $4,\dots,12$ of figure_01; the feedforward network; windows exchanged.
Reads      Runs, statistic and threshold are those of the sweep's rule; the two windows are ours. At $N=4,\dots,12$ the
           exponent is near 1 (figure_01): there a network that averages is close to the threshold, $1-\frac1N$ against
           0.7. Lengths 128 and 256: figure_01_far.
"""

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.numbers import between
from theorytools.papers.qstr.capacity.generalisation import GeneralisationBound
from theorytools.papers.qstr.capacity.sample_size import required_n_slope
from theorytools.statistics.slopes import SlopeFit, mean_slope
from theorytools.training.record import SweepRecord, recorded

from ..notation import slope_10

growth = Quantity("exponent", r"b_{\mathrm{tr}}", "of the Transformer's samples in the length, N = 16, 32, 64")
bend = Quantity("bend", r"b_{4..16}-b_{16..64}", "exponent over N = 4, 8, 16 less that over N = 16, 32, 64")


def construct(p) -> SweepRecord:
    return recorded(__file__, p.record)


def slope(record, arm, sizes) -> SlopeFit:
    return mean_slope(record.repeats(arm).at(sizes), noise="repeats")


def measure(record, p, short=(4, 8, 16), long=(16, 32, 64)):
    low, high = slope(record, "transformer", short), slope(record, "transformer", long)
    return {growth: fitted(high.low, high.high, level=high.level),
            bend: fitted(low.low - high.high, low.high - high.low, level=0.9)}


def elsewhere(p, name, arm, sizes):
    fit = slope(recorded(__file__, name), arm, sizes)
    return {growth: fitted(fit.low, fit.high, level=fit.level)}


def asked(p):
    ends = required_n_slope(GeneralisationBound(N=100, n=1, d=10, q=1), "N", (16, 64))
    return {slope_10: lambda: between(*ends)}


claim = Claim(
    "Figure 1a, longer prompts",
    role="found", source="derived here: Figure 1a with Theorem 10",
    scope={"every record": "points", "every N": "points", "every repeat": "recorded"},
    asserts=[growth <= slope_10, bend >= 0], derive=lambda record, p: asked(p), derived=[slope_10],
    grid=points("record", ("lengths",)), construct=construct, measure=measure, controls=[
        Control("short prompts", asserts=[growth <= slope_10], breaks=growth,
                measure=lambda record, p: elsewhere(p, "figure_01a", "transformer", (4, 6, 8, 10, 12))),
        Control("the feedforward network", asserts=[growth <= slope_10], breaks=growth,
                measure=lambda record, p: elsewhere(p, "figure_01a", "ffn", (4, 6, 8, 10, 12))),
        Control("windows exchanged", breaks=bend, asserts=[bend >= 0],
                measure=lambda record, p: {bend: measure(record, p, (16, 32, 64), (4, 8, 16))[bend]}),
    ],
)
