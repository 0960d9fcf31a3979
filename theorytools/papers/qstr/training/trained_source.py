"""Small networks trained on the spot by the plain loop, for checks that need one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, cast

import numpy as np
import torch

from theorytools.arguments.checked import STEPS, NonNegativeInt, at_most, checked
from theorytools.errors import DomainError
from theorytools.papers.qstr.training import reference as plain
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.prompts import World, draw, encode, generator
from theorytools.papers.qstr.training.reference import model
from theorytools.training.adamw import AdamW
from theorytools.training.networks import Recurrent

Source = Callable[[np.random.Generator, int], tuple[torch.Tensor, torch.Tensor]]


@lru_cache(maxsize=4)  # a control that spoils what is measured meets the network that the claim itself was measured on
def _trained(trial: Experiment, steps: int) -> tuple[Recurrent, World]:
    """Return the trial's network after so many steps, with its world; nobody may change them."""
    world = World.of(trial)
    module = cast(Recurrent, model(trial, generator(trial, "weights")))
    descent = AdamW(module.parameters(), lr=float(trial.lr), weight_decay=float(trial.weight_decay))
    for _, (X, T, y) in zip(range(steps), plain.batches(trial, world), strict=False):
        plain.step(module, descent, encode(world.codes, X, T), y)
    return module.requires_grad_(False), world


@checked
@at_most(steps=STEPS)
def trained_source(
    cell: Mapping[str, Any], seed: np.random.SeedSequence, *, steps: NonNegativeInt
) -> tuple[Recurrent, Source]:
    """Train a recurrent network in float64 by the plain loop and return it with the source of its world's prompts.

    The last networks are kept: the same cell, seed and steps give the same object, which is not to be changed.

    Parameters
    ----------
    cell : fields of an :class:`~theorytools.papers.qstr.training.experiment.Experiment`.
    seed : keys codes, direction, weights and batches.
    steps : AdamW steps, each on a fresh batch.
    """
    repeat = int(seed.generate_state(1, np.uint32)[0])
    trial = Experiment(**{"dtype": "float64", "weight_decay": Fraction(0), "repeat": repeat, **cell})
    if trial.optimiser != "adamw":
        raise DomainError(f"optimiser = {trial.optimiser!r}", required="adamw", why="these networks train with AdamW")
    module, world = _trained(trial, steps)

    def source(rng: np.random.Generator, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        state = torch.Generator().manual_seed(int(rng.integers(2**63, dtype=np.uint64)))
        X, T, y = draw(trial, world, state, size, simple=False)
        return encode(world.codes, X, T), y

    return module, source
