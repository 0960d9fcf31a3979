"""Constructions as blocks: the network that they have in that form is the same function, of spoiled twins too."""

import itertools
from fractions import Fraction as F

import numpy as np
import pytest
import sympy
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import BlockAttention, DomainError, Enclosure, changed, hadamard
from theorytools.blocks.lookups import copied, looked_up
from theorytools.codes.equiangular import simplex
from theorytools.codes.families import rademacher
from theorytools.constructions.attention.layer import AttentionLayer
from theorytools.constructions.feedforward.link_heads import linear_head
from theorytools.numbers import at_precision
from theorytools.numbers.boxes import enclosing
from theorytools.papers.qstr.attention.two_hop import TwoStepAttention
from theorytools.papers.sep.attention.index_lookup import IndexLookup

CODE = rademacher(6, 11, np.random.default_rng(1))
NEAR = 2.0**-46  # sums of a few hundred terms, in doubles, of numbers below 10


def block_inputs(net, n=3):
    rng = np.random.default_rng(4)
    X, T = rng.integers(-3, 4, (n, net.N, net.d)), rng.integers(0, net.N, (n, net.N, net.q))
    return (X, T), {"x": X, **{f"slot{h + 1}": T[..., h] for h in range(net.q)}}


@pytest.mark.parametrize(
    "net",
    [
        BlockAttention(CODE, F(7, 2), 2, 3),
        BlockAttention(CODE, F(7, 2), 2, 3, scale=5),  # the temperature is not beta
        BlockAttention(CODE, 4, 2, 2, blocks=((2, 1), (0, 2), (1, 0))),  # keys by what they ask for
        BlockAttention(CODE, 5, 2, 3, head=linear_head(np.array([0.6, 0.8, 0]), 2)),
        BlockAttention(simplex(4), 2 * sympy.log(3)),
    ],
)
def test_a_block_attention_is_its_blocks(net):
    given, fields = block_inputs(net)
    called, found = net(*given), net.network()(**fields)
    assert net.network().shape == called.shape[1:]
    np.testing.assert_allclose(found.reshape(called.shape), called, rtol=0, atol=NEAR)


@pytest.mark.parametrize("slots", [{}, {"handed": "own"}, {"asked": "index"}])
def test_a_mixture_of_words_is_handed_to_the_second_layer(slots):
    net, rng = changed(TwoStepAttention(CODE, 3, 8, d=2), **slots), np.random.default_rng(5)
    X, T = rng.standard_normal((3, 6, 2)), rng.integers(0, 6, (3, 6))
    np.testing.assert_allclose(net.network()(x=X, index=T), net(X, T), rtol=0, atol=NEAR)


@pytest.mark.parametrize("asked", [None, 1])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("options", [{}, {"one_hot": True}])
def test_the_last_token_is_a_position_of_the_blocks(options, shared, asked):
    net = IndexLookup.of("binary", 5, F(5, 2), symbols=3, **options)
    net = changed(net, last_keys=net.keys) if shared else net
    words, p = np.random.default_rng(6).integers(0, 3, (8, 5)), np.arange(8) % 5
    X, own = net.stream(words, p, asked=asked), np.zeros((8, 6), dtype=int)
    own[:, -1] = p
    found = net.network()(symbol=X[..., : net.values.shape[1]], asked=own)
    np.testing.assert_allclose(found, net(words, p, asked=asked), rtol=0, atol=NEAR)
    own[:, :-1] = np.random.default_rng(7).integers(0, 5, (8, 5))  # what other tokens ask for
    np.testing.assert_array_equal(net.network()(symbol=X[..., : net.values.shape[1]], asked=own), found)


def test_over_all_prompts_the_blocks_are_off_by_the_certificate_and_no_more():
    """An exhausted class: all tokens +-1 and all indices; a certificate of half the size would be exceeded."""
    net = BlockAttention(rademacher(3, 7, np.random.default_rng(2)), 3)
    X = np.array(list(itertools.product([1, -1], repeat=3)))[:, :, None]
    T = np.array(list(itertools.product(range(3), repeat=3)))
    found = net.network()(x=np.repeat(X, len(T), 0), slot1=np.tile(T, (len(X), 1)))[..., 0]
    right = np.take_along_axis(np.repeat(X[..., 0], len(T), 0), np.tile(T, (len(X), 1)), 1)
    assert np.abs(found - right).max() == pytest.approx(2 * float(net.worst_leakage()), rel=1e-13)


@examples(30, st.integers(1, 40), st.integers(1, 9), st.lists(st.fractions(-50, 50), min_size=1, max_size=5))
def test_scores_are_enclosed_and_as_narrow_as_doubles_allow(power, base, scores):
    box = AttentionLayer([scores], sympy.Rational(power, 7) * sympy.log(base + 1), 3).box()
    exact = at_precision(200, lambda: [Enclosure(base + 1).log() * F(power, 7) * k / 3 for k in scores])
    for low, high, value in zip(box.low[0], box.high[0], exact, strict=True):
        assert F(low) <= value.upper
        assert value.lower <= F(high)
        assert Enclosure(F(low)).certainly_le(value)
        assert value.certainly_le(Enclosure(F(high)))
        assert high - low <= 2.0**-50 * max(abs(low), 2.0**-1000)


def test_what_doubles_cannot_hold_or_have_rounded_is_refused():
    assert enclosing([Enclosure(F(1, 2))]).rad == 0
    assert enclosing([Enclosure(F(1, 3))]).rad > 0
    refuses(
        DomainError, (lambda: enclosing([Enclosure(10**400)]), "doubles hold"),
        (lambda: IndexLookup.of("circle", 5, 6).network(), "integers or Fractions"),
    )  # fmt: skip
    net = looked_up("out", AttentionLayer.of(hadamard(4), 3).box(), copied("x", 2), ("a", "b"), ("b", "a"))
    assert [list(head.scores) for head in net.heads] == [[("a", "b")], [("b", "a")]]
