r"""Uniform attention of constant width rejects every bracket of another kind: a flip is no hard negative for one layer.

Setting    Right words of Dyck-$(n,k)$, or $xx$ for equality, and all their edits: one bracket of another kind or one
           bit of $y$ flipped; two places exchanged, in equality two bits of $y$.
Statement  Values $\pm e_\tau$ for a bracket of kind $\tau$ that opens or closes ($\pm1$ for a one in $x$ or $y$),
           uniform attention, and the answer whether the sum is zero: all right words pass, no flip does, and every
           word with two places exchanged passes, so these remain as negatives.
Witness    Tables of two-bit numbers, a message of $O(n\log N)$ bits.
Measured   All right words, all their flips, and all exchanges that make a word wrong.
Control    Exchanges in the place of flips; flips in the place of exchanges; a bracket's direction alone.
Reads      Derived here. So are the edits of experiments_dyck and experiments_equality chosen: a flip alone is easy for
           one layer, and is reported among the others.
"""

from itertools import combinations

import numpy as np

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.constructions.attention.attention_tables import FixedPointTables
from theorytools.errors import DomainError
from theorytools.papers.sep.tasks.dyck import all_words

from ..notation import types
from ..sweeps._words import Words

lost = Quantity("right words rejected", r"\#\{w\in L:f=0\}", "among all", (0, None))
passed = Quantity("flips accepted", r"\#\{w:f=1\}", "among all edits of one symbol", (0, None))
caught = Quantity("exchanges rejected", r"\#\{w:f=0\}", "among all wrong words with two places exchanged", (0, None))


def words(p) -> Words:
    return Words(p.task, p.N, p.types, p.depth)


def construct(p, kinds=True):
    if p.task == "dyck" and p.types < 2:
        raise DomainError("one kind of brackets", required="two at least", why="a flip is a bracket of another kind")
    if p.task == "equality":  # a bit counts +1 in x and -1 in y
        v = np.repeat([1, -1], p.N // 2)[:, None, None] * np.array([[0], [1]])
    else:
        v = np.concatenate([np.eye(p.types, dtype=int), -np.eye(p.types, dtype=int)])[None].repeat(p.N, axis=0)
    v = (v if kinds else v.sum(axis=2, keepdims=True))[:, :, None]
    return FixedPointTables(np.ones(v.shape[:3], dtype=int), v, 2, lambda N, D: ~N.any(axis=(1, 2)))


def right(p):
    every = all_words(2, p.N // 2) if p.task == "equality" else all_words(2 * p.types, p.N)
    every = np.concatenate([every, every], axis=1) if p.task == "equality" else every
    return every[words(p).right(every)]


def places(p):
    return range(p.N // 2 if p.task == "equality" else 0, p.N)


def flips(p):
    w, n, here = right(p), p.types, np.arange(p.N)
    others = [1 - w] if p.task == "equality" else [w // n * n + (w % n + turn) % n for turn in range(1, n)]
    return np.concatenate([np.where(here == i, other, w) for other in others for i in places(p)])


def exchanges(p):
    w, moved = right(p), []
    for i, j in combinations(places(p), 2):
        order = np.arange(p.N)
        order[[i, j]] = j, i
        moved.append(w[:, order])
    every = np.concatenate(moved)
    return every[~words(p).right(every)]


def measure(model, p, flip=flips, exchange=exchanges):
    found = {lost: ~model.execute(right(p)), passed: model.execute(flip(p)), caught: ~model.execute(exchange(p))}
    return {name: exactly(int(flags.sum())) for name, flags in found.items()}


claim = Claim(
    "Experiments: counting sees every flip",
    role="foundation", source="derived here: experiments on bounded Dyck",
    scope={"every task, N, types, depth": "points", "some network": "exhibited", "every edited word": "enumeration"},
    asserts=[lost.equals(0), passed.equals(0), caught.equals(0)],
    grid=points("task N types depth", ("dyck", 8, 2, 1), ("dyck", 8, 2, 2), ("dyck", 6, 3, 2), ("dyck", 8, 2, 4),
                ("equality", 12, 1, 1), ("equality", 16, 1, 1)),
    construct=construct, measure=measure, controls=[
        Control("exchanges for flips", breaks=passed, measure=lambda model, p: measure(model, p, flip=exchanges)),
        Control("flips for exchanges", breaks=caught, measure=lambda model, p: measure(model, p, exchange=flips)),
        Control("directions alone", breaks=passed, where=types >= 2,
                construct=lambda p: construct(p, kinds=False)),
    ],
)
