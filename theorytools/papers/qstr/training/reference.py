"""The plain loop: one module, one optimiser, one batch at a time.

This is the independent reference of the stacked ensembles, and the reference of their speed: ordinary ``torch.nn``
modules, ``torch.optim``, and an evaluation that walks through the whole test set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import torch
from torch import nn

from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.prompts import Batch, World, draw, encode, generator, torch_dtype
from theorytools.training.networks import FeedForward, MergedAttention, Recurrent, SeparateAttention, reset


def model(experiment: Experiment, rng: torch.Generator) -> nn.Module:
    """Return the experiment's module with weights drawn from ``rng``, in the experiment's floating-point type."""
    D_e, heads, width = experiment.D_e, experiment.heads, experiment.width
    with torch.device("meta"):
        module: nn.Module
        if experiment.architecture == "transformer":
            module = SeparateAttention(D_e, heads, width)
        elif experiment.architecture == "merged":
            module = MergedAttention(D_e, heads, width)
        elif experiment.architecture == "ffn":
            module = FeedForward(experiment.N, experiment.d, experiment.q, D_e, width)
        else:
            module = Recurrent(experiment.architecture, D_e, width)
    module = module.to(torch_dtype(experiment)).to_empty(device="cpu")
    return reset(module, rng)


TEST_BATCH = 250  # with 1000 the temporaries of a recurrent network leave the cache and page-fault: 1.4 times slower


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Parameters
    ----------
    samples : training prompts seen when the test loss was first below the threshold, or at the cap.
    censored : whether the cap came first, or the weights ceased to be finite.
    loss : the test loss at the end, on the whole test set; None if the run diverged.
    checks, tested : evaluations, and test prompts evaluated in all of them.
    diverged : whether the weights ceased to be finite; such a run is never said to have reached anything.
    """

    samples: int
    censored: bool
    loss: float | None
    checks: int
    tested: int
    diverged: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return JSON data."""
        return asdict(self)


def optimiser(experiment: Experiment, module: nn.Module) -> torch.optim.Optimizer:
    r"""Return AdamW (:math:`\beta=(0.9,0.999)`, :math:`\epsilon=10^{-8}`), or SGD with the decay in the gradient."""
    lr, decay = float(experiment.lr), float(experiment.weight_decay)
    kind = torch.optim.AdamW if experiment.optimiser == "adamw" else torch.optim.SGD
    return kind(module.parameters(), lr=lr, weight_decay=decay, fused=True)


def batches(experiment: Experiment, world: World) -> Iterator[Batch]:
    """Yield fresh training batches for ever; the draws of one check period are made together."""
    rng = generator(experiment, "train")
    while True:
        X, T, y = draw(experiment, world, rng, experiment.batch * experiment.check_every, experiment.task == "simple")
        yield from zip(X.split(experiment.batch), T.split(experiment.batch), y.split(experiment.batch), strict=True)


def test_set(experiment: Experiment, world: World) -> Batch:
    """Return the test prompts, which the repeats of a shared world share too."""
    return draw(
        experiment, world, generator(experiment, "test"), experiment.test_size, experiment.simple_tests, held_out=True
    )


class Descent(Protocol):
    """What moves the weights: an optimiser of torch, or :class:`~theorytools.training.adamw.AdamW`."""

    def zero_grad(self) -> None:
        """Drop the gradients."""

    def step(self) -> Any:
        """Move the weights along their gradients."""


def step(module: nn.Module, optimiser: Descent, Z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Make one step on the mean squared error over all positions and return the loss before it."""
    loss = nn.functional.mse_loss(module(Z), y)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    return loss.detach()


def evaluate(module: nn.Module, codes: torch.Tensor, tests: Batch) -> float:
    """Return the mean squared error over the whole test set."""
    total, count = 0.0, 0
    with torch.no_grad():
        for X, T, y in zip(*(part.split(TEST_BATCH) for part in tests), strict=True):
            total += nn.functional.mse_loss(module(encode(codes, X, T)), y, reduction="sum").item()
            count += y.numel()
    return total / count


def run(experiment: Experiment, progress: Callable[[int, float], None] | None = None) -> Outcome:
    """Train one model until its test loss is below the threshold or the cap is reached.

    Parameters
    ----------
    experiment : the trial.
    progress : called after each evaluation with the prompts seen and the test loss.
    """
    world = World.of(experiment)
    module = model(experiment, generator(experiment, "weights"))
    descent = optimiser(experiment, module)
    tests = test_set(experiment, world)
    threshold, seen, checks = float(experiment.threshold), 0, 0
    for k, (X, T, y) in enumerate(batches(experiment, world), start=1):
        step(module, descent, encode(world.codes, X, T), y)
        seen += len(X)
        if k % experiment.check_every == 0:
            loss, checks = evaluate(module, world.codes, tests), checks + 1
            if not math.isfinite(loss):
                return Outcome(seen, True, None, checks, checks * experiment.test_size, diverged=True)
            if progress is not None:
                progress(seen, loss)
            if loss < threshold or seen >= experiment.cap:
                return Outcome(seen, not loss < threshold, loss, checks, checks * experiment.test_size)
    raise AssertionError("the stream of batches has no end")
