r"""Trained recurrent states rounded to counted bits look up an index below Fano's ceiling; attention does not.

Setting    As in experiments; after training each of the $m$ numbers of a network's last state is rounded to the middle
           of one of $2^p$ parts of its range, found on other words.
Statement  $2^{mp}$ states allow no accuracy above $\mathrm{acc}(\frac{mp}N)$, index_lookup_recurrent_lb: so for every
           network, length and $p=1,2,4,8$.
Adversary  Trained GRU, LSTM and linear state-space models, three of each cell, with their own read-outs.
Measured   The largest accuracy of three on $2^{14}$ words, one uniform position each, Clopper-Pearson at level
           $10^{-9}$; the ceiling by enclosures.
Control    Attention, whose cache is not counted; a linear state of 16 numbers of 8 bits, counted as 1 each.
Reads      Cells whose ceiling is 1, $mp\ge N\log_2|\Sigma|$, are left out: with 32 bits in a number all would be.
           The read-outs are not trained again for the rounded states. 
"""

from fractions import Fraction

from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import Budget
from theorytools.statistics.intervals import clopper_pearson
from theorytools.statistics.sampled import recorded_interval
from theorytools.theory.memory.fano import fano_ceiling

from ..notation import N, acc_B, m, p
from ..sweeps.lookup import BITS, LENGTHS
from .experiments import ATTENTION, construct

LEVEL, SYMBOLS = 1e-9, 16
best = Quantity("best accuracy", r"\max\Pr[\hat s=s_p]", "largest over the networks", (0, 1))
GRID = [(model, m, N, p) for (model, m), lengths in LENGTHS.items() for N in lengths for p in BITS if m * p < 4 * N]


def ceiling(rate):  # of B/N alone, so that cells of one rate share it
    return fano_ceiling(2**rate.numerator, rate.denominator, SYMBOLS)


def measure(record, q, arm="", bits=""):
    trials, tests = record.of(arm or f"{q.model} {q.m}", N=q.N), record.trials[0].result["tests"]
    counts = [trial.result["correct"]["one"][bits or str(q.p)] for trial in trials]
    low, high = (float(ends.max()) for ends in clopper_pearson(counts, tests, LEVEL))
    return {best: recorded_interval(low, high, alpha=LEVEL * len(counts), samples=tests * len(counts))}


claim = Claim(
    "Experiments, Fano's ceiling",
    role="found", source="derived here: experiments on index lookup",
    scope={"every model, m, N, p": "points", "every trained network": "recorded", "every word": "recorded"},
    asserts=best <= acc_B,
    requires=[m * p < 4 * N],
    derived=[acc_B],
    derive=lambda record, q: {acc_B: lambda: ceiling(Fraction(q.m * q.p, q.N))},
    grid=points("model m N p", *GRID),
    listed=["model", m, N, p],
    construct=construct,
    measure=measure,
    budget=Budget(bits=128),  # the sampled ends stay as they are
    controls=[
        Control(
            "attention", breaks=best, where=N >= 16, measure=lambda record, q: measure(record, q, ATTENTION, "trained")
        ),
        Control(
            "eight bits counted as one",
            breaks=best,
            where=Eq(N, 8),
            measure=lambda record, q: measure(record, q, "linear 16", "8"),
        ),
    ],
)
