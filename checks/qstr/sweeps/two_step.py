"""The sweep of one and two layers of attention on a two-step look-up: its question, its rule, its trials."""

from __future__ import annotations

from fractions import Fraction

from theorytools.papers.qstr.training.costs import group_bytes
from theorytools.papers.qstr.training.experiment import cell
from theorytools.training.sweep import Groups, Sweep

# layers, heads, steps, labels of each arm
ARMS = {
    "two layers": (2, 1, 2, "own"), "one layer": (1, 1, 2, "own"), "two heads": (1, 2, 2, "own"),
    "four heads": (1, 4, 2, "own"), "one step": (1, 2, 1, "own"), "shuffled labels": (2, 1, 2, "shuffled"),
    "untrained": (2, 1, 2, "none"),
}  # fmt: skip
_SIZES = {"smoke": ((4, 3_200, 2),), "published": ((8, 128_000, 5), (16, 128_000, 4)),
          "wide": ((8, 10**6, 10), (16, 10**6, 10), (32, 10**6, 10))}  # fmt: skip


def _groups(profile: str, protocol: str) -> Groups:
    groups = []
    for N, cap, repeats in _SIZES[profile]:
        for arm, (layers, heads, steps, labels) in ARMS.items():
            if N > 8 and labels != "own":
                continue
            own = {"kind": "two_step", "arm": arm, "layers": layers, "steps": steps, "labels": labels}
            fixed = {"N": N, "d": 4, "d_e": N, "heads": heads, "width": 64, "lr": Fraction(3, 1000), "cap": cap}
            fixed |= {"test_size": 4000, "protocol": protocol}
            groups.append(cell(repeats, own, architecture="merged", **fixed))
    return groups


sweep = Sweep(
    title="One and two layers of attention on a two-step look-up",
    question="Do two layers of attention learn a look-up of two steps that one layer of as many parameters does not?",
    rule="Mean squared error on 4000 fresh prompts after the last training prompt, all positions, variance of a label "
         "1. Two layers of one head against one layer of two heads, which has exactly as many parameters: two layers "
         "help at a length if Welch's 95 % t-interval for the ratio of geometric means, one layer's loss over two "
         "layers', lies above 1; they do harm if it lies below. Predicted at N = 8 and 16: the ratio is above 4. The "
         "mean loss of two layers is at most 1/4; so is that of the one layer of two heads on one step; the mean loss "
         "of one layer of 1, 2, 4 heads is at least (1 - 1/N)(N - 2 - H)/N, which is proved only for scores that do "
         "not see the key's token. Means with 95 % t-intervals. Controls: shuffled labels and no training end above "
         "1/4. Fixed after runs on repeats 100 to 102, which are not part of the sweep.",
    cells=_groups, runner="_two_hop:evaluate", memory=group_bytes, size="N", value="loss",
)  # fmt: skip
