r"""Experiment C, beyond the training length: the loss rises with fixed one-hot positions, falls with stochastic ones.

Setting    The layers of experiments, trained at $T=20$.
Statement  From $t=300$ to 1200 the loss at $T'=30,40$ rises with fixed one-hot positions; from $t=200$ to 400 it falls
           with stochastic Gaussian and sign encodings.
Witness    Five trained layers of each kind.
Measured   The later loss over the earlier one, on 4096 fresh prompts; geometric means with 95 % t-intervals.
Control    Stochastic for fixed encodings and the reverse; the training length.
Reads      The rule was fixed before the sweep ran, after single runs of other repeats. The rise is a fact about these
           times: ood_trend has the sign in the tail, and ood_fixed_span why new positions must be orthogonal to the
           seen ones.
"""

from theorytools import Claim, Control, Quantity, points
from theorytools.statistics.t_intervals import geometric_mean

from ..notation import T_1
from .experiments import ARMS, construct, values

change = Quantity("change", r"L_{T'}(t_2)/L_{T'}(t_1)", "of the loss towards the end", (0, None))


def changes(record, p, arm="", length=None):
    name = ARMS[arm or p.arm]
    place, (before, last) = (20, 30, 40).index(length or p.T_1), record.of(name)[0].spec["marks"][-2:]
    pairs = zip(*(values(record, name, step, "loss") for step in (last, before)), strict=True)
    return {change: geometric_mean([new[place] / old[place] for new, old in pairs])}


claim = Claim(
    "Experiment C, fixed encodings",
    role="found", source="derived here: experiments",
    scope={"every arm": "points", "every length T_1": "points", "every repeat": "recorded"},
    asserts=change >= 1, construct=construct, measure=changes,
    listed=["arm", T_1], grid=points("arm T_1", ("orth", 30), ("orth", 40)), controls=[
        Control("stochastic encodings", breaks=change, measure=lambda record, p: changes(record, p, "gauss")),
        Control("the training length", breaks=change, measure=lambda record, p: changes(record, p, length=20)),
    ],
)
falls = Claim(
    "Experiment C, stochastic encodings",
    role="found", source="derived here: experiments",
    scope={"every arm": "points", "every length T_1": "points", "every repeat": "recorded"},
    asserts=change <= 1, construct=construct,
    measure=changes, listed=["arm", T_1],
    grid=points("arm T_1", *[(arm, length) for arm in ("gauss", "rad") for length in (30, 40)]),
    controls=[Control("fixed encodings", breaks=change, measure=lambda record, p: changes(record, p, "orth"))],
)
