"""The width-1 network for equality in torch: softmax numerators, values, and sequential sums in any dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theorytools.arguments.checked import checked
from theorytools.constructions.torch.layer import placed, shapes
from theorytools.optional import require
from theorytools.papers.sep.attention.equality import OneLayerEquality
from theorytools.papers.sep.torch.symbols import checked_symbols

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch")


@checked
class EqualityModule(torch.nn.Module):
    r"""One softmax head over :math:`x_1,\dots,x_n,y_1,\dots,y_n` with logits 0 and values :math:`\pm2^{-i}`.

    ``forward(tokens)`` takes 0 and 1 of shape ``(k, 2 n)`` and returns the output ``(k,)``: zero where the strings are
    equal.  Numerator and denominator are summed position by position, every partial sum rounded to the dtype, and
    divided last; ``interleaved`` sums :math:`x_1,y_1,x_2,y_2,\dots` instead.
    """

    extra_repr = shapes

    def __init__(
        self,
        net: OneLayerEquality,
        dtype: torch.dtype | None = None,
        device: str = "cpu",
        *,
        interleaved: bool = False,
    ) -> None:
        super().__init__()
        place = placed(dtype, device)
        scaled = torch.tensor(net.weights, dtype=torch.float64) / float(1 << (net.n - 1))
        self.values = torch.nn.Parameter(scaled.to(**place))
        self.logits = torch.nn.Parameter(torch.zeros(2 * net.n, **place))
        both = torch.arange(2 * net.n).reshape(2, net.n)
        self.order = (both.T if interleaved else both).flatten().tolist()

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return the output of the head, shape ``(k,)``."""
        v = (2 * checked_symbols(tokens, len(self.values)) - 1).to(self.values.dtype) * self.values
        e = torch.exp(self.logits - self.logits.max()).expand_as(v)
        N, D = torch.zeros_like(v[:, 0]), torch.zeros_like(v[:, 0])
        for j in self.order:
            N, D = N + e[:, j] * v[:, j], D + e[:, j]
        return N / D
