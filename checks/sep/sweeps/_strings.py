r"""Trained recognisers of bounded Dyck words and of equality, on negatives one edit away from a right word.

One layer of attention, two layers, and a gated recurrent unit meet the same words.  Equality of short strings is also
run on all :math:`4^n` pairs: a string :math:`x` counts as known if :math:`(x,x)` is accepted and every other
:math:`(x,y)` rejected, which is what the lower bounds speak of; an accuracy on drawn pairs is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from theorytools.papers.sep.tasks.boolean import all_pairs
from theorytools.training.loop import cosine, descend
from theorytools.training.sweep import Results, Spec
from theorytools.training.trials.trial import Result, trial_generator, trial_seed

from ._small_heads import SmallHeads
from ._string_models import StringModels
from ._words import Words

BLOCK, PART, WARM = 64, 512, 100
LONGEST = 8  # 4^8 pairs of strings


Networks = StringModels | SmallHeads


def build(specs: Sequence[Mapping[str, Any]]) -> Networks:
    """Return the untrained networks of one cell's repeats."""
    one, words = specs[0], Words.of(specs[0])
    rngs = [trial_generator("weights", spec, 32) for spec in specs]
    if one["model"] == "small head":
        return SmallHeads(words.N, words.symbols, rngs)
    return StringModels(str(one["model"]), words.N, words.symbols, int(one["width"]), int(one["heads"]), rngs)


def batches(specs: Sequence[Mapping[str, Any]]) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield fresh balanced batches: words ``(R, B, N)`` and targets ``(R, B)``, every member from its own stream."""
    one, words = specs[0], Words.of(specs[0])
    rngs = [np.random.default_rng(trial_seed("train", spec)) for spec in specs]
    mixers = [np.random.default_rng(trial_seed("labels", spec)) for spec in specs]
    size, edits = int(one["batch"]), tuple(one["negatives"])
    while True:
        drawn = [words.sample(rng, BLOCK * size, edits) for rng in rngs]
        targets = [y for _, y in drawn]
        if one["labels"] == "shuffled":
            targets = [rng.permutation(y) for rng, y in zip(mixers, targets, strict=True)]
        both = _stacked([x for x, _ in drawn]), _stacked(targets).float()
        yield from zip(*(part.split(size, dim=1) for part in both), strict=True)


def train(specs: Sequence[Mapping[str, Any]]) -> Networks:
    """Train one cell's repeats together with Adam; the rate rises for 100 steps and falls along a cosine to 0."""
    net, one = build(specs), specs[0]
    steps, rate, stream = int(one["steps"]), float(Fraction(one["rate"])), batches(specs)

    def losses(words: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        return functional.binary_cross_entropy_with_logits(net.logits(words), targets, reduction="none").mean(1)

    descent = torch.optim.Adam(net.weights.values(), lr=rate, fused=True)
    descend(descent, steps, lambda k: rate * min(1, k / WARM) * cosine(k, steps), lambda: next(stream), losses)
    return net


def _stacked(arrays: Sequence[NDArray[Any]]) -> torch.Tensor:
    return torch.from_numpy(np.stack(arrays))


@torch.no_grad()
def accepted(net: Networks, words: torch.Tensor) -> NDArray[np.bool_]:
    """Return which words ``(R, B, N)`` the members accept, ``(R, B)``."""
    return torch.cat([net.logits(part) > 0 for part in words.split(PART, dim=1)], dim=1).numpy()


def tested(net: Networks, specs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return for every member how many fresh words of each sort it answers as it should.

    ``accuracy`` is the mean of the share of right words accepted and of wrong ones rejected, all edits but ``random``
    weighing the same.
    """
    words, tests = Words.of(specs[0]), int(specs[0]["tests"])
    rngs = [np.random.default_rng(trial_seed("test", spec)) for spec in specs]
    kept = accepted(net, _stacked([words.draw(rng, tests) for rng in rngs])).sum(1).tolist()
    edited = {edit: _stacked([words.edited(rng, tests, edit) for rng in rngs]) for edit in words.edits}
    rejected = {edit: (~accepted(net, wrong)).sum(1).tolist() for edit, wrong in edited.items()}
    found = []
    for r, good in enumerate(kept):
        edits = {edit: count[r] for edit, count in rejected.items()}
        close = [count for edit, count in edits.items() if edit != "random"]
        accuracy = (good + sum(close) / len(close)) / (2 * tests)
        found.append({"accuracy": accuracy, "accepted": good, "rejected": edits, "tests": tests})
    return found


def strings_told_apart(net: Networks, n: int) -> list[dict[str, int]]:
    r"""Return for every member how many of the :math:`2^n` strings it knows, over all pairs, and its wrong pairs."""
    x, y = all_pairs(n)
    pairs, members = torch.from_numpy(np.concatenate([x, y], axis=1)), len(net.weights["bias"])
    answers = accepted(net, pairs.expand(members, -1, -1))
    wrong = (answers != (x == y).all(axis=1)).reshape(members, 2**n, 2**n)
    return [{"known": int((~rows.any(axis=1)).sum()), "wrong_pairs": int(rows.sum())} for rows in wrong]


def evaluate(specs: Sequence[Spec], device: str = "cpu") -> Results:
    """Train one cell's repeats together; yield each with its counts; a network of weights that are no numbers fails."""
    torch.set_num_threads(1)
    net, half = train(specs), int(specs[0]["N"]) // 2
    found = tested(net, specs)
    if specs[0]["task"] == "equality" and half <= LONGEST:
        found = [{**one, **more} for one, more in zip(found, strings_told_apart(net, half), strict=True)]
    if isinstance(net, SmallHeads):
        found = [{**one, "tables": tables} for one, tables in zip(found, net.tables(), strict=True)]
    whole = [all(bool(weight[r].isfinite().all()) for weight in net.weights.values()) for r in range(len(specs))]
    for spec, value, finite in zip(specs, found, whole, strict=True):
        lost = Result(status="failed", reason="weights are no numbers after training")
        yield dict(spec), value if finite else lost
