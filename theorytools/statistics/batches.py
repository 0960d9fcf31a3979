"""A large sample asked for in blocks: what a vectorised draw needs in memory is bounded, its numbers are not changed.

The size of a block is fixed beforehand.  Were it taken from the memory that a machine has or a draw was seen to use,
the stream of numbers, and with it a verdict, would depend on the machine.
"""

from __future__ import annotations

import copy
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from theorytools.errors import BudgetError

T = TypeVar("T")


PROBES = (1, 2, 4)  # draws made aside, before the first batch: to warm up, and two whose difference is what grows


FIRST = 1024  # draws in the first batch; each further batch doubles the sample


BLOCK = 4096  # draws that are asked for at once


MEMORY = 2**28  # bytes that one block may need at its peak


def batches(draw: Any, rng: Any, checked: Callable[[Any, int], T], samples: int) -> Iterator[list[T]]:
    """Yield batches of 1024, 1024, 2048, 4096, … draws, the last one cut to end at ``samples``, each as its blocks.

    The memory of a draw is measured on the second batch, when whatever it imports or keeps has been made; before the
    first one it is estimated from what draws of 2 and of 4 items hold, on a copy of the stream.

    Raises
    ------
    BudgetError
        Before a block is asked for that would need more than 256 MB.
    """
    done, bytes_each = 0, 0.0
    if samples > PROBES[-1]:
        aside = type(rng)(copy.deepcopy(rng.bit_generator))
        _, light, heavier = (_with_peak(draw, aside, size)[1] for size in PROBES)
        if (each := (heavier - light) / (PROBES[2] - PROBES[1])) * min(FIRST, samples) > MEMORY:
            raise _too_large(each, PROBES[2])
    while done < samples:
        size = min(max(done, FIRST), samples - done)
        parts = [min(BLOCK, size - begun) for begun in range(0, size, BLOCK)]
        if bytes_each * parts[0] > MEMORY:
            raise _too_large(bytes_each, FIRST)
        if done == FIRST:
            raw, peak = _with_peak(draw, rng, size)
            bytes_each = peak / size
            yield [checked(raw, size)]
        else:
            yield [checked(draw(rng, part), part) for part in parts]
        done += size


def _with_peak(draw: Any, rng: Any, size: int) -> tuple[Any, int]:
    """One call of the draw, and the most memory of Python and numpy that it held at a time."""
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        raw = draw(rng, size)
        return raw, tracemalloc.get_traced_memory()[1] - before
    finally:
        if not tracing:
            tracemalloc.stop()


def _too_large(bytes_each: float, seen: int) -> BudgetError:
    return BudgetError(
        f"a draw that holds {bytes_each / 1024:,.0f} KiB for each item, measured on {seen}",
        required=f"at most {MEMORY / BLOCK / 1024:,.0f} KiB: {BLOCK} items are asked for at once, within 256 MB",
        why="blocks of one fixed size give the same numbers on every machine",
        advice="let draw(rng, size) fill its result in parts: for part in range(0, size, 256)",
    )
