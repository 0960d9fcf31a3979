r"""The world of an experiment, its streams of prompts, and their encoding, in torch.

An encoded token is :math:`z_i=(x_i,\omega_i,\omega_{t_{i1}},\dots,\omega_{t_{iq}})\in\mathbb R^{d+(q+1)d_e}` with unit
codes :math:`\omega_i`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from theorytools.arguments.checked import checked
from theorytools.codes.families import rademacher
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.tasks.digits import digit_tokens
from theorytools.training.trials.trial import torch_generator

Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


@checked
@dataclass(frozen=True, eq=False)
class World:
    """What the repeats of a cell learn: unit codes ``(N, d_e)`` and the direction ``u`` ``(d,)``."""

    codes: torch.Tensor
    u: torch.Tensor

    @classmethod
    def of(cls, experiment: Experiment) -> World:
        """Draw random sign codes and a uniform unit direction from the experiment's seed of the world."""
        rng = np.random.default_rng(experiment.seed("world"))
        codes = rademacher(experiment.N, experiment.d_e, rng).signs / np.sqrt(experiment.d_e)
        u = rng.standard_normal(experiment.d)
        u /= np.linalg.norm(u)
        if experiment.tokens == "digits":
            u /= (digit_tokens() @ u).std()
        elif experiment.tokens == "digits_rescaled":
            u /= np.sqrt(np.square(digit_tokens(held_out=True) @ u).mean())
        dtype = torch_dtype(experiment)
        return cls(torch.from_numpy(codes).to(dtype), torch.from_numpy(u).to(dtype))


def torch_dtype(experiment: Experiment) -> torch.dtype:
    """Return the floating-point type of the experiment."""
    return torch.float64 if experiment.dtype == "float64" else torch.float32


def generator(experiment: Experiment, role: str, device: str = "cpu") -> torch.Generator:
    """Return a generator keyed by the experiment and the role."""
    return torch_generator(experiment.seed(role), device=device)


def draw(
    experiment: Experiment, world: World, rng: torch.Generator, size: int, simple: bool, *, held_out: bool = False
) -> Batch:
    r"""Draw prompts: tokens ``X`` ``(size, N, d)``, indices ``T`` ``(size, N, q)``, labels ``y`` ``(size, N)``.

    The ``q`` indices of a tuple are distinct and uniform; in the simple task the ``N`` tuples of a prompt are equal.
    Digits are those for learning, or those ``held_out``.
    """
    N, d, q = experiment.N, experiment.d, experiment.q
    device = world.u.device
    if experiment.tokens != "gauss":
        pool = torch.tensor(digit_tokens(held_out)).to(device, world.u.dtype)
        X = pool[torch.randint(len(pool), (size, N), generator=rng, device=device)]
    else:
        X = torch.empty(size, N, d, dtype=world.u.dtype, device=device).normal_(generator=rng)
    rows = 1 if simple else N
    if q == 1:
        T = torch.randint(N, (size, rows, 1), generator=rng, device=device)
    else:
        T = torch.rand(size, rows, N, generator=rng, device=device).argsort(-1)[..., :q]
    T = T.expand(size, N, q)
    return X, T, labels(experiment, world, X, T)


def labels(experiment: Experiment, world: World, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
    r"""Return the labels ``(size, N)``, the links of :func:`theorytools.tasks.sparse_regression.labels`."""
    if experiment.link == "sq":
        values = (X.square().sum(-1) - experiment.d) / experiment.d**0.5
    elif experiment.link == "he2":
        values = ((X @ world.u).square() - 1) / 2**0.5
    else:
        values = X @ world.u
    size, N, q = T.shape
    return values.gather(1, T.reshape(size, N * q)).view(size, N, q).sum(-1) / q**0.5


def encode(codes: torch.Tensor, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
    """Return the encoded tokens ``(size, N, d + (q + 1) d_e)``."""
    size, N, _ = X.shape
    return torch.cat([X, codes.expand(size, N, -1), codes[T.long()].reshape(size, N, -1)], -1)
