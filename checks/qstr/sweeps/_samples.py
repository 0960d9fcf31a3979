r"""What the sweeps of samples to a loss threshold share: the fit, the grid of cells, and what one trial costs.

The cost model is that of one CPU thread, from the steps that the published figures ask for; it serves the plan only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from theorytools.training.experiment import cell
from theorytools.training.sweep import Groups

RUNNER = "theorytools.training.search:evaluate"
FIT = (
    "Exponent: least squares of the mean of log n on log {size} over the sizes without a censored repeat, 95 % "
    "t-interval from the repeats. Where a repeat was censored the censored-aware likelihood fit stands beside it. "
)


def grid(architectures: Iterable[str], sizes: Iterable[int], repeats: int, **fields: Any) -> Groups:
    return [cell(repeats, architecture=a, N=N, **fields) for a in architectures for N in sizes]


def prompts(spec: Mapping[str, Any]) -> float:
    """Return about the prompts of one trial of the general task, at most its cap; growth as in the records."""
    N, kind = int(spec["N"]), str(spec["architecture"])
    least = {"transformer": 7000 * N**0.35, "merged": 7000 * N**0.35, "ffn": 30 * N**3.6}.get(kind, 3800 * N**1.2)
    return min(least, int(spec["cap"]))


def seconds(spec: Mapping[str, Any]) -> float:
    """Return about the seconds of one trial on one thread: growth as published, rates as measured on one machine."""
    N = int(spec["N"])
    rate = {"ffn": 12e-6 * N, "gru": 0.13e-3 * N, "lstm": 0.16e-3 * N, "rnn": 0.05e-3 * N}
    if spec["architecture"] in ("gru", "lstm", "rnn"):
        rate = {kind: seconds * (int(spec["width"]) / 500) ** 2 for kind, seconds in rate.items()}
    return prompts(spec) * rate.get(str(spec["architecture"]), 2e-6 * N + 0.2e-6 * N**2)
