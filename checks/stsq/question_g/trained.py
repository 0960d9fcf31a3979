r"""Question (g), trained: heads learn the variance of two selected tokens, from attention that selects them.

Setting    $T=20$, $q=2$, orthonormal encodings, attention that selects at the start; prediction: heads that read token
           and position, summed, plus a constant. Share: 1 less the loss over $\operatorname{Var}v=\frac12$.
Statement  Predicted before the runs: scores that see positions only explain at most $\frac1{50}$; two heads whose
           scores read the tokens explain more than one half. One head was predicted to explain at most $\frac3{10}$, as
           attention kept on the selected tokens explains at most about a quarter (question_g_heads): refuted.
Witness    The trained networks of the sweep variance, three for each arm.
Measured   Means over networks, 95 % t-intervals.
Control    Arms exchanged.
Reads      The bound of a quarter is about attention on the selected tokens with one tilt; a trained head is free to
           attend elsewhere and to read positions, so nothing proved is contradicted.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.statistics.t_intervals import repeat_mean
from theorytools.training.record import SweepRecord, recorded

share = Quantity("share explained", r"1-2E(v-\hat v)^2", "mean over networks", (None, 1))
OTHER = {"positions_only": "one_head", "one_head": "two_heads", "two_heads": "one_head"}


def construct(p) -> SweepRecord:
    return recorded(__file__, "variance")


def measure(record, p, arms=None):
    return {share: repeat_mean(record.values((arms[p.arm] if arms else p.arm).replace("_", " "), T=20))}


shared = {"role": "prediction", "source": "derived here: question (g)", "construct": construct, "measure": measure,
          "scope": {"every arm": "points", "every T": "points", "every repeat": "recorded"}}
exchanged = Control("arms exchanged", breaks=share, measure=lambda record, p: measure(record, p, OTHER))
claim = Claim(
    "Question (g), trained: two heads", **shared, asserts=share >= Rational(1, 2), grid=points("arm", ("two_heads",)),
    controls=[exchanged],
)
positions = Claim(
    "Question (g), trained: positions only", **shared, asserts=share <= Rational(1, 50),
    grid=points("arm", ("positions_only",)), controls=[exchanged],
)
one = Claim(
    "Question (g), trained: one head at most three tenths, predicted first", **shared, expect="REFUTED",
    asserts=share <= Rational(3, 10), grid=points("arm", ("one_head",)),
    note="One trained head explains a little more than the best tilt of attention on the selected tokens.", controls=[
        Control("one half", asserts=[share <= Rational(1, 2)]), exchanged,
    ],
)
