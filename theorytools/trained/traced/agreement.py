r"""How far two evaluations of one network in doubles may be apart, to first order.

A sum of ``n`` products is off by at most :math:`\gamma_n` times the sum of their moduli (Higham 2002, section 3.5);
the radius of a merged matrix is at least the same bound for the matrices that it was merged from.  Errors go on through
softmax (weights change by a factor :math:`e^{2\delta}` where scores change by :math:`\delta`), through functions by
their slopes and through norms.  The result tells a traced network from a wrongly traced one; it certifies nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from theorytools.blocks.network import (
    ONE,
    PLACE,
    Activation,
    Attention,
    Flatten,
    Map,
    Network,
    Norm,
    Product,
    Recur,
    activated,
    applied,
    recurred,
)
from theorytools.numbers.boxes import UNIT, Array

Pair = tuple[Array, Array]  # values and bounds of their errors


def evaluated(network: Network, **inputs: Any) -> Pair:
    """Return what a network returns on inputs as in :meth:`Network.__call__`, and how far two evaluations are apart."""
    values, n = network._read(inputs)
    held: dict[str, Pair] = {name: (value, np.zeros(value.shape)) for name, value in values.items()}
    for block in network.blocks:
        held[block.out] = _written(block, held)
    shape = (n, network.N) if network.each else (n,)
    value, off = _mapped(network.output, held, shape)
    if network.each and network.at is not None:
        value, off = value[:, network.at], off[:, network.at]
    return value, 8 * off


def _mapped(of: Map, held: Mapping[str, Pair], shape: tuple[int, ...]) -> Pair:
    value = applied(of, {name: pair[0] for name, pair in held.items()}, shape)
    size = np.zeros(value.shape) + np.abs(of.shift.mid) + of.shift.rad / UNIT
    off = np.zeros(value.shape)
    for name, part in of.parts.items():
        r, e = held[name]
        if name == PLACE:  # a table is looked up, not summed
            size = size + r @ (np.abs(part.mid) + part.rad / UNIT).T
            continue
        width = r.shape[-1] + 4
        size = size + np.abs(r) @ (width * np.abs(part.mid) + width * part.rad / UNIT).T
        off = off + e @ (np.abs(part.mid) + part.rad).T
    return value, off + (len(of.parts) + 2) * UNIT * size


def _written(block: Any, held: Mapping[str, Pair]) -> Pair:
    shape = held[PLACE][0].shape[:2]
    if isinstance(block, Attention):
        found = [_averaged(head, block.mask, held, shape) for head in block.heads]
        return np.concatenate([v for v, _ in found], -1), np.concatenate([e for _, e in found], -1)
    if isinstance(block, Product):
        where = _shape(block.left, held, shape), _shape(block.right, held, shape)
        (a, e), (b, f) = _mapped(block.left, held, where[0]), _mapped(block.right, held, where[1])
        return a * b, np.abs(a) * f + e * (np.abs(b) + f) + 2 * UNIT * np.abs(a * b)
    v, e = _mapped(block.of, held, _shape(block.of, held, shape))
    if isinstance(block, Activation):
        value = activated(block.kind, v)
        slope = np.exp(v + e) if block.kind == "exp" else 1.2
        return value, slope * e + 16 * UNIT * (np.abs(value) + np.abs(v))
    if isinstance(block, Flatten):
        return v.reshape(len(v), -1), e.reshape(len(v), -1)
    return _normed(block, v, e) if isinstance(block, Norm) else _recurred(block, v, e)


def _shape(of: Map, held: Mapping[str, Pair], shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape[:1] if any(held[name][0].ndim == 2 for name in of.parts) else shape


def _normed(block: Norm, v: Array, e: Array) -> Pair:
    k = v.shape[-1]
    middle = v - v.mean(-1, keepdims=True) if block.centred else v
    sigma = np.sqrt((middle**2).mean(-1, keepdims=True) + block.eps)
    off = e + e.mean(-1, keepdims=True) + (k + 4) * UNIT * (np.abs(v) + np.abs(v).mean(-1, keepdims=True))
    value = middle / sigma
    # |d sigma| <= the root mean square of what changes
    return value, (off + np.abs(value) * np.sqrt((off**2).mean(-1, keepdims=True))) / sigma + (k + 8) * UNIT * np.abs(
        value
    )


def _averaged(head: Any, mask: Any, held: Mapping[str, Pair], shape: tuple[int, ...]) -> Pair:
    one = {**held, ONE: (np.ones((*shape, 1)), np.zeros((*shape, 1)))}
    scores, off = np.zeros((shape[0], shape[1], shape[1])), np.zeros((shape[0], shape[1], shape[1]))
    for (a, b), G in head.scores.items():
        (q, e), (k, f) = one[a], one[b]
        scores = scores + _between(a, b, q, G.mid, k)
        size, width = np.abs(G.mid) + G.rad, (1 if a == PLACE else q.shape[-1]) + (1 if b == PLACE else k.shape[-1])
        q, k = np.abs(q), np.abs(k)
        # the radius covers the inner width of queries and keys, the rest that of the fields
        rounding = (width + 8) * (UNIT * size + G.rad)
        off = off + _between(a, b, q, rounding, k)
        if a != PLACE:
            off = off + _between(a, b, e, size, k + f)
        if b != PLACE:
            off = off + _between(a, b, q, size, f)
    if mask is not None:
        scores, off = np.where(mask, scores, -np.inf), np.where(mask, off, 0.0)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    shown = np.where(np.isfinite(scores), np.abs(scores), 0.0).max(-1, keepdims=True)
    change = np.expm1(np.minimum(2 * (off.max(-1, keepdims=True) + UNIT * shown), 50)) + (shape[1] + 16) * UNIT
    value, e = _mapped(head.value, held, shape)
    return weights @ value, weights @ e + (change * weights) @ (np.abs(value) + e)


def _between(a: str, b: str, q: Array, G: Array, k: Array) -> Array:
    """Products of two positions' fields; a table by positions is looked up, where N^3 products would be formed."""
    left = G[None] if a == PLACE else q @ G
    return left if b == PLACE else left @ k.transpose(0, 2, 1)


def _recurred(block: Recur, v: Array, e: Array) -> Pair:
    """The states, and how errors of a step add to those before it, by the slopes of the gates."""
    states = recurred(block, v)
    w_ih, w_hh = np.abs(block.weights["weight_ih"]), np.abs(block.weights["weight_hh"])
    bias = np.abs(block.weights["bias_ih"]) + np.abs(block.weights["bias_hh"])
    k = w_hh.shape[1]
    off, before, cell = np.zeros(states.shape), np.zeros((len(v), k)), np.zeros((len(v), k))
    error, drift = np.zeros((len(v), k)), np.zeros((len(v), k))
    for i in range(v.shape[1])[:: -1 if block.reverse else 1]:
        size = (w_ih.shape[1] + 4) * (np.abs(v[:, i]) @ w_ih.T) + (k + 4) * (before @ w_hh.T) + 4 * bias
        gates = (e[:, i] @ w_ih.T + error @ w_hh.T + UNIT * size).reshape(len(v), -1, k)
        if block.kind == "gru":
            own = before @ w_hh[2 * k :].T + bias[2 * k :]
            error = error + gates[:, 2] + gates[:, 0] * own / 4 + (gates[:, 1] / 4 + 32 * UNIT) * (1 + before)
        elif block.kind == "lstm":
            # |c| grows by at most one in a step
            drift = drift + gates[:, 1] * cell / 4 + gates[:, 0] / 4 + gates[:, 2] + 16 * UNIT * (1 + cell)
            cell = cell + 1
            error = drift + gates[:, 3] / 4 + 16 * UNIT
        else:
            error = gates[:, 0] + 8 * UNIT * np.abs(states[:, i])
        before = np.abs(states[:, i])
        off[:, i] = error
    return states, off
