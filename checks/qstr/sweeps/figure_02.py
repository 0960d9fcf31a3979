"""The sweep of figure 2: attention weights after training, beside untrained networks and shuffled labels."""

from __future__ import annotations

from fractions import Fraction

from theorytools.papers.qstr.training.costs import group_bytes
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.training.sweep import ANY, Groups, Sweep

ARMS = ("trained", "shuffled labels", "untrained")
# prompts, then length and repeats; length 100 is that of the figure
_SETTINGS = {
    "smoke": (4000, ((8, 2),)),
    "published": (50_000, ((64, 5), (100, 3))),
    "wide": (50_000, ((64, 5), (100, 10))),
}
_EPOCHS = 20


def _groups(profile: str, protocol: str) -> Groups:
    samples, cells = _SETTINGS[profile]
    own = {"kind": "attention_weights", "samples": samples, "epochs": _EPOCHS}
    trials = [
        Experiment(
            architecture="transformer", N=N, repeat=repeat, protocol=protocol, task="simple",
            weight_decay=Fraction(1, 5), threshold=Fraction(1, 20), cap=samples * _EPOCHS,
        ).spec()
        for N, repeats in cells for repeat in range(repeats)
    ]  # fmt: skip
    return [[{**trial, **own, "arm": arm} for arm in ARMS] for trial in trials]


sweep = Sweep(
    title="Attention weights after training on simple 1STR",
    question="Is the product of query and key weights a multiple of the identity in the block of codes, does it leak, "
             "and does leakage explain the test loss?",
    rule="Means over repeats with 95 % t-intervals, of logarithms for losses and their ratios. Block found: energy at "
         "least 0.95, dominance at least 4, test loss at most 0.05. Leakage of the block: kept if the interval of its "
         "mean lies above 1/10, small if below. With the risks of a linear readout of the attention that is paid on "
         "test prompts: the head rescales if loss over the risk at scale 1 lies below 1/2; averaging explains the loss "
         "if loss over the least risk with a scale for each row lies in [4/5, 5/4], leaves a part open above, and is "
         "refuted as an account below. Thresholds were set after runs at N = 24, 48 and 64 on repeats that are not "
         "part of the sweep; the length 100, that of the figure, was added after the length 64 had been run.",
    cells=_groups, runner="_attention_weights:evaluate", memory=group_bytes, size="N", value="loss",
    devices=ANY,
)  # fmt: skip
