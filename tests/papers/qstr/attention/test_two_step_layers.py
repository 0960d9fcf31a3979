"""Layers one after the other: composition finds what was written out by hand for two layers, and goes on to three."""

import itertools
from fractions import Fraction as F
from functools import partial

import numpy as np
import pytest
import sympy
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import DomainError, Enclosure, changed
from theorytools.codes.equiangular import EquiangularCode, orthonormal, simplex
from theorytools.codes.families import hadamard, rademacher
from theorytools.constructions.attention.layer import AttentionLayer, shares, softmax
from theorytools.constructions.attention.leakage import worst_leakage
from theorytools.numbers import at_precision, ball_matmul, evaluate, ipow, maximum, total
from theorytools.numbers.softmax import boltzmann, exact_number
from theorytools.papers.qstr.attention.two_hop import TwoStepAttention
from theorytools.papers.sep.attention.index_lookup import IndexLookup

CODES = [orthonormal(5), simplex(4), hadamard(8), rademacher(6, 11, np.random.default_rng(1))]
LOG3 = sympy.log(3)


# -- both forward passes and the bound, written out for two layers -----------------------------------------------------
def powers(base, exponents):
    known = {int(k): ipow(base, int(k)) for k in np.unique(exponents)}
    return [[known[k] for k in row] for row in exponents.tolist()]


def oracle_leakage(net):
    K, s, L, here = net.codes.gram_numerators(), net.codes.gram_denominator, worst_leakage(net.codes, net.beta_1), net.N
    unit, low = evaluate(exact_number(net.beta_2, "beta_2")) / s, int(K.min())
    own, other = powers((-(1 - L) * unit).exp(), s - K), powers((L * unit).exp(), K - low)
    for t in range(here):
        own[t][t] = Enclosure(0)
    sums = ball_matmul(own, [list(column) for column in zip(*other, strict=True)])
    worst = maximum(sums[t][k] / other[k][t] for t in range(here) for k in range(here))
    return worst / (1 + worst)


def oracle_weights(net, T, i):
    K, s, a = net.codes.gram_numerators(), net.codes.gram_denominator, int(T[i])
    arrived = [Enclosure(0)] * net.N
    if net.asked == "index":
        arrived[a] = Enclosure(1)
    else:
        raw = powers(boltzmann(exact_number(net.beta_1, "beta_1"), 1, s), s - K[[a]])[0]
        for j, w in enumerate(shares(raw)):
            to = int(T[j]) if net.handed == "index" else j
            arrived[to] = arrived[to] + w
    scores = ball_matmul([arrived], K)[0]
    unit, goal = evaluate(exact_number(net.beta_2, "beta_2")) / s, scores[int(T[a])]
    return shares([((score - goal) * unit).exp() for score in scores])


def oracle_call(net, X, T):
    G = net.codes.gram_numerators() / net.codes.gram_denominator
    handed = G[T] if net.handed == "index" else np.broadcast_to(G, (len(T), net.N, net.N))
    scores = G[T] if net.asked == "index" else softmax(float(net.beta_1) * G[T]) @ handed
    return softmax(float(net.beta_2) * scores) @ X


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("betas", [(2, F(11, 2)), (4 * LOG3, 6 * LOG3)])
@pytest.mark.parametrize("slots", [{}, {"handed": "own"}, {"asked": "index"}])
def test_composition_is_what_was_written_out_for_two_layers(code, betas, slots):
    net, rng = changed(TwoStepAttention(code, *betas, d=2), **slots), np.random.default_rng(3)
    T = rng.integers(0, net.N, (2, net.N))
    X = rng.standard_normal((2, net.N, 2))
    assert np.array_equal(net(X, T), oracle_call(net, X, T))
    for bits in (64, 200):
        if not slots:
            new, old = both(bits, TwoStepAttention.worst_leakage, oracle_leakage, net)
            assert (new.lower, new.upper) == (old.lower, old.upper)
        for i in range(net.N):
            for a, b in zip(*both(bits, TwoStepAttention.weights, oracle_weights, net, T[0], i), strict=True):
                # an exponential for each gap, in place of powers of one: as narrow, up to a bit
                assert not a.certainly_lt(b)
                assert not b.certainly_lt(a)
                assert float(a.ball().rad()) <= 2 * float(b.ball().rad())


def both(bits, new, old, *given):
    return [at_precision(bits, partial(f, *given)) for f in (new, old)]


# -- more layers -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("code", [orthonormal(3), simplex(3), rademacher(3, 7, np.random.default_rng(2))])
def test_a_third_layer_leaks_no_more_than_near_the_second(code):
    """All pointers; equiangular codes attain it, so neither the first leak nor that of a layer alone would do."""
    layers = [AttentionLayer.of(code, beta) for beta in (3, 3, 5)]
    bounds = [layers[0].leakage()]
    for layer in layers[1:]:
        bounds.append(layer.leakage(near=bounds[-1]))
    leaked = []
    for T in map(np.array, itertools.product(range(3), repeat=3)):
        for i in range(3):
            goal, found = int(T[i]), layers[0].handed(int(T[i]), T)
            for layer in layers[1:]:
                weights, goal = layer.mixed(found, goal=int(T[goal])), int(T[goal])
                found = [total(w for w, t in zip(weights, T, strict=True) if t == word) for word in range(3)]
            leaked.append(total(w for j, w in enumerate(weights) if j != goal))
    worst = maximum(leaked)
    assert float(worst) <= float(bounds[-1]) * (1 + 1e-12)
    if isinstance(code, EquiangularCode):
        assert float(worst) == pytest.approx(float(bounds[-1]), rel=1e-12)
        for less in (bounds[0], layers[1].leakage()):
            assert float(layers[2].leakage(near=less)) < 0.99 * float(worst)


@examples(20, st.integers(0, 10**6), st.fractions(0, F(1, 2)), st.integers(1, 8))
def test_near_bounds_every_mixture_and_a_leak_of_nothing_is_the_leakage(seed, leak, beta):
    rng = np.random.default_rng(seed)
    layer = AttentionLayer.of(CODES[3], beta)
    assert float(layer.leakage(near=Enclosure(0))) == pytest.approx(float(layer.leakage()), rel=1e-15)
    bound = layer.leakage(near=Enclosure(leak))
    q, other = int(rng.integers(6)), rng.integers(0, 20, 6)
    query = [leak * F(int(o), int(max(1, other.sum()))) for o in other]
    query[q] += 1 - sum(query)
    outside = total(w for j, w in enumerate(layer.mixed(query, goal=q)) if j != q)
    assert float(outside) <= float(bound) * (1 + 1e-14)
    one = [layer.mixed([int(k == q) for k in range(6)], goal=q), layer.weights(q)]
    assert [float(w) for w in one[0]] == pytest.approx([float(w) for w in one[1]], rel=1e-14)


def test_near_is_refused_where_queries_and_keys_are_others():
    refuses(
        DomainError,
        (lambda: IndexLookup.of("binary", 4, 6).layer.leakage(near=Enclosure(0)), "queries near to a word"),
        (lambda: AttentionLayer(np.eye(3, dtype=int), 1, asked=[{0}, {1}, {0}]).leakage(near=Enclosure(0)), "asks for"),
        (lambda: AttentionLayer([[F(1, 2)]], 1).leakage(near=Enclosure(0)), "integer scores"),
    )  # fmt: skip
