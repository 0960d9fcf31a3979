"""The sweep of attention on a fixed training set: its question, its rule, its trials."""

from __future__ import annotations

from typing import Any

from theorytools.training.experiment import cell
from theorytools.training.sweep import ANY, Groups, Sweep

# repeats, steps, prompts of the training sets; the same for least norm, which is cheap
_SETTINGS: dict[str, tuple[int, int, tuple[int, ...], int]] = {
    "smoke": (2, 50, (5, 160), 3),
    "published": (3, 1500, (5, 160, 320, 640), 20),
    "wide": (20, 4000, (5, 20, 40, 80, 113, 160, 226, 320, 453, 640, 1280), 100),
}


def _groups(profile: str, protocol: str) -> Groups:
    repeats, steps, sizes, many = _SETTINGS[profile]
    cells = [("attention", "own", n, repeats) for n in sizes]
    cells += [("attention", labels, sizes[-1], repeats) for labels in ("shuffled", "none")]
    cells += [("least norm", "own", n, many) for n in (2, 3, 4, 5, 6, 7, 8, 9, 10)]
    groups = []
    for learner, labels, n, count in cells:
        names = {"shuffled": "shuffled labels", "none": "untrained"}
        own = {"kind": "information", "learner": learner, "labels": labels, "n": n, "arm": names.get(labels, learner)}
        fixed: dict[str, Any] = {"architecture": "transformer", "N": 8, "task": "simple", "protocol": protocol}
        fixed |= {"cap": 64 * steps, "test_size": 2000}
        groups.append(cell(count, own, **fixed))
    return groups


sweep = Sweep(
    title="Attention on a fixed training set against the labels that any learner needs",
    question="Does gradient training of a Transformer approach the information limit: a risk below 1/2 from qd/2 "
             "labels, which least norm attains once the retrieved tokens are given?",
    rule="Simple 1STR, N = 8, d = 10, AdamW on n prompts for 1500 steps of 64. For each repeat, the least n of the "
         "grid with a test risk below 1/2 at the end (the largest, if none), over the limit qd/2 = 5: geometric mean "
         "with its 95 % t-interval on logarithms. Approaches the limit if the interval lies below 2; far from it if "
         "above 10; else between. Predicted: above 10. The mean risk at n = 5 does not lie below the floor 1 - n/(qd) "
         "= 1/2: violated if its 95 % t-interval lies below. At n = 640 the mean risk is below 1/2, and is not with "
         "shuffled labels or without training. Fixed after runs of 2000 steps at N = 4, 8, 16 and n = 40 to 2560 on "
         "other repeats.",
    cells=_groups, runner="_information:evaluate", devices=ANY, size="n", value="risk",
    seconds=lambda spec: 2e-5 * int(spec["cap"]) * (spec["learner"] == "attention" and spec["labels"] != "none"),
)  # fmt: skip
