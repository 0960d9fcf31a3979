"""Layers of attention with drawn weights, for tests of certificates."""

import numpy as np
import torch

from theorytools.training.networks import MergedAttention, SeparateAttention

KINDS = {"separate": SeparateAttention, "merged": MergedAttention}


def drawn(kind, seed, N, d, q=1, heads=1, d_e=2, size=1.5, dtype=torch.float64):
    """A module with random weights, codes and a direction."""
    rng = torch.Generator().manual_seed(seed)
    D = d + (q + 1) * d_e
    module = KINDS[kind](D, heads, 5).to(dtype)
    with torch.no_grad():
        for weights in module.parameters():
            weights.copy_(size * torch.randn(weights.shape, generator=rng, dtype=torch.float64) / D**0.5)
    codes = torch.randn(N, d_e, generator=rng, dtype=torch.float64).to(dtype)
    return module, codes, torch.randn(d, generator=rng, dtype=torch.float64).to(dtype)


def encoded(module, codes, X, T):
    codes = codes.double().numpy()
    Z = np.concatenate([X, np.broadcast_to(codes, (len(X), *codes.shape)), *np.moveaxis(codes[T], 2, 0)], axis=2)
    return torch.as_tensor(Z, dtype=next(module.parameters()).dtype)


def attention(module, Z, h):
    """The weights of one head, written out."""
    D = Z.shape[-1]
    with torch.no_grad():
        if isinstance(module, MergedAttention):
            return torch.softmax(module.scores[h](Z) @ Z.mT, -1).double().numpy()
        query, key = (f(Z)[..., h * D : (h + 1) * D] for f in (module.query, module.key))
        return torch.softmax(query @ key.mT / D**0.5, -1).double().numpy()


def outside(module, codes, X, T, h=0, slot=1):
    """The weight outside the indexed position, by prompt and position."""
    weights = attention(module, encoded(module, codes, X, T), h)
    return 1 - np.take_along_axis(weights, T[..., [slot - 1]], axis=2)[..., 0]


def errors(module, codes, u, X, T):
    """Output minus label, by prompt and position."""
    with torch.no_grad():
        out = module(encoded(module, codes, X, T)).double().numpy()
    values = X @ u.double().numpy()
    q = T.shape[2]
    return out - np.take_along_axis(values, T.reshape(len(X), -1), axis=1).reshape(*T.shape).sum(2) / q**0.5


def drawn_cell(kind, seed, D, width, size=1.0, dtype=torch.float64, bidirectional=False):
    """A recurrent module of one layer with random weights."""
    made = {"gru": torch.nn.GRU, "lstm": torch.nn.LSTM}.get(kind, torch.nn.RNN)
    more = {"nonlinearity": kind} if made is torch.nn.RNN else {}
    module, rng = made(D, width, batch_first=True, bidirectional=bidirectional, **more), torch.Generator()
    rng.manual_seed(seed)
    with torch.no_grad():
        for weights in module.parameters():
            weights.copy_(size * torch.randn(weights.shape, generator=rng, dtype=torch.float64) / width**0.5)
    return module.to(dtype)


def prefixes_of_signs(m, d, radius=1.0):
    return radius * np.array(list(np.ndindex(*[2] * (m * d))), dtype=float).reshape(-1, m, d) * 2 - radius
