r"""A trained layer of attention looks up an index at every length tried.

Setting    Index lookup with $|\Sigma|=16$. One layer of attention, one head, width 64; GRU, LSTM and a diagonal linear
           state-space model that carry $m$ numbers, read any table of time and symbol, and answer linearly, with
           weights of their own for every position. Adam, fresh words, each asked at all positions.
Statement  Attention's accuracy is above $\frac{99}{100}$ for $N=16,\dots,128$: flat. Trained on labels of other words,
           models are within $\frac1{50}$ of chance, $\frac1{16}$.
Witness    Three trained networks of each cell.
Measured   Means over the networks with 95 % t-intervals, on $2^{14}$ fresh words asked at all positions. Those of all
           models and lengths are in the table of the sweep `lookup`.
Control    A linear state of 64 numbers; labels shuffled in the batch; labels of the words.
Reads      Statistics are the sweep's. With labels shuffled in the batch attention stays above chance, as a word's own
           symbols are one in 16 of these labels. The paper trains up to 250000 steps at lengths to 400; here 200
           (attention) and 1500, at lengths to 128, for the gated cells to 64. Its alphabet and accuracies were not
           available to us. Tables that know the time, and words asked at all positions, favour the recurrent models.
           Lengths to 400 and layers of the published kinds: experiments_layers. What training reaches is no lower
           bound: experiments_ceiling.
"""


from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.statistics.t_intervals import repeat_mean
from theorytools.training.record import SweepRecord, recorded

from ..notation import N

accuracy = Quantity("accuracy", r"\Pr[\hat s=s_p]", "mean over the networks", (0, 1))
ATTENTION = "transformer 64"


def read() -> SweepRecord:
    return recorded(__file__, "lookup")


def construct(q) -> SweepRecord:
    return read()


def mean(record, arm, N):
    return {accuracy: repeat_mean(record.values(arm, N=N))}


claim = Claim(
    "Experiments, attention",
    role="found", source="published: experiments on index lookup; prose",
    scope={"every N": "points", "every repeat": "recorded"},
    asserts=accuracy >= Rational(99, 100), construct=construct,
    measure=lambda record, q: mean(record, ATTENTION, q.N), grid=points("N", (16,), (32,), (64,), (128,)),
    controls=[
        Control("a state of 64 numbers", breaks=accuracy, where=N >= 32,
                measure=lambda record, q: mean(record, "linear 64", q.N)),
        Control("shuffled labels", breaks=accuracy, where=Eq(N, 16),
                measure=lambda record, q: mean(record, f"{ATTENTION}, shuffled labels", q.N)),
    ],
)
chance = Claim(
    "Experiments, labels of other words",
    role="found", source="derived here: experiments on index lookup",
    scope={"every model, m, N": "points", "every repeat": "recorded"},
    asserts=accuracy.equals(Rational(1, 16), within=Rational(1, 50)),
    construct=construct, grid=points("model m N", ("transformer", 64, 16), ("gru", 16, 16)),
    measure=lambda record, q: mean(record, f"{q.model} {q.m}, independent labels", q.N),
    controls=[
        Control("labels of the words", breaks=accuracy,
                measure=lambda record, q: mean(record, f"{q.model} {q.m}", q.N)),
        Control("attention, labels shuffled in the batch", breaks=accuracy,
                measure=lambda record, q: mean(record, f"{ATTENTION}, shuffled labels", q.N)),
    ],
)
shuffled = Claim(
    "Experiments, labels shuffled in the batch, asked first",
    role="found", source="derived here: experiments on index lookup",
    scope={"every m, N": "points", "every repeat": "recorded"},
    expect="REFUTED", asserts=accuracy.equals(Rational(1, 16), within=Rational(1, 50)),
    note="A word's own symbols are one in 16 of these labels.",
    construct=construct, grid=points("m N", (64, 16)), listed=["m"],
    measure=lambda record, q: mean(record, f"{ATTENTION}, shuffled labels", q.N),
    controls=[
        Control("labels of other words",
                measure=lambda record, q: mean(record, f"{ATTENTION}, independent labels", q.N)),
        Control("labels of the words", breaks=accuracy, measure=lambda record, q: mean(record, ATTENTION, q.N)),
    ],
)
