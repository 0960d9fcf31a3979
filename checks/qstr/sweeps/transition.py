"""The sweep of recurrent networks with and without a bound on their transition: question, rule, trials."""

from __future__ import annotations

from fractions import Fraction

from theorytools.papers.qstr.training.costs import group_bytes
from theorytools.papers.qstr.training.experiment import cell
from theorytools.training.sweep import Groups, Sweep

_SIZES = {"smoke": ((6, 12_800, 2),), "published": ((8, 160_000, 5), (16, 256_000, 5)), "wide": ((8, 10**6, 10),
          (16, 10**6, 10), (32, 10**6, 10))}  # fmt: skip


def _groups(profile: str, protocol: str) -> Groups:
    groups = []
    for N, cap, repeats in _SIZES[profile]:
        bounds = ("none", "1", f"1/{N}")
        cells = [(kind, bound, "own") for kind in ("residual", "plain") for bound in bounds]
        cells += [("residual", "none", labels) for labels in ("shuffled", "none") if N <= 8]
        for kind, bound, labels in cells:
            own = {"kind": "transition", "cell": kind, "state": 16 if kind == "residual" else 32, "bound": bound}
            own |= {"labels": labels, "arm": _arm(kind, bound, labels)}
            fixed = {"task": "simple", "d": 4, "threshold": Fraction(1, 10), "lr": Fraction(3, 1000), "cap": cap}
            fixed |= {"width": 64, "check_every": 50, "test_size": 2000, "protocol": protocol}
            groups.append(cell(repeats, own, architecture="rnn", N=N, **fixed))
    return groups


def _arm(cell: str, bound: str, labels: str) -> str:
    if labels != "own":
        return {"shuffled": "shuffled labels", "none": "untrained"}[labels]
    return f"{cell} {'1/N' if '/' in bound else bound}"


sweep = Sweep(
    title="Recurrent networks with and without a bound on their transition",
    question="Does the bound 1/N on the transition's slope in the state help to learn simple 1STR, is it harmless, or "
             "does it cost prompts?",
    rule="Prompts to a test loss of 1/10, geometric means over repeats, the ratio of bounded to unbounded with Welch's "
         "95 % t-interval; a run stopped at its cap counts as the cap, so the ratio is a lower limit. For the residual "
         "cell of the theory: helps if the interval lies below 1, costs if above 1, else undecided. Predicted: the "
         "bounds 1/N and 1 cost prompts at N = 8 and 16; the mean slope of unbounded networks at the end is above 2, "
         "at least 16 times what the bound allows. Plain cell: predicted that with norm 1/N the mean loss at the cap "
         "is above 1/2. Fixed after runs on repeats that are not part of the sweep, 96000 prompts long.",
    cells=_groups, runner="_transition:evaluate", memory=group_bytes, size="N",
)  # fmt: skip
