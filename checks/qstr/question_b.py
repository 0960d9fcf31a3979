r"""How the Transformer's number of samples depends on width, learning rate, batch size and optimiser.

Setting    Figure 1a's task at $N=8$; one setting changed from width 100, rate $10^{-3}$, batch 64, AdamW.
Statement  With the standard setting's $n_0$: widths 25 to 400 change $n$ by less than a factor of 2, a tenth of the
           rate costs at least 2, batches of 16 to 128 cost less than 3, SGD with decay needs more prompts than AdamW.
Witness    Five trained networks for each setting; evaluations every 640 prompts throughout.
Measured   $n/n_0$, the ratio of geometric means, with Welch's 95 % t-interval for the difference of the logarithms.
Control    Three times or a third of the samples; the standard setting in place of the changed one, both exchanged; a
           batch of 320 among those that cost less than 3; repair: batches of at most 128.
Reads      That no batch costs 3 (`every_batch`) fails at 320. Rates of $3\cdot10^{-3}$ and $10^{-2}$ save a factor of 2
           or more, which the statement does not have. One architecture at one length. A run stopped at its cap counts
           as its cap: the ratio is then a lower limit.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.t_intervals import ratio_interval
from theorytools.training.record import SweepRecord, recorded

from .notation import least

ratio = Quantity("ratio", "n/n_0", "prompts needed, over those of the standard setting", (0, None))
STANDARD = {"width": 100, "lr": "1/1000", "batch": 64, "optimiser": "adamw"}


def construct(p) -> SweepRecord:
    return recorded(__file__, "sensitivity")


def cell(record, **changes):
    return record.values("transformer", **{**STANDARD, **changes})


def changed(record, p, times=1, standard=False):
    value = p.value if isinstance(p.value, int) else str(Fraction(p.value))
    changes = {"optimiser": "sgd", "lr": value} if p.setting == "sgd" else {p.setting: value}
    return ratio_interval([times * n for n in cell(record, **({} if standard else changes))], cell(record))


def measure(record, p, **spoiled):
    low, high = changed(record, p, **spoiled)
    return {ratio: fitted(low, high, level=0.95)}


shared = {"construct": construct, "measure": measure}
standard = Control("the standard setting", breaks=ratio, measure=lambda record, p: measure(record, p, standard=True))


def other(record, **changes):
    return {ratio: fitted(*ratio_interval(cell(record, **changes), cell(record)), level=0.95)}


def exchanged(record, p):
    low, high = changed(record, p)
    return {ratio: fitted(1 / high, 1 / low, level=0.95)}


def multiple(name, times):
    return Control(name, breaks=ratio, measure=lambda record, p: measure(record, p, times=times))


claim = Claim(
    "Question (b), width",
    role="found", source="derived here: question (b)",
    scope={"every setting value": "points", "every repeat": "recorded"},
    asserts=[ratio >= Rational(1, 2), ratio <= 2], **shared,
    grid=points("setting value", *[("width", w) for w in (25, 50, 200, 400)]),
    controls=[replace(multiple("three times the samples", 3), breaks=[ratio <= 2]),
              replace(multiple("a third of the samples", Rational(1, 3)), breaks=[ratio >= Rational(1, 2)])],
)
batches = Claim(
    "Question (b), batch size",
    role="found", source="derived here: question (b)",
    scope={"every setting value": "points", "every repeat": "recorded"},
    asserts=ratio <= 3,
    grid=points("setting value", *[("batch", b) for b in (16, 32, 128)]),
    controls=[Control("a batch of 320", breaks=ratio, measure=lambda record, p: other(record, batch=320))], **shared,
)
every_batch = Claim(
    "Question (b), no batch costs 3, asked first",
    role="found", source="derived here: question (b)",
    scope={"every setting value": "points", "every repeat": "recorded"},
    expect="REFUTED", asserts=ratio <= 3, **shared, note="Up to a batch of 128 the prediction holds.",
    grid=points("setting value", *[("batch", b) for b in (16, 32, 128, 320)]), controls=[
        Control("batches of at most 128", measure=lambda record, p: other(record, batch=min(int(p.value), 128))),
        Control("a batch of 320 for all", breaks=ratio, measure=lambda record, p: other(record, batch=320)),
    ],
)
slower = Claim(
    "Question (b), slower settings",
    role="found", source="derived here: question (b)",
    scope={"every setting value, least": "points", "every repeat": "recorded"},
    asserts=ratio >= least, **shared,
    grid=points("setting value least", ("lr", "1/10000", 2), ("sgd", "1/10", 1), ("sgd", "3/10", 1)),
    controls=[replace(standard, where=least >= 2), Control("exchanged", breaks=ratio, measure=exchanged)],
)
