r"""Stochastic encodings select handwritten digits as they select Gaussian tokens.

Setting    $T=20$, $q=3$, $d=d_e=64$, Gaussian SPE, dual query, SGD on $(V,W)$ from zero, $\eta=\frac18$, batch 128.
           Tokens: handwritten digits, centred and scaled to $E\|x\|^2=d$; tests on 500 images that training does not
           see. Beside it the same with Gaussian tokens.
Statement  At the end ($t=400$) the loss on new images is at most twice that with Gaussian tokens. Refuted: it is below
           a quarter of $d/q$, that of predicting 0; the inverse temperature is within 15 % of that with Gaussian
           tokens.
Witness    Five trained layers of each kind.
Measured   Means and ratios with 95 % t-intervals.
Control    Untrained layers; as repairs half of the loss of predicting 0, and the lower side.
Reads      Of the three parts of the sweep's rule two failed, by little. The pixels of digits are strongly correlated,
           so the value matrix has directions that are learned slowly; selection needs the encodings only.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.t_intervals import ratio_interval, repeat_mean
from theorytools.training.record import SweepRecord, recorded

from .notation import d, q

ratio = Quantity("loss over Gaussian", r"L_{\mathrm{digits}}/L_{\mathrm{gauss}}", "at the end", (0, None))
share = Quantity("relative loss", r"\tfrac{qL}d", "loss on new images over that of predicting 0", (0, None))
heat = Quantity("inverse temperatures", r"\beta_{\mathrm{digits}}/\beta_{\mathrm{gauss}}", "at the end", (0, None))


def construct(p) -> SweepRecord:
    return recorded(__file__, "digits")


def at(record, arm, mark, field):
    curves = [trial.result["curve"] for trial in record.of(arm)]
    values = [next(row for row in curve if row["step"] == mark)[field] for curve in curves]
    return [value[0] if isinstance(value, list) else value for value in values]


def over(record, mark, field, first="digits"):
    low, high = ratio_interval(at(record, first, mark, field), at(record, "gauss", 3200, field))
    return fitted(low, high, level=0.95)


def measure(record, p, mark=3200):
    return {ratio: over(record, mark, "loss"), heat: over(record, 3200, "beta"),
            share: repeat_mean([x * p.q / p.d for x in at(record, "digits", mark, "loss")])}


shared = {"role": "prediction", "source": "derived here: question (h)", "construct": construct, "measure": measure,
          "scope": {"every q, d": "points", "every repeat": "recorded", "every prompt": "recorded"},
          "grid": points("q d", (3, 64)), "listed": [q, d]}
claim = Claim(
    "Question (h), handwritten digits", **shared, asserts=[ratio <= 2], controls=[
        Control("untrained layers", breaks=ratio, measure=lambda record, p: measure(record, p, 0)),
    ],
)
missed = Claim(
    "Question (h), a quarter of the loss of predicting 0, the same inverse temperature", **shared, expect="REFUTED",
    asserts=[share <= Rational(1, 4), heat >= Rational(85, 100), heat <= Rational(115, 100)],
    controls=[Control("a half of it, and not colder images",
                      asserts=[share <= Rational(1, 2), heat >= Rational(85, 100)])],
)
