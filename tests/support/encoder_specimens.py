"""Encoder layers and layers with a hidden layer, written by hand as networks on tokens and indices."""

import itertools

import numpy as np
import torch

from theorytools.blocks.network import PLACE, Activation, Attention, Head, Map, Network, Norm
from theorytools.numbers.boxes import Box, exact
from theorytools.trained.worst.prompts import Prompts


def affine(parts, shift):
    return Map(parts, shift if isinstance(shift, Box) else exact(shift))


def through(W, b, of):
    """``W of + b`` as one map; ``W`` is a Box or an array."""
    W = W if isinstance(W, Box) else exact(W)
    shift = (of.shift.reshape(1, -1) @ W.T)[0] + exact(b)
    return Map({name: W @ part for name, part in of.parts.items()}, shift)


def plus(*maps):
    parts, shift = {}, maps[0].shift
    for k, one in enumerate(maps):
        shift = shift + one.shift if k else shift
        for name, part in one.parts.items():
            parts[name] = parts[name] + part if name in parts else part
    return Map(parts, shift)


def field(name, width):
    return affine({name: exact(np.eye(width))}, np.zeros(width))


def encoding(N, d, q, codes):
    """The token, the own code and the codes of the indices, one behind the other."""
    e = codes.shape[1]
    D = d + (q + 1) * e
    parts = {"x": np.zeros((D, d)), PLACE: np.zeros((D, N))}
    parts["x"][:d] = np.eye(d)
    parts[PLACE][d : d + e] = codes.T
    for s in range(q):
        parts[f"slot{s + 1}"] = np.zeros((D, N))
        parts[f"slot{s + 1}"][d + (s + 1) * e : d + (s + 2) * e] = codes.T
    return affine({name: exact(part) for name, part in parts.items()}, np.zeros(D))


def bilinear(query, key, factor):
    """The scores of two maps, term by term; terms without a key are left out."""
    rows = {**query.parts, "": query.shift.reshape(-1, 1)}
    keys = {**key.parts, "": key.shift.reshape(-1, 1)}
    pairs = itertools.product(rows.items(), keys.items())
    return {(a, b): (A.T @ B) * exact(np.array(factor)) for (a, A), (b, B) in pairs if b != ""}


def numpy_of(module):
    return {name: value.detach().double().numpy() for name, value in module.state_dict().items()}


def encoder_network(layer, readout, codes, N, d, q=1):
    """An ``nn.TransformerEncoderLayer`` (one or more heads, ReLU or GELU) with a linear read-out."""
    w, z = numpy_of(layer), encoding(N, d, q, codes)
    D, H = layer.self_attn.embed_dim, layer.self_attn.num_heads
    size = D // H
    blocks = []
    if layer.norm_first:
        blocks.append(Norm("z0", z, layer.norm1.eps))
        seen = through(np.diag(w["norm1.weight"]), w["norm1.bias"], field("z0", D))
    else:
        seen = z
    heads = []
    for h in range(H):
        query, key, value = (
            through(w["self_attn.in_proj_weight"][rows], w["self_attn.in_proj_bias"][rows], seen)
            for rows in (slice(part * D + h * size, part * D + (h + 1) * size) for part in range(3))
        )
        heads.append(Head(bilinear(query, key, size**-0.5), value))
    blocks.append(Attention("a", tuple(heads)))
    mixed = plus(z, through(w["self_attn.out_proj.weight"], w["self_attn.out_proj.bias"], field("a", D)))
    kind = "relu" if "relu" in str(layer.activation) else "gelu"
    blocks.append(Norm("z1", mixed, layer.norm2.eps if layer.norm_first else layer.norm1.eps))
    name = "norm2" if layer.norm_first else "norm1"
    first = through(np.diag(w[name + ".weight"]), w[name + ".bias"], field("z1", D))
    blocks.append(Activation("h", kind, through(w["linear1.weight"], w["linear1.bias"], first)))
    second = through(w["linear2.weight"], w["linear2.bias"], field("h", len(w["linear1.bias"])))
    if layer.norm_first:
        last = plus(mixed, second)
    else:
        blocks.append(Norm("z2", plus(first, second), layer.norm2.eps))
        last = through(np.diag(w["norm2.weight"]), w["norm2.bias"], field("z2", D))
    r = numpy_of(readout)
    return Network(N, Prompts(N, d, q).fields, tuple(blocks), through(r["weight"], r["bias"], last))


def encoded(codes, X, T):
    own = np.broadcast_to(codes, (len(X), *codes.shape))
    return torch.as_tensor(np.concatenate([X, own, *np.moveaxis(codes[T], 2, 0)], axis=2))


def separate_network(module, codes, N, d, q=1):
    """The library's attention with separate maps, a ReLU layer and a linear one."""
    w, z = numpy_of(module), encoding(N, d, q, codes)
    D, H = len(w["output.bias"]), module.heads
    heads = []
    for h in range(H):
        rows = slice(h * D, (h + 1) * D)
        query, key, value = (
            through(w[f"{n}.weight"][rows], w[f"{n}.bias"][rows], z) for n in ("query", "key", "value")
        )
        heads.append(Head(bilinear(query, key, D**-0.5), value))
    attended = through(w["output.weight"], w["output.bias"], field("a", H * D))
    hidden = Activation("h", "relu", through(w["hidden.weight"], w["hidden.bias"], attended))
    last = through(w["last.weight"], w["last.bias"], field("h", len(w["hidden.bias"])))
    return Network(N, Prompts(N, d, q).fields, (Attention("a", tuple(heads)), hidden), last)
