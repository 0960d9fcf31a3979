"""The sweep of whole Transformers with fewer heads than indices, as many, and one more: its question, rule, trials."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from theorytools.papers.qstr.training.costs import group_bytes
from theorytools.papers.qstr.training.experiment import cell
from theorytools.training.sweep import Groups, Sweep

STEPS = {"smoke": 50, "published": 6000}
# q, d, H: tokens of more dimensions than heads, and of fewer
WIDE = ((2, 8, 1), (2, 8, 2), (2, 8, 3), (3, 8, 1), (3, 8, 2), (3, 8, 3), (3, 8, 4))
NARROW = ((2, 1, 1), (3, 1, 2), (4, 2, 3), (3, 2, 2))
MEAN = ((2, 8, 1), (3, 8, 1), (4, 2, 1))


def heads(protocol: str, profile: str, arm: str, q: int, d: int, H: int) -> list[dict[str, Any]]:
    """Return the repeats of one cell."""
    own, steps = {"kind": "merged_heads", "arm": arm}, STEPS[profile]
    return cell(
        2 if profile == "smoke" else 5, own, architecture="merged", N=8, d=d, q=q, d_e=8, heads=H, width=64,
        link="lin" if arm == "mean" else "sq", lr=Fraction(1, 100), weight_decay=Fraction(0), cap=64 * steps,
        test_size=500 if profile == "smoke" else 4000, protocol=protocol,
    )  # fmt: skip


def _groups(profile: str, protocol: str) -> Groups:
    arms = {"squares": (*WIDE, *NARROW), "mean": MEAN}
    if profile == "smoke":
        arms = {"squares": ((2, 2, 1), (2, 2, 2)), "mean": ((2, 2, 1),)}
    return [heads(protocol, profile, arm, *sizes) for arm, cells in arms.items() for sizes in cells]


sweep = Sweep(
    title="Whole Transformers with H heads on squared norms of q tokens",
    question="Does a trained Transformer need as many heads as indices, where tokens have more dimensions than it has "
             "heads, and where they have fewer?",
    rule="Loss: mean squared error on 4000 fresh prompts after the last training prompt, all positions, over the "
         "variance of a label; means over the five networks of a cell, 95 % t-intervals. N = 8, squared norms. "
         "Predicted. (i) Tokens of 8 dimensions: the ratio of geometric means, the loss of q - 1 heads over that of q, "
         "Welch's 95 % t-interval, lies above 3 at q = 2 and 3; that of q heads over q + 1 lies below 3, so the step "
         "is at q. (ii) With fewer heads than indices there the mean loss is at least the floor "
         "(1 - q/N)(q - H)+(d - H)+/(qd) + (q/N)(q - 1 - H)+(d - H)+/(qd), which is proved: a mean surely below it "
         "refutes the program. (iii) Where d < H, or d = H = 1, fewer heads than indices are enough: at (q, d, H) = "
         "(2, 1, 1), (3, 1, 2), (4, 2, 3) the mean loss is at most a quarter of 1 - H/q. (iv) At (3, 2, 2), d = H = 2, "
         "where the floor is 0 too, training does not get there: the mean loss is above a quarter of 1 - H/q. (v) On "
         "the mean of the indexed tokens, the link lin, one head is enough at (q, d) = (2, 8), (3, 8), (4, 2): the "
         "mean loss is at most 1/50. Fixed after runs on repeats 100 to 103 of some of the cells, none of them part of "
         "the sweep.",
    cells=_groups, runner="_merged_heads:evaluate", memory=group_bytes, size="heads", value="loss",
    profiles=("smoke", "published"),
)  # fmt: skip
