"""The sweep of settings: what the number of prompts depends on."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from theorytools.papers.qstr.training.experiment import cell
from theorytools.training.sweep import ANY, Groups, Sweep

from ._samples import TRAINED


def cells(profile: str, protocol: str) -> Groups:
    size = {"smoke": 4, "published": 8, "wide": 12}[profile]
    fixed: dict[str, Any] = {"protocol": protocol, "architecture": "transformer", "N": size}
    changes: list[dict[str, Any]] = [{}]
    changes += [{"width": w} for w in (25, 50, 200, 400)]
    changes += [{"lr": Fraction(k, 10000)} for k in (1, 3, 30, 100)]
    changes += [{"batch": b, "check_every": 640 // b} for b in (16, 32, 128, 320)]
    changes += [{"optimiser": "sgd", "lr": Fraction(k, 10), "cap": 200_000} for k in (1, 3)]
    return [cell(2 if profile == "smoke" else 5, **fixed, **change) for change in changes]


sweep = Sweep(
    title="The Transformer's samples under other widths, rates, batches and optimisers",
    question="By which factor does the number of samples change when one setting changes?",
    rule="Ratio of the geometric mean to that of the standard setting, 95 % t-interval of the difference of the means "
         "of log n (Welch). A setting matters if the interval excludes 1. Predicted: no width costs or saves a factor "
         "of 2; a tenth of the rate costs at least a factor of 2; no batch size costs a factor of 3; plain SGD needs "
         "more than AdamW at both rates (a censored run counts as its cap).",
    cells=cells, **TRAINED, devices=ANY,
)  # fmt: skip
