r"""The trained architectures as ``torch.nn`` modules: encoded prompts ``(B, N, D_e)`` to predictions ``(B, N)``.

Every module draws its weights from an explicit generator by PyTorch's default laws: uniform on
:math:`\pm\text{fan-in}^{-1/2}` for linear maps, on :math:`\pm\text{width}^{-1/2}` for recurrent ones.

The plain loop: one module, one optimiser, one batch at a time.

This is the independent reference of the stacked ensembles, and the reference of their speed: ordinary ``torch.nn``
modules, ``torch.optim``, and an evaluation that walks through the whole test set.

Small networks trained on the spot by the plain loop, for checks that need one.

AdamW by torch's fused kernel, without ``torch.optim``.

The first optimiser that ``torch.optim`` makes in a process imports the compiler, ``torch._dynamo``, which takes longer
than a check trains.  The kernel and the state are those of ``torch.optim.AdamW(..., fused=True)``, and so are all bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol, cast

import numpy as np
import torch
from torch import nn

from theorytools.arguments.checked import STEPS, NonNegativeInt, at_most, checked
from theorytools.errors import DomainError
from theorytools.training import reference as plain
from theorytools.training.experiment import Experiment
from theorytools.training.prompts import Batch, World, draw, encode, generator, torch_dtype


class AdamW:
    r"""Loshchilov and Hutter's optimiser with :math:`\beta=(0.9,0.999)`, :math:`\epsilon=10^{-8}`.

    Parameters
    ----------
    parameters : the tensors that move.
    lr, weight_decay : the rate, and the decoupled decay.

    References
    ----------
    Loshchilov, Hutter (2019), Algorithm 2, arXiv 1711.05101.
    """

    def __init__(self, parameters: Iterable[torch.Tensor], *, lr: float, weight_decay: float) -> None:
        self.parameters, self.lr, self.weight_decay = list(parameters), lr, weight_decay
        self.means, self.squares = ([torch.zeros_like(p) for p in self.parameters] for _ in range(2))
        self.steps = [torch.zeros((), dtype=torch.float32) for _ in self.parameters]

    def zero_grad(self) -> None:
        """Drop the gradients."""
        for p in self.parameters:
            p.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Move every parameter that has a gradient."""
        rows = zip(self.parameters, self.means, self.squares, self.steps, strict=True)
        moved = [(p, p.grad, *state) for p, *state in rows if p.grad is not None]
        if not moved:
            return
        parameters, gradients, means, squares, steps = map(list, zip(*moved, strict=True))
        torch._foreach_add_(steps, 1)
        torch._fused_adamw_(
            parameters, gradients, means, squares, [], steps, lr=self.lr, beta1=0.9, beta2=0.999,
            weight_decay=self.weight_decay, eps=1e-8, amsgrad=False, maximize=False,
        )  # fmt: skip


class SeparateAttention(nn.Module):
    r"""One attention layer with separate query, key, value and output maps, then a two-layer ReLU network.

    Scores are :math:`\langle Qz_i,Kz_j\rangle/\sqrt{D_e}`; each of the ``H`` heads has the full width :math:`D_e`, and
    the output map takes their concatenation back to :math:`\mathbb R^{D_e}`.  All maps have biases.
    """

    def __init__(self, D_e: int, heads: int, width: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(D_e, heads * D_e) for _ in range(3))
        self.output = nn.Linear(heads * D_e, D_e)
        self.hidden, self.last = nn.Linear(D_e, width), nn.Linear(width, 1)

    def forward(self, Z: torch.Tensor) -> torch.Tensor:
        """Return the predictions ``(B, N)``."""
        B, N, D = Z.shape
        split = [f(Z).view(B, N, self.heads, D).transpose(1, 2) for f in (self.query, self.key, self.value)]
        weights = torch.softmax(split[0] @ split[1].transpose(-1, -2) / D**0.5, -1)
        attended = self.output((weights @ split[2]).transpose(1, 2).reshape(B, N, self.heads * D))
        return self.last(torch.relu(self.hidden(attended)))[..., 0]


class MergedAttention(nn.Module):
    r"""One attention layer with a matrix :math:`W_{QK}` for each head and no values, as in the theory.

    Head ``h`` returns :math:`\sum_j\pi_{ij}z_j`, :math:`\pi_i=\operatorname{softmax}_j\langle
    z_i,W_{QK}^{(h)}z_j\rangle`; a two-layer ReLU network reads the concatenation of the heads.
    """

    def __init__(self, D_e: int, heads: int, width: int) -> None:
        super().__init__()
        self.scores = nn.ModuleList(nn.Linear(D_e, D_e, bias=False) for _ in range(heads))
        self.hidden, self.last = nn.Linear(heads * D_e, width), nn.Linear(width, 1)

    def forward(self, Z: torch.Tensor) -> torch.Tensor:
        """Return the predictions ``(B, N)``."""
        heads = [torch.softmax(W(Z) @ Z.transpose(-1, -2), -1) @ Z for W in self.scores]
        return self.last(torch.relu(self.hidden(torch.cat(heads, -1))))[..., 0]


class FeedForward(nn.Module):
    r"""A three-layer ReLU network on all encoded tokens at once, hidden widths :math:`Ndq` and ``width``."""

    def __init__(self, N: int, d: int, q: int, D_e: int, width: int) -> None:
        super().__init__()
        self.first, self.second, self.last = (
            nn.Linear(N * D_e, N * d * q),
            nn.Linear(N * d * q, width),
            nn.Linear(width, N),
        )

    def forward(self, Z: torch.Tensor) -> torch.Tensor:
        """Return the predictions ``(B, N)``."""
        return self.last(torch.relu(self.second(torch.relu(self.first(Z.flatten(1))))))


class Recurrent(nn.Module):
    r"""A bidirectional GRU, LSTM or ReLU network and a linear map of the two states after token ``i``."""

    def __init__(self, kind: str, D_e: int, width: int) -> None:
        super().__init__()
        settings = {"batch_first": True, "bidirectional": True}
        cell = {"gru": nn.GRU, "lstm": nn.LSTM}.get(kind)
        self.cell = cell(D_e, width, **settings) if cell else nn.RNN(D_e, width, nonlinearity="relu", **settings)
        self.last = nn.Linear(2 * width, 1)

    def forward(self, Z: torch.Tensor) -> torch.Tensor:
        """Return the predictions ``(B, N)``."""
        return self.last(self.cell(Z)[0])[..., 0]


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


def reset(module: nn.Module, rng: torch.Generator) -> nn.Module:
    """Draw all weights again, in the order of the module's parameters, by PyTorch's default laws."""
    for part in module.modules():
        if isinstance(part, nn.Linear):
            reach = part.in_features**-0.5
        elif isinstance(part, nn.RNNBase):
            reach = part.hidden_size**-0.5
        else:
            continue
        with torch.no_grad():
            for weights in part.parameters(recurse=False):
                weights.uniform_(-reach, reach, generator=rng)
    return module


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
    """What moves the weights: an optimiser of torch, or :class:`~theorytools.training.reference.AdamW`."""

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
    cell : fields of an :class:`~theorytools.training.experiment.Experiment`.
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
