"""The recurrent network whose state is a codeword as a torch module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theorytools.constructions.torch.layer import checked_places, placed, shapes
from theorytools.optional import require

if TYPE_CHECKING:
    import torch

    from theorytools.papers.qstr.recurrent.code_state import CodeStateRNN
else:
    torch = require("torch")


class CodeStateModule(torch.nn.Module):
    r"""The network whose state is a codeword; its transition decodes, sets a bit and encodes.

    It has no weights, hence no parameters.  Buffers: ``words``, the sign vectors of all messages, shape
    ``(2**N, d_h)``; ``values``, what the readout gives at each word for each bit, :math:`\pm a`, shape ``(2**N, N)``;
    ``slope``, the :math:`\ell` of the McShane extension.  The only gradient is that of the token at its own position.
    """

    words: torch.Tensor
    values: torch.Tensor
    slope: torch.Tensor

    extra_repr = shapes

    def __init__(self, net: CodeStateRNN, dtype: torch.dtype | None = None, device: str = "cpu") -> None:
        super().__init__()
        self.kept, self.written = net.kept, net.written
        place = placed(dtype, device)
        self.register_buffer("words", torch.tensor(net.words, **place))
        self.register_buffer("values", torch.tensor(net.values, **place))
        self.register_buffer("slope", torch.tensor(float(net.slope()), **place))

    def states(self, X: torch.Tensor, T: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        r"""Return both states times :math:`\sqrt{d_h}`, sign vectors; they do not depend on the indices."""
        bits = (X[..., 0] > 0).long()
        N = bits.shape[1]
        both = []
        for side, order in enumerate((range(N), range(N - 1, -1, -1))):
            state, found = self.words[:1].expand(len(X), -1), [X.new_empty(0)] * N
            for j in order:
                found[j] = state
                held = (state @ self.words.T).argmax(dim=-1) & self.kept
                state = self.words[held | bits[:, j] << j & self.written[side]]
            both.append(torch.stack(found, dim=1))
        return both[0], both[1]

    def forward(self, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
        """Return the predictions, shape ``(n, N)``, for numbers as tokens ``(n, N, 1)``, indices ``(n, N, 1)``."""
        t, own = checked_places(T[..., 0], self.values.shape[1]), torch.arange(T.shape[1], device=T.device)
        ahead, behind = self.states(X, T)
        state = torch.where((t < own)[..., None], ahead, behind)
        d_h = self.words.shape[1]
        distance = (2 * (d_h - state @ self.words.T) / d_h).sqrt()  # of unit vectors; the products are integers
        extension = (self.values.T[t] + self.slope * distance).amin(dim=-1)
        return torch.where(t == own, X[..., 0], extension)
