r"""Gradient training stays far from the information limit: risk $\frac12$ takes over ten times $\frac12qd$ labels.

Setting    Simple 1STR, $q=1$, $d=10$, $N=8$, linear link; a fixed set of $n$ prompts with one label each; one attention
           layer with a two-layer head, AdamW for 1500 steps of 64.
Statement  $n^*$, the least $n$ of the grid with a test risk below $\frac12$, and $n_-$, the largest with one not below,
           are at least $10\cdot\frac12qd$; at $n=640$ the mean risk is below $\frac12$; the floor
           $1-\frac n{qd}$ is not violated at $n=5$.
Witness    Three trained Transformers at each of $n=5,160,320,640$.
Measured   The least labels that suffice, over $\frac12qd$: from $n_-$ to $n^*$, ends of the 95 % t-intervals of their
           geometric means over repeats; mean test risks with 95 % t-intervals.
Control    Least norm with the retrieved tokens given, which attains the limit; it with 8 labels, claimed at $n=5$;
           shuffled labels; no training.
Reads      One architecture, one length, one schedule; statistic and rule are the sweep's, $n_-$ is ours. All three
           repeats have $n^*=640$, $n_-=320$: the interval is the grid's resolution, for equal repeats show no noise,
           though at 320 that of their mean risk reaches below $\frac12$. With no size between 5 and 160 the floor alone
           puts $n^*$ at 160 or above. Retrieval is learnt from the same labels. The floor is one for the mean over
           directions, which repeats draw; it is derived in theorem_01_infolimit.
"""

from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.t_intervals import geometric_interval, repeat_mean
from theorytools.training.record import SweepRecord, recorded

from .notation import N, d, q

ratio = Quantity("ratio to the limit", r"n/(\frac12qd)", "least labels for a risk of 1/2, from n_- to n^*", (0, None))
early = Quantity("risk at 5 labels", "R_5", "mean over networks", (0, None))
late = Quantity("risk at 640 labels", "R_{640}", "mean over networks", (0, None))


def construct(p) -> SweepRecord:
    return recorded(__file__, "information")


def least(record, p, arm="attention"):
    runs = {}
    for trial in record.of(arm):
        runs.setdefault(trial.spec["repeat"], {})[trial.spec["n"]] = trial.result["risk"] < 0.5
    first = [min((n for n, below in run.items() if below), default=max(run)) for run in runs.values()]
    failed = [max((n for n, below in run.items() if not below), default=1) for run in runs.values()]
    (low, _), (_, high) = (geometric_interval([2 * size / (p.q * p.d) for size in sizes]) for sizes in (failed, first))
    return {ratio: fitted(low, high, level=0.9, repeats=len(runs))}


def risks(record, p, first=("attention", 5), second=("attention", 640)):
    return {risk: repeat_mean(record.values(arm, n=n)) for risk, (arm, n) in ((early, first), (late, second))}


def measure(record, p, arm="attention", **other):
    return least(record, p, arm) | risks(record, p, **other)


claim = Claim(
    "Question (d)",
    role="found", source="derived here: question (d)",
    scope={"every N, d, q": "points", "every repeat": "recorded"},
    asserts=[ratio >= 10, early >= 1 - 5 / (q * d), late <= Rational(1, 2)], construct=construct, measure=measure,
    requires=[Eq(d, 10), Eq(q, 1)], listed=[N, d, q], grid=points("N d q", (8, 10, 1)), controls=[
        Control("tokens given", breaks=ratio, measure=lambda record, p: measure(record, p, "least norm")),
        Control("eight labels", breaks=early, measure=lambda record, p: measure(record, p, first=("least norm", 8))),
        Control("640 labels for 5", breaks=early, measure=lambda record, p: measure(
            record, p, first=("attention", 640))),
        Control("shuffled labels", breaks=late, measure=lambda record, p: measure(
            record, p, second=("shuffled labels", 640))),
        Control("no training", breaks=late, measure=lambda record, p: measure(record, p, second=("untrained", 640))),
    ],
)
