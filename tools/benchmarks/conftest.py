"""Alternating benchmarks: every round runs the reference, then the candidate, on one thread and one clock.

Ratios of such pairs hold on a machine that does other work; separate timings do not.  The clock is the processor time
of this process.
"""

import os
import resource
import statistics
import sys
import time
from importlib.metadata import version

os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

LIBRARIES = ("theorytools", "numpy", "scipy", "torch", "python-flint", "sympy")


class Clock:
    """Seconds of processor time per unit of work of each call, in order."""

    def __init__(self, function, work):
        self.function, self.work, self.seconds, self.result = function, work, [], None

    def __call__(self):
        start = time.process_time()
        self.result = self.function()
        self.seconds.append((time.process_time() - start) / self.work)
        return self.result


@pytest.fixture
def alternate(benchmark):
    """Return ``alternate(candidate, reference, unit=…, work=(a, b), demand=…)``: both results of the last round.

    ``candidate`` does ``a`` units of work in a call, ``reference`` ``b``; the ratio is per unit.  ``beside`` names
    further baselines, each a function, its units of work and the demand against it; they run in every round too.
    """
    torch.set_num_threads(1)

    def run(candidate, reference, *, unit, work=(1, 1), demand=None, rounds=5, beside=None, **facts):
        fast, slow = Clock(candidate, work[0]), Clock(reference, work[1])
        others = {name: (Clock(function, units), asked) for name, (function, units, asked) in (beside or {}).items()}
        clocks = [slow, *(clock for clock, _ in others.values())]
        if benchmark.enabled:
            for clock in (*clocks, fast):  # imports, page faults, caches
                clock()
                clock.seconds.clear()
        benchmark.pedantic(fast, setup=lambda: [clock() for clock in clocks] and None, rounds=rounds)
        if others:
            facts["baselines"] = {name: _against(fast, clock, asked) for name, (clock, asked) in others.items()}
        ratios = [b / a for a, b in zip(fast.seconds, slow.seconds, strict=True)]
        benchmark.extra_info.update(
            unit=unit, seconds_per_unit=statistics.median(fast.seconds), demand=demand,
            reference_seconds_per_unit=statistics.median(slow.seconds), ratio=statistics.median(ratios),
            least_ratio=min(ratios), greatest_ratio=max(ratios), rounds=len(ratios),
            work_per_round={"candidate": work[0], "reference": work[1]}, threads=torch.get_num_threads(),
            peak_resident_bytes=_peak(), load_average=os.getloadavg()[0],
            versions={name: version(name) for name in LIBRARIES}, **facts,
        )  # fmt: skip
        print(f"\n{benchmark.name}: {statistics.median(ratios):.1f} times the reference (demand {demand})")
        return fast.result, slow.result

    return run


def _against(fast, slow, demand):
    """Return the pairs of one further baseline, condensed as those of the reference are."""
    ratios = [b / a for a, b in zip(fast.seconds, slow.seconds, strict=True)]
    return {
        "seconds_per_unit": statistics.median(slow.seconds), "ratio": statistics.median(ratios),
        "least_ratio": min(ratios), "greatest_ratio": max(ratios), "demand": demand,
        "met": None if demand is None else min(ratios) >= demand,
    }  # fmt: skip


class Products(TorchDispatchMode):
    """Keeps all matrix products that a function computes: their operations, and the calls to make them again."""

    def __init__(self):
        super().__init__()
        self.operations, self.calls = 0, []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        if name in ("mm", "bmm", "addmm", "baddbmm"):
            A, B = args[1:3] if "add" in name else args[:2]
            self.operations += 2 * A.numel() * B.shape[-1]
            self.calls.append((function, args))
        return function(*args, **(kwargs or {}))

    def again(self):
        """Make the same products of the same arrays, and nothing else."""
        with torch.no_grad():
            for function, args in self.calls:
                function(*args)


@pytest.fixture
def products():
    """Return what keeps the matrix products of a ``with`` block."""
    return Products()


def _peak():
    """Return the largest resident memory of this process so far; kilobytes on Linux, bytes on macOS."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
