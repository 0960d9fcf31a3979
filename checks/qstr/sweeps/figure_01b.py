"""The sweep of figure 1b: prompts to a test loss of 0.02 on the simple task."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from theorytools.training.sweep import ANY, DEVICE, Groups, Sweep

from ._samples import FIT, RUNNER, forecast, grid, prompts

RULE = FIT.format(size="N") + (
    "Decided: at N = 33 the feedforward network needs more prompts than the Transformer if the two 95 % t-intervals of "
    "the mean of log n are disjoint; likewise Transformer and GRU. The window is too narrow to tell exponents apart: "
    "the plan says so."
)


def cells(profile: str, protocol: str) -> Groups:
    fixed = {"protocol": protocol, "task": "simple", "threshold": Fraction(1, 50), "check_every": 100}
    if profile == "smoke":
        return grid(("transformer",), (9, 13, 17), 2, **fixed)
    groups = grid(("transformer", "ffn", "gru"), (25, 27, 29, 31, 33), 5, **fixed)
    if profile == DEVICE:
        far = {**fixed, "cap": 10_000_000}  # the GRU at 256 asks for more time than a block has, says the plan
        groups += grid(("transformer",), (64, 128, 256), 5, **far) + grid(("gru",), (64, 128), 5, **far)
    return groups


def seconds(spec: Mapping[str, Any]) -> float:
    """Return about the seconds of one trial of the simple task; the published lengths are about 30."""
    longer = max(1.0, int(spec["N"]) / 33)
    return {"transformer": 7.0 * longer**2, "ffn": 15.0}.get(str(spec["architecture"]), 450.0 * longer)


sweep = Sweep(
    title="Samples to a test loss of 0.02, simple 1STR",
    question="Do Transformer and recurrent network need about the same number of samples on the simple task, and the "
             "feedforward network more? (The recurrent arm takes three hours of one thread.)",
    rule=RULE, cells=cells, runner=RUNNER, size="N", seconds=seconds,
    prompts=prompts, forecast=forecast, devices=ANY, profiles=("smoke", "published", DEVICE),
)  # fmt: skip
