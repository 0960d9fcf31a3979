"""Runs to a loss threshold that go on: the test loss at the checks that follow the first one below it."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from theorytools.training.experiment import Experiment
from theorytools.training.sweep import Results, Spec
from theorytools.training.trials.trial import CENSORED, DONE, Result


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Train the repeats of a cell as in Figure 1, ``after`` checks past each one's first passage.

    Yields for each trial ``samples`` at the first passage, the losses of the whole test set at the ``after`` checks
    that follow, and ``above``, the share of these at which the loss is not below the threshold.
    """
    from theorytools.training.prompts import Periods, World
    from theorytools.training.reference import test_set
    from theorytools.training.search import Tests, checked_cell, ensemble
    from theorytools.training.stacks.stacked import fast_products

    torch.set_num_threads(1)
    left = [(spec, Experiment.within(spec)) for spec in specs]
    runs = [one for _, one in left]
    checked_cell(runs)
    first = runs[0]
    worlds = [World.of(one) for one in runs]
    net, seen = ensemble(runs, worlds, device), 0
    tests = Tests([test_set(one, world) for one, world in zip(runs, worlds, strict=True)], device)
    passed: dict[int, tuple[int, list[float]]] = {}  # by repeat
    with Periods(runs, worlds) as periods:
        while left:
            X, T, y = (array.to(device) for array in periods.next())
            seen += X.shape[1]
            with fast_products(device):
                for low in range(0, X.shape[1], first.batch):
                    cut = slice(low, low + first.batch)
                    net.step(X[:, cut], T[:, cut], y[:, cut])
                below = tests.below(net, float(first.threshold))
                for k, (_, one) in enumerate(left):
                    if one.repeat in passed:
                        loss = tests.losses(net, [k], 0, one.test_size).double().mean()
                        passed[one.repeat][1].append(float(loss))
                    elif k in below:
                        passed[one.repeat] = (seen, [])
            over = [k for k, (spec, one) in enumerate(left)
                    if len(passed.get(one.repeat, (0, []))[1]) >= int(spec["after"]) or seen >= one.cap]
            yield from (_ended(*left[k], passed) for k in over)
            keep = [k for k in range(len(left)) if k not in over]
            if over and keep:
                periods.keep(keep)
                net.keep(keep)
                tests.keep(keep)
            left = [left[k] for k in keep]


def _ended(spec: Spec, one: Experiment, passed: dict[int, tuple[int, list[float]]]) -> tuple[Spec, Result]:
    samples, losses = passed.get(one.repeat, (one.cap, []))
    if len(losses) < int(spec["after"]):
        return spec, Result({"samples": samples, "losses": losses}, status=CENSORED, reason=f"stopped at {one.cap}")
    above = sum(loss >= one.threshold for loss in losses) / len(losses)
    return spec, Result({"samples": samples, "losses": losses, "above": above}, status=DONE)
