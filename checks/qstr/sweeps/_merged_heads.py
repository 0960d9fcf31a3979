r"""The Transformer of the theory, whole, on prompts whose labels are squared norms: trained in stacks of repeats.

Prompts are those of qSTR, every position with a tuple of its own, ``q`` distinct indices drawn uniformly; tokens
:math:`z_j=(x_j,\omega_j,\omega_{t_{j1}},\dots,\omega_{t_{jq}})`, codes orthonormal and all times :math:`\sqrt d`.  Head
:math:`h` returns :math:`\sum_j\operatorname{softmax}_j\langle z_i,W^{(h)}_{QK}z_j\rangle z_j` with a whole matrix, and
a two-layer ReLU network reads the ``H`` heads.  Nothing but the number of heads changes along a row of cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from theorytools.codes.families import hadamard
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.prompts import World, draw, generator, torch_dtype
from theorytools.papers.qstr.training.stacks.ensemble import ensemble
from theorytools.papers.qstr.training.stacks.stacked import Stacked
from theorytools.training.loop import cosine, mean_loss, stack
from theorytools.training.sweep import Results, Spec

WARM = 100  # steps in which the rate rises
BLOCK = 256  # test prompts together
VARIANCE = {"sq": 2, "lin": 1}  # of a label


def world(experiment: Experiment) -> World:
    """Return the repeat's direction, with orthonormal sign codes instead of random ones."""
    codes = torch.from_numpy(hadamard(experiment.N).matrix() * experiment.d**0.5)
    return World(codes.to(torch_dtype(experiment)), World.of(experiment).u)


def fresh(experiments: Sequence[Experiment], worlds: Sequence[World], rngs: Sequence[Any], size: int) -> list[Any]:
    """Draw each member's tokens ``(M, size, N, d)``, indices ``(M, size, N, q)`` and labels ``(M, size, N)``."""
    return stack(draw(e, w, rng, size, False) for e, w, rng in zip(experiments, worlds, rngs, strict=True))


def losses(net: Stacked, tests: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return the members' losses ``(M, n)`` on test prompts, means over the positions, over a label's variance."""
    parts = zip(*(array.split(BLOCK, 1) for array in tests), strict=True)
    return torch.cat([net.losses(*part).double() for part in parts], 1) / VARIANCE[net.experiment.link]


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Train one cell's repeats together for their number of prompts; yield each with its losses on fresh ones."""
    torch.set_num_threads(1)
    experiments = [Experiment.within(spec) for spec in specs]
    one, worlds = experiments[0], [world(e) for e in experiments]
    net = ensemble(experiments, worlds)
    net.weights["scores"] *= one.D_e**-0.5  # at the module's own law softmax begins near 0 and 1 and often stays there
    streams, last = ([generator(e, role) for e in experiments] for role in ("train", "test"))
    tests, steps = fresh(experiments, worlds, last, one.test_size), one.cap // one.batch
    before = losses(net, tests)
    for k in range(steps):
        net.optimiser.param_groups[0]["lr"] = float(one.lr) * min(1.0, (k + 1) / WARM) * cosine(k, steps)
        net.step(*fresh(experiments, worlds, streams, one.batch))
    after = losses(net, tests)
    for spec, row, untrained in zip(specs, after, before, strict=True):
        yield dict(spec), {**mean_loss(row), "untrained": float(untrained.mean())}

