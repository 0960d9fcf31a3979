"""The sweep of handwritten digits as tokens: sparse token selection with stochastic encodings on data of this world."""

from __future__ import annotations

from typing import Any

from theorytools.training.sweep import Groups, Sweep

RULE = (
    "T = 20, q = 3, d_e = 64, Gaussian encodings drawn anew, dual query, SGD on all weights from zero; tokens are "
    "handwritten digits, centred and scaled to E|x|^2 = d = 64, tests on images that training does not see; beside it "
    "the same with Gaussian tokens. Means over five repeats with 95 % t-intervals. Predicted before any run: (1) at "
    "the last mark the loss on new images is at most twice that with Gaussian tokens; (2) it is below a quarter of "
    "d/q, that of predicting 0; (3) the inverse temperature is within 15 % of that with Gaussian tokens."
)


def _groups(profile: str, protocol: str) -> Groups:
    repeats, last = {"smoke": (2, 40), "published": (5, 3200), "wide": (20, 3200)}[profile]
    marks = [0, last // 8, last // 4, last // 2, last]
    common: dict[str, Any] = {
        "kind": "selection", "T": 20, "q": 3, "d": 64, "d_e": 64, "encodings": "gauss", "query": "dual", "batch": 128,
        "longest": 20, "lengths": [20], "tests": 4096, "dtype": "float32", "rate": "1/8", "marks": marks,
        "protocol": protocol,
    }  # fmt: skip
    return [[{**common, "tokens": tokens, "arm": tokens, "repeat": repeat} for repeat in range(repeats)]
            for tokens in ("digits", "gauss")]  # fmt: skip


sweep = Sweep(
    title="Sparse token selection on handwritten digits",
    question="Do stochastic encodings select images as they select Gaussian tokens?",
    rule=RULE, cells=_groups, runner="_selection:evaluate", value="loss",
)  # fmt: skip
