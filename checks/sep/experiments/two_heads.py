r"""One wide layer of two heads against two layers, trained on equality of 16 bits and on Dyck words of 32 brackets.

Setting    Words of length 32, half of them right, the others one edit away (as in experiments_equality and
           experiments_dyck); one layer of width 64, two layers of width 32, which has half as many weights; two heads
           in each layer, 8000 steps of Adam.
Statement  Predicted: on both tasks one layer misses more than two layers do (undecided), and two layers are above 0.9
           (refuted on equality, undecided on Dyck-(2,2)). Second stage, six new networks of each kind and twice the
           steps: on equality one layer misses more.
Witness    Four networks for each task and depth.
Measured   The ratio of geometric means of misses, 1 less the accuracy plus 1/4096, with Welch's 95 % t-interval; mean
           accuracies with 95 % t-intervals.
Control    The two exchanged; twice the misses; a layer without a miss; one layer for two; above one half, for the
           refuted part.
Reads      All parts are those of the sweeps' rules. Three of the four networks of one layer
           on equality ended in no number and count as rejecting all: trained again from the same draws they are lost at
           steps 1050, 1619 and 2233, where scores differ by 200 and sums underflow in float32. In the second stage sums
           are in float64, and all twelve networks finite: two layers miss less, and far from nothing, so the rows say
           how hard it is to train, not what two layers can do. The lower bound of onelayer_protocol excludes nothing:
           at $H=2$, $d_v=32$ a message has 394 bits at least, at one bit a number, and a word here fewer than 32.
"""

from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.t_intervals import ratio_interval, repeat_mean
from theorytools.training.record import SweepRecord, recorded

from .dyck import HALF, accuracy, ratio

ONE, TWO = "one layer", "two layers"


def construct(p, name="two_heads") -> SweepRecord:
    return recorded(__file__, name)


def misses(record, p, above=ONE, below=TWO, more="", share=1):
    missed = ([1 - value + HALF for value in record.values(f"{p.task}, {who}{more}")] for who in (above, below))
    missed = ([part * miss for miss in row] for part, row in zip((float(share), 1), missed, strict=True))
    return {ratio: fitted(*ratio_interval(*missed), level=0.95)}


def perfect(record, p):
    """One layer without a miss in place of the trained ones."""
    below = [1 - value + HALF for value in record.values(f"{p.task}, {TWO}")]
    return {ratio: fitted(*ratio_interval([HALF] * len(below), below), level=0.95)}


def means(record, p, who=TWO):
    return {accuracy: repeat_mean(record.values(f"{p.task}, {who}"))}


shared = {"role": "prediction", "source": "derived here: experiments on equality and bounded Dyck",
          "scope": {"every task": "points", "every repeat": "recorded"}, "construct": construct}
TASKS = points("task", ("equality",), ("dyck",))
claim = Claim(
    "Experiments: a wide layer of two heads against two layers, length 32", **shared, expect="UNDECIDED",
    asserts=ratio >= 1, measure=misses, grid=TASKS, note="Four networks of each kind do not decide it.",
    controls=[Control("a layer that is always right", breaks=ratio, measure=perfect),
              Control("a tenth of the misses of one layer", breaks=ratio,
                      measure=lambda record, p: misses(record, p, share=Fraction(1, 10)))],
)
learnt = Claim(
    "Experiments: two layers on equality of 16 bits", **shared, expect="REFUTED", asserts=accuracy >= Rational(9, 10),
    measure=means, grid=points("task", ("equality",)),
    controls=[Control("above one half", asserts=[accuracy >= Rational(1, 2)])],
)
brackets = Claim(
    "Experiments: two layers on Dyck words of 32 brackets", **shared, expect="UNDECIDED",
    asserts=accuracy >= Rational(9, 10), measure=means, grid=points("task", ("dyck",)),
    note="One network of four is above 0.9, one near one half.", controls=[
        Control("one layer", breaks=accuracy, measure=lambda record, p: means(record, p, ONE)),
    ],
)
longer = Claim(
    "Experiments: equality of 16 bits, a wide layer of two heads against two layers, second stage",
    **{**shared, "construct": lambda p: construct(p, "two_heads_longer")}, asserts=ratio >= 1,
    measure=lambda record, p: misses(record, p, more=", longer"), grid=points("task", ("equality",)), controls=[
        Control("exchanged", breaks=ratio, measure=lambda record, p: misses(record, p, TWO, ONE, ", longer")),
        Control("twice the misses", breaks=ratio, asserts=[ratio >= 2]),
    ],
)
