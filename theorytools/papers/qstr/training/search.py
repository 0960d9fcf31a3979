"""Samples to a threshold for all repeats of a cell at once."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from theorytools.arguments.checked import checked
from theorytools.papers.qstr.training.evaluation import Tests
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.pause import Pause
from theorytools.papers.qstr.training.periods import Periods
from theorytools.papers.qstr.training.prompts import World
from theorytools.papers.qstr.training.reference import Outcome
from theorytools.papers.qstr.training.stacks.ensemble import checked_cell, ensemble
from theorytools.papers.qstr.training.stacks.stacked import Stacked
from theorytools.training.products import fast_products, route
from theorytools.training.sweep import Results, Spec
from theorytools.training.trials.provenance import device_provenance
from theorytools.training.trials.trial import CENSORED, DONE, FAILED, Result


@checked
def run_cell(
    experiments: Sequence[Experiment],
    *,
    device: str = "cpu",
    full: bool = False,
    ahead: bool | None = None,
    pauses: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[tuple[Experiment, Outcome]]:
    """Train the repeats of a cell together and yield each outcome as soon as it is known.

    Parameters
    ----------
    experiments : the repeats, equal but for the repeat.
    device : ``cpu`` or ``cuda``.
    full : evaluate the whole test set at every check, as the plain loop does.
    ahead : whether threads draw the next prompts meanwhile, the same ones; by default beside an accelerator.
    pauses : a folder for where the race stands: if it was cut, the same call goes on from there.
    progress : called after each evaluation with the prompts seen and the members left.

    Raises
    ------
    DomainError : experiments of more than one cell.
    FolderError : a folder of pauses that cannot be written to.
    """
    checked_cell(experiments)
    pause = Pause(pauses, experiments, device, full)
    left, worlds = pause.left, [World.of(e) for e in pause.left]
    if not left:  # the cut came after the last outcome
        yield from pause.noted(iter(()))
        return
    net = ensemble(left, worlds, device)
    tests = Tests.of(left, worlds, device)
    with Periods(left, worlds, ahead=device != "cpu" if ahead is None else ahead, device=device) as periods:
        pause.resume(net, periods)
        yield from pause.noted(_race(left, net, tests, periods, device, full, progress, pause))


def run_period(net: Stacked, periods: Periods, batch: int, device: str) -> int:
    """Make the steps of the next check period; return how many prompts of a member that were."""
    X, T, y = (array.to(device) for array in periods.next())
    with fast_products(device), torch.no_grad():  # global settings: never across a yield
        for low in range(0, X.shape[1], batch):
            cut = slice(low, low + batch)
            net.advance(X[:, cut], T[:, cut], y[:, cut])
    return X.shape[1]


def _race(
    left: list[Experiment], net: Stacked, tests: Tests, periods: Periods, device: str, full: bool,
    progress: Callable[[int, int], None] | None, pause: Pause,
) -> Iterator[tuple[Experiment, Outcome]]:  # fmt: skip
    one, seen, checks = left[0], pause.stand.seen, pause.stand.checks
    if pause.stand.controls is not None:
        tests.tested = pause.stand.tested
        tests.restart(pause.stand.controls)
    while left:
        seen, checks = seen + run_period(net, periods, one.batch, device), checks + 1
        finite = net.finite()
        if not all(finite):  # diverged: never evaluated, so never said to be below the threshold
            sound = [k for k, is_finite in enumerate(finite) if is_finite]
            lost = (left[k] for k, is_finite in enumerate(finite) if not is_finite)
            yield from ((e, Outcome(seen, True, None, checks, 0, diverged=True)) for e in lost)
            left = [left[k] for k in sound]
            if not left:
                return
            periods.keep(sound)
            net.keep(sound)
            tests.keep(sound)
        with fast_products(device):
            done = tests.below(net, float(one.threshold), full=full)
        keep = [k for k in range(len(left)) if k not in done]
        if seen >= one.cap:
            losses = {k: float(tests.losses(net, [k], 0, one.test_size).double().mean()) for k in keep}
            yield from ((left[k], Outcome(seen, True, losses[k], checks, tests.tested[k])) for k in keep)
            keep = []
        yield from ((left[k], _ended(seen, loss, checks, tests.tested[k])) for k, loss in done.items())
        if progress is not None:
            progress(seen, len(keep))
        if done and keep:
            periods.keep(keep)
            net.keep(keep)
            tests.keep(keep)
        left = [left[k] for k in keep]
        if left:
            pause.keep(seen, checks, tests.tested, tests.controls, net, periods)


def _ended(seen: int, loss: float, checks: int, tested: int) -> Outcome:
    if math.isnan(loss):
        return Outcome(seen, True, None, checks, tested, diverged=True)
    return Outcome(seen, False, loss, checks, tested)


def halving(
    experiments: Sequence[Experiment], device: str, pauses: Path | None = None
) -> Iterator[tuple[Experiment, Outcome]]:
    """Run a cell; where the device runs out of memory, say so and run the members without an outcome in two halves.

    Raises
    ------
    torch.OutOfMemoryError : one member alone does not fit.
    """
    left = list(experiments)
    try:
        for experiment, outcome in run_cell(experiments, device=device, pauses=pauses):
            left.remove(experiment)
            yield experiment, outcome
    except torch.OutOfMemoryError:
        if len(left) < 2:
            raise
        one, middle = left[0], (len(left) + 1) // 2
        name = f"{one.architecture} at N = {one.N}"
        sys.stderr.write(f"{name}: {device} is out of memory with {len(left)} members; they go on in two halves\n")
    else:
        return
    torch.cuda.empty_cache()  # outside the handler, whose traceback holds the arrays
    for half in (left[:middle], left[middle:]):
        yield from halving(half, device, pauses)


def evaluate(specs: Sequence[Spec], device: str = "cpu", pauses: Path | None = None) -> Results:
    """Train one cell's repeats together; yield each specification with its result as soon as it is known.

    The runner of a sweep whose trials are :class:`~theorytools.papers.qstr.training.experiment.Experiment` values; with
    a folder of ``pauses`` a cell that was cut goes on.
    """
    torch.set_num_threads(1)
    made = {**device_provenance(device), "products": str(route()) if device == "cpu" else "float32 without TF32"}
    made |= {"precision": str(specs[0].get("dtype", "float32")), "seeds": "SHA-256 of role and specification"}
    for experiment, outcome in halving([Experiment.of(spec) for spec in specs], device, pauses):
        status, reason = DONE, ""
        if outcome.censored:
            status = FAILED if experiment.rules.at_cap == "error" else CENSORED
            reason = f"not below the threshold within {outcome.samples} prompts"
        if outcome.diverged:
            reason = f"diverged: weights or test losses were not finite after {outcome.samples} prompts"
        yield experiment.spec(), Result(outcome.to_json(), status=status, reason=reason, provenance=made)


def time_a_step(specs: Sequence[Spec], device: str = "cpu") -> tuple[float, int]:
    """Return the seconds of a step of one cell's repeats together, and the prompts that it shows each of them.

    Prompts are drawn as in the race; there is no evaluation.  It is the mean of three steps after the first, which
    makes the arrays, or of as many as a second has begun.
    """
    torch.set_num_threads(1)
    repeats = [replace(Experiment.of(spec), check_every=1) for spec in specs]  # a period of one step
    worlds, batch = [World.of(one) for one in repeats], repeats[0].batch
    net = ensemble(repeats, worlds, device)
    times: list[float] = []
    with Periods(repeats, worlds, ahead=device != "cpu", device=device) as periods:
        while len(times) < 4 and sum(times[1:]) < 1.0:
            began = time.perf_counter()
            run_period(net, periods, batch, device)
            if device != "cpu":
                torch.cuda.synchronize(device)
            times.append(time.perf_counter() - began)
    return sum(times[1:]) / len(times[1:]), batch
