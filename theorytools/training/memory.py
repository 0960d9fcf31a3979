r"""How much memory a cell needs, estimated before it starts; a cell that cannot fit is refused."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from theorytools.errors import BudgetError
from theorytools.training.experiment import Experiment

_COPIES = 4  # weights, gradient, and the optimiser's two running averages
ROOM = 2**33  # bytes that the temporaries of one evaluation may take on an accelerator
H200 = 139 * 2**30  # bytes of the accelerator that the wide profiles are written for
_FIELDS = frozenset(field.name for field in fields(Experiment))


def kept(one: Experiment) -> int:
    r"""Return about the numbers that one prompt keeps for the way back.

    :math:`N(6HD_e+2HN+2w)` for attention, :math:`2(Ndq+w)` and the inputs for the feedforward network, :math:`20Nw`
    for a recurrent one.
    """
    if one.architecture in ("gru", "lstm", "rnn"):
        return 20 * one.N * one.width
    if one.architecture == "ffn":
        return 2 * (one.N * one.d * one.q + one.width) + one.N * one.D_e
    return one.N * (6 * one.D_e * one.heads + 2 * one.heads * one.N + 2 * one.width)


def together(one: Experiment, members: int, numbers: int) -> int:
    """Return how many test prompts of each member an accelerator evaluates at once, at ``numbers`` a prompt."""
    size = 8 if one.dtype == "float64" else 4
    return max(1, min(one.test_size, ROOM // (members * numbers * size)))


def cell_bytes(experiments: Sequence[Experiment], device: str = "cpu") -> int:
    r"""Return about the bytes of a cell whose repeats train together.

    For each member the test set, two periods of training prompts, four copies of the weights, and what one batch keeps
    for the way back (:func:`kept`); on an accelerator also the room for evaluations.
    """
    one = experiments[0]
    size = 8 if one.dtype == "float64" else 4
    prompt = one.N * ((one.d + 1) * size + 8 * one.q)
    member = (one.test_size + 2 * one.batch * one.check_every) * prompt
    member += (_COPIES * _parameters(one.architecture, one.N, one.D_e, one.d * one.q, one.heads, one.width)) * size
    whole = len(experiments) * (member + max(one.batch, 125) * kept(one) * size)
    return whole if device == "cpu" else whole + 2 * ROOM


def group_bytes(group: Sequence[Mapping[str, Any]], device: str = "cpu") -> int | None:
    """Return about the bytes of a group, or None if its trials train no stacked network.

    A trial of another kind that names an architecture is estimated as the experiment in it, with its fixed set of
    ``samples`` or ``n`` prompts beside the batch.
    """
    if "architecture" not in group[0]:
        return None
    cell = [Experiment.of({name: v for name, v in spec.items() if name in _FIELDS}) for spec in group]
    one, more = cell[0], max(int(spec.get("samples", spec.get("n", 0))) for spec in group)
    return cell_bytes(cell, device) + len(cell) * more * one.N * (4 * (one.d + 1) + 8 * one.q)


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
    """Return the bytes of the device that can be had, or None where the system does not say."""
    if device != "cpu":
        import torch

        return int(torch.cuda.mem_get_info()[0])
    table = Path("/proc/meminfo")
    if table.is_file():  # free pages alone would leave out those that only cache files
        for line in table.read_text(encoding="utf-8").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def require_memory(groups: Sequence[Sequence[Mapping[str, Any]]], device: str, workers: int, free: int | None) -> None:
    """Refuse a sweep of which a group, times the workers, cannot fit; trials without a network are not estimated.

    Raises
    ------
    BudgetError : the largest group needs more than ``free`` bytes; the message holds the estimate.
    """
    sizes = [(needed, group[0]) for group in groups if (needed := group_bytes(group, device)) is not None]
    if not sizes or free is None:
        return
    largest, worst = max(sizes, key=lambda pair: pair[0])
    if workers * largest > free:
        raise BudgetError(
            f"{worst['architecture']} at N = {worst['N']}: about {workers * largest / 1e9:.1f} GB in {workers} "
            "worker(s)",
            required=f"at most the {free / 1e9:.1f} GB that are free on {device}",
            advice="fewer workers, a smaller profile, or another device",
        )
