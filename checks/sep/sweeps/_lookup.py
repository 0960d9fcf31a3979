r"""Trained index lookup: accuracy as trained, and from recurrent states rounded to counted bits.

After training each of the ``numbers`` numbers that a recurrent model carries past the last symbol is rounded to one of
:math:`2^{\text{bits}}` values; the state then has at most :math:`2^{\text{numbers}\cdot\text{bits}}` values, and
Fano's inequality bounds the accuracy of any read-out.  Attention keeps all symbols and has no such state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import torch
from torch.nn import functional

from theorytools.training.loop import descend
from theorytools.training.sweep import Results, Spec
from theorytools.training.trials.trial import trial_generator

from ._lookup_models import LookupMemory, Lookups, lookups
from .lookup import BITS

TEST_BLOCK = 2**9


def rounded(states: torch.Tensor, low: torch.Tensor, high: torch.Tensor, bits: int) -> torch.Tensor:
    r"""Return states of which each number is the middle of one of :math:`2^{\text{bits}}` equal parts of its range.

    Parameters
    ----------
    states : ``(..., n, numbers)``; numbers outside their range go to the first or last part.
    low, high : the ends of the ranges, ``(..., 1, numbers)``.
    bits : of each number.
    """
    span = (high - low).clamp_min(1e-12)
    part = ((states - low) / span * 2**bits).floor().clamp(0, 2**bits - 1)
    return low + (part + 0.5) / 2**bits * span


def draw(spec: Mapping[str, Any], rngs: Sequence[torch.Generator], size: int, device: str = "cpu") -> torch.Tensor:
    """Draw uniform words ``(M, size, N)``, by each generator."""
    shape = size, int(spec["N"])
    return torch.stack([torch.randint(int(spec["symbols"]), shape, generator=rng) for rng in rngs]).to(device)


def train(specs: Sequence[Mapping[str, Any]], device: str = "cpu", build: Callable[..., Lookups] = lookups) -> Lookups:
    """Train one cell's repeats with Adam on fresh words, each asked at all positions, the rate falling to 0.

    ``build`` makes the models, untrained, of the specifications and the device.  Shuffled labels are those of the batch
    in a random order, over words and positions; independent ones are those of other words.
    """
    net, one, rngs = build(specs, device), specs[0], [trial_generator("train", spec, 32) for spec in specs]
    rate, steps, batch = float(Fraction(one["rate"])), int(one["steps"]), int(one["batch"])

    def drawn() -> tuple[torch.Tensor, torch.Tensor]:
        words = draw(one, rngs, batch, device)
        right = words.flatten(1)
        if one["labels"] == "shuffled":
            orders = torch.stack([torch.randperm(right.shape[1], generator=rng) for rng in rngs])
            right = right.gather(1, orders.to(device))
        elif one["labels"] == "independent":
            right = draw(one, rngs, batch, device).flatten(1)
        return words, right

    def losses(words: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(net.scores(words).flatten(1, 2).mT, right, reduction="none").mean(1)

    descent = torch.optim.Adam(net.weights.values(), lr=rate, fused=True)
    descend(descent, steps, lambda k: rate * (1 - k / steps), drawn, losses)
    return net


@torch.no_grad()
def counts(net: Lookups, specs: Sequence[Mapping[str, Any]]) -> list[dict[str, dict[str, int]]]:
    """Return for every member how often fresh words are answered right, as trained and from rounded states.

    ``one`` counts words of which one uniform position is asked, ``all`` counts all positions of the same words.  The
    ranges of the rounding are those of words of their own, drawn before the tests.
    """
    one, device = specs[0], net.device
    tests, rngs = int(one["tests"]), [trial_generator("test", spec, 32) for spec in specs]
    levels: tuple[int, ...] = ()
    if isinstance(net, LookupMemory):
        levels, rows = BITS, [trial_generator("range", spec, 32) for spec in specs]
        seen = net.states(draw(one, rows, 4 * TEST_BLOCK, device))
        low, high = seen.amin(1, keepdim=True), seen.amax(1, keepdim=True)
    names = ("trained", *map(str, levels))
    found = {name: torch.zeros(2, len(specs), dtype=torch.int64, device=device) for name in names}
    for _ in range(tests // TEST_BLOCK):
        words = draw(one, rngs, TEST_BLOCK, device)
        asked = torch.stack([torch.randint(net.N, (TEST_BLOCK, 1), generator=rng) for rng in rngs]).to(device)
        states = net.states(words) if isinstance(net, LookupMemory) else None
        for name in names:
            if states is None or not isinstance(net, LookupMemory):
                scores = net.scores(words)
            else:
                scores = net.readout(states if name == "trained" else rounded(states, low, high, int(name)))
            right = scores.argmax(-1) == words
            found[name] += torch.stack([right.gather(2, asked).sum((1, 2)), right.sum((1, 2))])
    return [
        {kind: {name: int(found[name][k, m]) for name in names} for k, kind in enumerate(("one", "all"))}
        for m in range(len(specs))
    ]


def told(net: Lookups, specs: Sequence[Spec]) -> Results:
    """Yield each trial of a trained cell with its accuracy at all positions and its counts."""
    for spec, found in zip(specs, counts(net, specs), strict=True):
        tests = int(spec["tests"])
        value = {"accuracy": found["all"]["trained"] / (tests * int(spec["N"])), "correct": found, "tests": tests}
        yield dict(spec), value


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Train one cell's repeats together; yield each with its accuracy at all positions and its counts."""
    torch.set_num_threads(1)
    yield from told(train(specs, device), specs)
