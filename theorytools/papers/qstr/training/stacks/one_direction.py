"""One direction of a recurrent layer through a batch of prompts, forward and backward, without autograd.

One product brings in the inputs of all time steps before the loop over time, and the gradients of the weights are one
product each after it; inside the loop are the cell and one product with :math:`W_{hh}`.  The state before the first
token is 0, so the first step needs no product, and neither does its gradient.
"""

from __future__ import annotations

import torch

from theorytools.papers.qstr.training.stacks.cells import Cell
from theorytools.papers.qstr.training.stacks.maps import Maps, affine, dot, product, rows

Views = dict[str, torch.Tensor]


class Pass:
    """Buffers of one direction for prompts of one shape.

    Parameters
    ----------
    kind : the cell.
    Z : an input of that shape, ``(…, N, B, D + 1)``: tokens in the order of processing, and a column of ones.
    width : the width ``H`` of the state.
    keep : whether :meth:`backward` will be asked for.
    """

    def __init__(self, kind: type[Cell], Z: torch.Tensor, width: int, *, keep: bool) -> None:
        *groups, N, B, _ = Z.shape
        every = N if keep else 1
        self.cell = kind(width, lambda k, slots=every: Z.new_empty(*groups, slots, B, k * width))
        self.states, self.keep = Z.new_zeros(*groups, N + 1 if keep else 1, B, width), keep

    def forward(self, Z: torch.Tensor, maps: Maps, turned: torch.Tensor) -> torch.Tensor:
        r"""Return the predictions' part ``(…, N, B)``; ``turned`` is :math:`W_{hh}^\top`."""
        self.Z, tokens, last = Z, Z[..., :-1], maps.last[..., None, :]
        predictions = Z.new_empty(Z.shape[:-1])
        if self.keep:
            self.cell.enter(rows(tokens), maps)
        else:
            self.states.zero_()
        for t in range(Z.shape[-3]):
            now, then, k = (t, t + 1, t) if self.keep else (0, 0, 0)
            if not self.keep:
                self.cell.enter(tokens[..., t, :, :], maps)
            states = self.states[..., now, :, :], self.states[..., then, :, :]
            h = self.cell.step(k, states[0], turned if t else None, states[1])
            torch.sum(h * last, -1, out=predictions[..., t, :])
        return predictions

    def backward(self, error: torch.Tensor, maps: Maps, gradients: Maps) -> None:
        """Write the gradients, given that of the predictions, ``(…, N, B)``."""
        N, cell, dh = error.shape[-2], self.cell, None
        last = maps.last[..., None, :]
        for t in reversed(range(N)):
            e = error[..., t, :, None]
            dh = e * last if dh is None else dh.addcmul_(e, last)
            dh = cell.retreat(t, self.states[..., t, :, :], dh)
            if t:
                ds = cell.sums[..., t, :, :]
                dh = product(ds, maps.hh) if dh is None else affine(dh, ds, maps.hh, dh)
        ds, states = rows(cell.sums[..., 1:, :, :]), rows(self.states[..., 1:N, :, :])
        product(ds.transpose(-1, -2), states, out=gradients.hh)
        cell.leave(rows(self.Z), gradients)
        h = rows(self.states[..., 1:, :, :])
        gradients.last.copy_(dot(h.transpose(-1, -2), error.flatten(-2)))
