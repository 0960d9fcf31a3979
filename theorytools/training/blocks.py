r"""A sweep in blocks: groups of trials that are run apart, balanced by what they are estimated to cost.

On one CPU thread a trial costs what the sweep says.  On an accelerator the members of a group train together, and what
they wait for is either the arithmetic or the launches of kernels: with ``n`` prompts a member, batch ``B``, ``M``
members, ``m`` multiplications of a prompt and ``k`` kernels of a step,

.. math:: \frac nB\max\Bigl(k\,\tau,\ \frac{6BMm}{\rho}\Bigr)
          +\frac n{B\,\text{check\_every}}\Bigl(k\,\tau+\frac{2\cdot1500\,Mm}{\rho}\Bigr),

since an evaluation looks at about 1500 test prompts.  The rate :math:`\rho` and the time :math:`\tau` of a launch are
assumptions about an H200 at float32, not measurements.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from theorytools.errors import DomainError
from theorytools.training.arithmetic import multiplications
from theorytools.training.experiment import Experiment
from theorytools.training.memory import group_bytes
from theorytools.training.sweep import Groups, Sweep

RATE, LAUNCH, TESTED = 30e12, 8e-6, 1500
KERNELS = {"gru": 19, "lstm": 25, "rnn": 8}  # of one position, forward and backward
BLOCKS, SECONDS = 4, 540.0  # the wide profile runs in so many blocks, each within nine minutes of an H200


@dataclass(frozen=True)
class Block:
    """One block: its groups, the seconds that it should take, the bytes of its largest group where there is a cell."""

    number: int
    groups: Groups
    seconds: float
    bytes: int | None


def group_seconds(one: Sweep, group: Sequence[Mapping[str, Any]], device: str = "cpu") -> float:
    """Return about the seconds of a group on one CPU thread, or trained together on an accelerator."""
    if device == "cpu" or "kind" in group[0]:
        return sum(one.seconds(spec) for spec in group)
    cell, members = Experiment.of(group[0]), len(group)
    steps = max(one.prompts(spec) for spec in group) / cell.batch
    m = multiplications(cell)
    wait = LAUNCH * (KERNELS[cell.architecture] * cell.N if cell.architecture in KERNELS else 50)
    step = max(wait, 6 * cell.batch * members * m / RATE)
    return steps * step + steps / cell.check_every * (wait + 2 * TESTED * members * m / RATE)


def blocks(one: Sweep, profile: str, protocol: str, device: str = "cpu", count: int = BLOCKS) -> list[Block]:
    """Return the groups of a profile in ``count`` blocks: the costliest first, each to the block that has least.

    The split depends on the sweep, the device and the count only.  Within a block the sweep's order is kept; a sweep of
    fewer groups leaves blocks empty.
    """
    groups = one.groups(profile, protocol)
    costs = [group_seconds(one, group, device) for group in groups]
    sums, homes = [0.0] * count, [0] * len(groups)
    for k in sorted(range(len(groups)), key=lambda k: (-costs[k], k)):
        homes[k] = min(range(count), key=lambda b: (sums[b], b))
        sums[homes[k]] += costs[k]
    made = []
    for b in range(count):
        own = [group for group, home in zip(groups, homes, strict=True) if home == b]
        sizes = [size for group in own if (size := group_bytes(group, device)) is not None]
        made.append(Block(b + 1, own, sums[b], max(sizes, default=None)))
    return made


def which(text: str) -> tuple[int, int]:
    r"""Return ``(k, n)`` of ``"k/n"``, the k-th of n blocks; ``DomainError`` unless :math:`1\le k\le n`."""
    found = re.fullmatch(r"([1-9]\d{0,2})/([1-9]\d{0,2})", text, re.ASCII)
    if found is None or int(found[1]) > int(found[2]):
        raise DomainError(f"--block {text}", required="k/n, the k-th of n blocks, such as 1/4", why="k counts from 1")
    return int(found[1]), int(found[2])
