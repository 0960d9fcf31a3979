"""The sweep of one attention layer trained on sparse token selection: its question, its rule, its trials."""

from __future__ import annotations

from typing import Any

from theorytools.training.sweep import Groups, Sweep

LENGTHS = (20, 30, 40)  # of the test prompts

RULE = (
    "Means over repeats with 95 % t-intervals, ratios on logarithms. (A, B) Full SGD on (V, W) against the reduced "
    "training of (alpha, beta), gauss dual, rad sum and orth: both numbers agree within 5 % at the last mark, within "
    "15 % at t = 100, where the plateau is left; nothing is predicted before. The part of W_22 outside the predicted "
    "direction is batch noise: from batch 64 to 256 it falls by a factor between 1.7 and 2.3 (gauss dual, t = 100 and "
    "400); with one frozen Gaussian draw, d_e = T, it does not (factor below 1.3, and above 0.3 of W_22 in both). (C) "
    "Zero fit: the losses at T' = 20, 30, 40 over those that the exact formulas give for the trained (alpha, beta) lie "
    "between 0.9 and 1.1 at the last mark, batch 256; with batch 64 the loss at T' = 20 is above 1.1 times it. "
    "Direction: from the mark before the last to the last the loss at T' = 30 and 40 rises with orth and falls with "
    "gauss dual and rad sum. Fixed after single runs of other repeats with these sizes."
)
_ARMS: dict[str, dict[str, Any]] = {
    "gauss dual": {"encodings": "gauss", "query": "dual", "d_e": 64},
    "gauss dual, batch 64": {"encodings": "gauss", "query": "dual", "d_e": 64, "batch": 64},
    "rad sum": {"encodings": "rad", "query": "sum", "d_e": 64},
    "orth": {"encodings": "orth", "query": "dual", "d_e": 40, "marks": [0, 200, 600, 2400]},
    "frozen": {"encodings": "frozen", "query": "dual", "d_e": 20},
    "frozen, batch 64": {"encodings": "frozen", "query": "dual", "d_e": 20, "batch": 64},
}
_REDUCED = {"gauss dual": 64, "rad sum": 64, "orth": 19}  # the metric of beta, T - 1 for orth


def _groups(profile: str, protocol: str) -> Groups:
    repeats, tests, bank = {"smoke": (2, 1024, 256), "published": (5, 4096, 2048), "wide": (20, 32768, 16384)}[profile]
    common: dict[str, Any] = {"T": 20, "q": 3, "d": 5, "rate": "1/2", "protocol": protocol}
    groups: Groups = []
    for name, own in _ARMS.items():
        marks = [0, 200, 400, 800] if profile != "smoke" else [0, 20, 40, 60]
        full = {"batch": 256, "longest": 40, "lengths": list(LENGTHS), "tests": tests, "dtype": "float32"}
        full |= {"marks": marks} | common | {"kind": "selection", "arm": name} | own
        if profile == "smoke":
            full["marks"] = marks
        groups.append([{**full, "repeat": repeat} for repeat in range(repeats)])
    for name, metric in _REDUCED.items():
        own = {"encodings": _ARMS[name]["encodings"], "d_e": metric, "bank": bank, "kind": "selection reduced"}
        marks = [step for step in next(g[0]["marks"] for g in groups if g[0]["arm"] == name) if step]
        own |= common | {"arm": f"reduced {name}", "marks": marks}
        groups.append([{**own, "repeat": repeat} for repeat in range(1 if name == "orth" else 2)])
    return groups


sweep = Sweep(
    title="One attention layer trained on sparse token selection, all weights, from zero",
    question="Does SGD on all weights follow the two reduced numbers, do they predict the loss at training length and "
             "beyond without a fit, and does the loss beyond rise with fixed and fall with stochastic encodings?",
    rule=RULE, cells=_groups, runner="_selection:evaluate", value="loss",
)  # fmt: skip
