r"""Trained networks that see the index only partly, on general 1STR, beside the exact least errors.

``pair``: the first two positions have one code, which leaves :math:`\frac1N`.  ``blind``: the network is encoded an
index drawn independently of the one that is asked for, which leaves :math:`1-\frac1N`.  ``labels``: the label is that
of another prompt, which leaves its variance, 1.  ``distinct``: nothing is spoiled, and nothing is left.  Training and
test prompts have the same law.  Predictions are clipped to :math:`[-3,3]`, which keeps every one of these bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from theorytools.papers.qstr.training.costs import group_bytes
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.training.sweep import Groups, Results, Spec, Sweep

if TYPE_CHECKING:
    import torch

    from theorytools.papers.qstr.training.prompts import Batch, World
    from theorytools.papers.qstr.training.stacks.stacked import Stacked
    from theorytools.statistics.clipped_error import Limits
    from theorytools.training.record import SweepRecord

ARMS = ("distinct", "pair", "blind", "labels")
CLIP, TAU, UNTRAINED, BLOCK = 3, 64, 2**15, 2**12
_OWN = ("kind", "arm", "steps", "tests", "level")
RULE = (
    "Loss: mean squared error of a fixed trained network over a fresh prompt's positions, limits at level 1e-9 on 2^18 "
    "prompts, 2^19 at N = 8. Predicted, with the exact floors 1/N (two positions with one code), 1 - 1/N (an index "
    "that is not the one asked for) and 1 (another prompt's labels): (i) no network's lower limit is below 95 % of its "
    "floor, which is what so many prompts can tell; (ii) the least of the three networks of each cell has both limits "
    "within 5 % of the floor; (iii) with distinct codes the least network lies below the floor 1/N, for the "
    "feedforward network too; (iv) untrained networks lie more than 5 % above every floor below 1. A network surely "
    "below its floor refutes the floor or the program; a cell that stays away from it refutes (ii) only."
)


def floor(arm: str, N: int) -> Fraction:
    """Return the least error that the arm leaves to any predictor, 0 with distinct codes."""
    return {"pair": Fraction(1, N), "blind": 1 - Fraction(1, N), "labels": Fraction(1)}.get(arm, Fraction(0))


def spoiled_world(arm: str, world: World) -> World:
    """Return the world in which the first two positions share a code, in that arm."""
    if arm != "pair":
        return world
    import torch

    from theorytools.papers.qstr.training.prompts import World

    return World(torch.cat([world.codes[:1], world.codes[:1], world.codes[2:]]), world.u)


def source(arm: str, one: Experiment, world: World, rng: torch.Generator) -> Callable[[int], Batch]:
    """Return ``draw(size)``: independent prompts with the indices that are shown and the labels that are asked for."""
    import torch

    from theorytools.papers.qstr.training.prompts import draw

    def prompts(size: int) -> Batch:
        X, T, y = draw(one, world, rng, size, False)
        if arm == "blind":
            T = torch.randint(one.N, T.shape, generator=rng)
        if arm == "labels":
            y = draw(one, world, rng, size, False)[2]
        return X, T, y

    return prompts


def losses(net: Stacked, draws: Sequence[Callable[[int], Batch]], size: int, level: float) -> list[Limits]:
    """Return the loss of every member on its own fresh prompts."""
    import numpy as np
    import torch

    from theorytools.statistics.clipped_error import Limits, clipped_gaussian_excess

    found: list[list[Any]] = [[] for _ in draws]
    for start in range(0, size, BLOCK):
        X, T, y = (torch.stack(a) for a in zip(*(draw(min(BLOCK, size - start)) for draw in draws), strict=True))
        for low in range(0, X.shape[1], net.block):
            cut = slice(low, low + net.block)
            with torch.no_grad():
                error = net.forward(X[:, cut], T[:, cut]).clamp(-CLIP, CLIP) - y[:, cut]
            for member, squares in enumerate(error.double().square().mean(-1).numpy()):
                found[member].append(squares)
    excess = clipped_gaussian_excess(CLIP, TAU)
    return [Limits.of(np.concatenate(parts), level, tau=float(TAU), excess=excess) for parts in found]


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Train one cell's repeats together, the rate falling along a cosine, and measure each before and after."""
    import torch

    from theorytools.papers.qstr.training.prompts import World, generator
    from theorytools.papers.qstr.training.stacks.ensemble import checked_cell, ensemble
    from theorytools.training.products import fast_products

    torch.set_num_threads(1)
    arm, steps, tests = (specs[0][name] for name in ("arm", "steps", "tests"))
    level = float(Fraction(specs[0]["level"]))
    experiments = [Experiment.of({k: v for k, v in spec.items() if k not in _OWN}) for spec in specs]
    checked_cell(experiments)
    worlds = [spoiled_world(arm, World.of(e)) for e in experiments]
    net, one = ensemble(experiments, worlds), experiments[0]

    def sources(role: str) -> list[Callable[[int], Batch]]:
        return [source(arm, e, w, generator(e, role)) for e, w in zip(experiments, worlds, strict=True)]

    before, train = losses(net, sources("test"), UNTRAINED, level), sources("train")
    for k in range(steps):
        net.optimiser.param_groups[0]["lr"] = float(one.lr) * (1 + math.cos(math.pi * k / steps)) / 2
        X, T, y = (torch.stack(a) for a in zip(*(draw(one.batch) for draw in train), strict=True))
        with fast_products():
            net.step(X, T, y)
    with torch.no_grad():
        after = losses(net, sources("test"), tests, level)
    for spec, world, start, end in zip(specs, worlds, before, after, strict=True):
        codes = len(torch.unique(world.codes, dim=0))
        value = {"loss": end.mean, "limits": end.to_json(), "untrained": start.to_json(), "codes": codes}
        yield spec, value


def cell(arm: str, architecture: str, N: int, repeats: int = 3, **fields: Any) -> list[dict[str, Any]]:
    """Return the trials of one cell; the feedforward network needs more prompts to learn the index."""
    slow = architecture == "ffn" and arm in ("distinct", "pair")
    batch, steps = (256, 6000) if slow else (128, 2000)
    tests = fields.pop("tests", 2**18 if N == 4 else 2**19)
    own = {"kind": "floors", "arm": arm, "steps": fields.pop("steps", steps), "tests": tests}
    lr = Fraction(1, 500) if architecture == "ffn" else Fraction(1, 300)
    fixed: dict[str, Any] = {"architecture": architecture, "N": N, "d": 4, "d_e": 8 * round(math.log2(N)), "lr": lr}
    fixed |= {"weight_decay": Fraction(0), "width": 200 if architecture == "ffn" else 100, "batch": batch, **fields}
    specs = [Experiment(repeat=repeat, **fixed).spec() for repeat in range(repeats)]
    return [{**spec, **own, "level": "1/1000000000"} for spec in specs]


def _cells(profile: str, protocol: str) -> Groups:
    if profile == "smoke":
        quick = {"protocol": protocol, "repeats": 2, "steps": 200, "tests": UNTRAINED}
        return [cell(arm, "transformer", 4, **quick) for arm in ARMS]
    sizes = (("transformer", 4, ARMS), ("transformer", 8, ARMS[1:3]), ("ffn", 4, ARMS))
    return [cell(arm, kind, N, protocol=protocol) for kind, N, arms in sizes for arm in arms]


def limits_of(record: SweepRecord, arm: str, architecture: str, N: int, field: str = "limits") -> list[Limits]:
    """Return the recorded limits of a cell's networks, after training or ``"untrained"``."""
    from theorytools.statistics.clipped_error import Limits

    return [Limits.read(trial.result[field]) for trial in record.of(arm, architecture=architecture, N=N)]


sweep = Sweep(
    title="Trained networks that see the index only partly",
    question="Do trained networks stay above the exact floors 1/N, 1 - 1/N and 1, and do they reach them?",
    rule=RULE, cells=_cells, runner="evaluate", memory=group_bytes, value="loss",
    profiles=("smoke", "published"),
)  # fmt: skip
