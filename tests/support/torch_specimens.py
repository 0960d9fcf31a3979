"""Ordinary torch modules, as people write them, each with an example: what tracing must follow."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

N, D = 5, 4


class Of(nn.Module):
    """A function of the prompt and some modules, as a module; buffers by name."""

    def __init__(self, function, *parts, **buffers):
        super().__init__()
        self.parts, self.function = nn.ModuleList(parts), function
        for name, value in buffers.items():
            self.register_buffer(name, value)

    def forward(self, Z):
        return self.function(Z, *self.parts, *self._buffers.values())


class Query(nn.Module):
    """Separate maps, heads by view and permute, dropout that is off."""

    def __init__(self, heads=2):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(D, D) for _ in range(4))
        self.heads, self.dropout = heads, nn.Dropout(0.1)

    def forward(self, Z):
        B, n, _ = Z.shape
        q, k, v = (f(Z).view(B, n, self.heads, -1).permute(0, 2, 1, 3) for f in (self.q, self.k, self.v))
        weights = self.dropout(F.softmax(q @ k.transpose(-1, -2) / (D // self.heads) ** 0.5, dim=-1))
        return self.o((weights @ v).permute(0, 2, 1, 3).contiguous().view(*Z.shape[:-1], D))


class Placed(nn.Module):
    """Learned position embeddings and a table of tokens: ``forward(Z, T)`` with whole numbers ``T`` of 7 symbols."""

    def __init__(self):
        super().__init__()
        self.place, self.token, self.attend = (
            nn.Embedding(N, D),
            nn.Embedding(7, D),
            nn.MultiheadAttention(D, 2, batch_first=True),
        )

    def forward(self, Z, T):
        h = Z + self.place(torch.arange(Z.shape[1])) + self.token(T)
        return h + self.attend(h, h, h, need_weights=False)[0]


class Sines(nn.Module):
    """Sines and cosines of positions, written into zeros in ``forward``."""

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(D, 1, 6, batch_first=True)

    def forward(self, Z):
        table, place = torch.zeros(N, D), torch.arange(N, dtype=torch.float32)[:, None]
        speed = torch.exp(torch.arange(0, D, 2).float() * (-np.log(1e4) / D))
        table[:, 0::2], table[:, 1::2] = torch.sin(place * speed), torch.cos(place * speed)
        return self.layer(Z + table)


class Codes(nn.Module):
    """Scores of codes of indices against codes of positions; no token enters a score."""

    def __init__(self):
        super().__init__()
        self.register_buffer("omega", torch.randn(N, 3))
        self.W = nn.Parameter(torch.randn(3, 3))

    def forward(self, X, T):
        return torch.softmax(self.omega[T[:, :, 0]] @ self.W @ self.omega.T, -1) @ X


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(D, 3 * D)

    def forward(self, Z):
        q, k, v = self.qkv(Z).chunk(3, -1)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


class Einsum(nn.Module):
    def __init__(self):
        super().__init__()
        self.W, self.V = nn.Parameter(torch.randn(2, D, D)), nn.Parameter(torch.randn(2, D, 3))

    def forward(self, Z):
        weights = torch.softmax(torch.einsum("bid,hde,bje->bhij", Z, self.W, Z), -1)
        return torch.einsum("bhij,bjd,hdv->bihv", weights, Z, self.V).flatten(2)


class Rotary(nn.Module):
    """Queries and keys turned by angles that grow with the position."""

    def __init__(self):
        super().__init__()
        self.q, self.k = nn.Linear(D, D), nn.Linear(D, D)
        angle = torch.arange(N)[:, None] / 10.0 ** torch.arange(D // 2)
        self.register_buffer("cos", torch.cos(angle).repeat(1, 2))
        self.register_buffer("sin", torch.sin(angle).repeat(1, 2))

    def turned(self, x):
        a, b = x.chunk(2, -1)
        return x * self.cos + torch.cat([-b, a], -1) * self.sin

    def forward(self, Z):
        return torch.softmax(self.turned(self.q(Z)) @ self.turned(self.k(Z)).mT, -1) @ Z


def causal():
    return torch.triu(torch.ones(N, N, dtype=torch.bool), 1)


def encoder(**settings):
    return nn.TransformerEncoderLayer(D, 2, 6, batch_first=True, **settings)


def heads(count):
    return nn.MultiheadAttention(D, count, batch_first=True)


def tokens():
    return torch.zeros(1, N, D)


def indices(symbols=N, q=None):
    return torch.zeros((1, N) if q is None else (1, N, q), dtype=torch.int64)
