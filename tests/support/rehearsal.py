"""A rehearsal of a cell for an accelerator, without one: on torch's device ``meta``.

Arrays have shapes and sizes there and no content, so two steps and an evaluation show that all shapes fit, that nothing
leaves the device, and how many bytes of arrays are alive at most.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from theorytools.errors import DomainError
from theorytools.papers.qstr.training.costs import cell_bytes
from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.periods import index_type
from theorytools.papers.qstr.training.prompts import World, generator
from theorytools.papers.qstr.training.reference import model
from theorytools.papers.qstr.training.stacks.ensemble import checked_cell, stacked
from theorytools.training.products import fast_products
from theorytools.training.sweep import Spec, arm


class Alive(TorchDispatchMode):
    """Counts the bytes of the arrays of one device that are alive, and the most that ever were.

    An array is seen at the first operation that gives or takes it; what a kernel allocates for itself is not.
    """

    def __init__(self, device: str) -> None:
        super().__init__()
        self.device, self.now, self.peak = device, 0, 0
        self.seen = set[int]()

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = function(*args, **(kwargs or {}))
        for a in tree_leaves((out, args, kwargs)):
            if isinstance(a, torch.Tensor) and a.device.type == self.device:
                self._see(a.untyped_storage())
        return out

    def _see(self, storage: Any) -> None:
        key, size = id(storage), storage.nbytes()
        if key in self.seen:
            return
        self.seen.add(key)
        self.now += size
        self.peak = max(self.peak, self.now)
        weakref.finalize(storage, self._drop, key, size)

    def _drop(self, key: int, size: int) -> None:
        self.seen.discard(key)
        self.now -= size


class _Still(torch.optim.AdamW):
    """The optimiser's arrays, without a step: the fused kernel that makes one is not there on the device ``meta``."""

    def step(self, closure: Any = None) -> Any:
        """Make the running averages where there are none."""
        flat = self.param_groups[0]["params"][0]
        if not self.state[flat]:
            averages = {name: torch.zeros_like(flat.detach()) for name in ("exp_avg", "exp_avg_sq")}
            self.state[flat] = {"step": torch.zeros(()), **averages}


def rehearse(experiments: Sequence[Experiment]) -> int:
    """Take a cell through two steps and an evaluation on the device ``meta``; return the most bytes that were alive.

    Raises
    ------
    DomainError : experiments of more than one cell, or shapes or devices that do not fit together.
    """
    checked_cell(experiments)
    one, M = experiments[0], len(experiments)
    codes, module = World.of(one).codes, model(one, generator(one, "weights"))

    def prompts(count: int, index: torch.dtype = torch.int64) -> tuple[torch.Tensor, ...]:
        reals: dict[str, Any] = {"dtype": codes.dtype, "device": "meta"}
        indices = torch.empty(M, count, one.N, one.q, dtype=index, device="meta")
        return torch.empty(M, count, one.N, one.d, **reals), indices, torch.empty(M, count, one.N, **reals)

    try:
        with Alive("meta") as alive, fast_products("meta"):
            net, tests = stacked([module] * M, codes.expand(M, -1, -1), one, "meta"), prompts(one.test_size)
            net.optimiser = _Still([net.flat], weight_decay=float(one.weight_decay))
            period: tuple[torch.Tensor, ...] = ()
            for _ in range(2):
                period = prompts(
                    one.batch * one.check_every, index_type(one.N)
                )  # the one before is there until this one is
                shape = net.step(*(A[:, : one.batch] for A in period)).shape
                if shape != (M,):
                    raise RuntimeError(f"losses of shape {tuple(shape)}")
                for members in (None, [0]):
                    cut = [A[net.rows(members), : net.block] for A in tests]
                    shape = net.losses(cut[0], cut[1], cut[2], members).shape
                    if shape != (M if members is None else 1, min(net.block, one.test_size)):
                        raise RuntimeError(f"test losses of shape {tuple(shape)}")
    except RuntimeError as error:
        raise DomainError(
            f"{one.architecture} at N = {one.N} on an accelerator: {error}",
            required="shapes that fit, arrays that stay on the device",
        ) from None
    return alive.peak


def rehearsal(groups: Sequence[Sequence[Spec]]) -> list[dict[str, Any]]:
    """Rehearse every group; return for each the bytes that were alive and the estimate, or the error.

    A group of another kind than a race to a threshold has no bytes: it is not rehearsed.
    """
    rows = []
    for group in groups:
        row = {"arm": arm(group[0]), "N": group[0].get("N"), "members": len(group)}
        row |= {"bytes": None, "estimate": None, "error": ""}
        if "architecture" in group[0] and "kind" not in group[0]:
            cell = [Experiment.of(spec) for spec in group]
            try:
                row |= {"bytes": rehearse(cell), "estimate": cell_bytes(cell, "cuda")}
            except DomainError as error:
                row["error"] = str(error.given)
        rows.append(row)
    return rows
