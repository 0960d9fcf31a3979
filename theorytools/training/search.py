r"""Samples to a threshold for all repeats of a cell at once, with few test prompts at each evaluation.

The rule is that of the plain loop: a member is done when its loss on the *whole* test set is below the threshold.
Most evaluations are far above it, and a part of the test set tells.  With :math:`b` the losses of all test prompts at
the last full evaluation (0 before the first) and :math:`\ell` those of a part :math:`S` now,

.. math:: \hat\ell=\bar\ell_S+c\,(\bar b-\bar b_S),\qquad
          \operatorname{se}^2=\frac{\widehat{\operatorname{Var}}_S(\ell-cb)}{|S|}\Bigl(1-\frac{|S|}n\Bigr),

with the regression coefficient :math:`c`.  A member whose :math:`\hat\ell` is 3.5 standard errors above the threshold
is not there yet; one that is undecided sees more test prompts, and in the end all.  "Reached" is only ever said on the
full set; a wrong "not yet" delays the end by one evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import cast

import torch

from theorytools.errors import DomainError
from theorytools.training.experiment import Experiment
from theorytools.training.models import model
from theorytools.training.plain import Outcome, test_set
from theorytools.training.prompts import Batch, World, draw, generator
from theorytools.training.stacked import Stacked

PARTS = (250, 375, 562, 843, 1265)
ERRORS = 3.5
BLOCK = 125  # prompts evaluated together: larger temporaries page-fault


class Tests:
    """The test sets of the members, with the losses of the last full evaluation."""

    def __init__(self, batches: Sequence[Batch], device: str) -> None:
        self.X, self.T, self.y = (torch.stack([b[k] for b in batches]).to(device) for k in range(3))
        self.base = torch.zeros(self.y.shape[:2], dtype=self.y.dtype, device=device)
        self.tested = 0

    def keep(self, left: Sequence[int]) -> None:
        """Keep these members' test sets."""
        index = torch.tensor(list(left), device=self.X.device)
        self.X, self.T, self.y, self.base = self.X[index], self.T[index], self.y[index], self.base[index]

    def losses(self, ensemble: Stacked, members: list[int], start: int, stop: int) -> torch.Tensor:
        """Return the losses ``(m, stop - start)`` of some members on the test prompts from ``start`` to ``stop``."""
        every = len(members) == ensemble.members
        self.tested += len(members) * (stop - start)
        parts = []
        for low in range(start, stop, BLOCK):
            cut = slice(low, min(low + BLOCK, stop))
            batch = [A[:, cut] if every else A[members, cut] for A in (self.X, self.T, self.y)]
            parts.append(ensemble.losses(*batch, None if every else members))
        return torch.cat(parts, 1)

    def below(self, ensemble: Stacked, threshold: float, parts: Sequence[int] = PARTS) -> dict[int, float]:
        """Return the members whose loss on the whole test set is below the threshold, with that loss."""
        size = self.X.shape[1]
        open_, seen = list(range(ensemble.members)), self.base[:, :0]
        for stop in (part for part in parts if part < size):
            seen = torch.cat([seen, self.losses(ensemble, open_, seen.shape[1], stop)], 1)
            above, likely = self._judge(seen, self.base[open_], threshold)
            rest = [k for k in range(len(open_)) if not above[k]]
            open_, seen = [open_[k] for k in rest], seen[rest]
            if all(likely[k] for k in rest):
                break
        if not open_:
            return {}
        full = torch.cat([seen, self.losses(ensemble, open_, seen.shape[1], size)], 1)
        self.base[open_] = full
        means = full.double().mean(1).tolist()
        return {k: mean for k, mean in zip(open_, means, strict=True) if mean < threshold}

    def _judge(self, seen: torch.Tensor, base: torch.Tensor, threshold: float) -> tuple[list[bool], list[bool]]:
        """Return for each member whether it is surely above, and whether its estimate is below the threshold."""
        size, s = base.shape[1], seen.shape[1]
        l, b = seen.double(), base[:, :s].double()
        l_0, b_0 = l - l.mean(1, keepdim=True), b - b.mean(1, keepdim=True)
        c = (l_0 * b_0).sum(1) / b_0.square().sum(1).clamp_min(1e-300)
        estimate = l.mean(1) + c * (base.double().mean(1) - b.mean(1))
        error = ((l_0 - c[:, None] * b_0).square().sum(1) / (s - 2) / s * (1 - s / size)).sqrt()
        return (estimate - ERRORS * error > threshold).tolist(), (estimate < threshold).tolist()


def ensemble(experiments: Sequence[Experiment], worlds: Sequence[World], device: str = "cpu") -> Stacked:
    """Return the stacked members of a cell, each with the weights that the plain loop starts from."""
    from theorytools.training.architectures import stacked

    modules = [model(one, generator(one, "weights")) for one in experiments]
    return stacked(modules, torch.stack([world.codes for world in worlds]), experiments[0], device)


def checked_cell(experiments: Sequence[Experiment]) -> None:
    """Refuse experiments that differ in more than the repeat."""
    cells = {tuple(sorted({**one.spec(), "repeat": 0}.items())) for one in experiments}
    if len(cells) != 1:
        raise DomainError(f"experiments of {len(cells)} cells", required="one cell: all equal but for the repeat")


def run_cell(
    experiments: Sequence[Experiment],
    *,
    device: str = "cpu",
    full: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[tuple[Experiment, Outcome]]:
    """Train the repeats of a cell together and yield each outcome as soon as it is known.

    Parameters
    ----------
    experiments : the repeats, equal but for the repeat.
    device : ``cpu`` or ``cuda``.
    full : evaluate the whole test set at every check, as the plain loop does.
    progress : called after each evaluation with the prompts seen and the members left.

    Raises
    ------
    DomainError : experiments of more than one cell.
    """
    checked_cell(experiments)
    one = experiments[0]
    left, worlds = list(experiments), [World.of(e) for e in experiments]
    net = ensemble(left, worlds, device)
    tests = Tests([test_set(e, world) for e, world in zip(left, worlds, strict=True)], device)
    streams = [generator(e, "train") for e in left]
    seen, checks = 0, 0
    while left:
        drawn = [
            draw(e, world, rng, one.batch * one.check_every, one.task == "simple")
            for e, world, rng in zip(left, worlds, streams, strict=True)
        ]
        X, T, y = (torch.stack([batch[k] for batch in drawn]).to(device) for k in range(3))
        for low in range(0, X.shape[1], one.batch):
            cut = slice(low, low + one.batch)
            net.step(X[:, cut], T[:, cut], y[:, cut])
        seen, checks = seen + X.shape[1], checks + 1
        before = tests.tested
        done = tests.below(net, float(one.threshold), () if full else PARTS)
        if seen >= one.cap:
            rest = [k for k in range(len(left)) if k not in done]
            losses = {k: float(tests.losses(net, [k], 0, one.test_size).double().mean()) for k in rest}
            yield from ((left[k], Outcome(seen, True, losses[k], checks, before)) for k in rest)
            keep = []
        else:
            keep = [k for k in range(len(left)) if k not in done]
        yield from ((left[k], Outcome(seen, False, loss, checks, tests.tested)) for k, loss in done.items())
        if progress is not None:
            progress(seen, len(keep))
        if done and keep:
            net.keep(keep)
            tests.keep(keep)
        left, worlds, streams = ([cast(list, a)[k] for k in keep] for a in (left, worlds, streams))
