r"""On simple 1STR at length 33 the feedforward network needs more samples than the Transformer.

Setting    Figure 1b: simple 1STR, linear link, test loss below 0.02, an evaluation every 6400 prompts; otherwise as in
           figure_01.
Statement  At $N=33$ the intervals of the mean of $\log n$ are disjoint, the feedforward network's above.
Witness    Five trained networks of each architecture.
Measured   The lower end of the feedforward network's interval over the upper end of the Transformer's, 95 % each.
Control    The architectures exchanged.
Reads      Statistic, length and rule are the sweep's. The lengths 25 to 33 are too close together to
           tell exponents apart. Two equal codes would keep the loss above 0.02 for ever: such a run would be stopped at
           its cap, and none was. The recurrent arm has its own claim.
"""

from theorytools import Claim, Control, Quantity, grid
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.t_intervals import geometric_interval
from theorytools.training.record import SweepRecord, recorded

apart = Quantity("ratio", r"n_{\mathrm{ffn}}/n_{\mathrm{tr}}", "of the samples, from end to end of the intervals",
                 (0, None))


def construct(p) -> SweepRecord:
    return recorded(__file__, "figure_01b", p.protocol)


def measure(record, p, above="ffn", below="transformer", sizes=(33, 33)):
    cells = record.values(above, N=sizes[0]), record.reached(below, N=sizes[1])
    ends = [geometric_interval(samples) for samples in cells]
    return {apart: fitted(ends[0][0] / ends[1][1], ends[0][1] / ends[1][0], level=0.9)}


claim = Claim(
    "Figure 1b",
    role="found", source="published: Figure 1b, section 4; prose",
    scope={"every protocol": "points", "every repeat": "recorded"},
    asserts=[apart >= 1], construct=construct, measure=measure,
    grid=grid(protocol=["corrected", "released"]),
    controls=[
        Control("architectures exchanged", breaks=apart,
                measure=lambda record, p: measure(record, p, "transformer", "ffn")),
    ],
)
