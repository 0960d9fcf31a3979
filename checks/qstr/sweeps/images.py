"""The sweep of handwritten digits as tokens: do the architectures come in the order of Gaussian tokens?"""

from __future__ import annotations

from theorytools.training.sweep import ANY, Groups, Sweep

from ._samples import FIT, TRAINED, grid

RULE = FIT.format(size="N") + (
    "Tokens are handwritten digits, centred and scaled, d = 64, labels of variance 1, tests on images that training "
    "does not see, threshold 0.7; beside them the Transformer on Gaussian tokens of the same dimension. Predicted "
    "before any run, by Welch's 95 % t-interval for the difference of the mean logarithms: (1) at N = 8 the "
    "feedforward network needs more prompts than the Transformer on digits; (2) the Transformer needs at most as many "
    "prompts on digits as on Gaussian tokens, at N = 8 and 16, as few directions of the images carry most of their "
    "variance."
)


def cells(profile: str, protocol: str) -> Groups:
    if profile == "smoke":
        return grid(("transformer",), (4,), 2, protocol=protocol, d=64, tokens="digits", cap=20_000)
    shared = {"protocol": protocol, "d": 64, "cap": 600_000}
    groups = grid(("transformer",), (8, 16), 3, tokens="digits", **shared)
    groups += grid(("ffn",), (4, 8), 3, tokens="digits", **shared)
    return groups + grid(("transformer",), (8, 16), 3, **shared)


sweep = Sweep(
    title="Handwritten digits as tokens",
    question="Do Transformers need fewer prompts than feedforward networks on digits too?",
    rule=RULE, cells=cells, **TRAINED, size="N", devices=ANY,
)  # fmt: skip
