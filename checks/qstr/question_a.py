r"""From which length on the Transformer needs fewer samples, and fewer multiplications, than the other networks.

Setting    Figure 1a's task to longer prompts: the Transformer at $N=4,8,16,32,64$, feedforward network and GRU at
           $N=4,8,16$.
Statement  At each of the lengths $4,8,16$ the Transformer needs fewer prompts than either of the others, and fewer
           multiplications to process them.
Witness    Three trained networks for each architecture and length.
Measured   The ratio of geometric means with Welch's 95 % t-interval for the difference of the logarithms; the
           multiplications of a prompt by closed form.
Control    The two architectures exchanged.
Reads      Statistic and rule are the sweep's. Time on a machine is not measured; nor are the other networks beyond
           $N=16$. At $N=16$ all feedforward networks were stopped at their cap of $10^6$ prompts, which counts as their
           number: the ratio is a lower limit. The Transformer alone goes on to $N=64$; in the profile for a GPU, to
           4096.
"""

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.papers.qstr.training.costs import multiplications
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.statistics.t_intervals import ratio_interval
from theorytools.training.record import SweepRecord, recorded

samples = Quantity("ratio of samples", r"n/n_{\mathrm{tr}}", "prompts needed over the Transformer's", (0, None))
work = Quantity("ratio of multiplications", r"w/w_{\mathrm{tr}}", "the same for the multiplications", (0, None))


def construct(p) -> SweepRecord:
    return recorded(__file__, "lengths")


def ratios(record, above, below, N):
    low, high = ratio_interval(record.values(above, N=N), record.values(below, N=N))
    cost = [multiplications(Experiment.of(record.of(arm, N=N)[0].spec)) for arm in (above, below)]
    return {samples: fitted(low, high, level=0.95), work: fitted(low * cost[0] / cost[1], high * cost[0] / cost[1])}


def measure(record, p):
    record.reached("transformer", N=p.N)  # a stopped run in the denominator would leave no lower limit
    return ratios(record, p.other, "transformer", p.N)


claim = Claim(
    "Question (a), prompts and multiplications",
    role="found", source="derived here: question (a)",
    scope={"every other, N": "points", "every repeat": "recorded"},
    asserts=[samples >= 1, work >= 1], construct=construct, measure=measure,
    grid=points("other N", *[(other, N) for other in ("ffn", "gru") for N in (4, 8, 16)]),
    controls=[
        Control("exchanged", breaks=[samples, work],
                measure=lambda record, p: ratios(record, "transformer", p.other, p.N)),
    ],
)
