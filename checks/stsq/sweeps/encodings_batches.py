"""The sweep of batch sizes at encodings shorter than the prompt: is the late escape batch noise?"""

from __future__ import annotations

from typing import Any

from theorytools.training.sweep import Groups, Sweep

from .short_encodings import DIMENSION, dimension

SIZES = ((100, 256), (100, 1024), (200, 1024))  # T and the batch; q = 1

RULE = (
    "As the sweep short_encodings at q = 1, after that sweep had shown that with batches of 64 all weights escape 1.2 "
    "to 2.7 times later than the two reduced numbers. Predicted before any of these runs, if this is batch noise: the "
    "ratio to the reduced time (1) at T = 100 with batches of 1024 is between 0.85 and 1.18, (2) at T = 200 with "
    "batches of 1024 is at most 1.4, where it was 1.84, and (3) at T = 100 falls from 64 to 256 to 1024."
)


def _groups(profile: str, protocol: str) -> Groups:
    repeats, sizes = {"smoke": (2, ()), "published": (3, SIZES), "wide": (10, SIZES)}[profile]
    groups: Groups = []
    for T, batch in sizes or ((20, 256),):
        d_e = dimension(1, T)
        steps = 2 * (d_e * T / (2 * DIMENSION) + T)
        marks = sorted({round(steps * 0.2 * 1.07**k) for k in range(30)})
        full: dict[str, Any] = {
            "kind": "selection", "arm": f"batch {batch}", "encodings": "gauss", "query": "dual", "batch": batch,
            "longest": T, "lengths": [T], "tests": 1024, "dtype": "float32", "marks": marks, "T": T, "q": 1,
            "d": DIMENSION, "d_e": d_e, "rate": "1/2", "protocol": protocol,
        }  # fmt: skip
        groups.append([{**full, "repeat": repeat} for repeat in range(repeats)])
    return groups


sweep = Sweep(
    title="Encodings shorter than the prompt, larger batches",
    question="Is it batch noise that makes all weights leave the plateau later than the reduced numbers?",
    rule=RULE, cells=_groups, runner="_selection:evaluate", value="loss", size="T",
)  # fmt: skip
