r"""Plain interval arithmetic over the blocks that a module was traced into (Gowal et al. 2018, arXiv 1810.12715).

Every number is an interval, and what two of them have in common is forgotten.  A word that is not known ranges over
its symbols, so a map of it is in the hull of the columns; the softmax has its own score at one end and all others at
the other; averages stay between what is averaged, normed vectors below the root of their width.  Each query position
and index is taken by itself, with its code exact.  Rounding is neglected.
"""

import numpy as np

from theorytools.blocks.network import ONE, PLACE, Activation, Attention, Norm, Recur

MONOTONE = {"relu": lambda v: np.maximum(v, 0), "tanh": np.tanh, "exp": np.exp,
            "sigmoid": lambda v: (1 + np.tanh(v / 2)) / 2}  # fmt: skip


def label_error(network, prompts, u):
    """A bound of the label's error over prompts in a box (signs are in it), for one index at each position."""
    error, reach = 0.0, prompts.radius * float(np.abs(u).sum())
    for t, i in np.ndindex(prompts.N, prompts.N):
        low, high = (end[i, 0] for end in ranges(network, prompts, t, i))
        error = max(error, float(max(high, -low)) + reach)
    return error


def ranges(network, prompts, t, i):
    """The ends of the outputs ``(N, m)`` where position ``i`` asks for ``t`` and all else is free."""
    N, d = prompts.N, prompts.d
    asked = np.full(N, -1)
    asked[i] = t
    reach = np.full((N, d), prompts.radius)
    held = {"x": (-reach, reach), "slot1": asked, PLACE: np.arange(N), ONE: (np.ones((N, 1)),) * 2}
    for block in network.blocks:
        held[block.out] = written(block, held, N)
    return mapped(network.output, held, N)


def linear(M, low, high):
    """The image of boxes ``(…, n)`` under ``M`` ``(m, n)``."""
    up, down = np.maximum(M, 0).T, np.minimum(M, 0).T
    return low @ up + high @ down, high @ up + low @ down


def image(M, field):
    """The image of a field: a box of numbers, or words that are known (their number) or free (-1)."""
    if isinstance(field, tuple):
        return linear(M, *field)
    free, columns = (field < 0)[:, None], M.T[field]
    return np.where(free, M.min(1), columns), np.where(free, M.max(1), columns)


def mapped(of, held, N):
    """The ends of an affine map at every position."""
    low, high = (np.zeros((N, of.width)) + of.shift.mid for _ in range(2))
    for name, part in of.parts.items():
        less, more = image(part.mid, held[name])
        low, high = low + less, high + more
    return low, high


def products(a, b):
    """The ends of products entry by entry."""
    four = [x * y for x in a for y in b]
    return np.minimum.reduce(four), np.maximum.reduce(four)


def written(block, held, N):
    if isinstance(block, Attention):
        parts = [averaged(head, block.mask, held, N) for head in block.heads]
        return tuple(np.concatenate(ends, 1) for ends in zip(*parts, strict=True))
    if isinstance(block, Activation):
        grows = MONOTONE[block.kind]
        return tuple(grows(end) for end in mapped(block.of, held, N))
    if isinstance(block, Norm):
        return normed(block, *mapped(block.of, held, N))
    if isinstance(block, Recur) and block.kind == "gru":
        return recurred(block, *mapped(block.of, held, N))
    raise ValueError(f"no intervals of {type(block).__name__} {getattr(block, 'kind', '')}")


def averaged(head, mask, held, N):
    """Softmax averages of values, by the ends of scores and of values."""
    low, high = np.zeros((N, N)), np.zeros((N, N))
    for (a, b), G in head.scores.items():
        less, more = image(G.mid, held[b])  # (keys, width of a)
        if isinstance(held[a], tuple):
            less, more = (end.sum(-1) for end in products([end[:, None] for end in held[a]], [less[None], more[None]]))
        else:
            free = (held[a] < 0)[:, None]
            less, more = np.where(free, less.min(1), less.T[held[a]]), np.where(free, more.max(1), more.T[held[a]])
        low, high = low + less, high + more
    if mask is not None:
        low, high = np.where(mask, low, -np.inf), np.where(mask, high, -np.inf)
    least, most = softmax(low, high)
    below, above = mapped(head.value, held, N)
    low, high = products([least[..., None], most[..., None]], [below[None], above[None]])
    seen = np.ones((N, N), bool) if mask is None else mask
    hull = (np.where(seen[..., None], below, np.inf).min(1), np.where(seen[..., None], above, -np.inf).max(1))
    return np.maximum(low.sum(1), hull[0]), np.minimum(high.sum(1), hull[1])


def softmax(low, high):
    """The ends of the weights: the own score at one end, all others at the other."""
    own = np.eye(low.shape[1], dtype=bool)
    with np.errstate(over="ignore"):
        odds = (np.where(own, 0, other[:, None] - one[..., None]) for one, other in ((low, high), (high, low)))
        return tuple(1 / np.exp(of).sum(-1) for of in odds)


def normed(block, low, high):
    k = low.shape[1]
    if block.centred:
        low, high = linear(np.eye(k) - 1 / k, low, high)
    largest = np.maximum(np.abs(low), np.abs(high)) ** 2
    smallest = np.where((low < 0) & (high > 0), 0, np.minimum(np.abs(low), np.abs(high))) ** 2
    roots = [1 / np.sqrt(end.mean(1, keepdims=True) + block.eps) for end in (largest, smallest)]
    return tuple(np.clip(end, -(k**0.5), k**0.5) for end in products((low, high), roots))


def recurred(block, low, high):
    """The states of a GRU; a state is between the one before and the new one."""
    w = {name: np.asarray(array, dtype=float) for name, array in block.weights.items()}
    k, N, sigmoid = w["weight_hh"].shape[1], len(low), MONOTONE["sigmoid"]
    given = [end + w["bias_ih"] for end in linear(w["weight_ih"], low, high)]
    h, states = (np.zeros(k), np.zeros(k)), [np.zeros((N, k)) for _ in range(2)]
    for i in range(N)[:: -1 if block.reverse else 1]:
        own = [end + w["bias_hh"] for end in linear(w["weight_hh"], *h)]
        r, z = ([sigmoid(g[i, cut] + o[cut]) for g, o in zip(given, own, strict=True)]
                for cut in (slice(k), slice(k, 2 * k)))  # fmt: skip
        own = products(r, [end[2 * k :] for end in own])
        new = [np.tanh(g[i, 2 * k :] + o) for g, o in zip(given, own, strict=True)]
        h = tuple(pick.reduce([(1 - one) * n + one * old for one in z])
                  for pick, n, old in zip((np.minimum, np.maximum), new, h, strict=True))  # fmt: skip
        states[0][i], states[1][i] = h
    return tuple(states)
