"""The sweep of encodings shorter than the prompt: attention trained where the theorem lives, its prediction fixed."""

from __future__ import annotations

from math import ceil, log
from typing import Any

from theorytools.training.sweep import Groups, Sweep

SIZES = ((1, 20), (1, 50), (1, 100), (1, 200), (1, 400), (3, 50), (3, 100), (3, 200))  # q and T
DIMENSION = 5

RULE = (
    "Encodings of dimension d_e = ceil(4 q log T), below T, drawn anew for every prompt; escape: the first mark, marks "
    "7 % apart, at which the loss on fresh prompts is at most half of d/q, that of predicting 0; geometric means over "
    "repeats. Predicted before any run: (1) all weights escape at 0.85 to 1.18 times the time of the reduced training "
    "of (alpha, beta); (2) at q = 1 the exponent of the escape time in d_e T over T = 20 to 400 is between 0.8 and "
    "1.2; (3) the escape time is between half and twice that of the gradient flow with orthonormal draws, the scale "
    "at its best."
)


def dimension(q: int, T: int) -> int:
    return ceil(4 * q * log(T))


def _groups(profile: str, protocol: str) -> Groups:
    repeats, sizes = {"smoke": (2, SIZES[:1]), "published": (3, SIZES), "wide": (10, SIZES)}[profile]
    groups: Groups = []
    for q, T in sizes:
        d_e = dimension(q, T)
        steps = 2 * (d_e * T / (2 * DIMENSION) + T)  # at rate 1/2, near the time that the flow takes
        marks = sorted({round(steps * 0.2 * 1.07**k) for k in range(40)})
        common: dict[str, Any] = {"T": T, "q": q, "d": DIMENSION, "d_e": d_e, "rate": "1/2", "protocol": protocol}
        full = {"kind": "selection", "arm": f"all weights, q = {q}", "encodings": "gauss", "query": "dual", "batch": 64,
                "longest": T, "lengths": [T], "tests": 1024, "dtype": "float32", "marks": marks}
        groups.append([{**full, **common, "repeat": repeat} for repeat in range(repeats)])
        reduced = {"kind": "selection reduced", "arm": f"reduced, q = {q}", "encodings": "gauss", "bank": 1024,
                   "marks": marks}
        groups.append([{**reduced, **common, "repeat": repeat} for repeat in range(1)])
    return groups


sweep = Sweep(
    title="Encodings shorter than the prompt",
    question="Does SGD on all weights select with encodings of dimension 4 q log T < T, and when does it leave the "
             "plateau?",
    rule=RULE, cells=_groups, runner="_selection:evaluate", value="loss", size="T",
)  # fmt: skip
