r"""Experiment A: SGD on all weights follows the two reduced numbers.

Setting    $T=20$, $q=3$, $d=5$; SGD on $(V,W)$ from zero, $\eta=\frac12$, fresh batches of 256. gauss: SPE with the
           dual query, $d_e=64$; rad: SPE with the sum; orth: fixed one-hot positions. Reduced: the update of
           $(\alpha,\beta)$ on a bank of score vectors.
Statement  $\alpha=\frac1d\operatorname{tr}V_1$ and $\beta$ agree with the reduced ones within 15 % at $t=100$ and 5 %
           at the end ($t=400$; orth 1200).
Witness    Five trained layers of each kind; two reduced runs.
Measured   Means over the layers of the ratios with 95 % t-intervals.
Control    Untrained weights; the reduced run of another metric.
Reads      Rule and tolerances are the sweep's. Ratios are averaged as they are, not on logarithms, for untrained
           weights give 0. B: experiments_noise, C: experiments_zero_fit and experiments_direction, both longer in
           experiments_longer, D: fcn_trained, E: encodings_average_drawn and encodings_uniform_law, F:
           spe_floor_lengths.
"""


from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.statistics.t_intervals import repeat_mean
from theorytools.training.record import SweepRecord, recorded

from ..notation import mark, slack

scale = Quantity("scale", r"\alpha/\alpha_{\mathrm{reduced}}", "trained over reduced", (0, None))
heat = Quantity("inverse temperature", r"\beta/\beta_{\mathrm{reduced}}", "trained over reduced", (0, None))
ARMS = {"gauss": "gauss dual", "rad": "rad sum", "orth": "orth", "frozen": "frozen"}


def read():
    return recorded(__file__, "selection")


def construct(p) -> SweepRecord:
    return read()


def values(record, arm, mark, field):
    return [row[field] for trial in record.of(arm) for row in trial.result["curve"] if row["step"] == mark]


def measure(record, p, at=None, other=None):
    found = {}
    for quantity, field in ((scale, "alpha"), (heat, "beta")):
        full = values(record, ARMS[p.arm], p.mark if at is None else at, field)
        reduced = values(record, f"reduced {ARMS[other or p.arm]}", p.mark, field)
        found[quantity] = repeat_mean([x * len(reduced) / sum(reduced) for x in full])
    return found


claim = Claim(
    "Experiment A",
    role="found", source="derived here: experiments",
    scope={"every arm, mark, slack": "points", "every repeat": "recorded"},
    asserts=[scale.equals(1, within=slack), heat.equals(1, within=slack)],
    construct=construct, measure=measure, listed=["arm", mark, slack],  # each time has its tolerance
    grid=points("arm mark slack", *[(arm, 200, "3/20") for arm in ("gauss", "rad", "orth")], ("gauss", 800, "1/20"),
                ("rad", 800, "1/20"), ("orth", 2400, "1/20")),
    controls=[
        Control("untrained weights", breaks=[scale, heat], measure=lambda record, p: measure(record, p, at=0)),
        Control("the metric of another kind", breaks=heat, where=Eq(mark, 200), measure=lambda record, p: measure(
            record, p, other="gauss" if p.arm == "orth" else "orth")),
    ],
)
