r"""The bound $1/N$ on the transition's slope is not needed to learn simple 1STR: at $N=16$ it costs prompts.

Setting    Simple 1STR, $d=4$, $N=8,16$; $h_{j+1}=h_j+W_2\sigma(Uh_j+Vz_j+b)$, an increment of slope
           $\|W_2\|\|U\|\le\alpha$ in the state; online AdamW, after every step $U$ is scaled down to the bound.
Statement  To a test loss of $\frac1{10}$ at $N=16$ the networks with $\alpha=1$ and $\alpha=1/N$ need more prompts than
           those without a bound; at $N=8$ this is open. Unbounded ones end with a mean slope above 2. Without the
           residual, $h_{j+1}=\sigma(Uh_j+\dots)$ with $\|U\|\le1/N$ forgets: its mean loss at the cap is above
           $\frac12$.
Witness    Five trained networks for each cell and bound.
Measured   The ratio of geometric means with Welch's 95 % t-interval; mean slope and loss with their 95 % t-intervals.
Control    Bounded and unbounded exchanged; a quarter of the bounded ones' prompts; bounded slopes; no training; the
           unbounded plain cell; the residual cell; unbounded networks over untrained ones.
Reads      Statistic and rule are the sweep's. At $N=8$ (`short`) the rule leaves it undecided: in one of five worlds
           two codes are equal, which costs $\frac1N>\frac1{10}$ in every arm, so all are stopped at the cap. Runs
           stopped at the cap, $16000N$ prompts, count as the cap: the ratio is then a lower limit. Fresh prompts are
           not the fixed training set of Theorem 7, whose bound grows with the slope: what its proof needs of $\alpha$
           is result_alpha.
"""

from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import fitted
from theorytools.statistics.t_intervals import ratio_interval, repeat_mean
from theorytools.training.record import SweepRecord, recorded

from .notation import N

ratio = Quantity("ratio", "n/n_0", "prompts needed over those without a bound", (0, None))
slope = Quantity("slope", r"\|W_2\|\|U\|", "at the end, mean over networks", (0, None))
loss = Quantity("loss", "R", "at the cap, mean over networks", (0, None))
ARMS = {"one": "residual 1", "inverse": "residual 1/N", "none": "residual none"}


def construct(p) -> SweepRecord:
    return recorded(__file__, "transition")


def ratios(record, above, below, N, parts=1):
    low, high = ratio_interval(*(record.values(arm, N=N) for arm in (above, below)))
    return {ratio: fitted(low / parts, high / parts, level=0.95)}


def means(record, quantity, field, arm, N):
    return {quantity: repeat_mean([float(trial.result[field]) for trial in record.of(arm, N=N)])}


def ends(record, p, arm=ARMS["none"], cell="plain 1/N"):
    return means(record, slope, "steepness", arm, p.N) | means(record, loss, "loss", cell, p.N)


claim = Claim(
    "Question (f)",
    role="found", source="derived here: question (f)",
    scope={"every N": "points", "every bound on the slope": "points", "every repeat": "recorded"},
    asserts=ratio >= 1, construct=construct,
    measure=lambda record, p: ratios(record, ARMS[p.bound], ARMS["none"], p.N),
    grid=points("bound N", ("one", 16), ("inverse", 16)),
    controls=[
        Control("exchanged", breaks=ratio, measure=lambda record, p: ratios(record, ARMS["none"], ARMS[p.bound], p.N)),
        Control("a quarter of the prompts", breaks=ratio,
                measure=lambda record, p: ratios(record, ARMS[p.bound], ARMS["none"], p.N, parts=4)),
    ],
)
short = Claim(
    "Question (f), length 8, asked first",
    role="found", source="derived here: question (f)",
    scope={"every N": "points", "every bound on the slope": "points", "every repeat": "recorded"},
    expect="UNDECIDED", asserts=ratio >= 1, construct=construct, measure=claim.measure,
    note="One run of five is stopped at the cap in either arm, so the ratio is no lower limit here.",
    grid=points("bound N", ("one", 8), ("inverse", 8)), controls=[
        Control("no bound, over no training", breaks=ratio,
                measure=lambda record, p: ratios(record, ARMS["none"], "untrained", p.N)),
    ],
)
steep = Claim(
    "Question (f), slopes without a bound, and bounds without the residual",
    role="found", source="derived here: question (f)", scope={"every N": "points", "every repeat": "recorded"},
    asserts=[slope >= 2, loss >= Rational(1, 2)], construct=construct, measure=ends, grid=points("N", (8,), (16,)),
    controls=[
        Control("bounded", breaks=slope, measure=lambda record, p: ends(record, p, ARMS["one"])),
        Control("no training", breaks=slope, where=Eq(N, 8), measure=lambda record, p: ends(record, p, "untrained")),
        Control("no bound", breaks=loss, measure=lambda record, p: ends(record, p, cell="plain none")),
        Control("the residual cell", breaks=loss, where=Eq(N, 8),
                measure=lambda record, p: ends(record, p, cell=ARMS["inverse"])),
    ],
)
