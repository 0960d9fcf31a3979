"""Bidirectional GRU, LSTM and ReLU networks of one cell as one program.

On a CPU the products of one member fill the processor: members and directions run one after the other and share their
buffers, which stay in the cache.  On an accelerator all members and both directions are one product per time step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from theorytools.papers.qstr.training.costs import BLOCK
from theorytools.papers.qstr.training.stacks.cells import CELLS
from theorytools.papers.qstr.training.stacks.maps import Maps
from theorytools.papers.qstr.training.stacks.one_direction import Pass, Views
from theorytools.papers.qstr.training.stacks.stacked import Stacked

ENDS = ("", "_reverse")  # how PyTorch names the two directions
SPARE = 8  # shapes of evaluations whose buffers are kept


class StackedRecurrent(Stacked):
    """Members of a ``gru``, ``lstm`` or ``rnn``.

    Attributes
    ----------
    block : test prompts evaluated together.
    grouped : whether all members and both directions share their products; by default only on an accelerator.
    """

    block = BLOCK["gru"]

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        self._passes: dict[tuple[int, ...], Pass] = {}
        self._kept: list[tuple[Pass, Maps, tuple[int, int] | None]] = []
        self._turned: dict[tuple[int, int], torch.Tensor] = {}
        super().__init__(*arguments, **settings)
        self.grouped = self.flat.device.type != "cpu"

    def forward(
        self, X: torch.Tensor, T: torch.Tensor, members: Sequence[int] | None = None, *, keep: bool = False
    ) -> torch.Tensor:
        """Return the predictions ``(M, B, N)``."""
        chosen = list(range(self.members)) if members is None else list(members)
        Z = self._tokens(X, T, chosen)
        both, self._kept = (Z, Z.flip(1)), []
        if self.grouped:
            maps = self._stacked_maps(chosen)
            parts = self._run(0, torch.cat(both), maps, maps.hh.transpose(-1, -2), None, keep)
            parts = parts.view(2, *Z.shape[:-1])
        else:
            parts = Z.new_empty(2, *Z.shape[:-1])
            for p, m in enumerate(chosen):
                for k in range(2):
                    maps, slot = self._maps(self.weights, m, k), 2 * p + k if keep else 0
                    turned = maps.hh.t() if keep else self._turned_map(maps, m, k)
                    parts[k, p] = self._run(slot, both[k][p], maps, turned, (m, k), keep)
        predictions = parts[0] + parts[1].flip(1) + self.weights["last.bias"][chosen][:, None]
        return predictions.transpose(1, 2)

    def backward(self, gradient: torch.Tensor) -> None:
        """Write the gradients of the members kept last, given those of their predictions, ``(M, B, N)``."""
        e = gradient.transpose(1, 2).contiguous()
        errors = torch.stack([e, e.flip(1)])
        for n, (passed, maps, pair) in enumerate(self._kept):
            if pair is None:
                gradients = Maps(*map(torch.empty_like, maps.all))
                passed.backward(errors.flatten(0, 1), maps, gradients)
                for places, parts in zip(self._pairs(self.gradients), gradients.all, strict=True):
                    for place, part in zip(places, parts.chunk(2), strict=True):
                        place.copy_(part)
            else:
                passed.backward(errors[pair[1], n // 2], maps, self._maps(self.gradients, *pair))
        members = slice(None) if self.grouped else [pair[0] for _, _, pair in self._kept[::2] if pair]
        self.gradients["last.bias"][members] = gradient.sum((1, 2))[:, None]

    def advance(self, X: torch.Tensor, T: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Make one step of every member on its own batch; return the errors ``(M, B, N)`` before it."""
        if self.grouped:
            return super().advance(X, T, y)
        errors = []
        for m in range(self.members):
            error = self.forward(X[m, None], T[m, None], [m], keep=True) - y[m, None]
            self.backward(error * (2 / error.numel()))
            errors.append(error)
        self.descend()
        return torch.cat(errors)

    def step(self, X: torch.Tensor, T: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Make one step of every member on its own batch; return the losses ``(M,)`` before it."""
        with torch.no_grad():
            errors = self.advance(X, T, y)
            if self.grouped:
                return errors.square().mean((1, 2))
            return torch.stack([error.square().mean() for error in errors])

    def descend(self) -> None:
        """Move all weights along the gradient that :meth:`backward` wrote."""
        self._turned = {}
        super().descend()

    def keep(self, left: Sequence[int]) -> None:
        """Keep these members, in this order."""
        self._passes, self._kept, self._turned = {}, [], {}
        super().keep(left)

    def _run(
        self, slot: int, Z: torch.Tensor, maps: Maps, turned: torch.Tensor, pair: tuple[int, int] | None, keep: bool
    ) -> torch.Tensor:
        key = (slot, keep, *Z.shape)
        if key not in self._passes:
            spare = [old for old in self._passes if not old[1]]
            if not keep and len(spare) >= SPARE:
                del self._passes[spare[0]]
            cell, width = CELLS[self.experiment.architecture], maps.last.shape[-1]
            self._passes[key] = Pass(cell, Z, width, keep=keep)
        if keep:
            self._kept.append((self._passes[key], maps, pair))
        return self._passes[key].forward(Z, maps, turned)

    def _tokens(self, X: torch.Tensor, T: torch.Tensor, members: list[int]) -> torch.Tensor:
        """Return the encoded tokens in the order of time and a column of ones, ``(M, N, B, D_e + 1)``."""
        codes, (M, B, N, q) = self.codes[members], T.shape
        rows = T.transpose(1, 2).reshape(M, N, B * q) + N * torch.arange(M, device=T.device)[:, None, None]
        named = codes.flatten(0, 1)[rows].view(M, N, B, -1)
        ones = X.new_ones(()).expand(M, N, B, 1)
        return torch.cat([X.transpose(1, 2), codes[:, :, None].expand(M, N, B, -1), named, ones], -1)

    @staticmethod
    def _pairs(views: Views) -> list[tuple[torch.Tensor, ...]]:
        """Return the five maps of all members, each as a pair of directions ``(M, …)``."""
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        cell = [tuple(views[f"cell.{name}_l0{end}"] for end in ENDS) for name in names]
        return [*cell, views["last.weight"][:, 0].chunk(2, -1)]

    def _maps(self, views: Views, m: int, k: int) -> Maps:
        return Maps(*(pair[k][m] for pair in self._pairs(views)))

    def _stacked_maps(self, members: list[int]) -> Maps:
        """Return copies of the maps of some members, one direction after the other."""
        return Maps(*(torch.cat([part[members] for part in pair]) for pair in self._pairs(self.weights)))

    def _turned_map(self, maps: Maps, m: int, k: int) -> torch.Tensor:
        """Return a copy of the transposed map from state to state; worth it for the many products of an evaluation."""
        if (m, k) not in self._turned:
            self._turned[m, k] = maps.hh.t().contiguous()
        return self._turned[m, k]
