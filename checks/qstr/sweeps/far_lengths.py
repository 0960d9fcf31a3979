"""The sweep of far lengths: what the Transformer needs at N = 128 and 256, predicted from N = 16 to 64."""

from __future__ import annotations

from theorytools.training.sweep import ANY, Groups, Sweep

from ._samples import FIT, TRAINED, grid

RULE = FIT.format(size="N") + (
    "Predicted before any of these runs, from the record of 'lengths': (1) the geometric means of n at N = 128 "
    "and 256 lie within a factor 3/2 of the line through its means of log n at N = 16, 32, 64; (2) the 95 % "
    "interval of the exponent over N = 16, 32, 64, 128, 256 lies below the slope of what Theorem 10 asks for there."
)


def cells(profile: str, protocol: str) -> Groups:
    if profile == "smoke":
        return grid(("transformer",), (8, 16), 2, protocol=protocol)
    return grid(("transformer",), (128, 256), 3, protocol=protocol)


sweep = Sweep(
    title="What the Transformer needs at lengths 128 and 256",
    question="Do the lengths 16 to 64 predict the prompts at 128 and 256?",
    rule=RULE, cells=cells, **TRAINED, size="N", devices=ANY,
)  # fmt: skip
