r"""The length that a trained state holds to half accuracy grows with its size, but slower than in proportion.

Setting    As in experiments. $N_{1/2}(m)$ is the length at which the accuracy of a state of $m$ numbers is $\frac12$,
           interpolated linearly in $(\log N,\text{accuracy})$ between the neighbouring lengths that bracket it.
Statement  $N_{1/2}$ grows with $m$ by an exponent between $\frac12$ and 1.
Witness    Three pairs of trained networks of each kind; three networks of each cell.
Measured   Exponents of pairs, means with 95 % t-intervals.
Control    The sizes exchanged; growth counted against twice the size.
Reads      If accuracy were a function of $N/m$ the exponent would be 1. By the sweep's rule, an interval within
           $1\pm\frac15$ (`proportional`), this is not reached by linear from 16 to 64 and undecided for the others. All
           sizes train for 1500 steps, the same for all, which may be too few for the large ones. The pair of lstm and
           that of linear from 64 to 256 are no part of the rule.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.statistics.t_intervals import repeat_mean

from ._held_length import size_exponent
from .experiments import construct

exponent = Quantity("exponent", r"\log\frac{N_{1/2}(m')}{N_{1/2}(m)}/\log\frac{m'}m", "mean over pairs of networks")


def curves(record, arm):
    """Return the accuracies of each length, for every repeat."""
    return [{trial.spec["N"]: trial.result["accuracy"] for trial in record.of(arm, repeat=k)} for k in range(3)]


def measure(record, q, exchanged=False, factor=None):
    small, large = (curves(record, f"{q.model} {m}") for m in (q.m, q.wider))
    pairs = zip(large, small, strict=True) if exchanged else zip(small, large, strict=True)
    return {exponent: repeat_mean([size_exponent(*pair, factor or q.wider / q.m) for pair in pairs])}


claim = Claim(
    "Experiments, growth with the state",
    role="found", source="derived here: experiments on index lookup",
    scope={"every pair of sizes model, m, wider": "points", "every repeat": "recorded"},
    asserts=[exponent >= Rational(1, 2), exponent <= 1],
    construct=construct,
    measure=measure,
    grid=points("model m wider", ("linear", 16, 64), ("gru", 16, 64), ("lstm", 16, 64), ("linear", 64, 256)),
    controls=[
        Control(
            "the sizes exchanged",
            breaks=exponent,
            asserts=[exponent >= Rational(1, 2)],
            measure=lambda record, q: measure(record, q, exchanged=True),
        ),
        Control(
            "growth counted against twice the size",
            breaks=exponent,
            asserts=[exponent <= 1],
            measure=lambda record, q: measure(record, q, factor=2),
        ),
    ],
)
proportional = Claim(
    "Experiments, growth with the state in proportion, asked first",
    role="found", source="derived here: experiments on index lookup",
    scope={"every pair of sizes model, m, wider": "points", "every repeat": "recorded"},
    expect="REFUTED", asserts=exponent.equals(1, within=Rational(1, 5)),
    construct=construct, measure=measure, grid=claim.grid, controls=[
        Control("an exponent between one half and one", asserts=claim.asserts),
        Control("the sizes exchanged", breaks=exponent, measure=lambda record, q: measure(record, q, exchanged=True)),
    ],
)
