"""The sweep of feedforward networks on a fixed training set: its question, its rule, its trials."""

from __future__ import annotations

from typing import Any

from theorytools.training.sweep import Groups, Sweep

_SIZES = {"smoke": ((3, 8, 2),), "published": ((3, 8, 5), (4, 12, 3)), "wide": ((3, 8, 20), (4, 12, 20), (8, 12, 20))}
_ARMS = {
    "descent": {"optimiser": "descent", "labels": "own", "rate": "1/4"},
    "adamw": {"optimiser": "adamw", "labels": "own", "rate": "1/256"},
    "shuffled labels": {"optimiser": "descent", "labels": "shuffled", "rate": "1/4"},
    "untrained": {"optimiser": "none", "labels": "own", "rate": "1/4"},
}


def _groups(profile: str, protocol: str) -> Groups:
    fixed: dict[str, Any] = {"kind": "fixed_set", "protocol": protocol, "width": 64, "decay": "1/64", "steps": 2560}
    fixed["tests"] = 10_000 if profile == "smoke" else 200_000
    return [
        [{**fixed, **own, "arm": arm, "N": N, "d": d, "n": n, "repeat": k} for k in range(repeats)]
        for N, d, repeats in _SIZES[profile] for arm, own in _ARMS.items()
        for n in (N * d // 8, N * d // 4, N * d // 2, N * d, 2 * N * d, 4 * N * d, 8 * N * d)
    ]  # fmt: skip


sweep = Sweep(
    title="Feedforward networks on a fixed training set against the span bound",
    question="Does a network trained by descent with decay obey the span bound at n = Nd/8 to 8Nd, how far above it "
             "does it stay, and what does AdamW leave of the hypothesis?",
    rule="A trial counts for the bound if L_f |W(I - P)| is at most 1/1000: 2560 steps at rate times decay 1/256 "
         "shrink the part outside the span by exp(-10). Predicted: all trials of descent, shuffled labels included, "
         "count; none of AdamW and none without training does at n < Nd. For each trial that counts, at n < Nd, the "
         "lower limit of the test risk at level 1e-10 is at least (sqrt(D(u)) - L_f |W(I - P)|)^2; if the upper limit "
         "is below it the bound is refuted. Learning: at N = 3, n = 8Nd the 95 % t-interval of the mean risk of "
         "descent lies below 1 - 1/N, the loss of ignoring the index, and does not with shuffled labels or without "
         "training; at N = 4 nothing is predicted. Fixed after runs on repeats that are not part of the sweep.",
    cells=_groups, runner="_span:evaluate", size="n", value="risk",
)  # fmt: skip
