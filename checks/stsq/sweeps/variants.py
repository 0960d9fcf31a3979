"""The sweep of other encodings' dimensions, initialisations and optimisers: does training select whenever it can?"""

from __future__ import annotations

from math import ceil, log
from typing import Any

from theorytools.training.sweep import Groups, Sweep

DIMENSION, LENGTH, SHORT = 5, 100, 50
FACTORS = ((1, 2), (1, 5), (2, 1), (2, 2), (2, 3), (2, 5), (4, 1), (4, 2), (4, 3), (4, 5), (8, 1), (8, 2))  # C and q
FORMS = ("random", "separate", "adam", "layer norm")

RULE = (
    "Encodings of dimension d_e = ceil(C q log T) < T, drawn anew for every prompt; success at a prompt: the q largest "
    "attention weights are on the selected tokens; means over 4096 fresh prompts and over repeats, at the end. "
    "Predicted before any of these runs: (1) SGD from zero at T = 100, C = 1, 2, 4, 8, q = 1, 2, 3, 5 succeeds with a "
    "probability between 1/10 below and 1/20 above Pr(kappa < 1), the law of the cross-talk of the dual query; (2) at "
    "T = 50, C = 4, q = 1 and 3, random V_2 and W_12, separate W_K and W_Q, and Adam do not fall more than 1/10 below "
    "that either; (3) LayerNorm of the columns at q = 3 falls more than 1/20 below it, as it scales scores by the "
    "length of the token."
)


def dimension(C: int, q: int, T: int) -> int:
    return ceil(C * q * log(T))


def _trial(arm: str, form: str, C: int, q: int, T: int, protocol: str) -> dict[str, Any]:
    d_e = dimension(C, q, T)
    steps = round(8 * (d_e * T / (2 * DIMENSION) + T))  # at rate 1/2, four times what the flow takes to half its way
    return {
        "kind": "variant", "arm": arm, "form": form, "C": C, "T": T, "q": q, "d": DIMENSION, "d_e": d_e,
        "encodings": "gauss", "query": "dual", "longest": T, "batch": 64, "tests": 4096, "protocol": protocol,
        "rate": "1/100" if form == "adam" else "1/2", "marks": [steps // 4, steps // 2, steps],
    }  # fmt: skip


def _groups(profile: str, protocol: str) -> Groups:
    if profile == "smoke":
        cells = [("zero, C = 4", "zero", 4, 1, 20)]
    else:
        cells = [(f"zero, C = {C}, q = {q}", "zero", C, q, LENGTH) for C, q in FACTORS]
        cells += [(f"{form}, q = {q}", form, 4, q, SHORT) for form in FORMS for q in (1, 3)]
    repeats = {"smoke": 2, "published": 3, "wide": 10}[profile]
    return [[{**_trial(*cell, protocol), "repeat": repeat} for repeat in range(repeats)] for cell in cells]


sweep = Sweep(
    title="Other dimensions of the encodings, initialisations and optimisers",
    question="Does trained attention select whenever the encodings allow it?",
    rule=RULE, cells=_groups, runner="_selection_variants:evaluate", value="success", size="T",
)  # fmt: skip
