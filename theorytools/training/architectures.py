r"""Which stacked program trains which architecture."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from theorytools.training.experiment import Experiment
from theorytools.training.stacks.attention import StackedMerged, StackedSeparate
from theorytools.training.stacks.feedforward import StackedFeedForward
from theorytools.training.stacks.stacked import Stacked


def stacked(modules: Sequence[nn.Module], codes: torch.Tensor, experiment: Experiment, device: str = "cpu") -> Stacked:
    """Return the stacked members of the experiment's architecture, with the weights of these plain modules."""
    kinds: dict[str, type[Stacked]] = {
        "transformer": StackedSeparate,
        "merged": StackedMerged,
        "ffn": StackedFeedForward,
    }
    if experiment.architecture in kinds:
        return kinds[experiment.architecture](modules, codes, experiment, device)
    from theorytools.training.stacks.recurrent import StackedRecurrent

    return StackedRecurrent(modules, codes, experiment, device)
