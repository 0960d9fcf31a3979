r"""On simple 1STR at length 33 the recurrent network needs more samples than the Transformer, but not twice as many.

Setting    Figure 1b: simple 1STR, linear link, test loss below 0.02, an evaluation every 6400 prompts; otherwise as in
           figure_01.
Statement  At $N=33$ the ratio of the GRU's samples to the Transformer's lies between one and two.
Witness    Five trained networks of each architecture under each protocol.
Measured   The ratio, from end to end of the 95 % intervals of the two means of $\log n$.
Control    The feedforward network for the GRU, and the Transformer over it, both where they are a factor of about three
           apart ($N=27$ released, $31$ corrected); the general task of Figure 1a at $N=12$; the two exchanged.
Reads      By the rule of the sweep the two differ if these intervals are disjoint; which needs more, and the factor of
           two, are ours, chosen before the repeats at 33 had ended. One length, five repeats; one table of codes in the
           released protocol.
"""

from theorytools import Claim, Control, Quantity, grid
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.t_intervals import geometric_interval
from theorytools.training.record import SweepRecord, recorded

# The length where the controls' intervals are narrow and their ratio is nearest two.
APART = {"released": 27, "corrected": 31}

ratio = Quantity("ratio", r"n_{\mathrm{gru}}/n_{\mathrm{tr}}", "of the samples, from end to end of the intervals",
                 (0, None))


def construct(p, sweep="figure_01b") -> SweepRecord:
    return recorded(__file__, sweep, p.protocol)


def measure(record, p, above="gru", below="transformer", N=33):
    ends = [geometric_interval(record.reached(arm, N=N)) for arm in (above, below)]
    return {ratio: fitted(ends[0][0] / ends[1][1], ends[0][1] / ends[1][0], level=0.9)}


claim = Claim(
    "Figure 1b, recurrent arm",
    role="found", source="published: Figure 1b, section 4; prose",
    scope={"every protocol": "points", "every repeat": "recorded"},
    asserts=[ratio >= 1, ratio <= 2],
    construct=construct, measure=measure, grid=grid(protocol=["released", "corrected"]), controls=[
        Control("the feedforward network for the GRU", breaks=[ratio <= 2],
                measure=lambda record, p: measure(record, p, "ffn", N=APART[p.protocol])),
        Control("the Transformer over the feedforward network", breaks=[ratio >= 1],
                measure=lambda record, p: measure(record, p, "transformer", "ffn", APART[p.protocol])),
        Control("the general task at length 12", breaks=[ratio <= 2],
                construct=lambda p: construct(p, "figure_01a"), measure=lambda record, p: measure(record, p, N=12)),
        Control("exchanged", breaks=[ratio >= 1],
                measure=lambda record, p: measure(record, p, "transformer", "gru")),
    ],
)
