"""What the runners of sweeps share: stacked draws, steps of descent, losses in parts.

The members of a group draw from generators of their own; what they draw is then stacked, members first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext

import torch

from theorytools.training.products import fast_products


def stack(draws: Iterable[Sequence[torch.Tensor]], device: str = "cpu") -> list[torch.Tensor]:
    """Return each array of the members' draws with the members as its first axis."""
    return [torch.stack(parts).to(device) for parts in zip(*draws, strict=True)]


def shuffled(labels: torch.Tensor, rngs: Iterable[torch.Generator]) -> torch.Tensor:
    """Return labels ``(M, n, …)`` with every member's prompts in an order of its own generator."""
    pairs = zip(labels, rngs, strict=True)
    return torch.stack([row[torch.randperm(len(row), generator=rng)] for row, rng in pairs])


def cosine(k: int, steps: int) -> float:
    """Return the factor of the rate in step ``k`` that falls from 1 to 0 along a cosine."""
    return (1 + math.cos(math.pi * k / steps)) / 2


def descend(
    descent: torch.optim.Optimizer, steps: int, rate: Callable[[int], float],
    draw: Callable[[], Sequence[torch.Tensor]], losses: Callable[..., torch.Tensor], *, fast: bool = False,
) -> None:  # fmt: skip
    """Make steps on fresh batches; no two members share a weight, so the sum of their losses trains each alone.

    Parameters
    ----------
    descent : the optimiser of all members' weights.
    steps, rate : their number, and the rate of step ``k``.
    draw, losses : what gives a batch, and the members' losses ``(M,)`` on it.
    fast : whether the products of a step may come from the faster library.
    """
    for k in range(steps):
        descent.param_groups[0]["lr"] = rate(k)
        batch = draw()
        with fast_products() if fast else nullcontext():
            loss = losses(*batch).sum()
            descent.zero_grad()
            loss.backward()
            descent.step()


@torch.no_grad()
def in_parts(function: Callable[..., torch.Tensor], arrays: Iterable[torch.Tensor], size: int) -> torch.Tensor:
    """Return a function of arrays ``(M, n, …)`` computed for at most ``size`` prompts together, in doubles."""
    parts = zip(*(a.split(size, 1) for a in arrays), strict=True)
    return torch.cat([function(*part) for part in parts], 1).cpu().double()


def mean_loss(losses: torch.Tensor) -> dict[str, float]:
    """Return the mean over prompts and its standard error."""
    return {"loss": float(losses.mean()), "loss_error": float(losses.std() / len(losses) ** 0.5)}
