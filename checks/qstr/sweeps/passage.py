"""The sweep of first passages: what the loss does after the check that ends a run of Figure 1b."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from theorytools.papers.qstr.training.costs import group_bytes
from theorytools.papers.qstr.training.experiment import Experiment, cell
from theorytools.training.sweep import Groups, Results, Spec, Sweep
from theorytools.training.trials.trial import CENSORED, DONE, Result

AFTER = 10
RULE = (
    "After each run's first check below the threshold it trains on for ten checks; counted is the share of these ten "
    "at which the loss of the whole test set is not below the threshold, with the t-interval of its mean over five "
    "runs. Predicted: for the feedforward network the interval lies above one half, so its first passage is a dip of a "
    "loss that hovers over the threshold, and its length the waiting time for a dip; for the Transformer it lies below "
    "one half. Fixed after the losses of the five runs of the feedforward network at N = 29 were looked at to 340,000 "
    "prompts, where they hovered between .020 and .040 from 150,000 on; N = 31 was not looked at."
)


def cells(profile: str, protocol: str) -> Groups:
    N, repeats = (31, 5) if profile == "published" else (6, 2)
    easy = {} if profile == "published" else {"threshold": Fraction(7, 10), "check_every": 10, "test_size": 1000}
    fields = {"threshold": Fraction(1, 50), "check_every": 100, "task": "simple", "protocol": protocol} | easy
    return [cell(repeats, {"arm": arm, "kind": "passage", "after": AFTER}, architecture=arm, N=N, **fields)
            for arm in ("transformer", "ffn")]  # fmt: skip


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Train the repeats of a cell as in Figure 1, ``after`` checks past each one's first passage.

    Yields for each trial ``samples`` at the first passage, the losses of the whole test set at the ``after`` checks
    that follow, and ``above``, the share of these at which the loss is not below the threshold.
    """
    import torch

    from theorytools.papers.qstr.training.evaluation import Tests
    from theorytools.papers.qstr.training.periods import Periods
    from theorytools.papers.qstr.training.prompts import World
    from theorytools.papers.qstr.training.reference import test_set
    from theorytools.papers.qstr.training.stacks.ensemble import checked_cell, ensemble
    from theorytools.training.products import fast_products

    torch.set_num_threads(1)
    left = [(spec, Experiment.within(spec)) for spec in specs]
    runs = [one for _, one in left]
    checked_cell(runs)
    first, worlds = runs[0], [World.of(one) for one in runs]
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
            over = [k for k, pair in enumerate(left) if seen >= first.cap or _over(*pair, passed)]
            yield from (_ended(*left[k], passed) for k in over)
            keep = [k for k in range(len(left)) if k not in over]
            if over and keep:
                periods.keep(keep)
                net.keep(keep)
                tests.keep(keep)
            left = [left[k] for k in keep]


def _over(spec: Spec, one: Experiment, passed: dict[int, tuple[int, list[float]]]) -> bool:
    return one.repeat in passed and len(passed[one.repeat][1]) >= int(spec["after"])


def _ended(spec: Spec, one: Experiment, passed: dict[int, tuple[int, list[float]]]) -> tuple[Spec, Result]:
    samples, losses = passed.get(one.repeat, (one.cap, []))
    if len(losses) < int(spec["after"]):
        return spec, Result({"samples": samples, "losses": losses}, status=CENSORED, reason=f"stopped at {one.cap}")
    above = sum(loss >= one.threshold for loss in losses) / len(losses)
    return spec, Result({"samples": samples, "losses": losses, "above": above}, status=DONE)


sweep = Sweep(
    title="After the first passage below the threshold, Figure 1b",
    question="Is the first check below a loss of .02 the end of learning, or a dip of a loss that hovers above it?",
    rule=RULE, cells=cells, runner="evaluate", memory=group_bytes, value="above", profiles=("smoke", "published"),
)  # fmt: skip
