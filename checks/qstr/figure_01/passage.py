r"""The feedforward network of Figure 1b passes its threshold in a dip; the Transformer passes it for good.

Setting    Figure 1b at $N=31$: simple 1STR, linear link, released protocol; a run ends at its first check, one every
           6400 prompts, whose test loss is below 0.02.
Statement  Of the ten checks that follow a feedforward network's first passage, more than half see the loss above the
           threshold again; of a Transformer's, fewer than half.
Witness    Five trained networks of each architecture, which are those of Figure 1b trained on.
Measured   The share of these ten checks, with the 95 % t-interval of its mean over the runs.
Control    The architectures exchanged.
Reads      At $N=29$ the losses hover between .020 and .040 from 150,000 prompts on, so a passage is the waiting time
           for a dip. That explains the two modes of the published arm, near 190,000 and from 430,000 to 490,000 prompts
           at $N=29$ and $31$: a mean and a t-interval of five such times describe neither. On other vector units the
           fourth of these runs passed at 192,000 prompts and here at 441,600: last bits choose the dip. All runs of one
           architecture share one world.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.statistics.t_intervals import repeat_mean
from theorytools.training.record import SweepRecord, recorded

dip = Quantity("share above, feedforward", r"a_{\mathrm{ffn}}",
               "of ten checks after the first passage, those with the loss above", (0, 1))
passage = Quantity("share above, Transformer", r"a_{\mathrm{tr}}", "the same of the Transformer", (0, 1))


def construct(p) -> SweepRecord:
    return recorded(__file__, "passage", p.protocol)


def measure(record, p, first="ffn", second="transformer"):
    return {dip: repeat_mean(record.reached(first)), passage: repeat_mean(record.reached(second))}


claim = Claim(
    "Figure 1b, a dip and a passage",
    role="prediction", source="derived here: Figure 1b, section 4",
    scope={"every protocol": "points", "every repeat": "recorded"}, construct=construct, measure=measure,
    asserts=[dip >= Rational(1, 2), passage <= Rational(1, 2)], grid=points("protocol", ("released",)), controls=[
        Control("the architectures exchanged", breaks=[dip, passage],
                measure=lambda record, p: measure(record, p, "transformer", "ffn")),
    ],
)
