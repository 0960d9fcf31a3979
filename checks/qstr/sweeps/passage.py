"""The sweep of first passages: what the loss does after the check that ends a run of Figure 1b."""

from __future__ import annotations

from fractions import Fraction

from theorytools.training.experiment import cell
from theorytools.training.sweep import Groups, Sweep

AFTER = 10
RULE = (
    "After each run's first check below the threshold it trains on for ten checks; counted is the share of these ten "
    "at which the loss of the whole test set is not below the threshold, with the t-interval of its mean over five "
    "runs. Predicted: for the feedforward network the interval lies above one half, so its first passage is a dip of a "
    "loss that hovers over the threshold, and its length the waiting time for a dip; for the Transformer it lies below "
    "one half. Fixed after the losses of the five runs of the feedforward network at N = 29 were looked at to 340,000 "
    "prompts, where they hovered between .020 and .040 from 150,000 on; N = 31 was not looked at."
)


def cells(profile: str, protocol: str) -> Groups:
    N, repeats = (31, 5) if profile == "published" else (6, 2)
    easy = {} if profile == "published" else {"threshold": Fraction(7, 10), "check_every": 10, "test_size": 1000}
    fields = {"threshold": Fraction(1, 50), "check_every": 100, "task": "simple", "protocol": protocol} | easy
    return [cell(repeats, {"arm": arm, "kind": "passage", "after": AFTER}, architecture=arm, N=N, **fields)
            for arm in ("transformer", "ffn")]  # fmt: skip


sweep = Sweep(
    title="After the first passage below the threshold, Figure 1b",
    question="Is the first check below a loss of .02 the end of learning, or a dip of a loss that hovers above it?",
    rule=RULE, cells=cells, runner="_passage:evaluate", value="above", profiles=("smoke", "published"),
    seconds=lambda spec: 6e-6 * int(spec["N"]) ** 3 if spec["arm"] == "ffn" else 1.0,
)  # fmt: skip
