"""Networks that keep a table in one weight: what they answer, what they weigh, and what breaks them."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorytools.constructions.feedforward.readout import ReluHead
from theorytools.constructions.recurrent.position_tracker import PositionTracker
from theorytools.constructions.recurrent.simple_retrieval import SimpleRetrievalRNN
from theorytools.errors import DomainError
from theorytools.papers.qstr.capacity.recurrent_covering import drift_factor
from theorytools.papers.qstr.recurrent.digit_memory import parity_memory, tent_start
from theorytools.papers.qstr.recurrent.residual import ResidualRNN
from theorytools.papers.qstr.recurrent.slow_memory import slow_parity_memory, with_positions

TABLES = st.lists(st.integers(0, 1), min_size=1, max_size=40)


def parity(X, places, bits):
    return -np.prod(np.where(np.array(bits) == 1, -X[:, list(places)], 1), axis=1)


@given(TABLES, st.sampled_from([Fraction(3), Fraction(49, 16)]), st.booleans())
@settings(max_examples=30, deadline=None)
def test_the_path_of_a_start_visits_the_ends_that_were_named(bits, growth, folded):
    u = tent_start(bits, growth=growth, folded=folded)
    for bit in bits:
        assert 0 <= u <= 1
        assert abs(u - Fraction(1, 2)) >= Fraction(1, 6)
        assert (u > Fraction(1, 2)) == bit
        u = growth * (1 - u) if bit and folded else 1 - growth * (1 - u) if bit else growth * u
    assert u == 0


@given(TABLES, st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_a_table_is_answered_by_its_parity_at_every_position(bits, seed):
    X = np.random.default_rng(seed).choice([-1, 1], (3, len(bits)))
    net = parity_memory(bits)
    assert (net(X[..., None]) == parity(X, range(len(bits)), bits)[:, None]).all()
    assert 567 <= net.squared_norm() <= 567 + Fraction(25, 6)  # at most 2 * 65/36 + 5/9 beside the fixed weights
    forward, backward = net.states(X[..., None])
    assert set(forward[..., 1].ravel()) | set(backward[..., 1].ravel()) <= {0, 1}


@pytest.mark.parametrize(("blocks", "hold"), [(1, 2), (3, 2), (2, 4), (5, 2)])
def test_the_slow_network_answers_by_the_middles_of_its_blocks(blocks, hold):
    rng = np.random.default_rng(blocks)
    bits, X = rng.integers(0, 2, blocks).tolist(), rng.choice([-1, 1], (4, 8 * hold * blocks))
    net = slow_parity_memory(bits, hold)
    assert (net(with_positions(X)) == parity(X, range(4 * hold, 8 * hold * blocks, 8 * hold), bits)[:, None]).all()
    forward, _ = net.states(with_positions(X))
    assert max((row**2).sum() for row in forward.reshape(-1, 5)) < 6


def test_the_slope_is_a_constant_over_the_time_an_approach_takes():
    slopes = [hold * float(slow_parity_memory([1, 0], hold).slope()) for hold in (2, 4, 16)]
    assert max(slopes) - min(slopes) < 1e-9
    assert 93 < slopes[0] < 94
    steps = [abs(net.forward[-1][0]).max() for net in (slow_parity_memory([1], 2), slow_parity_memory([1], 64))]
    assert steps == [1, 1]  # the small factor stands where the state is read: a token is written in one step


def test_the_product_of_norms_is_that_of_singular_values():
    for net in (parity_memory([1, 0, 1]), slow_parity_memory([1, 0], 4)):
        (first, _), *rest = net.forward
        parts = [first[:, : net.width], *(W for W, _ in rest)]
        product = np.prod([np.linalg.norm(W.astype(float), 2) for W in parts])
        assert float(net.slope()) == pytest.approx(product, rel=1e-12)


def test_a_residual_network_is_the_retrieval_network_where_that_has_its_weights():
    """The four-layer network of Proposition 28 with one token, as rational layers: two routes to its predictions."""
    codes = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    track = PositionTracker(codes, K=4, q=1, d=1)
    known = SimpleRetrievalRNN(track, ReluHead(np.array([1, -1]), np.array([[1], [-1]]), np.array([0, 0])), 9)
    zeros = [np.zeros(len(W), dtype=int) for W in track.layers]
    moves = tuple(zip(track.layers, zeros, strict=True))
    readout = tuple((W, np.zeros(len(W), dtype=int)) for W in known.readout)
    net = ResidualRNN(moves, moves, readout, radius2=81)
    X, T = np.array([[[3], [-2], [1], [4]]] * 4), np.repeat(np.arange(4)[:, None, None], 4, axis=1)
    assert (net(track.encode(X, T)) == known(X, T)).all()
    assert net.squared_norm() == known.squared_norm()
    assert float(net.slope()) == 0


def test_a_map_of_slope_alpha_drifts_by_the_sum_of_powers():
    """h + alpha h + 1, as two layers, against the closed form of the sum."""
    grow = ((np.array([[1, 0]]), np.array([0])), (np.array([[Fraction(1, 4)]]), np.array([1])))
    read = ((np.array([[1, 0, 0]]), np.array([0])), (np.array([[1]]), np.array([0])))
    out = ResidualRNN(grow, grow, read, radius2=10**6)(np.zeros((1, 9, 1), dtype=int))
    assert out[0].tolist() == [drift_factor(j, Fraction(1, 4)) for j in range(1, 10)]


def test_thirty_two_digits_are_not_enough():
    bits = [1] * 48
    cut, X = parity_memory(bits[:32] + [0] * 16), -np.ones((1, 48, 1), dtype=int)
    X[0, 40] = 1
    assert set(parity_memory(bits)(X)[0]) == {1}
    assert set(cut(X)[0]) == {-1}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: parity_memory([0, 2]), "0 and 1"),
        (lambda: parity_memory([]), "0 and 1"),
        (lambda: tent_start([1], growth=2), "growth > 2"),
        (lambda: slow_parity_memory([1], 3), "2, 4, 8"),
        (lambda: slow_parity_memory([1], 1), "2, 4, 8"),
        (lambda: with_positions([[1]]), "two positions"),
        (lambda: with_positions([[1, 0]]), "signs"),
        (lambda: parity_memory([1])([[[0.5]]]), "integers or fractions"),
        (lambda: parity_memory([1, 1])([[[1, 1]]]), "shape"),
        (lambda: replace(parity_memory([1]), radius2=0), "radius2 > 0"),
        (
            lambda: replace(parity_memory([1, 1, 1]), radius2=Fraction(1, 9))([[[1], [1], [1]]]),
            "a projection that acts",
        ),
        (lambda: replace(parity_memory([1]), forward=parity_memory([1]).readout), "shape"),
    ],
)
def test_what_does_not_fit_is_refused(call, said):
    with pytest.raises(DomainError, match=said):
        call()
