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
Reads      Statistic, rule and the numbers 4, $\frac14$ and the floor were fixed before the sweep ran, after runs on
           other repeats. The floor is proved for scores that do not see the key's token; those trained may.
"""

from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.t_intervals import ratio_interval, repeat_mean
from theorytools.training.record import SweepRecord, recorded

from ..notation import H, N

ratio = Quantity("ratio", "R_1/R_2", "loss of one layer of two heads over that of two layers", (0, None))
loss = Quantity("loss", "R", "after the last prompt, mean over networks", (0, None))
HEADS, LEARNED = {1: "one layer", 2: "two heads", 4: "four heads"}, {"two_layers": "two layers", "one_step": "one step"}


def construct(p) -> SweepRecord:
    return recorded(__file__, "two_step")


def ratios(record, p, above="two heads", below="two layers"):
    low, high = ratio_interval(*(record.values(arm, N=p.N) for arm in (above, below)))
    return {ratio: fitted(low, high, level=0.95)}


def means(record, p, arm):
    return {loss: repeat_mean(record.values(arm, N=p.N))}


lengths = {"construct": construct}
wrong = [Control(name, breaks=loss, where=Eq(N, 8), measure=lambda record, p, arm=arm: means(record, p, arm))
         for name, arm in (("labels shuffled", "shuffled labels"), ("no training", "untrained"))]
claim = Claim(
    "Question (e), trained",
    role="found", source="derived here: question (e)", scope={"every N": "points", "every repeat": "recorded"},
    asserts=ratio >= 4, grid=points("N", (8,), (16,)), measure=ratios, controls=[
        Control("exchanged", breaks=ratio, measure=lambda record, p: ratios(record, p, "two layers", "two heads")),
        Control("one layer in place of two", breaks=ratio,
                measure=lambda record, p: ratios(record, p, below="one layer")),
    ], **lengths,
)
learned = Claim(
    "Question (e), what is learned",
    role="found", source="derived here: question (e)",
    scope={"every net, N": "points", "every repeat": "recorded"},
    asserts=loss <= Rational(1, 4),
    measure=lambda record, p: means(record, p, LEARNED[p.net]),
    grid=points("net N", *[(net, N) for net in LEARNED for N in (8, 16)]), controls=[
        Control("one layer on two steps", breaks=loss, measure=lambda record, p: means(record, p, "two heads")), *wrong,
    ], **lengths,
)
floor = Claim(
    "Question (e), one layer trained",
    role="found", source="derived here: question (e)", scope={"every N, H": "points", "every repeat": "recorded"},
    asserts=loss >= (1 - 1 / N) * (N - 2 - H) / N,
    measure=lambda record, p: means(record, p, HEADS[p.H]),
    grid=points("N H", *[(N, H) for N in (8, 16) for H in HEADS]), listed=[H], controls=[
        Control("two layers", breaks=loss, measure=lambda record, p: means(record, p, "two layers")),
        Control("nothing learnt at all", breaks=loss, asserts=[loss >= 1]),
        Control("one step", breaks=loss, measure=lambda record, p: means(record, p, "one step")),
    ], **lengths,
)
