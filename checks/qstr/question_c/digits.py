r"""Trained networks on handwritten digits: what was predicted before each of two sweeps, and what came.

Setting    General 1STR, tokens are handwritten digits, centred and scaled, $d=64$, test prompts of images that training
           does not see, threshold 0.7; three networks for each cell. First sweep: labels of variance 1 on the images
           for learning. Second: of mean square 1 on the images of the test.
Statement  At $N=8$ the feedforward network needs more prompts than the Transformer; the Transformer needs at most as
           many (second sweep: at most $\frac32$ times as many) as on Gaussian tokens of the same dimension.
Witness    Trained networks.
Measured   Ratios of geometric means with Welch's 95 % t-interval.
Control    Architectures exchanged; three quarters of the prompts; as repairs wide limits for the first sweep; the
           feedforward network in its place.
Reads      Both rules were fixed, and committed, before their sweep. In the first one direction of three made the labels
           on the test's images so small that networks which had learned little passed the threshold: its intervals are
           wide and decide nothing. The second was designed after that.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.t_intervals import ratio_interval
from theorytools.training.record import SweepRecord, recorded

from ..notation import N

order = Quantity("ffn over Transformer", r"n_{\mathrm{ffn}}/n_{\mathrm{tr}}", "prompts on digits, N = 8", (0, None))
cost = Quantity("digits over Gaussian", r"n_{\mathrm{digits}}/n_{\mathrm{gauss}}", "of the Transformer", (0, None))


def construct(p) -> SweepRecord:
    return recorded(__file__, p.record)


def needed(record, arm, length, tokens):
    """The prompts of one cell; Gaussian tokens are not named in a trial."""
    trials = [trial for trial in record.of(arm, N=length) if trial.spec.get("tokens", "gauss") == tokens]
    return [float(trial.result["samples"]) for trial in trials]


def tokens(record):
    return "digits" if record.sweep.name == "images" else "digits_rescaled"


def ratio(above, below):
    return fitted(*ratio_interval(above, below), level=0.95)


def measure_order(record, p, arms=("ffn", "transformer")):
    return {order: ratio(*(needed(record, arm, 8, tokens(record)) for arm in arms))}


def measure_cost(record, p, length=None, arm="transformer"):
    gauss = needed(recorded(__file__, "images"), "transformer", length or p.N, "gauss")
    return {cost: ratio(needed(record, arm, p.N, tokens(record)), gauss)}


shared = {"role": "prediction", "source": "derived here: question (c)", "construct": construct}
of_arm = {"every record": "points", "every N": "points", "every repeat": "recorded"}
at_length = {"every record, N": "points", "every repeat": "recorded"}
swapped = Control("architectures exchanged", breaks=order,
                  measure=lambda record, p: measure_order(record, p, ("transformer", "ffn")))
claim = Claim(
    "Question (c), digits: feedforward and Transformer", **shared, scope=of_arm, asserts=order >= 1,
    grid=points("record", ("images_rescaled",)), measure=measure_order, controls=[swapped],
)
alike = Claim(
    "Question (c), digits and Gaussian tokens", **shared, scope=at_length, asserts=cost <= Rational(3, 2),
    grid=points("record N", ("images_rescaled", 8), ("images_rescaled", 16)), listed=[N], measure=measure_cost,
    controls=[Control("the feedforward network on digits", breaks=cost, where=N <= 8,
                      measure=lambda record, p: measure_cost(record, p, arm="ffn")),
              Control("three quarters of the prompts", asserts=[cost <= Rational(3, 4)], breaks=cost)],
)
first = Claim(
    "Question (c), digits: feedforward and Transformer, first sweep", **shared, scope=of_arm,
    expect="UNDECIDED", asserts=order >= 1,
    grid=points("record", ("images",)), measure=measure_order,
    controls=[Control("a hundredth", asserts=[order >= Rational(1, 100)])],
)
first_alike = Claim(
    "Question (c), digits and Gaussian tokens, first sweep", **shared, scope=at_length,
    expect="UNDECIDED", asserts=cost <= 1,
    grid=points("record N", ("images", 8), ("images", 16)), listed=[N], measure=measure_cost,
    controls=[Control("a hundred times", asserts=[cost <= 100])],
)
