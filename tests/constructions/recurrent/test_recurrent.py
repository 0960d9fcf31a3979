"""The recurrent constructions: integers, doubles and torch agree; refusals."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import DomainError, ReluHead
from theorytools.codes.by_family import code_of_family
from theorytools.codes.families import binary_index, rademacher
from theorytools.constructions.feedforward.inner_products import InnerProductUnits, rational_unit_vector, sign_product
from theorytools.constructions.recurrent.general_tracker import GeneralTracker
from theorytools.constructions.recurrent.position_tracker import PositionTracker, code_gap
from theorytools.constructions.recurrent.simple_retrieval import SimpleRetrievalRNN, project
from theorytools.constructions.recurrent.store_all import StoreAllRNN
from theorytools.constructions.recurrent.store_all_weights import feed
from theorytools.tasks.sparse_regression import sample


def tracker(code, M, q, d):
    slope = code.d_e * -(-M // (2 * code.minimum_distance()))
    return PositionTracker(code.signs, slope, q, d)


def network(seed, N=10, q=2, d=3, M=40):
    """A network with a link head of random integers, biases included."""
    rng = np.random.default_rng(seed)
    head = ReluHead(*(rng.integers(-3, 4, shape) for shape in ((5,), (5, q * d), (5,))))
    return SimpleRetrievalRNN(tracker(rademacher(N, 24, rng), M, q, d), head, radius=M * q * d), rng


@examples(25, st.integers(2, 16), st.integers(1, 3), st.integers(1, 3), st.integers(1, 60), st.integers(0, 2**32))
def test_an_indexed_token_passes_and_nothing_else(N, q, d, M, seed):
    code, rng = code_of_family("binary", N, max(1, (N - 1).bit_length())), np.random.default_rng(seed)
    X, T = rng.integers(-M, M + 1, (4, N, d)), rng.integers(0, N, (4, N, q))
    out = (net := tracker(code, M, q, d))(net.encode(X, T))
    wanted = X[:, :, None] * (np.arange(N)[:, None] == T)[..., None]
    assert out.dtype == np.int64
    assert (out == wanted.reshape(out.shape)).all()


def test_integers_doubles_and_torch_are_bit_equal():
    net, rng = network(1)
    track = net.tracker
    X, T = rng.integers(-40, 41, (3, 10, 3)), rng.integers(0, 10, (3, 10, 2))
    Z, h = track.encode(X, T), rng.integers(-9, 10, (3, 10, 6))
    exact = track(Z, h)
    # integers below 2^53 are exact in doubles, in any order of summation
    assert (track(Z.astype(float), h.astype(float)) == exact).all()
    inputs = torch.tensor(np.concatenate([h, Z], axis=-1), dtype=torch.float64)
    assert (track.module()(inputs).detach().numpy() == exact).all()
    assert sum(float((w.detach() ** 2).sum()) for w in track.module().parameters()) == track.squared_norm()


def test_tokens_are_retrieved_bit_for_bit_and_links_are_exact():
    net, rng = network(2, M=4)
    X, T = sample(rng, 6, 10, 3, 2, simple=True)
    X = np.clip(X, -4, 4)
    stored = net.states(X, T)
    tokens = X[np.arange(6)[:, None], T[:, 0]]
    side = np.arange(10)[:, None] - T
    for h, sign in zip(stored, (1, -1), strict=True):
        assert (h.reshape(6, 10, 2, 3) == tokens[:, None] * (side * sign > 0)[..., None]).all()
    net, rng = network(3)
    X = rng.integers(-40, 41, (20, 10, 3))
    T = np.repeat(rng.integers(0, 10, (20, 1, 2)), 10, axis=1)
    T[0], T[1] = 0, 9  # the ends, repeated
    x_t = X[np.arange(20)[:, None, None], T].reshape(20, 10, 6)
    wanted = np.maximum(x_t @ net.head.W.T + net.head.b, 0) @ net.head.a
    assert (net(X, T) == wanted).all()


def test_three_tenths_of_the_slope_leaks_what_the_gates_lack():
    code, M, K = code_of_family("binary", 8, 3), 20, 9  # gap 2/3: K gamma = 6 = 3/10 M
    net = SimpleRetrievalRNN(
        PositionTracker(code.signs, K, 1, 1), ReluHead(np.ones(1), np.ones((1, 1)), np.zeros(1)), 999
    )
    X, T = np.full((1, 8, 1), M), np.full((1, 8, 1), 7)
    distances = [(7 - i).bit_count() for i in range(7)]
    leaked = sum(M - 6 * h for h in distances)
    assert leaked == 3 * 14 + 3 * 8 + 2
    assert net.states(X, T)[0][0, -1, 0] == leaked  # 0 with slopes from M/gamma on
    assert net(X, T)[0, -1] == M + leaked


def test_projections_prompts_and_heads_are_exact_or_refused():
    h = np.array([[3, 4], [1, 1]])
    assert project(h[:1], 2).tolist() == [[Fraction(6, 5), Fraction(8, 5)]]
    assert project(h, 5) is h
    assert project(np.array([[2**40]]), 2**39).tolist() == [[2**39]]  # the square leaves int64
    with pytest.raises(DomainError, match="square of a rational"):
        project(h, 1)
    moved = project(h.astype(float), 1)
    # a quotient, a root and a product: at most 4 roundings of relative size 2^-53 per entry, 8 in the norm
    assert np.abs(np.linalg.norm(moved, axis=-1) - 1).max() <= 8 * 2.0**-53 * 2
    net, _ = network(4)
    X, T = np.zeros((1, 10, 3), dtype=int), np.zeros((1, 10, 2), dtype=int)
    for tokens, indices in ((X[:, :9], T), (X, T[..., :1]), (X, T + 10), (X, T + 0.5), (X + np.nan, T)):
        with pytest.raises(DomainError):
            net(tokens, indices)
    with pytest.raises(DomainError):
        SimpleRetrievalRNN(net.tracker, ReluHead(np.ones(1), np.ones((1, 5)), np.zeros(1)), 3)
    with pytest.raises(DomainError):
        SimpleRetrievalRNN(net.tracker, net.head, 0)


@pytest.mark.parametrize("spoiled", [
    {"K": 7}, {"K": 0}, {"K": -2}, {"q": 0}, {"d": 0}, {"signs": [[1, 2]]}, {"signs": [1, -1]},
])  # fmt: skip
def test_what_is_no_tracker_is_refused(spoiled):
    with pytest.raises(DomainError):
        PositionTracker(**{"signs": np.array([[1, 1], [1, -1]]), "K": 4, "q": 1, "d": 1, **spoiled})


def store_all(seed, N=12, d=4, size=9, **options):
    """A network with a random integer link, and the bound of its payloads for tokens up to ``size``."""
    rng = np.random.default_rng(seed)
    code, u = rademacher(N, 20, rng), rng.integers(-3, 4, d)
    M = max(1, int(np.abs(u).sum()) * size)
    slope = 20 * -(-M // (2 * code.minimum_distance()))
    options = {name: M if value == "M" else value for name, value in options.items()}
    return StoreAllRNN(code.signs, slope, u, (N * M) ** 2, **options), rng


@pytest.mark.parametrize("clip", [None, "M"])
@pytest.mark.parametrize("left_out", [((), ()), ((11,), (0,))])
def test_storing_every_payload_solves_the_general_task(left_out, clip):
    net, rng = store_all(5, left_out=left_out, clip=clip)
    X, T = rng.integers(-9, 10, (15, 12, 4)), rng.integers(0, 12, (15, 12, 1))
    assert (net(X, T) == np.take_along_axis(X @ net.u, T[..., 0], axis=1)).all()
    assert net.d_h == 12 - len(left_out[0])
    assert net.unread() == 0
    assert len(net.readout) == 3 + (clip is not None)
    # integers in doubles are exact
    assert (net(X.astype(float), T) == net(X, T)).all()


@examples(25, st.integers(2, 9), st.integers(1, 4), st.integers(1, 9), st.booleans(), st.integers(0, 2**32))
def test_the_norm_of_the_weights_has_its_closed_form(N, d, size, clipped, seed):
    net, _ = store_all(seed, N, d, size, clip="M" if clipped else None)
    assert net.squared_norm() == net.norm_formula()


def test_the_radius_need_not_be_the_root_of_a_square():
    net = replace(StoreAllRNN.binary(4, 2), K=40)
    X, T = np.ones((1, 4, 1)), np.zeros((1, 4, 1), dtype=int)
    forward, _ = net.states(X, T)
    # (1, 1), then (1, 1, 1) scaled to squared length 2: three roundings per entry, four in the square
    assert np.abs((forward[0] ** 2).sum(axis=1) - [0, 1, 2, 2]).max() <= 2 * 8 * 2.0**-53
    with pytest.raises(DomainError, match="exact"):
        net.states(X.astype(int), T)
    X[0, 1:, 0], exact = 0, replace(net, radius2=Fraction(9, 4))
    assert exact.states(3 * X.astype(int), T)[0][0, -1].tolist() == [Fraction(3, 2), 0, 0, 0]


@pytest.mark.parametrize("clipped", [False, True])
def test_beyond_the_gates_an_answer_has_the_size_that_the_risk_bound_says(clipped):
    net = StoreAllRNN.binary(6, 12, clipped=clipped)
    rng = np.random.default_rng(7)
    X, T = 10.0 ** rng.integers(0, 4, (200, 6, 1)) * rng.standard_normal((200, 6, 1)), rng.integers(0, 6, (200, 6, 1))
    assert (np.abs(X) > 2 * net.K / net.inputs.d_e).any()
    # the left side is mostly far below; ten roundings of the larger numbers are less than one part in 10^12
    assert (np.abs(net(X, T)) <= (2 * np.sqrt(6 * 12) + 6 * np.abs(X[..., 0])) * (1 + 1e-12)).all()


@pytest.mark.parametrize("clip", [None, "M"])
def test_the_clipped_readout_alone_is_lipschitz_far_from_the_run(clip):
    net, rng = store_all(6, clip=clip)
    z = np.repeat(net.inputs.encode(rng.integers(-9, 10, (1, 12, 4)), np.full((1, 12, 1), 3))[0, :1], 400, axis=0)
    one = rng.integers(-40, 41, (400, 24)) * net.K
    other = one + rng.integers(-9, 10, one.shape)
    gap = (feed(np.hstack([one, z]), net.readout) - feed(np.hstack([other, z]), net.readout))[:, 0]
    assert (gap**2 <= 2 * ((one - other) ** 2).sum(axis=1)).all() == (clip is not None)


@pytest.mark.parametrize(
    "spoiled", [{"left_out": ((2,), ())}, {"radius2": 0}, {"K": 3}, {"radius2": float("nan")}, {"clip": 0}]
)
def test_what_stores_nothing_is_refused(spoiled):
    plain = {"signs": np.array([[1, 1], [1, -1]]), "K": 4, "u": np.ones(1, dtype=int), "radius2": 81}
    with pytest.raises(DomainError):
        StoreAllRNN(**{**plain, **spoiled})
    with pytest.raises(DomainError, match="NaN"):
        StoreAllRNN(**plain)([[[np.nan], [0.0]]], [[[0], [1]]])


@examples(
    25, st.lists(st.tuples(*[st.fractions(-1, 1, max_denominator=50)] * 2), min_size=1, max_size=5),
    st.integers(1, 12),
)  # fmt: skip
def test_approximate_products_are_within_their_certified_error(entries, cells):
    a, b = zip(*entries, strict=True)
    units = InnerProductUnits(cells)
    assert abs(units(a, b) - sum(x * y for x, y in entries)) <= units.error(len(entries))
    assert units(a, b) == units(b, a)


@examples(25, st.lists(st.tuples(*[st.sampled_from([-1, 1])] * 2), min_size=1, max_size=9))
def test_products_of_signs_are_exact(entries):
    s, t = zip(*entries, strict=True)
    assert sign_product(s, t) == Fraction(sum(x * y for x, y in entries), len(entries))


@examples(25, st.lists(st.integers(-9, 9), min_size=1, max_size=4))
def test_rational_unit_vectors_have_length_one(v):
    assert sum(x * x for x in rational_unit_vector(v)) == 1


def test_a_general_tracker_needs_enough_cells():
    codes = [rational_unit_vector(v) for v in ([2, 0], [0, 2], [-1, 1])]
    gap = code_gap(codes)
    # the ramp is empty up to d_e / m^2 = gamma / 2
    enough = next(m for m in range(1, 99) if Fraction(3, m**2) < gap / 2)
    net = GeneralTracker.of(codes, 3, enough)
    assert [net([3, -2], i, 1) for i in range(3)] == [[0, 0], [3, -2], [0, 0]]
    refuses(
        DomainError, (lambda: GeneralTracker.of(codes, 3, enough - 1), "lo < hi"),
        (lambda: GeneralTracker.of(codes, 0, enough), "positive"), (lambda: InnerProductUnits(3)([2], [0]), "radius"),
    )  # fmt: skip


@pytest.mark.parametrize(("N", "q", "d"), [(4, 1, 1), (64, 1, 2), (16, 3, 2)])
def test_both_conventions_of_its_norm_are_those_of_their_formulas(N, q, d):
    net = PositionTracker(binary_index(N).signs, K=4 * (N - 1).bit_length(), q=q, d=d)
    d_e, K = net.signs.shape[1], net.K
    both = [2 * d + 4 * q * d_e + 4 * q * d * (1 + Fraction(K * K, part)) + 2 * q * d for part in (d_e, 1)]
    assert [net.squared_norm(), net.squared_norm(unit=True)] == both
