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

from theorytools.papers.qstr.training.experiment import Experiment
from theorytools.papers.qstr.training.periods import index_type
from theorytools.papers.qstr.training.prompts import World, generator
from theorytools.papers.qstr.training.reference import model
from theorytools.papers.qstr.training.stacks.ensemble import stacked
from theorytools.training.products import fast_products


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


class Still(torch.optim.AdamW):
    """The optimiser's arrays, without a step: the fused kernel that makes one is not there on the device ``meta``."""

    def step(self, closure: Any = None) -> Any:
        """Make the running averages where there are none."""
        flat = self.param_groups[0]["params"][0]
        if not self.state[flat]:
            averages = {name: torch.zeros_like(flat.detach()) for name in ("exp_avg", "exp_avg_sq")}
            self.state[flat] = {"step": torch.zeros(()), **averages}


def rehearse(experiments: Sequence[Experiment]) -> int:
    """Take a cell through two steps and an evaluation on the device ``meta``; return the most bytes that were alive."""
    one, M = experiments[0], len(experiments)
    codes, module = World.of(one).codes, model(one, generator(one, "weights"))

    def prompts(count: int, index: torch.dtype = torch.int64) -> tuple[torch.Tensor, ...]:
        reals: dict[str, Any] = {"dtype": codes.dtype, "device": "meta"}
        indices = torch.empty(M, count, one.N, one.q, dtype=index, device="meta")
        return torch.empty(M, count, one.N, one.d, **reals), indices, torch.empty(M, count, one.N, **reals)

    with Alive("meta") as alive, fast_products("meta"):
        net, tests = stacked([module] * M, codes.expand(M, -1, -1), one, "meta"), prompts(one.test_size)
        net.optimiser = Still([net.flat], weight_decay=float(one.weight_decay))
        for _ in range(2):
            period = prompts(one.batch * one.check_every, index_type(one.N))  # the one before is there until it is
            assert net.step(*(A[:, : one.batch] for A in period)).shape == (M,)
            for members in (None, [0]):
                cut = [A[net.rows(members), : net.block] for A in tests]
                shape = net.losses(cut[0], cut[1], cut[2], members).shape
                assert shape == (M if members is None else 1, min(net.block, one.test_size))
    return alive.peak
