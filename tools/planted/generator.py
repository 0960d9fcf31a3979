"""Sixty statements from a seed: how many of each family, and each from a generator of its own."""

from __future__ import annotations

import random
from collections.abc import Callable

from tools.planted.dropped import DROPPED
from tools.planted.letters import TIES, corner, late, needle, sampled, word
from tools.planted.objects import thing
from tools.planted.rationals import FRACTIONS
from tools.planted.statement import Planted

COUNTS = {
    "needles": 6, "corners": 8, "tied": 8, "rationals": 7, "objects": 10, "late steps": 5, "samples": 4, "words": 5,
    "dropped": 7,
}  # fmt: skip
DEVELOPED = (0, 1, 2)  # seeds that a search may be developed on
JUDGED = (100, 101, 102)  # seeds that nobody looks at before a search is finished
_BY_INDEX: dict[str, Callable[[random.Random, int, str], Planted]] = {
    "needles": needle, "corners": corner, "late steps": late, "samples": sampled, "words": word, "objects": thing,
}  # fmt: skip
_BY_FORM = {"tied": TIES, "rationals": FRACTIONS, "dropped": DROPPED}


def statements(seed: int) -> list[Planted]:
    """Return the statements of a seed, by family; the same in every process."""
    found = []
    for family, count in COUNTS.items():
        forms = random.Random(f"{family} {seed}").sample(_BY_FORM[family], count) if family in _BY_FORM else None
        for index in range(count):
            rng, name = random.Random(f"{family} {seed} {index}"), f"{family} {seed}.{index}"
            found.append(forms[index](rng, name) if forms else _BY_INDEX[family](rng, index, name))
    return found
