r"""Stacked networks that read a word and decide at a public last token: one or two layers of attention, or a GRU.

All of them embed the symbol :math:`s` at place :math:`i` as :math:`\phi(s,i)=a_s+b_i+c_{s,i}\in\mathbb R^w`, any table
at all, and end in one hidden layer of ReLUs and a linear read-out.  Repeats train as one stack: the first axis of every
parameter counts the members.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn import functional

Tensor = torch.Tensor
MODELS = ("one layer", "two layers", "gru")


class StringModels:
    """Stacked networks of one kind.

    Parameters
    ----------
    model : one of ``MODELS``.
    N, symbols : length of a word and size of the alphabet.
    width, heads : numbers of a token or a state, attention heads.
    rngs : one generator for each member, which draws its weights.
    """

    def __init__(
        self, model: str, N: int, symbols: int, width: int, heads: int, rngs: Sequence[torch.Generator]
    ) -> None:
        self.model, self.N, self.symbols, self.heads, w = model, N, symbols, heads, width
        shapes = {"symbol": (symbols, w), "place": (N, w), "last": (1, w)}
        for layer in range({"one layer": 1, "two layers": 2, "gru": 0}[model]):
            shapes |= {f"{name}{layer}": (w, w) for name in ("query", "key", "value", "out")}
        if model == "two layers":
            shapes |= {"up0": (w, 2 * w), "upbias0": (1, 2 * w), "down0": (2 * w, w)}
        if model == "gru":
            shapes |= {"in": (w, 3 * w), "state": (w, 3 * w), "inbias": (1, 3 * w), "statebias": (1, 3 * w)}
        shapes |= {"up": (w, 4 * w), "upbias": (1, 4 * w), "readout": (4 * w, 1), "bias": (1, 1)}
        draws = [{k: _drawn(k, s, rng) for k, s in shapes.items()} for rng in rngs]
        self.weights = {k: torch.stack([one[k] for one in draws]) for k in shapes}
        self.weights["joint"] = torch.zeros(len(rngs), N, symbols, w)
        for weight in self.weights.values():
            weight.requires_grad_()

    def table(self) -> Tensor:
        """Return the embeddings of all places and symbols, and of the last token: ``(R, N symbols + 1, w)``."""
        W = self.weights
        table = W["place"][:, :, None] + W["symbol"][:, None] + W["joint"]
        return torch.cat([table.flatten(1, 2), W["last"]], dim=1)

    def logits(self, words: Tensor) -> Tensor:
        """Return the logits ``(R, B)`` of words ``(R, B, N)``."""
        read = {"one layer": self._one, "two layers": self._two, "gru": self._recurrent}[self.model]
        h, W = read(words + self.symbols * torch.arange(self.N)), self.weights
        hidden = torch.relu(torch.baddbmm(W["upbias"], h, W["up"]))
        return torch.baddbmm(W["bias"], hidden, W["readout"])[..., 0]

    def heads_of(self, table: Tensor) -> tuple[Tensor, Tensor]:
        """Return numerators ``(R, T, H)``, over the largest of the table, and values ``(R, T, w)`` of the one layer.

        In float64: a word may lack the symbol of the largest score, and trained scores differ by more than the 103
        whose exponential float32 takes for 0.
        """
        W, (R, T, w) = self.weights, table.shape
        asks = (table[:, -1:] @ W["query0"]).view(R, 1, self.heads, -1)
        scores = ((table @ W["key0"]).view(R, T, self.heads, -1) * asks).sum(-1) * (w // self.heads) ** -0.5
        return (scores - scores.amax(1, keepdim=True)).double().exp(), (table @ W["value0"]).double()

    def _one(self, cells: Tensor) -> Tensor:
        """One layer at the last token: sums over places are one product of indicators with a table."""
        table, (R, B, _) = self.table(), cells.shape
        e, v = self.heads_of(table)
        ev = (v.unflatten(2, (self.heads, -1)) * e[..., None]).flatten(2)
        found = torch.zeros(R, B, table.shape[1], dtype=e.dtype).scatter_(2, cells, 1.0)
        found[..., -1] = 1
        sums = found @ torch.cat([ev, e], dim=2)
        N, D = sums.split([ev.shape[2], self.heads], dim=2)
        o = (N.unflatten(2, (self.heads, -1)) / D[..., None]).flatten(2).float()
        return torch.baddbmm(table[:, -1:], o, self.weights["out0"])

    def _looked_up(self, table: Tensor, cells: Tensor) -> Tensor:
        R, T, _ = table.shape
        return functional.embedding(cells + T * torch.arange(R)[:, None, None], table.flatten(0, 1))

    def _two(self, cells: Tensor) -> Tensor:
        """Full attention over all places, a layer of ReLUs on each, then attention of the last token."""
        table, W, (R, B, _), H = self.table(), self.weights, cells.shape, self.heads
        w = table.shape[2]
        cells = functional.pad(cells, (0, 1), value=table.shape[1] - 1)
        maps = torch.cat([table, *(table @ W[f"{name}0"] for name in ("query", "key", "value"))], dim=2)
        x, *qkv = self._looked_up(maps, cells).split(w, dim=3)
        q, k, v = (part.reshape(R * B, -1, H, w // H).transpose(1, 2) for part in qkv)
        o = _attended(q, k, v).transpose(1, 2).reshape(R, -1, w)
        h = torch.baddbmm(x.flatten(1, 2), o, W["out0"])
        h = torch.baddbmm(h, torch.relu(torch.baddbmm(W["upbias0"], h, W["up0"])), W["down0"])
        last = h.view(R, B, -1, w)[:, :, -1]
        k, v = ((h @ W[f"{name}1"]).view(R * B, -1, H, w // H).transpose(1, 2) for name in ("key", "value"))
        q = (last @ W["query1"]).view(R * B, H, 1, w // H)
        o = _attended(q, k, v).reshape(R, B, w)
        return torch.baddbmm(last, o, W["out1"])

    def _recurrent(self, cells: Tensor) -> Tensor:
        """The gated recurrent unit, state 0 before the word."""
        W, (R, B, _) = self.weights, cells.shape
        w = W["last"].shape[2]
        gates = self._looked_up(torch.baddbmm(W["inbias"], self.table(), W["in"]), cells).unbind(2)
        h = torch.zeros(R, B, w)
        for fed in gates:
            own = torch.baddbmm(W["statebias"], h, W["state"])
            r, z = torch.sigmoid(fed[..., : 2 * w] + own[..., : 2 * w]).split(w, dim=2)
            new = torch.tanh(torch.addcmul(fed[..., 2 * w :], r, own[..., 2 * w :]))
            h = torch.lerp(new, h, z)
        return h


def _attended(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Softmax attention written out: on rows as short as these it is several times faster than the fused kernel."""
    return (q @ k.mT * q.shape[-1] ** -0.5).softmax(-1) @ v


def _drawn(name: str, shape: tuple[int, int], rng: torch.Generator) -> Tensor:
    """Embeddings standard normal, biases zero, maps uniform within sqrt(3 / fan in), so of variance 1 / fan in."""
    if name in ("symbol", "place", "last"):
        return torch.randn(shape, generator=rng)
    if "bias" in name:
        return torch.zeros(shape)
    return (torch.rand(shape, generator=rng) * 2 - 1) * (3 / shape[0]) ** 0.5
