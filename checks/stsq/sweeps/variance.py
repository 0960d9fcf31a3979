"""The sweep of question (g), trained: the variance of two selected tokens by one head or two."""

from __future__ import annotations

from typing import Any

from theorytools.training.sweep import Groups, Sweep

ARMS = {"positions only": (1, True), "one head": (1, False), "two heads": (2, False)}

RULE = (
    "T = 20, q = 2, orthonormal encodings, attention that selects at the start; share: 1 less the loss over 1/2, the "
    "variance of the target, on 2^16 fresh prompts at the end; means over repeats with 95 % t-intervals. Predicted "
    "before any of these runs: (1) scores that see positions only explain at most 1/50; (2) one head whose scores read "
    "the tokens explains between 3/20 and 3/10, as attention of any tilt explains at most about a quarter; (3) two "
    "heads explain more than one half, which one head cannot."
)


def _groups(profile: str, protocol: str) -> Groups:
    repeats, steps = {"smoke": (2, 5), "published": (3, 4000), "wide": (10, 40_000)}[profile]
    groups: Groups = []
    for arm, (heads, positions) in ARMS.items():
        own: dict[str, Any] = {
            "kind": "variance", "arm": arm, "heads": heads, "positions": positions, "T": 20, "q": 2, "steps": steps,
            "batch": 256, "rate": "1/50", "tests": 2**16, "protocol": protocol,
        }  # fmt: skip
        groups.append([{**own, "repeat": repeat} for repeat in range(repeats)])
    return groups


sweep = Sweep(
    title="The variance of the selected tokens, trained",
    question="Do trained heads explain as much of the variance as heads can?",
    rule=RULE, cells=_groups, runner="_variance_heads:evaluate", value="share",
)  # fmt: skip
