r"""Trained networks on handwritten digits: what was predicted of two sweeps, and what came.

Setting    General 1STR, tokens are handwritten digits, centred and scaled, $d=64$, test prompts of images that training
           does not see, threshold 0.7; three networks for each cell. First sweep: labels of variance 1 on the images
           for learning. Second: of mean square 1 on the images of the test.
Statement  At $N=8$ the feedforward network needs more prompts than the Transformer; the Transformer needs at most as
           many (second sweep: at most $\frac32$ times as many) as on Gaussian tokens of the same dimension.
Witness    Trained networks.
Measured   Ratios of geometric means with Welch's 95 % t-interval.
Control    Architectures exchanged; three quarters of the prompts; as repairs wide limits for the first sweep; the
           feedforward network in its place.
Reads      In the first sweep one direction of three made the labels on the test's images so small that networks which
           had learned little passed the threshold: its intervals are wide and decide nothing.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.t_intervals import ratio_interval
from theorytools.training.record import SweepRecord, recorded

order = Quantity("ffn over Transformer", r"n_{\mathrm{ffn}}/n_{\mathrm{tr}}", "prompts on digits, N = 8", (0, None))
costs = {N: Quantity(f"digits over Gaussian, N = {N}", rf"n_{{\mathrm{{digits}}}}/n_{{\mathrm{{gauss}}}}|_{{N={N}}}",
                     "prompts of the Transformer", (0, None)) for N in (8, 16)}


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


def measure(record, p, arms=("ffn", "transformer"), short="transformer"):
    gauss = recorded(__file__, "images")
    return {order: ratio(*(needed(record, arm, 8, tokens(record)) for arm in arms)),
            **{cost: ratio(needed(record, {8: short}.get(N, "transformer"), N, tokens(record)),
                           needed(gauss, "transformer", N, "gauss")) for N, cost in costs.items()}}


shared = {"role": "prediction", "source": "derived here: question (c)", "construct": construct, "measure": measure,
          "scope": {"every record": "points", "every repeat": "recorded"}}
both = list(costs.values())
claim = Claim(
    "Question (c), digits", **shared, asserts=[order >= 1, *(cost <= Rational(3, 2) for cost in both)],
    grid=points("record", ("images_rescaled",)), controls=[
        Control("architectures exchanged", breaks=order,
                measure=lambda record, p: measure(record, p, ("transformer", "ffn"))),
        Control("the feedforward network on digits", breaks=costs[8],
                measure=lambda record, p: measure(record, p, short="ffn")),
        Control("three quarters of the prompts", asserts=[cost <= Rational(3, 4) for cost in both], breaks=both),
    ],
)
first = Claim(
    "Question (c), digits, first sweep", **shared, expect="UNDECIDED",
    asserts=[order >= 1, *(cost <= 1 for cost in both)], grid=points("record", ("images",)),
    controls=[Control("limits a hundred times as wide",
                      asserts=[order >= Rational(1, 100), *(cost <= 100 for cost in both)])],
)
