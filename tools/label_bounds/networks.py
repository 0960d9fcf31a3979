r"""Twelve small networks that learn to return the token at an index, each from generators of its own.

Position ``i`` holds a token :math:`x_i\in\mathbb R^2`, its own code, and the code of an index :math:`t_i`; the label
is :math:`\langle u,x_{t_i}\rangle`.  On Gaussian tokens a network learns mild scores and a linear read-out, on signs
sharp scores and, behind ReLUs, steps.  Recipe and seeds are those of section 1 of ``docs/certify.md``, one thread.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from theorytools.blocks.substitute import encoded as encoded_words
from theorytools.blocks.substitute import substituted
from theorytools.codes.families import rademacher
from theorytools.trained.traced.tracing import from_torch
from theorytools.trained.worst.prompts import Prompts
from theorytools.training.adamw import AdamW
from theorytools.training.networks import Recurrent, SeparateAttention

d, U = 2, (0.6, 0.8)
STEPS, RATE, DECAY, BATCH, REACH = 1200, 0.02, 0.05, 64, 0.2


class Linear(nn.Module):
    """One head written by hand, with a linear read-out."""

    def __init__(self, width):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.read = nn.Linear(width, 1)

    def forward(self, Z):
        scores = self.query(Z) @ self.key(Z).mT / Z.shape[-1] ** 0.5
        return self.read(torch.softmax(scores, -1) @ self.value(Z))[..., 0]


class Multihead(nn.Module):
    """torch's attention with one head and a linear read-out, with or without a residual connexion."""

    def __init__(self, width, residual):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 1, batch_first=True)
        self.read, self.residual = nn.Linear(width, 1), residual

    def forward(self, Z):
        found = self.attention(Z, Z, Z, need_weights=False)[0]
        return self.read(Z + found if self.residual else found)[..., 0]


class Encoder(nn.Module):
    """torch's encoder layer with one head and 16 ReLUs, and a linear read-out."""

    def __init__(self, width, norm_first):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(width, 1, 16, dropout=0.0, batch_first=True, norm_first=norm_first)
        self.read = nn.Linear(width, 1)

    def forward(self, Z):
        return self.read(self.layer(Z))[..., 0]


MODULES = {
    "SeparateAttention, 32 ReLUs": lambda width: SeparateAttention(width, heads=1, width=32),
    "one head by hand, linear": Linear,
    "MultiheadAttention, linear": lambda width: Multihead(width, residual=False),
    "MultiheadAttention + residual": lambda width: Multihead(width, residual=True),
    "EncoderLayer, post-norm": lambda width: Encoder(width, norm_first=False),
    "EncoderLayer, pre-norm": lambda width: Encoder(width, norm_first=True),
    "GRU, both directions": lambda width: Recurrent("gru", width, 16),
}


@dataclass(frozen=True)
class Task:
    """One of the twelve: which module, how many positions, and which tokens it learns on."""

    module: str
    N: int
    learns: str  # "gauss" or "signs"
    seed: int = 0
    steps: int = STEPS
    rate: float = RATE

    @property
    def name(self):
        return f"{self.module}, {'mild' if self.learns == 'gauss' else 'sharp'}, N = {self.N}"

    def codes(self):
        """Random sign codes of length floor(5 log N), the first seed that tells all positions apart."""
        return rademacher(self.N, int(5 * np.log(self.N)), np.random.default_rng(self.seed)).matrix()


TASKS = (
    *(Task("SeparateAttention, 32 ReLUs", N, learns) for N in (8, 16) for learns in ("gauss", "signs")),
    *(Task("one head by hand, linear", N, learns) for N, learns in ((8, "gauss"), (8, "signs"), (16, "signs"))),
    *(Task(name, 8, "signs") for name in list(MODULES)[2:]),
)  # fmt: skip


def trained(task):
    """Return the module in evaluation mode, its codes as doubles, and the loss of the last batch."""
    codes = torch.tensor(task.codes(), dtype=torch.float32)
    N, d_e = codes.shape
    rng, u = torch.Generator().manual_seed(task.seed), torch.tensor(U)
    net = MODULES[task.module](d + 2 * d_e)
    with torch.no_grad():
        for name, weights in net.named_parameters():
            if "norm" in name:
                weights.fill_(1.0 if name.endswith("weight") else 0.0)
            else:
                weights.uniform_(-REACH, REACH, generator=rng)
    optimiser = AdamW(net.parameters(), lr=task.rate, weight_decay=DECAY)
    for _ in range(task.steps):
        X, T = torch.randn(BATCH, N, d, generator=rng), torch.randint(N, (BATCH, N), generator=rng)
        X = X.sign() if task.learns == "signs" else X
        Z = torch.cat([X, codes.expand(BATCH, N, d_e), codes[T]], dim=2)
        loss = ((net(Z) - torch.take_along_dim(X @ u, T, 1)) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return net.requires_grad_(False).eval(), codes.double().numpy(), loss.item()


def encoded(codes, X, T):
    """Prompts as a module takes them: tokens ``(n, N, d)``, indices ``(n, N)`` to ``(n, N, d + 2 d_e)``."""
    return np.concatenate([X, np.broadcast_to(codes, (len(X), *codes.shape)), codes[T]], axis=-1)


def blocks(module, codes):
    """The module as blocks of tokens and indices."""
    N, d_e = codes.shape
    dtype = next(module.parameters()).dtype
    found = from_torch(module, torch.zeros(1, N, d + 2 * d_e, dtype=dtype)).network
    return substituted(found, Prompts(N, d).fields, {found.fields[0].name: encoded_words(d, codes, 1)})
