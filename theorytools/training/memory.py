r"""How much memory a cell needs, estimated before it starts; a cell that cannot fit is refused."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from theorytools.errors import BudgetError
from theorytools.training.experiment import Experiment

_COPIES = 4  # weights, gradient, and the optimiser's two running averages


def cell_bytes(experiments: Sequence[Experiment]) -> int:
    r"""Return about the bytes of a cell whose repeats train together.

    For each member the test set, two periods of training prompts, four copies of the weights, and what one batch keeps
    for the way back: :math:`N(6D_e+2HN+2w)` numbers a prompt for attention, :math:`20Nw` for a recurrent network.
    """
    one = experiments[0]
    size = 8 if one.dtype == "float64" else 4
    prompt = one.N * ((one.d + 1) * size + 8 * one.q)
    kept = {"ffn": 2 * (one.N * one.d * one.q + one.width)}.get(
        one.architecture, one.N * (6 * one.D_e * one.heads + 2 * one.heads * one.N + 2 * one.width)
    )
    if one.architecture in ("gru", "lstm", "rnn"):
        kept = 20 * one.N * one.width
    member = (one.test_size + 2 * one.batch * one.check_every) * prompt
    member += (_COPIES * _parameters(one.architecture, one.N, one.D_e, one.d * one.q, one.heads, one.width)) * size
    return len(experiments) * (member + max(one.batch, 125) * kept * size)


@cache
def _parameters(architecture: str, N: int, D_e: int, payload: int, heads: int, width: int) -> int:
    if architecture == "transformer":
        return 4 * heads * D_e**2 + (D_e + 2) * width
    if architecture == "merged":
        return heads * D_e**2 + (heads * D_e + 2) * width
    if architecture == "ffn":
        return N * D_e * N * payload + N * payload * width + width * N
    return 2 * {"gru": 3, "lstm": 4, "rnn": 1}[architecture] * width * (D_e + width + 2) + 2 * width


def available(device: str) -> int | None:
    """Return the free bytes of the device, or None where the system does not say."""
    if device != "cpu":
        import torch

        return int(torch.cuda.mem_get_info()[0])
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def require_memory(groups: Sequence[Sequence[Mapping[str, Any]]], device: str, workers: int, free: int | None) -> None:
    """Refuse a sweep of which a cell, times the workers, cannot fit; groups that are no cells are not estimated.

    Raises
    ------
    BudgetError : the largest cell needs more than ``free`` bytes; the message holds the estimate.
    """
    cells = [[Experiment.of(spec) for spec in group] for group in groups if "kind" not in group[0]]
    if not cells or free is None:
        return
    needed, worst = max(((workers * cell_bytes(cell), cell[0]) for cell in cells), key=lambda pair: pair[0])
    if needed > free:
        raise BudgetError(
            f"{worst.architecture} at N = {worst.N}: about {needed / 1e9:.1f} GB in {workers} worker(s)",
            required=f"at most the {free / 1e9:.1f} GB that are free on {device}",
            advice="fewer workers, a smaller profile, or another device",
        )
