r"""Experiment D: trained fully-connected networks reach the least loss of their first layer, and none goes below.

Setting    As in fcn with $T=8$, $d=2$, $q=2$: $m$ linear neurons on the prompt, then with the indicator of $y$ two
           hidden ReLU layers, Adam with a falling rate; predictions clipped to $|f_k|\le3/\sqrt q$.
Statement  At $\frac m{Td}=\frac18,\frac14,\frac12,\frac34$ the mean loss of five networks is within 3 % of $R_m$. No
           network loses less than its certificate $\operatorname{tr}PM$: its upper confidence limit is not below it,
           and its lower one not below $\frac9{10}$ of it. At $m=Td$ the loss is below $R_{Td-1}$.
Adversary  Trained networks, five of each $m$.
Measured   The loss on $2^{18}$ fresh prompts: mean over the networks with a 95 % t-interval; limits of each network at
           level $10^{-9}$; certificates of the trained floats, rational.
Control    Untrained networks; the loss of wider ones against a narrow one's bounds; three quarters of full width.
Reads      Rule and tolerance are the sweep's. Networks at $m=12$ are wider after the first layer: with 128 units they
           end 3.5 % above. The bound holds for any width there.
"""

from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import exactly
from theorytools.statistics.clipped_error import Limits
from theorytools.statistics.sampled import recorded_interval
from theorytools.statistics.t_intervals import repeat_mean
from theorytools.theory.first_layers.bottleneck import compressor_risk
from theorytools.training.record import SweepRecord, recorded

T, D, Q = 8, 2, 2
mean = Quantity("loss", "L/R_m", "mean over the networks", (0, None))
upper = Quantity("upper limit", r"\overline L/\operatorname{tr}PM", "least over the networks", (0, None))
each = Quantity("loss of one network", r"L/\operatorname{tr}PM", "least over the networks", (0, None))
wide = Quantity("loss at full width", "L", "mean over the networks", (0, None))


def read():
    return recorded(__file__, "compressors")


def construct(p) -> SweepRecord:
    return read()


def risk(m):
    return Fraction(compressor_risk(m, T, D, Q))


def measure(record, p, arm="trained", more=0):
    trials = record.of(arm, m=p.m + more)
    proved = [Fraction(trial.result["certificate"]) for trial in record.of("trained", m=p.m)]
    limits = [Limits.read(trial.result["limits"]) for trial in trials]  # d/q = 1
    pairs = list(zip(limits, proved, strict=True))
    low, high = (min(float(Fraction(getattr(one, end)) / c) for one, c in pairs) for end in ("low", "high"))
    return {mean: repeat_mean([float(trial.result["loss"]) / float(risk(p.m)) for trial in trials]),
            upper: exactly(min(Fraction(one.high) / c for one, c in pairs)),
            # a float quotient errs by less than 2^-52 of itself
            each: recorded_interval(low * (1 - 1e-15), high * (1 + 1e-15), alpha=sum(one.alpha for one in limits),
                                    samples=sum(one.count for one in limits))}


claim = Claim(
    "Experiment D",
    role="found", source="derived here: fully-connected networks",
    scope={"every width m": "points", "every repeat": "recorded", "every prompt": "recorded"},
    asserts=[mean.equals(1, within=Rational(3, 100)), upper >= 1, each >= Rational(9, 10)],
    construct=construct, measure=measure, grid=points("m", (2,), (4,), (8,), (12,)), listed=["m"],
    controls=[
        Control("untrained networks", breaks=mean, measure=lambda record, p: measure(record, p, "untrained")),
        Control("wider networks", breaks=[mean, upper, each],
                measure=lambda record, p: measure(record, p, more={2: 6, 4: 4, 8: 4, 12: 4}[p.m])),
    ],
)
full = Claim(
    "Experiment D, full width",
    role="found", source="derived here: fully-connected networks",
    scope={"every m": "points", "every repeat": "recorded", "every prompt": "recorded"},
    asserts=wide <= compressor_risk(T * D - 1, T, D, Q),
    construct=construct, grid=points("m", (16,)), listed=["m"],
    measure=lambda record, p: {wide: repeat_mean(record.values("trained", m=p.m))},
    controls=[Control("three quarters of the width", breaks=wide,
                      measure=lambda record, p: {wide: repeat_mean(record.values("trained", m=12))})],
)
