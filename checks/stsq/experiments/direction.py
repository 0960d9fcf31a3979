r"""Experiment C, beyond the training length: the loss rises with fixed one-hot positions, falls with stochastic ones.

Setting    The layers of experiments, trained at $T=20$.
Statement  From $t=300$ to 1200 the loss at $T'=30,40$ rises with fixed one-hot positions; from $t=200$ to 400 it falls
           with stochastic Gaussian and sign encodings.
Witness    Five trained layers of each kind.
Measured   The later loss over the earlier one, on 4096 fresh prompts; geometric means with 95 % t-intervals.
Control    Stochastic for fixed encodings and the reverse; the training length.
Reads      The rise is a fact about these times: ood_trend has the sign in the tail, and ood_fixed_span why new
           positions must be orthogonal to the seen ones.
"""

from theorytools import Claim, Control, Quantity, points
from theorytools.statistics.t_intervals import geometric_mean

from ..notation import T_1
from .experiments import ARMS, construct, values

fixed = Quantity("change, fixed", r"L_{T'}(1200)/L_{T'}(300)", "of the loss, one-hot positions", (0, None))
gauss, rad = (Quantity(f"change, {name}", rf"L_{{T'}}(400)/L_{{T'}}(200)|_{{\mathrm{{{short}}}}}", "of the loss",
                       (0, None)) for name, short in (("Gaussian", "gauss"), ("signs", "rad")))


def change(record, p, arm, length=None):
    name = ARMS[arm]
    place, (before, last) = (20, 30, 40).index(length or p.T_1), record.of(name)[0].spec["marks"][-2:]
    pairs = zip(*(values(record, name, step, "loss") for step in (last, before)), strict=True)
    return geometric_mean([new[place] / old[place] for new, old in pairs])


def changes(record, p, stays="orth", redrawn=("gauss", "rad"), length=None):
    return {fixed: change(record, p, stays, length),
            **{quantity: change(record, p, arm) for quantity, arm in zip((gauss, rad), redrawn, strict=True)}}


claim = Claim(
    "Experiment C, fixed and stochastic encodings",
    role="found", source="derived here: experiments",
    scope={"every length T_1": "points", "every repeat": "recorded"},
    asserts=[fixed >= 1, gauss <= 1, rad <= 1], construct=construct, measure=changes,
    listed=[T_1], grid=points("T_1", (30,), (40,)), controls=[
        Control("stochastic encodings for fixed", breaks=fixed,
                measure=lambda record, p: changes(record, p, stays="gauss")),
        Control("the training length", breaks=fixed, measure=lambda record, p: changes(record, p, length=20)),
        Control("fixed encodings for stochastic", breaks=[gauss, rad],
                measure=lambda record, p: changes(record, p, redrawn=("orth", "orth"))),
    ],
)
