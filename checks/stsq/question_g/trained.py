r"""Question (g), trained: heads learn the variance of two selected tokens, from attention that selects them.

Setting    $T=20$, $q=2$, orthonormal encodings, attention that selects at the start; prediction: heads that read token
           and position, summed, plus a constant. Share: 1 less the loss over $\operatorname{Var}v=\frac12$.
Statement  Predicted before the runs: scores that see positions only explain at most $\frac1{50}$; two heads whose
           scores read the tokens explain more than one half. One head was predicted to explain at most $\frac3{10}$, as
           attention kept on the selected tokens explains at most about a quarter (question_g_heads): refuted.
Witness    The trained networks of the sweep variance, three for each arm.
Measured   Means over networks, 95 % t-intervals.
Control    One head for two, and for positions only; two heads for one; as a repair one half.
Reads      The bound of a quarter is about attention on the selected tokens with one tilt; a trained head is free to
           attend elsewhere and to read positions, so nothing proved is contradicted.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.statistics.t_intervals import repeat_mean
from theorytools.training.record import SweepRecord, recorded

from ..notation import T

two = Quantity("two heads", r"1-2E(v-\hat v)^2", "share explained, mean over networks", (None, 1))
blind = Quantity("positions only", r"1-2E(v-\hat v_0)^2", "share explained by scores of positions", (None, 1))
share = Quantity("one head", r"1-2E(v-\hat v_1)^2", "share explained, mean over networks", (None, 1))


def construct(p) -> SweepRecord:
    return recorded(__file__, "variance")


def explained(record, p, arm):
    return repeat_mean(record.values(arm, T=p.T))


def measure(record, p, first="two heads", second="positions only"):
    return {two: explained(record, p, first), blind: explained(record, p, second)}


shared = {"role": "prediction", "source": "derived here: question (g)", "construct": construct, "listed": [T],
          "scope": {"every T": "points", "every repeat": "recorded"}, "grid": points("T", (20,))}
claim = Claim(
    "Question (g), trained: two heads, and positions only", **shared,
    asserts=[two >= Rational(1, 2), blind <= Rational(1, 50)], measure=measure, controls=[
        Control("one head for both", breaks=[two, blind],
                measure=lambda record, p: measure(record, p, "one head", "one head")),
    ],
)
one = Claim(
    "Question (g), trained: one head at most three tenths, predicted first", **shared, expect="REFUTED",
    asserts=share <= Rational(3, 10), measure=lambda record, p: {share: explained(record, p, "one head")},
    note="One trained head explains a little more than the best tilt of attention on the selected tokens.", controls=[
        Control("one half", asserts=[share <= Rational(1, 2)]),
        Control("two heads", breaks=share, measure=lambda record, p: {share: explained(record, p, "two heads")}),
    ],
)
