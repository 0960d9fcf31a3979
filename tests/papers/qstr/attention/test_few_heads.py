"""Few heads: the exact law, the forward pass and the module agree; the bound holds for every attention."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy
import torch
from hypothesis import assume
from hypothesis import strategies as st
from properties import examples
from refusals import refused

from theorytools import BlockAttention, DomainError
from theorytools.codes.equiangular import simplex
from theorytools.codes.families import hadamard, rademacher
from theorytools.numbers import at_precision, ball_matmul, rational_rank
from theorytools.papers.qstr import FewHeads
from theorytools.papers.qstr.few_heads.quadratic_readout import AttentionRows, best_error, gram, transpose
from theorytools.papers.qstr.few_heads.single_head import CrossHead, UniformHead
from theorytools.papers.qstr.tasks.few_heads import FewTokens
from theorytools.tasks import sparse_regression as qstr

LOG = sympy.log


def network(N, d, q, H, odds=16, codes=hadamard, **task):
    return FewHeads(codes(N), LOG(odds), FewTokens(N, d, q, **task), H)


def gaussian_grid(task, nodes):
    """Tokens and weights of the Gauss-Hermite product rule: exact below degree 2 nodes per coordinate."""
    x, w = np.polynomial.hermite_e.hermegauss(nodes)
    k = task.K * task.d
    X = np.zeros((nodes**k, task.N, task.d))
    X[:, : task.K] = np.array(list(product(x, repeat=k))).reshape(-1, task.K, task.d)
    return X, np.prod(list(product(w / w.sum(), repeat=k)), axis=1)


def moments(net, nodes=5):
    X, w = gaussian_grid(net.task, nodes)
    Z = np.square(net.task.labels(X) - net.predict(X)).mean(axis=1)
    return w @ Z, w @ Z**2


@pytest.mark.parametrize(
    "net",
    [network(8, 1, 2, 1, odds=4), network(8, 1, 3, 2, odds=2), network(7, 1, 3, 3), network(5, 2, 1, 1, odds=3),
     network(6, 2, 2, 1, odds=3, early="same"), network(8, 1, 3, 2, late=(0, 2, 7)),
     FewHeads(rademacher(7, 12, np.random.default_rng(1)), 5, FewTokens(7, 1, 2), 1),
     FewHeads(simplex(8), 3, FewTokens(8, 1, 3), 1)],
)  # fmt: skip
def test_risk_and_its_fourth_moment_are_those_of_the_forward_pass(net):
    # Z has degree 4 and Z^2 degree 8 in each coordinate: five nodes integrate both exactly, up to rounding
    # of numbers below 1e4 summed 125 times: 1e-10 leaves two digits
    risk, square = moments(net)
    assert risk == pytest.approx(float(at_precision(128, net.risk)), abs=1e-10)
    assert square <= float(at_precision(128, net.fourth_moment)) + 1e-10


def test_projections_and_uniform_heads_are_exact():
    # q = K and one tuple: e is (chi^2_k - k)/sqrt(q d), and every inequality behind the bound is an equality
    net = network(7, 1, 3, 1, early="same")
    law = net.residual_law()
    assert law.rank == 2
    assert law.second_moment().fraction() == Fraction(4, 3)
    assert law.fourth_moment().fraction() == Fraction(12 * 4 + 48 * 2, 9)
    assert moments(net)[1] == pytest.approx(float(law.fourth_moment()), rel=1e-12)
    whole = UniformHead(hadamard(7), LOG(4), FewTokens(7, 1, 3, link="lin", early="same"))
    assert whole.risk().fraction() == 0  # q = K: nothing leaks from another Gaussian token
    net = UniformHead(hadamard(8), LOG(4), FewTokens(8, 1, 2, link="lin"))
    assert net.late_error().fraction() == Fraction(1, 2 * 4**2)  # (K - q) / (q odds^2)
    risk, square = moments(net, nodes=3)
    assert risk == pytest.approx(float(net.risk()), rel=1e-12)
    assert square <= float(net.fourth_moment())


def test_three_passes_agree_and_errors_do_not_depend_on_the_block():
    rng = np.random.default_rng(2)
    for net in (network(8, 2, 3, 2, odds=8), FewHeads(rademacher(9, 16, rng), 6, FewTokens(9, 3, 4), 2)):
        task = net.task
        X, T = task.draw(rng, 5), np.ascontiguousarray(np.broadcast_to(task.tuples(), (5, task.N, task.q)))
        fast = net.predict(X)
        # sums of at most 200 products of numbers below 10: errors below 200 * 100 * 2^-53 < 1e-11
        np.testing.assert_allclose(net(X, T), fast, atol=1e-11)
        module = net.module()(torch.tensor(X), torch.tensor(T)).detach().numpy()
        np.testing.assert_allclose(module, fast, atol=1e-11)
    net = network(8, 1, 2, 1)
    draw = net.task.squared_errors(net.predict)
    many = draw(np.random.default_rng(5), 60_000)  # two blocks
    assert many.shape == (60_000,)
    few = draw(np.random.default_rng(5), 100)
    np.testing.assert_allclose(many[:100], few, rtol=1e-12)


def test_labels_weights_and_late_positions_are_those_of_the_task():
    rng = np.random.default_rng(3)
    for link, u in (("sq", None), ("lin", np.eye(2)[0])):
        task = FewTokens(9, 2, 3, link=link, late=(1, 0, 3))
        X, T = task.draw(rng, 4), np.broadcast_to(task.tuples(), (4, 9, 3))
        np.testing.assert_allclose(task.labels(X), qstr.labels(X, T, link, u), atol=1e-13)
        assert not X[:, task.K :].any()
        assert X[:, : task.K].all()
    for N in range(3, 12):
        task = FewTokens(N, 1, 1)
        assert sum(2 * i < N for i in range(1, N + 1)) == task.K  # the paper's positions i < N/2
        assert [count for _, count in task.groups()] == [N - task.K, task.K]
    net = network(8, 1, 3, 2, odds=5)
    X, T = np.zeros((1, 8, 1)), net.task.tuples()[None]
    layer = BlockAttention(hadamard(8), LOG(5), 3, 1).attention(X, T)[0, :2, -1]
    np.testing.assert_allclose([[float(w) for w in row] for row in net.rows((0, 1, 2))], layer, rtol=1e-14)


def test_the_readout_is_best():
    # Cov(x'Bx, <v_h, v_k>) = 2 d V_h B V_k' vanishes for the conditional mean: V J V' = G C G
    net = network(16, 2, 4, 3, odds=3)
    V = [row[:7] for row in net.rows(net.task.indices)]
    G, M = gram(V, range(7)), gram(V, range(4))
    seen = ball_matmul(ball_matmul(G, net.form()), G)
    assert all(x.fraction() == y.fraction() for r, t in zip(seen, M, strict=True) for x, y in zip(r, t, strict=True))
    rows = [row[:7] for row in net.rows(net.task.indices)]
    assert best_error(rows, 4).same(net.late_error())
    assert transpose(transpose(rows))[2][3].same(rows[2][3])
    net = network(8, 1, 2, 1, odds=4)
    best = moments(net)[0]
    C, a, b = net.weights
    for other in ((C * 1.01, a, b), (C, a + 0.01, b), (C, a, b + 0.1)):
        spoiled = network(8, 1, 2, 1, odds=4)
        spoiled.__dict__["weights"] = other
        assert moments(spoiled)[0] > best + 1e-6


def test_cross_block_reveals_every_token():
    rng = np.random.default_rng(4)
    task = FewTokens(8, 1, 3)
    net = CrossHead(hadamard(8), LOG(64), task)
    X, T = task.draw(rng, 200), np.broadcast_to(task.tuples(), (200, 8, 3))
    y, guess = task.labels(X), net.predict(X)
    # log-weights are off by 1e-14, tokens by 1e-13, squares of tokens below 6 by 1e-12
    np.testing.assert_allclose(guess, np.clip(y, -net.limit, net.limit), atol=1e-11)
    layer = BlockAttention(hadamard(8), LOG(64), 3, 1)
    Z = layer.encode(X, T)
    scores = Z @ net.W_QK() @ Z.transpose(0, 2, 1)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(net.head(weights @ hadamard(8).matrix()), guess, atol=1e-11)


@examples(40, st.data(), st.integers(1, 4), st.integers(0, 3), st.integers(0, 2))
def test_no_attention_beats_the_bound(data, H, more, noise):
    q = H + more
    cells = st.integers(0, 20)
    rows = [[data.draw(cells) for _ in range(q + noise)] for _ in range(H)]
    assume(rational_rank(rows) == H)
    error = AttentionRows(tuple(map(tuple, rows)), q).late_error().fraction()
    bound = 2 * (1 - Fraction(H, q))
    assert error >= bound
    if noise == 0:
        assert error == bound
    scaled = [[3 * x for x in row] for row in rows[1:]] + [[x + y for x, y in zip(rows[0], rows[-1], strict=True)]]
    if H > 1:  # only the span of the rows matters
        assert best_error(scaled, q).fraction() == error


@examples(40, st.integers(2, 30), st.integers(1, 3), st.integers(0, 2))
def test_leakage_term_bounds_the_excess(odds, H, more):
    q = H + more
    net = network(16, 1, q, H, odds=odds)
    error, bound = net.late_error().fraction(), 2 * (1 - Fraction(H, q))
    assert bound < error <= bound + Fraction(4 * H * (7 - q), q * odds**2)


test_refusals = refused(
    DomainError, lambda: FewTokens(8, 1, 4), lambda: FewTokens(2, 1, 1), lambda: FewTokens(8, 1, 2, early="none"),
    lambda: FewTokens(8, 1, 2, late=(1, 1)), lambda: FewTokens(8, 1, 2, late=(1, 8)), lambda: network(8, 1, 2, 3),
    lambda: network(8, 1, 2, 1, link="lin"), lambda: FewHeads(hadamard(16), LOG(2), FewTokens(8, 1, 2), 1),
    lambda: network(8, 1, 2, 2, odds=1).late_error(), lambda: network(8, 1, 2, 1, odds=1).readout(),
    lambda: network(8, 1, 2, 1).residual_law((1, 0)), lambda: network(8, 1, 2, 1).predict(np.zeros((3, 8, 2))),
    lambda: best_error([[1, 2], [2, 4]], 2), lambda: UniformHead(hadamard(8), LOG(2), FewTokens(8, 1, 2)),
    lambda: CrossHead(hadamard(8), LOG(2), FewTokens(8, 2, 2)),
    lambda: CrossHead(simplex(8), LOG(2), FewTokens(8, 1, 2)),
    lambda: CrossHead(hadamard(64), LOG(2), FewTokens(64, 1, 17)),
)  # fmt: skip
