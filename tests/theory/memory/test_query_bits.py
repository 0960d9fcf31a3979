"""Finite precision: the counting bound on every partition of the sets, and the loss behind few values."""

from fractions import Fraction
from itertools import combinations, product
from math import comb
from pathlib import Path

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from properties import examples

from theorytools import Catalogue
from theorytools.claims.papers.catalogue import find_roots
from theorytools.claims.papers.loading import load
from theorytools.theory.first_layers.compressor_certificate import discrete_risk

CATALOGUE = Catalogue(find_roots(start=Path(__file__)))
few = settings(deadline=None, derandomize=True, database=None, max_examples=40)


@examples(40, st.integers(3, 6), st.data())
def test_the_best_attention_of_every_partition_obeys_the_bound(T, data):
    """A query that serves several sets does best with the mean of their indicators over q."""
    q = data.draw(st.integers(1, T - 1))
    sets = list(combinations(range(T), q))
    queries = data.draw(st.integers(1, len(sets)))
    cell = [data.draw(st.integers(0, queries - 1)) for _ in sets]
    tau = {y: [Fraction(int(i in y), q) for i in range(T)] for y in sets}
    losses = []
    for k in set(cell):
        members = [tau[y] for y, c in zip(sets, cell, strict=True) if c == k]
        mean = [sum(column) / len(members) for column in zip(*members, strict=True)]
        losses += [sum((a - b) ** 2 for a, b in zip(mean, t, strict=True)) for t in members]
    used = len(set(cell))
    assert sum(losses) / len(sets) >= Fraction(1, 2 * q * q) * (1 - Fraction(used, comb(T, q)))
    if used < len(sets):  # then at most used - 1 sets are alone
        assert max(losses) >= Fraction(1, 2 * q * q)
        assert sum(losses) / len(sets) >= Fraction(1, 2 * q * q) * (1 - Fraction(used - 1, comb(T, q)))


def layer(name, **axes):
    """The claim's own loss behind a layer, and the cells of its values."""
    claim = load(next(e for e in CATALOGUE.entries if e.id == "stsq.fcn_bits"))
    p = claim.point(axes, "stsq.fcn_bits")
    net = claim.construct(p)
    return next(iter(claim.measure(net, p).values())), net


def test_layers_of_few_bits_lose_what_discrete_risk_says():
    loss, _ = layer("single", layer="single", T=4, d=2, q=2, m=3, bits=1)
    assert loss == discrete_risk(np.eye(3, 8, dtype=int), T=4, d=2, q=2)
    whole, _ = layer("powers", layer="powers", T=4, d=1, q=2, m=1, bits=4)
    assert whole == discrete_risk([[8, 4, 2, 1]], T=4, d=1, q=2) == 0
    for name, bits in product(("powers", "sum", "random"), (0, 1, 2)):
        _, (_, cells) = layer(name, layer=name, T=6, d=1, q=2, m=1, bits=bits)
        assert len(np.unique(cells)) <= 2**bits
