"""The memory that a device has, and the refusal of a sweep of which a group does not fit."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from theorytools.errors import BudgetError
from theorytools.training.sweep import Groups, Spec, Sweep, arm


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


def require_memory(one: Sweep, groups: Groups, device: str, workers: int, free: int | None) -> None:
    """Refuse a sweep of which a group, times the workers, cannot fit; what nobody estimated is not refused.

    Raises
    ------
    BudgetError : the largest group needs more than ``free`` bytes; the message holds the estimate.
    """
    sizes = [(needed, group) for group in groups if (needed := one.bytes(group, device)) is not None]
    if not sizes or free is None:
        return
    most, worst = max(sizes, key=lambda pair: pair[0])
    if workers * most > free:
        raise BudgetError(
            f"{_named(one, worst)}: about {workers * most / 1e9:.1f} GB in {workers} worker(s)",
            required=f"at most the {free / 1e9:.1f} GB that are free on {device}",
            advice="fewer workers, a smaller profile, or another device",
        )


def _named(one: Sweep, group: Sequence[Spec]) -> str:
    spec = group[0]
    return f"{arm(spec)} at {one.size} = {spec[one.size]}" if one.size else arm(spec)
