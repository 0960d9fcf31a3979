r"""The samples that trained networks need on general 1STR, and how they grow with the length.

Setting    Figure 1a: general 1STR, linear link, $d=10$, random sign codes, online AdamW; $n$ prompts until the test
           loss is below 0.7. Test prompts come from the training distribution; every repeat has its own direction and
           codes.
Statement  In the recorded runs, $N=4,\dots,12$, the exponent of the Transformer lies below that of the feedforward
           network and of the GRU; that of the feedforward network is at least 1, the slope of $(1-0.7)Nd$, the span
           bound; that of the Transformer exceeds the slope of what Theorem 10 asks for, whose growth is not reached at
           these sizes.
Witness    Five trained networks for each architecture and length.
Measured   Exponents by least squares, 95 % t-intervals from the repeats; Theorem 10 between certified crossings.
Control    Architectures exchanged; the lengths of every run in reverse; a span bound of the fourth power.
Reads      Statistic and rule are the sweep's; the rule leaves the side of the last comparison open. Online AdamW lies
           outside the span bound's hypotheses: what is compared is the growth.
"""

from dataclasses import replace

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.numbers import between
from theorytools.papers.qstr.capacity.generalisation import GeneralisationBound
from theorytools.papers.qstr.capacity.sample_size import required_n_slope
from theorytools.statistics.slopes import mean_slope
from theorytools.training.record import SweepRecord, recorded

from ..notation import N, slope_10

ARMS = ("transformer", "ffn", "gru")
samples = Quantity("samples of the ffn", r"n_{\mathrm{ffn}}", "prompts until the test loss is below 0.7", (0, None))
growth = Quantity("exponent", r"b_{\mathrm{tr}}", "of the Transformer's samples in the length")
gaps = {arm: Quantity(f"gap to the {arm}", rf"b_{{\mathrm{{{arm}}}}}-b_{{\mathrm{{tr}}}}",
                      f"exponent of the {arm} less that of the Transformer") for arm in ARMS[1:]}


def construct(p) -> SweepRecord:
    return recorded(__file__, "figure_01a", p.protocol)


def measure(record, p, order=ARMS, backward=False):
    data = [record.repeats(arm) for arm in order]
    if backward:
        data = [replace(rows, low=rows.low[::-1], high=rows.high[::-1]) for rows in data]
    tr, *rest = (mean_slope(rows, noise="repeats") for rows in data)
    apart = {gaps[arm]: fitted(fit.low - tr.high, fit.high - tr.low, level=0.9)
             for arm, fit in zip(ARMS[1:], rest, strict=True)}
    return {**apart, samples: rest[0].recipe(), growth: fitted(tr.low, tr.high, level=tr.level)}


def derive(record, p):
    ends = required_n_slope(GeneralisationBound(N=100, n=1, d=10, q=1), "N", (4, 12))
    return {slope_10: lambda: between(*ends)}


span = samples.slope(N, 3 * N, ">=")
asserts = [gaps["ffn"] >= 0, gaps["gru"] >= 0, span, growth >= slope_10]
claim = Claim(
    "Figure 1a",
    role="statement", source="published: Figure 1a, section 4; prose",
    scope={"every protocol": "points", "every N": "points", "every repeat": "recorded"},
    asserts=asserts, construct=construct, measure=measure,
    derive=derive, derived=[slope_10], grid=points("protocol", ("corrected",), ("released",)),
    controls=[
        Control("Transformer and the others exchanged", breaks=list(gaps.values()),
                measure=lambda record, p: {**measure(record, p), **{
                    gap: measure(record, p, order)[gap] for gap, order in
                    zip(gaps.values(), [("ffn", "transformer", "gru"), ("gru", "ffn", "transformer")], strict=True)}}),
        Control("lengths in reverse", breaks=[*gaps.values(), samples, growth],
                measure=lambda record, p: measure(record, p, backward=True)),
        Control("the fourth power", breaks=samples, asserts=[*asserts[:2], samples.slope(N, N**4, ">="), asserts[3]]),
    ],
)
