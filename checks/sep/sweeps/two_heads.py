r"""The sweep of one wide layer of two heads against two layers, on strings of 16 bits and words of 32 brackets."""

from __future__ import annotations

from typing import Any

from theorytools.training.sweep import Groups, Sweep

LENGTH = 32  # of a word: two strings of 16 bits, or 32 brackets
WIDTHS = {"one layer": 64, "two layers": 32}  # the wide layer has twice as many weights as both layers
RATES = {"one layer": "3/1000", "two layers": "1/500"}
TASKS: tuple[dict[str, Any], ...] = ({"task": "equality", "n": 1, "k": 1}, {"task": "dyck", "n": 2, "k": 2})
_PROFILES = {"smoke": (2, 5, 128, 8), "published": (4, 8000, 2048, LENGTH), "wide": (20, 40_000, 8192, 2 * LENGTH)}

RULE = (
    "Words of length 32: equality of two strings of 16 bits, Dyck-(2,2); half of them right, the others one edit away "
    "(equality: a bit flipped, two bits of y exchanged, y drawn afresh; Dyck: a bracket of another kind, neighbours "
    "exchanged, two places exchanged). One layer of width 64 and two layers of width 32, two heads each. Accuracy is "
    "the mean of the shares of right words accepted and of edited words rejected, edits weighing the same and fresh "
    "ones left out, on 2048 words of each sort. Predicted before any of these runs: on both tasks (1) the geometric "
    "mean of one layer's misses, 1 less the accuracy plus 1/4096, over that of two layers' has Welch's 95 % t-interval "
    "above 1; (2) the mean accuracy of two layers has its 95 % t-interval above 0.9."
)


def _groups(profile: str, protocol: str) -> Groups:
    from ._words import Words

    repeats, steps, tests, N = _PROFILES[profile]
    groups = []
    for task in TASKS:
        for model, width in WIDTHS.items():
            spec = {**task, "N": N, "model": model, "labels": "own", "sort": "close", "kind": "strings"}
            close = Words.of(spec).edits if task["task"] == "equality" else Words.of(spec).edits[:-1]
            spec |= {"negatives": list(close), "arm": f"{task['task']}, {model}", "rate": RATES[model], "heads": 2}
            spec |= {"width": width, "steps": steps, "batch": 64, "tests": tests, "protocol": protocol}
            groups.append([{**spec, "repeat": repeat} for repeat in range(repeats)])
    return groups


sweep = Sweep(
    title="One wide layer of two heads against two layers",
    question="Do two layers learn equality of 16 bits and Dyck words of 32 brackets better than one layer as large?",
    rule=RULE, cells=_groups, runner="_strings:evaluate", value="accuracy",
)  # fmt: skip
