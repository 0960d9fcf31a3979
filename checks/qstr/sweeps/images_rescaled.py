"""The second sweep of handwritten digits: labels of mean square 1 on the images of the test."""

from __future__ import annotations

from theorytools.training.sweep import ANY, Groups, Sweep

from ._samples import FIT, TRAINED, grid

RULE = FIT.format(size="N") + (
    "As the sweep images, of which one direction made labels of the test so small that predicting 0 was nearly enough: "
    "labels now have mean square 1 on the images of the test. Predicted before any run, after that sweep: (1) at N = 8 "
    "the feedforward network needs more prompts than the Transformer, by Welch's 95 % t-interval for the difference of "
    "the mean logarithms; (2) at N = 8 and 16 the Transformer needs at most 3/2 times the geometric mean of what it "
    "needs on Gaussian tokens, by the same interval."
)


def cells(profile: str, protocol: str) -> Groups:
    shared = {"protocol": protocol, "d": 64, "tokens": "digits_rescaled"}
    if profile == "smoke":
        return grid(("transformer",), (4,), 2, cap=20_000, **shared)
    return grid(("transformer",), (8, 16), 3, cap=600_000, **shared) + grid(("ffn",), (4, 8), 3, cap=600_000, **shared)


sweep = Sweep(
    title="Handwritten digits as tokens, labels rescaled",
    question="Do Transformers need fewer prompts than feedforward networks on digits too?",
    rule=RULE, cells=cells, **TRAINED, size="N", devices=ANY,
)  # fmt: skip
