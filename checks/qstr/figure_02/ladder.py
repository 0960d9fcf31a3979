r"""The loss of a trained Transformer is small long before its attention finds the index on every prompt.

Setting    General 1STR, linear link, $d=4$; five trainings each at $N=8,16,32$, looked at after 20, 50, …, 6000 steps.
           The loss is there at the first such rung with a test loss of at most $\frac1{100}$, the mechanism at the
           first one where attention outside the index is certified to be at most $\frac1{20}$ on every prompt of signs.
Statement  In every training both come, the mechanism at a later rung; the geometric mean of the ratio of steps is
           above 5; after 6000 steps the certified risk is at most $\frac1{50}$. Where the loss comes, a prompt is
           shown that leaks more than $\frac1{10}$; on every rung the certified risk encloses the loss on 2000 prompts
           of signs.
Witness    Fifteen networks at ten rungs each.
Measured   Leakage and risk are enclosed for each network, by certify; over the five trainings of a length their
           extremes are observed, and the mean ratio has its 95 % t-interval. Later than a rung is at least $\frac32$
           times its steps.
Control    A loss of 1/10000, which comes after the mechanism; leakage below 9/10; the ratio inverted; the risk after
           100 steps; leakage after 6000; the certificate of the last rung. Repair: never before the loss.
Reads      The rule of the sweep is about the three lengths together. At $N=32$ its first three parts failed: one
           training, whose loss was at most 1/100 at steps 100 to 1000, is at a loss of .99 after 2000 steps, and its
           attention was not sharp by step 6000. The lengths where they hold stand apart. The order depends on the
           thresholds, as the first control shows. The loss is a mean over Gaussian prompts, leakage the worst over
           signs: a small mean loss does not bound it. Early enclosures of the risk are wide and begin at 0: only their
           upper end could fail there, and at $N=16$ every rung's loss lies in the next rung's enclosure too. A loose
           certificate would delay the mechanism; none does.
"""

from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import observed
from theorytools.statistics.t_intervals import geometric_mean
from theorytools.training.record import SweepRecord, recorded

from ..notation import N

ratio = Quantity("least ratio", r"\min k_\delta/k_R", "first rung of the mechanism over that of the loss", (0, None))
mean = Quantity("mean ratio", r"\overline{k_\delta/k_R}", "its geometric mean over five trainings", (0, None))
last = Quantity("last risk", r"\max R^+", "the largest certified risk after 6000 steps", (0, None))
leak = Quantity("leakage", r"\min\delta^-", "least leakage of the prompts shown where the loss comes", (0, 1))
unsure = Quantity("unsure rungs", "m_0", "rungs with no prompt shown above 1/20 and no certificate below", (0, 50))
outside = Quantity("rungs outside", "m", "rungs whose loss on signs lies outside the certified risk", (0, 50))


def construct(p) -> SweepRecord:
    return recorded(__file__, "ladder")


def ladders(record, p):
    return [trial.result["rungs"] for trial in record.of("transformer", N=p.N)]


def first(rungs, field, most):
    return next((rung for rung in rungs if rung[field] <= most), None)


def ratios(record, p, loss, delta, never=None):
    """The ratio of steps in each training, 0 where one of the two never comes; ``never`` stands for such a step."""
    found = [(first(rungs, "loss", loss), first(rungs, "delta", delta)) for rungs in ladders(record, p)]
    steps = [tuple(rung["step"] if rung else never for rung in pair) for pair in found]
    return [Fraction(sharp, low) if sharp and low else Fraction(0) for low, sharp in steps]


def measure(record, p, loss=0.01, delta=0.05, never=None, at=-1, inverted=False):
    found = ratios(record, p, loss, delta, never)
    found = [1 / x for x in found] if inverted else found
    return {ratio: observed(min(found), "torch"),
            mean: geometric_mean([float(x) for x in found]) if min(found) else observed(0, "torch"),
            last: observed(Fraction(max(rungs[at]["risk"][1] for rungs in ladders(record, p))), "torch")}


def measure_rungs(record, p, end=False, other=False, looser=1):
    every = ladders(record, p)
    where = [rungs[-1] if end else first(rungs, "loss", 0.01) for rungs in every]
    pairs = [(rung["signs"], *(rungs[-1] if other else rung)["risk"]) for rungs in every for rung in rungs]
    sharpness = [(rung["leakage"][0], rung["delta"]) for rungs in every for rung in rungs]
    return {leak: observed(Fraction(min(rung["leakage"][0] for rung in where)), "torch"),
            unsure: observed(sum(low <= 0.05 < looser * high for low, high in sharpness), "torch"),
            outside: observed(sum(not low <= loss <= high for loss, low, high in pairs), "torch")}


common = {"role": "found", "source": "derived here: Figure 2, Lemma 11", "construct": construct,
          "scope": {"every N": "points", "every rung": "enumeration", "every repeat": "recorded"}, "listed": [N]}
asserts = [ratio >= Rational(3, 2), mean >= 5, last <= Rational(1, 50)]
controls = [
    Control("a loss of 1/10000", breaks=[ratio, mean], measure=lambda record, p: measure(record, p, loss=1e-4)),
    Control("leakage below 9/10", breaks=[ratio, mean], measure=lambda record, p: measure(record, p, delta=0.9)),
    Control("the ratio inverted", breaks=[ratio, mean], measure=lambda record, p: measure(record, p, inverted=True)),
    Control("the risk after 100 steps", breaks=last, measure=lambda record, p: measure(record, p, at=2)),
]
claim = Claim("Figure 2, the loss before the mechanism, N = 8, 16", **common, asserts=asserts,
              grid=points("N", (8,), (16,)), measure=measure, controls=controls)
predicted = Claim(
    "Figure 2, the loss before the mechanism, as predicted", **{**common, "role": "prediction"}, expect="REFUTED",
    asserts=asserts,
    note="At N = 32 one training of five never becomes sharp.",
    grid=points("N", (8,), (16,), (32,)), measure=measure, controls=[
        Control("never before the loss", breaks=(), asserts=[ratio >= Rational(3, 2), mean >= 5],
                measure=lambda record, p: measure(record, p, never=6000)),
        Control("never before leakage of 9/10", breaks=ratio, asserts=[ratio >= Rational(3, 2)],
                measure=lambda record, p: measure(record, p, delta=0.9, never=6000)),
    ],
)
sharp = Claim(
    "Figure 2, leakage where the loss is small", **common,
    asserts=[leak >= Rational(1, 10), outside.equals(0), unsure.equals(0)],
    grid=points("N", (8,), (16,), (32,)), measure=measure_rungs, controls=[
        Control("after 6000 steps", breaks=leak, measure=lambda record, p: measure_rungs(record, p, end=True)),
        Control("a certificate twice as loose", breaks=unsure,
                measure=lambda record, p: measure_rungs(record, p, looser=2)),
        Control("the certificate of the last rung", breaks=outside,
                measure=lambda record, p: measure_rungs(record, p, other=True)),
    ],
)
