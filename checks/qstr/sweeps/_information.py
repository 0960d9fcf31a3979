r"""Attention trained on a fixed set of prompts of simple 1STR, against the labels that any learner needs.

A prompt has one label, :math:`\langle u,x_t\rangle`, repeated at all positions.  Even with the retrieved tokens given,
every estimator has a risk of at least :math:`1-\frac n{qd}` on average over directions, attained by least norm.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from theorytools.training.experiment import Experiment
from theorytools.training.sweep import Results, Spec


def least_norm(experiment: Experiment, n: int) -> float:
    r"""Return the risk :math:`\lVert\hat u-u\rVert^2` of least norm on the retrieved tokens of the training set."""
    from theorytools.training.prompts import World, draw, generator

    world = World.of(experiment)
    X, T, y = draw(experiment, world, generator(experiment, "train"), n, True)
    seen = X[torch.arange(n), T[:, 0, 0]].double()
    guess = torch.linalg.pinv(seen) @ y[:, 0].double()
    return float((guess - world.u.double()).square().sum())


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Train one cell's repeats together, each on its own ``n`` prompts, for a fixed number of steps."""
    from theorytools.training.loop import in_parts, shuffled, stack
    from theorytools.training.prompts import World, draw, generator
    from theorytools.training.reference import test_set
    from theorytools.training.search import ensemble
    from theorytools.training.stacks.stacked import fast_products

    torch.set_num_threads(1)
    experiments, own = [Experiment.within(spec) for spec in specs], specs[0]
    one, n = experiments[0], int(own["n"])
    if own["learner"] == "least norm":
        for spec, experiment in zip(specs, experiments, strict=True):
            yield dict(spec), {"risk": least_norm(experiment, n)}
        return
    worlds = [World.of(e) for e in experiments]
    sets = (draw(e, w, generator(e, "train"), n, True) for e, w in zip(experiments, worlds, strict=True))
    X, T, y = stack(sets, device)
    if own["labels"] == "shuffled":
        y = shuffled(y, [generator(e, "labels") for e in experiments])
    net, picks = ensemble(experiments, worlds, device), [generator(e, "batches") for e in experiments]
    rows = torch.arange(len(specs))[:, None]
    steps = 0 if own["labels"] == "none" else one.cap // one.batch
    with fast_products(device):
        for _ in range(steps):
            at = torch.stack([torch.randint(n, (one.batch,), generator=rng) for rng in picks])
            net.step(X[rows, at], T[rows, at], y[rows, at])
    tests = stack(map(test_set, experiments, worlds), device)
    risks, fits = (in_parts(net.losses, batch, net.block).mean(1).tolist() for batch in (tests, [X, T, y]))
    for spec, risk, fit in zip(specs, risks, fits, strict=True):
        yield dict(spec), {"risk": risk, "train": fit}
