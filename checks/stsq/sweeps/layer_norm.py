"""The sweep of LayerNorm at a tenth of the rate: at that of the sweep variants its training left all bounds."""

from __future__ import annotations

from theorytools.training.sweep import Groups, Sweep

from .variants import sweep as variants

RULE = (
    "As the sweep variants, whose runs with LayerNorm of the columns diverged at the rate 1/2 (a column has the square "
    "d + d_e, in place of 6 on average): the rate 1/20 and as many steps. Predicted before any of these runs, as "
    "there: at q = 3 the probability of success is more than 1/20 below Pr(kappa < 1), as LayerNorm scales a score by "
    "the length of its token."
)


def _groups(profile: str, protocol: str) -> Groups:
    members = {"smoke": 2, "published": 3, "wide": 10}[profile]
    groups = []
    for group in variants.cells("smoke" if profile == "smoke" else "published", protocol):
        spec = group[0]
        if profile == "smoke" or spec["form"] == "layer norm":
            own = {**spec, "form": "layer norm", "arm": f"layer norm, q = {spec['q']}", "rate": "1/20"}
            groups.append([{**own, "repeat": repeat} for repeat in range(members)])
    return groups


sweep = Sweep(
    title="LayerNorm of the columns, at a smaller rate",
    question="Does attention on normalised columns select as often as the encodings allow?",
    rule=RULE, cells=_groups, runner="_selection_variants:evaluate", value="success", size="T",
)  # fmt: skip
