r"""Why all weights leave the plateau late where encodings are short: batch noise, predicted before these runs.

Setting    As in experiments_short_encodings at $q=1$, batches of 256 and 1024 in place of 64.
Statement  The time to escape over that of the reduced training is between 0.85 and 1.18 at $T=100$ with batches of
           1024, at most 1.4 at $T=200$ with 1024, and at $T=100$ it falls from 64 to 256 and from 256 to 1024.
Witness    Three trained layers for each cell.
Measured   Geometric means of the first marks over the first mark of the reduced run, numbers of the records.
Control    Batches of 64; batches exchanged.
Reads      All three are the sweep's rule, made with the runs of batches of 64 in hand. Marks are 7 % apart.
"""

from fractions import Fraction
from math import prod

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import observed
from theorytools.training.record import SweepRecord, recorded

from ..notation import q
from .short_encodings import escape, first_marks

hundred = Quantity("escape over reduced, T = 100", r"t_{1024}/t_{\mathrm{red}}|_{T=100}",
                   "time of all weights, batches of 1024, over that of two numbers", (0, None))
longer = Quantity("escape over reduced, T = 200", r"t_{1024}/t_{\mathrm{red}}|_{T=200}", "the same", (0, None))
falls = {size: Quantity(f"batch {size // 4} over {size}", rf"t_{{{size // 4}}}/t_{{{size}}}",
                        "times to escape at T = 100", (0, None)) for size in (256, 1024)}


def construct(p) -> SweepRecord:
    return recorded(__file__, "encodings_batches")


def time(record, p_T, size):
    if size == 64:
        return escape(recorded(__file__, "short_encodings"), "all weights", 1, p_T)
    steps = [after for _, after in first_marks(record.of(f"batch {size}", T=p_T))]
    return prod(steps) ** (1 / len(steps)) / 2


def ratio(record, p_T, size):
    reduced = escape(recorded(__file__, "short_encodings"), "reduced", 1, p_T)
    return observed(Fraction(time(record, p_T, size) / reduced), "torch")


def steps(record, p_T, size, smaller):
    return observed(Fraction(time(record, p_T, smaller) / time(record, p_T, size)), "torch")


def measure(record, p, size=1024, exchanged=False):
    found = {large: steps(record, 100, *((large // 4, large) if exchanged else (large, large // 4))) for large in falls}
    return {hundred: ratio(record, 100, size), longer: ratio(record, 200, size),
            **{falls[large]: value for large, value in found.items()}}


rule = [hundred >= Rational(85, 100), hundred <= Rational(118, 100), longer <= Rational(7, 5)]
claim = Claim(
    "Experiments, late escape and the batch",
    role="prediction", source="derived here: experiments", scope={"every q": "points", "every repeat": "recorded"},
    asserts=[*rule, *(fall >= 1 for fall in falls.values())], grid=points("q", (1,)), listed=[q],
    construct=construct, measure=measure, controls=[
        Control("batches of 64", breaks=rule[1:], measure=lambda record, p: measure(record, p, 64)),
        Control("batches exchanged", breaks=list(falls.values()),
                measure=lambda record, p: measure(record, p, exchanged=True)),
    ],
)
