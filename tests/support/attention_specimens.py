"""Random attention layers on tokens and words, all terms present, and every prompt of small classes."""

import itertools

import numpy as np

from theorytools.blocks.network import ONE, Attention, Head, Map, Network
from theorytools.numbers.boxes import exact
from theorytools.trained.worst.supremum import Functional


def drawn_map(rng, widths, m=1, size=1.0, left_out=0.2):
    parts = {n: exact(size * rng.standard_normal((m, w))) for n, w in widths.items() if rng.random() >= left_out}
    return Map(parts, exact(size * rng.standard_normal(m)))


def drawn_attention(rng, widths, heads=1, size=1.0, mask=None):
    W = widths | {ONE: 1}
    made = [
        Head(
            {(a, b): exact(size * rng.standard_normal((W[a], W[b]))) for a in W for b in W if rng.random() > 0.2},
            drawn_map(rng, widths),
        )
        for _ in range(heads)
    ]
    return Attention("a", tuple(made), mask)


def drawn_functional(rng, prompts, heads=1, labels=True, widths=None):
    widths = widths or prompts.widths
    asked = [drawn_map(rng, {"x": prompts.d, "place": prompts.N}, left_out=0) for _ in range(prompts.q * labels)]
    return Functional(tuple(drawn_map(rng, widths) for _ in range(heads)), drawn_map(rng, widths), tuple(asked))


def drawn_mask(rng, N, kind):
    if kind == "none":
        return None
    mask = np.tril(np.ones((N, N), dtype=bool)) if kind == "causal" else rng.random((N, N)) < 0.6
    mask[~mask.any(1), 0] = True
    return mask


def every_prompt(p):
    N, d, q = p.N, p.d, p.q
    X = p.radius * np.array(list(itertools.product((-1.0, 1.0), repeat=N * d))).reshape(-1, 1, N, d)
    T = np.array(list(itertools.product(range(N), repeat=N * q)), dtype=np.int64).reshape(1, N ** (N * q), N, q)
    n = len(X) * T.shape[1]
    shape = (len(X), T.shape[1])
    return np.broadcast_to(X, (*shape, N, d)).reshape(n, N, d), np.broadcast_to(T, (*shape, N, q)).reshape(n, N, q)


def values(attention, functional, prompts, X, T, before=()):
    """The functional at every query of prompts, shape ``(n, N)``, written apart from what the supremum uses."""
    heads = tuple(Head(h.scores, v) for h, v in zip(attention.heads, functional.heads, strict=True))
    parts = {**functional.own.parts, "a": exact(np.ones((1, len(heads))))}
    net = Network(prompts.N, prompts.fields, (*before, Attention("a", heads, attention.mask)),
                  Map(parts, functional.own.shift))  # fmt: skip
    total = net(**prompts.inputs(X, T))[..., 0]
    for s, label in enumerate(functional.asked):
        at = Network(prompts.N, prompts.fields, tuple(before), label)(**prompts.inputs(X, T))[..., 0]
        total = total + np.take_along_axis(at, T[..., s], 1)
    return total
