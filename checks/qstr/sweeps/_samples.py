r"""What the sweeps of samples to a loss threshold share: the fit, the grid of cells, and what trains them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from theorytools.papers.qstr.training.costs import group_bytes
from theorytools.papers.qstr.training.experiment import cell
from theorytools.training.sweep import Groups

TRAINED: dict[str, Any] = {
    "runner": "theorytools.papers.qstr.training.search:evaluate",
    "step": "theorytools.papers.qstr.training.search:time_a_step", "memory": group_bytes,
}  # fmt: skip
FIT = (
    "Exponent: least squares of the mean of log n on log {size} over the sizes without a censored repeat, 95 % "
    "t-interval from the repeats. Where a repeat was censored the censored-aware likelihood fit stands beside it. "
)


def grid(architectures: Iterable[str], sizes: Iterable[int], repeats: int, **fields: Any) -> Groups:
    return [cell(repeats, architecture=a, N=N, **fields) for a in architectures for N in sizes]
