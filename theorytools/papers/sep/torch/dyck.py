"""The recurrent networks for bounded Dyck languages as torch modules: ``forward(words)`` to scores.

Words are integers ``(..., N)``, scores ``(...)``; a word is accepted iff its score is positive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from theorytools.constructions.torch.layer import placed, shapes
from theorytools.errors import DomainError
from theorytools.optional import require

if TYPE_CHECKING:
    import torch

    from theorytools.papers.sep.recurrent.dyck import DyckRNN
else:
    torch = require("torch")


class DyckModule(torch.nn.Module):
    """A recurrent network on one-hot symbols; the transition is a ReLU network on state and input, all trainable."""

    start: torch.Tensor

    extra_repr = shapes

    def __init__(self, net: DyckRNN, dtype: torch.dtype | None = None, device: str = "cpu") -> None:
        super().__init__()
        self.symbols = net.language.symbols
        place = placed(dtype, device)
        parts: list[torch.nn.Module] = []
        w, c = net.readout
        for W, b in (*net.layers, (w[None], [c])):
            linear = torch.nn.Linear(W.shape[1], W.shape[0], **place)
            with torch.no_grad():
                linear.weight.copy_(torch.as_tensor(W))
                linear.bias.copy_(torch.as_tensor(b))
            parts += [linear, torch.nn.ReLU()]
        self.transition, self.readout = torch.nn.Sequential(*parts[:-3]), parts[-2]
        self.register_buffer("start", torch.as_tensor(net.start).to(**place))

    def cell(self, x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Return the next states, for one-hot inputs ``(R, 2n)`` and states ``(R, width)``."""
        out: torch.Tensor = self.transition(torch.cat([h, x], dim=-1))
        return out

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """Return the scores of words, shape ``(...)``."""
        integers = not words.is_floating_point() and words.dtype != torch.bool
        if not integers or (words.numel() and not 0 <= int(words.min()) <= int(words.max()) < self.symbols):
            raise DomainError(f"words of {words.dtype}", required=f"integers from 0 to {self.symbols - 1}")
        inputs = torch.nn.functional.one_hot(words.long(), self.symbols).to(self.start.dtype)
        h = self.start.expand(*words.shape[:-1], -1)
        for position in range(words.shape[-1]):
            h = self.cell(inputs[..., position, :], h)
        out: torch.Tensor = self.readout(h)
        return out.squeeze(-1)
