r"""The block attention in torch's own layers: ``scaled_dot_product_attention`` and ``MultiheadAttention``.

``MultiheadAttention`` computes, for each of ``H`` heads of one width :math:`w`,
:math:`\mathrm{softmax}(w^{-1/2}(Z Q_h^\top)(Z K_h^\top)^\top)ZV_h^\top` on inputs of width :math:`Hw`.  A merged matrix
:math:`W^{(h)}` is therefore expressible exactly when :math:`\operatorname{rank}W^{(h)}\le w`, and the values when
:math:`d\le w`.  The inputs are padded with zeros to the width :math:`Hw\ge D_e`, so a large enough ``w`` always exists;
with the width fixed in advance it need not.  The two-layer head is no part of it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from theorytools.constructions.torch.attention import AttentionModule
from theorytools.constructions.torch.layer import shapes
from theorytools.errors import DomainError
from theorytools.optional import require

if TYPE_CHECKING:
    import torch

else:
    torch = require("torch")


def sdpa_tokens(module: AttentionModule, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
    """Return the retrieved tokens ``(n, N, H, d)`` through ``torch.nn.functional.scaled_dot_product_attention``.

    Queries are :math:`ZW^{(h)}`, keys :math:`Z`, values :math:`X`, with scale 1: the scores carry no
    :math:`D_e^{-1/2}`.
    """
    Z = module.embed(X, T)
    queries = torch.einsum("nid,hde->nhie", Z, module.W_QK)
    heads = module.W_QK.shape[0]
    keys, values = (t.unsqueeze(1).expand(-1, heads, -1, -1) for t in (Z, X))
    out = torch.nn.functional.scaled_dot_product_attention(queries, keys, values, scale=1.0)
    return out.transpose(1, 2)


class MultiheadExport(torch.nn.Module):
    """A ``torch.nn.MultiheadAttention`` that retrieves the same tokens, with the embedding in front of it.

    ``forward(X, T)`` returns ``(n, N, H, d)``; ``attention`` is the plain torch layer of width ``H w``.
    """

    extra_repr = shapes

    def __init__(self, module: AttentionModule, width: int | None = None) -> None:
        super().__init__()
        heads, D_e, _ = module.W_QK.shape
        ranks = [int(torch.linalg.matrix_rank(W)) for W in module.W_QK.detach()]
        least = max(math.ceil(D_e / heads), module.d, *ranks)
        width = least if width is None else width
        if width < least:
            raise DomainError(
                f"heads of width {width}",
                required=f"width >= {least}",
                why=f"W_QK has rank {max(ranks)}, values have d = {module.d}, and H w must hold D_e = {D_e}",
                advice="leave the width out",
            )
        self.source, self.heads, self.width, self.d = module, heads, width, module.d
        place = {"dtype": module.W_QK.dtype, "device": module.W_QK.device}
        self.attention = torch.nn.MultiheadAttention(heads * width, heads, bias=False, batch_first=True, **place)
        self._fill(module, D_e)

    def _fill(self, module: AttentionModule, D_e: int) -> None:
        E, w = self.heads * self.width, self.width
        query, key, value = (torch.zeros(E, E, dtype=module.W_QK.dtype) for _ in range(3))
        for h, W in enumerate(module.W_QK.detach().cpu()):
            U, S, Vh = torch.linalg.svd(W)
            r = min(w, D_e)
            # W = (U √S)(√S Vh); the layer divides scores by √w, so the queries carry that factor
            query[h * w : h * w + r, :D_e] = (U[:, :r] * S[:r].sqrt()).T * math.sqrt(w)
            key[h * w : h * w + r, :D_e] = S[:r].sqrt()[:, None] * Vh[:r]
            value[h * w : h * w + self.d, : self.d] = torch.eye(self.d, dtype=W.dtype)
        with torch.no_grad():
            self.attention.in_proj_weight.copy_(torch.cat([query, key, value]))
            self.attention.out_proj.weight.copy_(torch.eye(E, dtype=W.dtype))

    def forward(self, X: torch.Tensor, T: torch.Tensor) -> torch.Tensor:
        """Return the retrieved tokens, shape ``(n, N, H, d)``."""
        Z = self.source.embed(X, T)
        Z = torch.cat([Z, Z.new_zeros(*Z.shape[:-1], self.heads * self.width - Z.shape[-1])], dim=-1)
        out, _ = self.attention(Z, Z, Z, need_weights=False)
        return out.unflatten(2, (self.heads, self.width))[..., : self.d]
