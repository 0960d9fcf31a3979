r"""One trained head goes below what one token allows, unless the weights decay fast.

Setting    Labels with decaying weights as in question_c, $N=12$, $d=10$, $d_e=12$, general indices; one attention
           layer of Figure 1, AdamW, 128000 fresh prompts. $F_1$ is the least error of a predictor that sees one token,
           $G$ that of one that sees all tokens and not the index.
Statement  Powers $\frac14,\frac12,1,2$ and lengths 2, 8: the loss is below $F_1$ and below $G$. Where $F_1>0.7$ (power
           $\frac14$, length 8) it is below 0.7 all the same: the breakdown of one token is none of the head. For the
           power 4 it stays above $F_1$.
Witness    Five trained networks for each decay, each with its own codes and direction.
Measured   Geometric mean of the test loss with a 95 % t-interval; floors enclosed.
Control    Untrained networks; labels permuted across prompts; predictors of one and of two tokens in place of the
           networks; $G$ for $F_1$.
Reads      For the length $\frac12$ the interval contains $F_1$, which leaves a loss above it open (`short`). A loss
           above $F_1$ is one of this budget, not a limit: a head can represent every one of these labels.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.tasks.decaying_weights import DecayingWeights
from theorytools.statistics.t_intervals import geometric_mean
from theorytools.training.record import SweepRecord, recorded

from ..notation import decay_rate, floor_G, floor_q

loss = Quantity("loss", r"\ell", "mean squared error on 5000 test prompts; 1 is that of predicting 0", (0, None))


def construct(p) -> SweepRecord:
    return recorded(__file__, "approximate")


def measure(record, p, arm=""):
    return {loss: geometric_mean(record.values(arm or f"{p.decay} {Fraction(p.decay_rate)}"))}


def floors(record, p, q=1):
    weights = DecayingWeights(12, p.decay, p.decay_rate)
    return {floor_q: lambda: weights.floor(q), floor_G: weights.without_index}


claim = Claim(
    "Question (c), trained",
    role="found", source="derived here: question (c)",
    scope={"every decay, decay_rate": "points", "every repeat": "recorded"},
    asserts=[loss <= floor_q, loss <= floor_G],
    derive=floors, derived=[floor_q, floor_G], construct=construct, measure=measure,
    grid=points("decay decay_rate", ("power", "1/4"), ("power", "1/2"), ("power", 1), ("power", 2),
                ("exponential", 2), ("exponential", 8)), listed=["decay", decay_rate],
    controls=[
        Control("untrained weights", breaks=loss, where=Eq(decay_rate, 1),
                measure=lambda record, p: measure(record, p, "untrained")),
        Control("labels permuted across prompts", breaks=loss, where=Eq(decay_rate, 1),
                measure=lambda record, p: measure(record, p, "shuffled labels")),
    ],
)
beyond = Claim(
    "Question (c), trained beyond the breakdown",
    role="found", source="derived here: question (c)",
    scope={"every decay, decay_rate": "points", "every repeat": "recorded"},
    asserts=loss <= Rational(7, 10),
    requires=[floor_q >= Rational(7, 10)], derive=floors, derived=[floor_q, floor_G], construct=construct,
    measure=measure, grid=points("decay decay_rate", ("power", "1/4"), ("exponential", 8)), controls=[
        Control("untrained weights", breaks=loss, measure=lambda record, p: measure(record, p, "untrained")),
        Control("one token", breaks=loss, measure=lambda record, p: {loss: lambda: floors(record, p)[floor_q]()}),
    ],
)
fast = Claim(
    "Question (c), trained on fast decay",
    role="found", source="derived here: question (c)",
    scope={"every decay, decay_rate": "points", "every repeat": "recorded"},
    asserts=loss >= floor_q, derive=floors,
    derived=[floor_q, floor_G], construct=construct, measure=measure,
    grid=points("decay decay_rate", ("power", 4)), listed=["decay", decay_rate], controls=[
        Control("two tokens", breaks=loss, measure=lambda record, p: {loss: lambda: floors(record, p, 2)[floor_q]()}),
        Control("the error without retrieval", breaks=loss, asserts=[loss >= floor_G]),
    ],
)
short = replace(
    fast, label="Question (c), trained on the length 1/2", role="found",
    source="derived here: question (c)", scope={"every decay, decay_rate": "points", "every repeat": "recorded"},
    grid=points("decay decay_rate", ("exponential", "1/2")),
    expect="UNDECIDED", note="The interval of five networks contains the error of one token.",
)
