"""Plain interval bounds of a layer of attention: what stands beside a certificate, in tightness and time.

Each query position and index is taken by itself, with its codes exact; tokens are in their box, indices of keys in the
hull of the codes.  Every intermediate number is an interval (Gowal et al. 2018, arXiv 1810.12715): queries and keys,
their products, the softmax by the extreme scores, means, units, output minus label.  Rounding is neglected.
"""

import numpy as np


def linear(W, low, high):
    """The image of a box ``(..., n)`` under ``W`` ``(m, n)``."""
    positive, negative = np.maximum(W, 0), np.minimum(W, 0)
    return low @ positive.T + high @ negative.T, high @ positive.T + low @ negative.T


def products(a, b):
    """Sums over the last axis of products of intervals."""
    four = [x * y for x in a for y in b]
    return np.minimum.reduce(four).sum(-1), np.maximum.reduce(four).sum(-1)


def boxes(layer, tokens):
    """Keys with free tokens and indices ``(N, D + 1)``, by ends."""
    N, reach = layer.N, np.full((layer.N, layer.d), tokens.radius)
    hull = [np.broadcast_to(end, (N, layer.codes.shape[1])) for end in (layer.codes.min(0), layer.codes.max(0))]
    one = np.ones((N, 1))
    return tuple(np.concatenate(part, 1) for part in (
        [-reach, layer.codes, hull[0], one], [reach, layer.codes, hull[1], one]))  # fmt: skip


def interval_bounds(layer, tokens):
    """Bounds of the weight outside the indexed position and of the label's error, for one head and one index."""
    raw, N, D = layer.raw, layer.N, layer.scores[0].mid.shape[0] - 1
    maps = {n: np.column_stack([raw[f"{n}.weight"], raw[f"{n}.bias"]]) for n in ("query", "key", "value")}
    low, high = boxes(layer, tokens)
    keys, values = (linear(maps[n], low, high) for n in ("key", "value"))
    worst, error = 0.0, 0.0
    for t in range(N):  # the index of the query
        code = np.broadcast_to(layer.codes[t], (N, len(layer.codes[t])))
        cut = slice(layer.d + len(code[0]), layer.d + 2 * len(code[0]))
        ask_low, ask_high = low.copy(), high.copy()
        ask_low[:, cut] = ask_high[:, cut] = code
        query = linear(maps["query"], ask_low, ask_high)
        s_low, s_high = (s / D**0.5 for s in products([q[:, None] for q in query], [k[None] for k in keys]))
        least, most = softmax_bounds(s_low, s_high)
        worst = max(worst, float((1 - least[:, t]).max()))
        error = max(error, output_error(layer, raw, least, most, values, tokens))
    return {"delta": worst, "error": error}


def softmax_bounds(low, high):
    """Ends of the weights from ends of the scores ``(N, N)``: its own score at one end, all others at the other."""
    top = high.max(-1, keepdims=True)
    least, most = np.exp(low - top), np.exp(high - top)
    return least / (least + most.sum(-1, keepdims=True) - most), most / (most + least.sum(-1, keepdims=True) - least)


def output_error(layer, raw, least, most, values, tokens):
    """The largest distance of output and label by intervals, the token that is asked for being anywhere in its box."""
    lows, highs = products([least[:, None, :], most[:, None, :]], [values[0].T[None], values[1].T[None]])
    lows, highs = np.maximum(lows, values[0].min(0)), np.minimum(highs, values[1].max(0))  # a mean is between its parts
    for name in ("output", "hidden", "last"):
        lows, highs = linear(raw[f"{name}.weight"], lows, highs)
        lows, highs = lows + raw[f"{name}.bias"], highs + raw[f"{name}.bias"]
        if name == "hidden":
            lows, highs = np.maximum(lows, 0), np.maximum(highs, 0)
    label = tokens.radius * float(np.abs(layer.u).sum())
    return float(max(highs.max(), -lows.min()) + label)
