r"""The sweep of attention trained on a fixed set of prompts of simple 1STR, against the labels that any learner needs.

A prompt has one label, :math:`\langle u,x_t\rangle`, repeated at all positions.  Even with the retrieved tokens given,
every estimator has a risk of at least :math:`1-\frac n{qd}` on average over directions, attained by least norm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theorytools.papers.qstr.training.costs import group_bytes
from theorytools.papers.qstr.training.experiment import Experiment, cell
from theorytools.training.sweep import ANY, Groups, Results, Spec, Sweep

# repeats, steps, prompts of the training sets; the same for least norm, which is cheap
_SETTINGS: dict[str, tuple[int, int, tuple[int, ...], int]] = {
    "smoke": (2, 50, (5, 160), 3),
    "published": (3, 1500, (5, 160, 320, 640), 20),
    "wide": (20, 4000, (5, 20, 40, 80, 113, 160, 226, 320, 453, 640, 1280), 100),
}


def _groups(profile: str, protocol: str) -> Groups:
    repeats, steps, sizes, many = _SETTINGS[profile]
    cells = [("attention", "own", n, repeats) for n in sizes]
    cells += [("attention", labels, sizes[-1], repeats) for labels in ("shuffled", "none")]
    cells += [("least norm", "own", n, many) for n in (2, 3, 4, 5, 6, 7, 8, 9, 10)]
    groups = []
    for learner, labels, n, count in cells:
        names = {"shuffled": "shuffled labels", "none": "untrained"}
        own = {"kind": "information", "learner": learner, "labels": labels, "n": n, "arm": names.get(labels, learner)}
        fixed: dict[str, Any] = {"architecture": "transformer", "N": 8, "task": "simple", "protocol": protocol}
        fixed |= {"cap": 64 * steps, "test_size": 2000}
        groups.append(cell(count, own, **fixed))
    return groups


def least_norm(experiment: Experiment, n: int) -> float:
    r"""Return the risk :math:`\lVert\hat u-u\rVert^2` of least norm on the retrieved tokens of the training set."""
    import torch

    from theorytools.papers.qstr.training.prompts import World, draw, generator

    world = World.of(experiment)
    X, T, y = draw(experiment, world, generator(experiment, "train"), n, True)
    seen = X[torch.arange(n), T[:, 0, 0]].double()
    guess = torch.linalg.pinv(seen) @ y[:, 0].double()
    return float((guess - world.u.double()).square().sum())


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Train one cell's repeats together, each on its own ``n`` prompts, for a fixed number of steps."""
    import torch

    from theorytools.papers.qstr.training.prompts import World, draw, generator
    from theorytools.papers.qstr.training.reference import test_set
    from theorytools.papers.qstr.training.stacks.ensemble import ensemble
    from theorytools.training.loop import in_parts, shuffled, stack
    from theorytools.training.products import fast_products

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


sweep = Sweep(
    title="Attention on a fixed training set against the labels that any learner needs",
    question="Does gradient training of a Transformer approach the information limit: a risk below 1/2 from qd/2 "
             "labels, which least norm attains once the retrieved tokens are given?",
    rule="Simple 1STR, N = 8, d = 10, AdamW on n prompts for 1500 steps of 64. For each repeat, the least n of the "
         "grid with a test risk below 1/2 at the end (the largest, if none), over the limit qd/2 = 5: geometric mean "
         "with its 95 % t-interval on logarithms. Approaches the limit if the interval lies below 2; far from it if "
         "above 10; else between. Predicted: above 10. The mean risk at n = 5 does not lie below the floor 1 - n/(qd) "
         "= 1/2: violated if its 95 % t-interval lies below. At n = 640 the mean risk is below 1/2, and is not with "
         "shuffled labels or without training. Fixed after runs of 2000 steps at N = 4, 8, 16 and n = 40 to 2560 on "
         "other repeats.",
    cells=_groups, runner="evaluate", memory=group_bytes, devices=ANY, size="n", value="risk",
)  # fmt: skip
