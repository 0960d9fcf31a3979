r"""Trained on a two-step look-up, two layers learn it and one layer of as many parameters does not.

Setting    1STR prompts with labels $\langle u,x_{t_{t_i}}\rangle$ at every position, variance 1, $d=4$, $N=8,16$,
           orthonormal codes, a residual and a ReLU head. Two attention layers of one head, or one layer of 1, 2 or 4:
           that of 2 has exactly as many parameters. 128000 fresh prompts, AdamW.
Statement  The loss of one layer of two heads is more than 4 times that of two layers, which is at most $\frac14$. So is
           the loss of the one layer on one step, $x_{t_i}$. One layer of $H$ heads stays above the floor
           $(1-\frac1N)\frac{N-2-H}N$ of question_e_one_layer.
Witness    Five trained networks for each cell at $N=8$, four at $N=16$.
Measured   The ratio of geometric means with Welch's 95 % t-interval; mean losses on 4000 fresh prompts with theirs.
Control    One and two layers exchanged; one layer of one head in place of two layers; shuffled labels; no training; one
           layer on two steps held to the $\frac14$; two layers, and one on one step, held to the floor.
Reads      Statistic, rule and the numbers 4 and $\frac14$ are the sweep's. The floor is proved for scores that do not
           see the key's token; those trained may.
"""

from sympy import Eq, Rational, true

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.t_intervals import ratio_interval, repeat_mean
from theorytools.training.record import SweepRecord, recorded

from ..notation import H, N

ratio = Quantity("ratio", "R_1/R_2", "loss of one layer of two heads over that of two layers", (0, None))
deep = Quantity("two layers", "R_2", "loss of two layers on two steps, mean over networks", (0, None))
near = Quantity("one step", "R'", "loss of one layer on one step, mean over networks", (0, None))
loss = Quantity("loss", "R", "of one layer on two steps, mean over networks", (0, None))
HEADS = {1: "one layer", 2: "two heads", 4: "four heads"}


def construct(p) -> SweepRecord:
    return recorded(__file__, "two_step")


def ratios(record, p, above, below):
    return fitted(*ratio_interval(*(record.values(arm, N=p.N) for arm in (above, below))), level=0.95)


def measure(record, p, above="two heads", below="two layers", deeper="two layers", step="one step"):
    return {ratio: ratios(record, p, above, below), deep: repeat_mean(record.values(deeper, N=p.N)),
            near: repeat_mean(record.values(step, N=p.N))}


def means(record, p, arm):
    return {loss: repeat_mean(record.values(arm, N=p.N))}


def spoiled(name, breaks, where=true, **other):
    return Control(name, breaks=breaks, where=where, measure=lambda record, p: measure(record, p, **other))


claim = Claim(
    "Question (e), trained",
    role="found", source="derived here: question (e)", scope={"every N": "points", "every repeat": "recorded"},
    asserts=[ratio >= 4, deep <= Rational(1, 4), near <= Rational(1, 4)],
    construct=construct, measure=measure, grid=points("N", (8,), (16,)), controls=[
        spoiled("exchanged", ratio, above="two layers", below="two heads"),
        spoiled("one layer in place of two", ratio, below="one layer"),
        spoiled("one layer on two steps", [deep, near], deeper="two heads", step="two heads"),
        spoiled("labels shuffled", [deep, near], Eq(N, 8), deeper="shuffled labels", step="shuffled labels"),
        spoiled("no training", [deep, near], Eq(N, 8), deeper="untrained", step="untrained"),
    ],
)
floor = Claim(
    "Question (e), one layer trained",
    role="found", source="derived here: question (e)", scope={"every N, H": "points", "every repeat": "recorded"},
    asserts=loss >= (1 - 1 / N) * (N - 2 - H) / N, construct=construct,
    measure=lambda record, p: means(record, p, HEADS[p.H]),
    grid=points("N H", *[(N, H) for N in (8, 16) for H in HEADS]), listed=[H], controls=[
        Control("two layers", breaks=loss, measure=lambda record, p: means(record, p, "two layers")),
        Control("nothing learnt at all", breaks=loss, asserts=[loss >= 1]),
        Control("one step", breaks=loss, measure=lambda record, p: means(record, p, "one step")),
    ],
)
