r"""The second stage of two_heads: equality of 16 bits, new networks, twice the steps."""

from __future__ import annotations

from theorytools.training.sweep import Groups, Sweep

from .two_heads import sweep as first

RULE = (
    "Fixed after the sweep two_heads, four networks of each kind, had left it open, and after three of its networks of "
    "one layer were found to have ended in no number, for sums that underflow in float32; they are in float64 here. On "
    "equality of 16 bits, six new networks of each kind with 16000 steps, else as there. Predicted before any of these "
    "runs: the geometric mean of one layer's misses, 1 less the accuracy plus 1/4096, over that of two layers' has "
    "Welch's 95 % t-interval above 1. This sweep alone decides it."
)


def _groups(profile: str, protocol: str) -> Groups:
    members, steps = {"smoke": (2, 5), "published": (6, 16_000), "wide": (20, 100_000)}[profile]
    groups = []
    for group in first.cells(profile, protocol):
        if group[0]["task"] == "equality":
            own = {**group[0], "steps": steps, "sort": "longer", "arm": f"{group[0]['arm']}, longer"}
            groups.append([{**own, "repeat": repeat} for repeat in range(members)])
    return groups


sweep = Sweep(
    title="One wide layer of two heads against two layers, longer",
    question="With twice the steps, do two layers learn equality of 16 bits better than one wide layer?",
    rule=RULE, cells=_groups, runner="_strings:evaluate", value="accuracy",
)  # fmt: skip
