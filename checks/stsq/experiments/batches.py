r"""Why all weights leave the plateau late where encodings are short: batch noise, predicted before these runs.

Setting    As in experiments_short_encodings at $q=1$, batches of 256 and 1024 in place of 64.
Statement  The time to escape over that of the reduced training is between 0.85 and 1.18 at $T=100$ with batches of
           1024, at most 1.4 at $T=200$ with 1024, and at $T=100$ it falls from 64 to 256 and from 256 to 1024.
Witness    Three trained layers for each cell.
Measured   Geometric means of the first marks over the first mark of the reduced run, numbers of the records.
Control    Batches of 64; batches exchanged.
Reads      Fixed in the sweep's rule, and committed, before it ran and after the runs with batches of 64. Marks are 7 %
           apart.
"""

from fractions import Fraction
from math import prod

from sympy import Rational

from theorytools import Claim, Control, Quantity, letter, points
from theorytools.claims.language.estimate import observed
from theorytools.training.record import SweepRecord, recorded

from ..notation import T
from .short_encodings import escape, first_marks

batch = letter("batch", "prompts of a batch", latex="b", integer=True, positive=True)
late = Quantity("escape over reduced", r"t_b/t_{\mathrm{red}}", "of all weights over that of two numbers", (0, None))
falls = Quantity("smaller batches over larger", r"t_{b'}/t_b", "times to escape, of the next smaller batch over this",
                 (0, None))


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


shared = {"role": "prediction", "source": "derived here: experiments", "construct": construct,
          "scope": {"every size T, batch": "points", "every repeat": "recorded"}}


def measure(record, p, size=None):
    return {late: ratio(record, p.T, size or p.batch)}


near = [late >= Rational(85, 100), late <= Rational(118, 100)]
claim = Claim(
    "Experiments, late escape and the batch", **shared, asserts=near, grid=points("T batch", (100, 1024)),
    listed=[T, batch], measure=measure, controls=[
        Control("batches of 64", asserts=near, breaks=near[1], measure=lambda record, p: measure(record, p, 64)),
    ],
)
longer = Claim(
    "Experiments, late escape and the batch at T = 200", **shared, asserts=[late <= Rational(7, 5)],
    grid=points("T batch", (200, 1024)), listed=[T, batch], measure=measure, controls=[
        Control("batches of 64", breaks=late, measure=lambda record, p: measure(record, p, 64)),
    ],
)
order = Claim(
    "Experiments, the larger the batch the sooner", **shared, asserts=[falls >= 1],
    grid=points("T batch", (100, 256), (100, 1024)), listed=[T, batch],
    measure=lambda record, p: {falls: steps(record, p.T, p.batch, p.batch // 4)}, controls=[
        Control("batches exchanged", breaks=falls,
                measure=lambda record, p: {falls: steps(record, p.T, p.batch // 4, p.batch)}),
    ],
)
