"""Networks of one attention with blocks around it, drawn at random near one that retrieves, and all their prompts."""

import itertools

import numpy as np

from theorytools.blocks.network import PLACE, Activation, Attention, Head, Map, Network, Norm
from theorytools.numbers.boxes import exact
from theorytools.trained.worst.worst_prompt import Errors

KINDS = ("linear", "hidden", "two", "post", "pre", "rms")


def drawn_map(rng, m, widths, size=1.0):
    fan = sum(widths.values()) ** 0.5
    parts = {name: exact(size * rng.standard_normal((m, w)) / fan) for name, w in widths.items()}
    return Map(parts, exact(0.3 * size * rng.standard_normal(m)))


def added(a, b):
    return Map({**a.parts, **b.parts}, a.shift + b.shift)


def same(name, width):
    return Map({name: exact(np.eye(width))}, exact(np.zeros(width)))


def drawn_heads(rng, prompts, widths, k, heads, beta):
    """Heads that look for the positions that the slots name, with noise, and values of everything."""
    made = []
    for h in range(heads):
        scores = {(a, b): exact(0.5 * rng.standard_normal((widths[a], widths[b]))) for a in widths for b in widths}
        asked = f"slot{h % prompts.q + 1}"
        noise = 0.5 * rng.standard_normal((prompts.N, prompts.N))
        scores[asked, PLACE] = exact(noise + beta * np.eye(prompts.N))
        scores["", PLACE] = exact(0.5 * rng.standard_normal((1, prompts.N)))
        made.append(Head(scores, drawn_map(rng, k, widths)))
    return tuple(made)


def drawn_network(kind, seed, prompts, k=4, hidden=5, heads=1, beta=5.0, act="relu", mask=None, at=None):
    """A network of a kind: read linearly, through a hidden layer or two, post-norm, pre-norm, or with two RMS norms."""
    rng = np.random.default_rng(seed)
    widths = dict(prompts.widths)
    attention = Attention("a", drawn_heads(rng, prompts, widths, k, heads, beta), mask)
    known, averages = drawn_map(rng, k, widths), drawn_map(rng, k, {"a": k * heads})
    residual = added(known, averages)
    out = {"linear": {**widths, "a": k * heads}, "hidden": {"h": hidden}, "two": {"h2": 3, "a": k * heads}}
    blocks = [attention]
    if kind in ("hidden", "two"):
        blocks.append(Activation("h", act, drawn_map(rng, hidden, {**widths, "a": k * heads})))
    if kind == "two":
        blocks.append(Activation("h2", act, drawn_map(rng, 3, {"h": hidden})))
    if kind in out:
        return Network(prompts.N, prompts.fields, tuple(blocks), drawn_map(rng, 1, out[kind]), at=at)
    if kind == "pre":
        first = Norm("z0", known, 1e-5)
        heads_ = tuple(
            Head({("z0", "z0"): exact(rng.standard_normal((k, k)))}, drawn_map(rng, k, {"z0": k})) for _ in range(heads)
        )
        blocks = [first, Attention("a", heads_, mask)]
    blocks += [Norm("z1", residual, 1e-5, kind != "rms"), Activation("h", act, drawn_map(rng, hidden, {"z1": k}))]
    last = added(residual if kind == "pre" else same("z1", k), drawn_map(rng, k, {"h": hidden}))
    if kind != "pre":
        blocks.append(Norm("z2", last, 1e-5, kind != "rms"))
        last = same("z2", k)
    row = exact(rng.standard_normal((1, k)) / k**0.5)
    shift = (last.shift.reshape(1, -1) @ row.T)[0]
    output = Map({name: row @ part for name, part in last.parts.items()}, shift)
    return Network(prompts.N, prompts.fields, tuple(blocks), output, at=at)


def all_prompts(prompts):
    """Every prompt of signs: tokens ``(n, N, d)`` and indices ``(n, N, q)``, and the numbers of their states."""
    X, T = prompts.states()
    chosen = np.array(list(itertools.product(range(len(X)), repeat=prompts.N)))
    return X[chosen], T[chosen], chosen


def true_errors(network, prompts, u, X, T):
    return Errors(network, prompts, np.asarray(u))(X, T)
