r"""Trained networks that see the index only partly stay above the exact floors, and come close to them.

Setting    General 1STR, linear link, $d=4$; a Transformer ($N=4,8$) and a feedforward network ($N=4$) trained by AdamW,
           3 networks a cell. Either two positions share one code ($k=2$), or the index that is shown is not the one
           that is asked for ($k=N$), or labels are those of another prompt.
Statement  The squared error is at least $\frac{k-1}N$, the floor of definition_02_baselines, and at least 1 with
           another prompt's labels: no network is below 95 % of it, and the least of a cell is within 5 % of it.
Adversary  Trained networks.
Measured   The mean squared error over positions on $2^{18}$ fresh prompts ($2^{19}$ at $N=8$), truncated, with limits
           that hold for all networks at once.
Control    Distinct codes; the network that sees the index; untrained networks; the floor of one code more.
Reads      Derived here. At $N=8$ there are twice as many prompts and no cell of distinct codes. Predictions are clipped
           to $[-3,3]$, which keeps every floor. 5 % is what limits at level $10^{-9}$ can tell.
"""

from sympy import Eq, Rational, true

from theorytools import Claim, Control, Quantity, points
from theorytools.statistics.clipped_error import least_recorded
from theorytools.training.record import SweepRecord, recorded

from ..notation import N, group
from ..sweeps.floors import limits_of
from .baselines import floor

loss = Quantity("loss", "R", "least mean squared error of the trained networks of a cell", (0, None))
resolved = Rational(1, 20)


def construct(p) -> SweepRecord:
    return recorded(__file__, "floors")


def measure(record, p, arm=None, field="limits"):
    shown = "pair" if p.group == 2 else "blind"
    return {loss: least_recorded(limits_of(record, arm or shown, p.architecture, p.N, field))}


def spoiled(name, asserts, where=true, **other):
    return Control(name, asserts=[asserts], breaks=asserts, where=where,
                   measure=lambda record, p: measure(record, p, **other))


above, near = loss >= (1 - resolved) * floor, loss.equals(floor, within=resolved * floor)
claim = Claim(
    "Definition 2, trained networks and the floors",
    role="found", source="derived here: Definition 2",
    scope={"every architecture, N, group": "points", "every trained network": "recorded", "every prompt": "recorded"},
    asserts=[above, near], requires=[group <= N],
    grid=points("architecture N group", ("transformer", 4, 2), ("transformer", 8, 2), ("transformer", 4, 4),
                ("transformer", 8, 8), ("ffn", 4, 2), ("ffn", 4, 4)),
    construct=construct, measure=measure, listed=["architecture", N, group],  # pairs, and all codes alike
    controls=[
        spoiled("distinct codes and the index shown", above, where=Eq(N, 4), arm="distinct"),
        spoiled("two positions with one code, not all", above, where=Eq(group, N), arm="pair"),
        spoiled("untrained networks", near, field="untrained"),
        Control("the floor of one code more", breaks=loss, asserts=[loss >= (1 - resolved) * (floor + 1 / N)]),
    ],
)
