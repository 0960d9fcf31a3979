r"""Small networks trained on the spot by the plain loop, for checks that need one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, cast

import numpy as np
import torch

from theorytools.training import plain
from theorytools.training.experiment import Experiment
from theorytools.training.models import Recurrent, model
from theorytools.training.prompts import World, draw, encode, generator

Source = Callable[[np.random.Generator, int], tuple[torch.Tensor, torch.Tensor]]


def trained_source(cell: Mapping[str, Any], seed: np.random.SeedSequence, *, steps: int) -> tuple[Recurrent, Source]:
    """Train a recurrent network in float64 by the plain loop and return it with the source of its world's prompts.

    Parameters
    ----------
    cell : fields of an :class:`~theorytools.training.experiment.Experiment`.
    seed : keys codes, direction, weights and batches.
    steps : AdamW steps, each on a fresh batch.
    """
    repeat = int(seed.generate_state(1, np.uint32)[0])
    trial = Experiment(**{"dtype": "float64", "weight_decay": Fraction(0), "repeat": repeat, **cell})
    world = World.of(trial)
    module = cast(Recurrent, model(trial, generator(trial, "weights")))
    descent = plain.optimiser(trial, module)
    for _, (X, T, y) in zip(range(steps), plain.batches(trial, world), strict=False):
        plain.step(module, descent, encode(world.codes, X, T), y)

    def source(rng: np.random.Generator, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        state = torch.Generator().manual_seed(int(rng.integers(2**63, dtype=np.uint64)))
        X, T, y = draw(trial, world, state, size, simple=False)
        return encode(world.codes, X, T), y

    return module, source
