"""The repeats of a cell as one stack: which stacked program trains which architecture."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from theorytools.errors import DomainError
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.prompts import World, generator
from theorytools.papers.qstr.training.reference import model
from theorytools.papers.qstr.training.stacks.attention import StackedMerged, StackedSeparate
from theorytools.papers.qstr.training.stacks.feedforward import StackedFeedForward
from theorytools.papers.qstr.training.stacks.stacked import Stacked


def ensemble(experiments: Sequence[Experiment], worlds: Sequence[World], device: str = "cpu") -> Stacked:
    """Return the stacked members of a cell, each with the weights that the plain loop starts from."""
    modules = [model(one, generator(one, "weights")) for one in experiments]
    return stacked(modules, torch.stack([world.codes for world in worlds]), experiments[0], device)


def checked_cell(experiments: Sequence[Experiment]) -> None:
    """Refuse experiments that differ in more than the repeat."""
    cells = {tuple(sorted({**one.spec(), "repeat": 0}.items())) for one in experiments}
    if len(cells) != 1:
        raise DomainError(f"experiments of {len(cells)} cells", required="one cell: all equal but for the repeat")


def stacked(modules: Sequence[nn.Module], codes: torch.Tensor, experiment: Experiment, device: str = "cpu") -> Stacked:
    """Return the stacked members of the experiment's architecture, with the weights of these plain modules."""
    kinds: dict[str, type[Stacked]] = {
        "transformer": StackedSeparate,
        "merged": StackedMerged,
        "ffn": StackedFeedForward,
    }
    if experiment.architecture in kinds:
        return kinds[experiment.architecture](modules, codes, experiment, device)
    from theorytools.papers.qstr.training.stacks.recurrent import StackedRecurrent

    return StackedRecurrent(modules, codes, experiment, device)
