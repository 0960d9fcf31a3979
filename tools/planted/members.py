"""Random members of kinds of objects, uniform or with entries of all sizes, and hypothesis's own strategies for them.

They are the rivals' way to objects, and know nothing of the kinds but what their members look like.
"""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from theorytools.search.kinds import Boolean, Graph

LARGE = 5  # uniform entries are between -5 and 5, log-uniform ones reach 1000


def _of(kind: Any) -> str:
    return getattr(kind, "of", kind.name)


def entry(rng: random.Random, wide: bool) -> int:
    """A whole number: uniform, or 0, 1, or of either sign with a log-uniform size."""
    return rng.choice((-1, 1)) * int(10 ** rng.uniform(-0.3, 3)) if wide else rng.randint(-LARGE, LARGE)


def law(rng: random.Random, n: int, wide: bool) -> tuple[Fraction, ...]:
    """A law by whole weights."""
    while True:
        weights = [abs(entry(rng, wide)) for _ in range(n)]
        if any(weights):
            return tuple(Fraction(w, sum(weights)) for w in weights)


def member(kind: Any, rng: random.Random, n: int, wide: bool = False) -> Any:
    """A random member of a kind."""
    of = _of(kind)
    if of == "graph":
        share = rng.random() if wide else 0.5
        return Graph(n, [pair for pair in itertools.combinations(range(n), 2) if rng.random() < share])
    if of == "permutation":
        return tuple(rng.sample(range(n), n))
    if of == "Boolean function":
        share = rng.random() if wide else 0.5
        return Boolean(tuple(int(rng.random() < share) for _ in range(2**n)))
    if of == "law":
        return law(rng, n, wide)
    if of == "stochastic":
        return tuple(law(rng, n, wide) for _ in range(n))
    if of == "vector":
        return tuple(entry(rng, wide) for _ in range(n))
    width = rng.randint(1, n) if of == "semidefinite" else n
    small = [[entry(rng, wide) for _ in range(width)] for _ in range(n)]
    return _symmetric(small) if of == "symmetric" else _gram(small)


def _symmetric(rows: Any) -> Any:
    n = len(rows)
    return tuple(tuple(rows[max(i, j)][min(i, j)] for j in range(n)) for i in range(n))


def _gram(rows: Any) -> Any:
    return tuple(tuple(sum(a * b for a, b in zip(u, v, strict=True)) for v in rows) for u in rows)


def strategy(kind: Any, n: int) -> Any:
    """The members of a size as one writes them with hypothesis."""
    of, small = _of(kind), st.integers(-LARGE, LARGE)
    if of == "graph":
        pairs = list(itertools.combinations(range(n), 2))
        return st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)).map(
            lambda kept: Graph(n, list(itertools.compress(pairs, kept)))
        )
    if of == "permutation":
        return st.permutations(range(n)).map(tuple)
    if of == "Boolean function":
        return st.lists(st.integers(0, 1), min_size=2**n, max_size=2**n).map(lambda table: Boolean(tuple(table)))
    one = st.lists(st.integers(0, LARGE), min_size=n, max_size=n).filter(any)
    laws = one.map(lambda weights: tuple(Fraction(w, sum(weights)) for w in weights))
    if of == "law":
        return laws
    if of == "stochastic":
        return st.tuples(*[laws] * n)
    if of == "vector":
        return st.tuples(*[small] * n)
    square = st.lists(st.lists(small, min_size=n, max_size=n), min_size=n, max_size=n)
    return square.map(_symmetric if of == "symmetric" else _gram)
