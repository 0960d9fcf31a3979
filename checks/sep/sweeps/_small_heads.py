r"""One trained head of width 1 whose message is short enough for the lower bound to bite, and its tables rounded.

Logits and values are tables over places and symbols, the output is one number, and one hidden layer of ReLUs decides.
Rounded to ``p`` bits with exact sums, the head sends one of few messages: see
:mod:`theorytools.theory.communication.protocol`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from theorytools.constructions.attention.attention_tables import FixedPointTables

HIDDEN = 32


class SmallHeads:
    """Stacked heads of width 1 that average the ``N`` places of a word; the first axis counts the members."""

    def __init__(self, N: int, symbols: int, rngs: Sequence[torch.Generator]) -> None:
        self.N, self.symbols = N, symbols
        shapes = {"logits": (N * symbols, 1), "values": (N * symbols, 1), "up": (1, HIDDEN), "upbias": (1, HIDDEN)}
        shapes |= {"readout": (HIDDEN, 1), "bias": (1, 1)}
        sizes = {"logits": 0.1, "values": 1.0, "up": 1.0, "upbias": 1.0, "readout": HIDDEN**-0.5, "bias": 0.0}
        draws = [{k: sizes[k] * torch.randn(s, generator=rng) for k, s in shapes.items()} for rng in rngs]
        self.weights = {k: torch.stack([one[k] for one in draws]).requires_grad_() for k in shapes}

    def logits(self, words: torch.Tensor) -> torch.Tensor:
        """Return the logits ``(R, B)`` of words ``(R, B, N)``."""
        W, (R, B, _) = self.weights, words.shape
        cells = words + self.symbols * torch.arange(self.N)
        found = torch.zeros(R, B, self.N * self.symbols).scatter_(2, cells, 1.0)
        e = (W["logits"] - W["logits"].amax(1, keepdim=True)).exp()
        N, D = (found @ torch.cat([e * W["values"], e], dim=2)).split(1, dim=2)
        hidden = torch.relu(torch.baddbmm(W["upbias"], N / D, W["up"]))
        return torch.baddbmm(W["bias"], hidden, W["readout"])[..., 0]

    @torch.no_grad()
    def tables(self) -> list[dict[str, list[float]]]:
        """Return the weights of every member as lists of numbers."""
        return [{k: w[r].flatten().double().tolist() for k, w in self.weights.items()} for r in range(self.members)]

    @property
    def members(self) -> int:
        """Number of stacked heads."""
        return len(self.weights["bias"])


def rounded_head(tables: Mapping[str, Sequence[float]], symbols: int, p: int) -> FixedPointTables:
    """Return a trained head with numerators and values of ``p`` bits and exact sums, decided by its own read-out."""
    W = {name: np.array(tables[name]) for name in tables}

    def rest(o: NDArray[Any]) -> Any:
        hidden = np.maximum(o.reshape(-1, 1) * W["up"] + W["upbias"], 0)
        return (hidden * W["readout"]).sum(axis=1) + W["bias"] > 0  # row by row, so equal outputs get equal answers

    logits, values = W["logits"].reshape(-1, symbols, 1), W["values"].reshape(-1, symbols, 1, 1)
    return FixedPointTables.quantised(logits, values, p, rest)
