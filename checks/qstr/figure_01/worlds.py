r"""Published means and exponents agree with ours when worlds are the units; of the Transformer worlds differ most.

Setting    Figure 1a under the released protocol: a world is a direction and a table of codes, which the five repeats of
           a published mean share. Five worlds, three repeats each, at five lengths.
Statement  The standard deviation of $\log n$ between worlds exceeds that within one. At 8 or more of the ten lengths of
           two curves the published mean lies where the mean of one further world is to be expected. The published
           exponents lie in the intervals of ours.
Witness    Our trained networks of the sweep worlds.
Measured   The ratio of the deviations with its 95 % interval, from Fisher's $F$; the number of published means in the
           95 % interval of a further world; the number of published exponents in the 95 % t-interval of the exponent of
           the world means.
Control    Repeats dealt out over the worlds; five times the published number; the two curves exchanged.
Reads      By the rule of the sweep the first is decided for the Transformer, and open for the feedforward network,
           whose repeats scatter as much as its worlds. A published mean is of five repeats, ours of three: a further
           mean of five scatters a little less than the interval allows. The model is Gaussian in $\log n$ with equal
           deviations at all lengths. The recurrent arm, a hundred times as costly, was not run.
"""

import math

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.censored import Repeats
from theorytools.statistics.slopes import mean_slope
from theorytools.statistics.two_levels import further_interval, spread_ratio
from theorytools.training.record import SweepRecord, recorded

from .published import published

ARMS, OTHER = ("transformer", "ffn"), {"transformer": "ffn", "ffn": "transformer"}
ratio = Quantity("ratio", r"\sigma_{\mathrm{b}}/\sigma_{\mathrm{w}}", "deviations of log n", (0, None))
inside = Quantity("means inside", "m", "published means where one further world's is expected", (0, 10))
agree = Quantity("exponents inside", "k", "published exponents in the interval of ours", (0, 2))


def construct(p) -> SweepRecord:
    return recorded(__file__, "worlds", "released")


def logs(record, arm):
    return {N: [[math.log(n) for n in world] for world in worlds] for N, worlds in record.worlds(arm).items()}


def spread(record, p, dealt=False):
    cells = list(logs(record, p.architecture).values())
    if dealt:  # the r-th repeat of world w goes to world w + r
        cells = [[[cell[(w - r) % len(cell)][r] for r in range(len(cell[0]))] for w in range(len(cell))]
                 for cell in cells]
    return {ratio: spread_ratio(cells)}


def means(record, arm):
    return {N: [sum(world) / len(world) for world in worlds] for N, worlds in logs(record, arm).items()}


def further(record, p, factor=1):
    printed, found = published("a"), 0
    for arm in ARMS:
        for N, values in means(record, arm).items():
            low, high = further_interval(values)
            found += low <= math.log(factor * printed[arm, N]) <= high
    return {inside: fitted(found, found, level=0.95, cells=10)}


def slope(rows, noise):
    values = [[math.exp(x) for x in row] for row in rows.values()]
    return mean_slope(Repeats.observed(list(rows), values), noise=noise)


def exponents(record, p, exchanged=False):
    printed, found = published("a"), 0
    for arm in ARMS:
        ours = slope(means(record, arm), "repeats")
        named = OTHER[arm] if exchanged else arm
        theirs = slope({N: [math.log(printed[named, N])] for N in record.sizes(arm)}, "residuals").slope
        found += ours.low <= theirs <= ours.high
    return {agree: fitted(found, found, level=0.95, curves=2)}


common = {"role": "prediction", "source": "derived here: Figure 1a, section 4", "construct": construct}
runs = {"every N": "points", "every world": "recorded", "every repeat": "recorded"}
by_architecture, by_protocol = ({f"every {letter}": "points", **runs} for letter in ("architecture", "protocol"))
dealt = Control("repeats dealt out over the worlds", breaks=ratio,
                measure=lambda record, p: spread(record, p, dealt=True))  # fmt: skip
claim = Claim(
    "Figure 1a, worlds and repeats", **common, scope=by_architecture, expect="UNDECIDED",
    asserts=ratio >= 1, measure=spread,
    grid=points("architecture", *[(arm,) for arm in ARMS]), listed=["architecture"], controls=[dealt],
)
published_inside = Claim(
    "Figure 1a, published means and exponents", **common, scope=by_protocol,
    asserts=[inside >= 8, agree >= 2], grid=points("protocol", ("released",)),
    measure=lambda record, p: further(record, p) | exponents(record, p), controls=[
        Control("five times the published number", breaks=inside,
                measure=lambda record, p: further(record, p, 5) | exponents(record, p)),
        Control("the curves exchanged", breaks=agree,
                measure=lambda record, p: further(record, p) | exponents(record, p, exchanged=True)),
    ],
)
