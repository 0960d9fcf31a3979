"""The remarks to the learning theorem, by a second route: singular values, sampled networks, quadrature."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from devices import device
from hypothesis import strategies as st
from properties import examples

from theorytools import DomainError
from theorytools.constructions.feedforward.readout import ReluHead

scores = device("qstr/theorem_04/_code_scores")
KINDS = st.sampled_from(["identity", "diagonal", "full"])


@examples(25, st.sampled_from([(8, 7), (16, 6), (16, 15), (32, 9)]), KINDS, st.integers(1, 4), st.integers(1, 5))
def test_separate_norms_are_nuclear_norms_of_the_merged_scores(size, kind, q, d):
    net = scores.SeparateScores(scores.independent_words(*size), kind, q, d)
    nuclear = np.linalg.svd(net.A.T @ net.A, compute_uv=False).sum()  # W_Q = W_K = A is the cheapest pair
    assert net.norm() == pytest.approx(2 * q * nuclear, rel=1e-10)
    omega = net.codes.matrix()
    table = d / q * omega @ net.A.T @ net.A @ omega.T
    gaps = (np.diag(table)[:, None] - table)[~np.eye(len(table), dtype=bool)]
    assert [float(x) for x in net.gaps()] == pytest.approx([gaps.min(), gaps.max()], rel=1e-9)
    spread = len(omega) * omega.T @ omega - np.outer(omega.sum(0), omega.sum(0))
    assert np.allclose(spread, len(omega) ** 2 / net.codes.d_e * np.eye(net.codes.d_e))


def test_no_drawn_factors_are_cheaper_than_the_nuclear_norm():
    rng = np.random.default_rng(5)
    for _ in range(50):
        W_Q, W_K = rng.standard_normal((2, 4, 6))
        nuclear = np.linalg.svd(W_Q.T @ W_K, compute_uv=False).sum()
        assert (W_Q**2).sum() + (W_K**2).sum() >= 2 * nuclear


def test_words_and_scores_outside_their_range_are_refused():
    for N, d_e in ((6, 3), (8, 2), (8, 8), (2, 1)):
        with pytest.raises(DomainError):
            scores.independent_words(N, d_e)
    twice = type(scores.independent_words(8, 3))(np.ones((4, 3), dtype=np.int8))
    with pytest.raises(DomainError):
        scores.SeparateScores(twice, "identity", 1, 1).gaps()


@examples(60, *[st.fractions(-9, 9, max_denominator=8)] * 2, st.fractions(Fraction(1, 8), 5, max_denominator=8))
def test_clipping_costs_at_most_the_square_of_what_the_label_is_above_the_level(guess, y, level):
    cut = min(max(guess, -level), level)
    assert (cut - y) ** 2 - (guess - y) ** 2 <= max(abs(y) - level, 0) ** 2
    assert (cut - y) ** 2 <= (level + abs(y)) ** 2


@pytest.mark.parametrize(("N", "q"), [(2, 1), (3, 2), (4, 2), (4, 3), (5, 1), (4, 4)])
def test_the_worth_of_all_labels_by_enumeration_of_pairs_of_tuples(N, q):
    tuples = list(permutations(range(N), q))
    squares = [Fraction(len(set(s) & set(t)) ** 2, q * q) for s in tuples for t in tuples]
    pair = sum(squares) / len(squares)
    share = Fraction(1, N) + Fraction(N - 1, N) * pair
    assert share == Fraction(2 * N - 1 + (q - 1) ** 2, N * N)


def test_the_variance_of_the_averaged_risk_of_drawn_prompts():
    N, q, draws = 4, 2, 200_000
    rng = np.random.default_rng(11)
    errors = rng.standard_normal((draws, N))  # the products of e with the tokens, R = 1
    chosen = rng.random((draws, N, N)).argsort(axis=2)[:, :, :q]
    own = np.take_along_axis(np.repeat(errors[:, None], N, axis=1), chosen, axis=2).sum(2) / np.sqrt(q)
    risks = (own**2).mean(axis=1)
    # Var is 2 (2N - 1 + (q - 1)^2) / N^2 = 1; its estimate has standard deviation below 0.02 by the drawn kurtosis
    deviation = np.sqrt((((risks - 1) ** 2).var()) / draws)
    assert deviation < 0.02
    assert abs(((risks - 1) ** 2).mean() - 1) < 5 * deviation


def test_a_head_predicts_the_same_with_its_layers_rescaled_to_equal_norms():
    rng = np.random.default_rng(2)
    a, W, b = rng.standard_normal(12), rng.standard_normal((12, 5)), rng.standard_normal(12)
    t = np.sqrt(np.sqrt((W**2).sum() + (b**2).sum()) / np.linalg.norm(a))
    v = rng.standard_normal((40, 5))
    assert ReluHead(t * a, W / t, b / t)(v) == pytest.approx(ReluHead(a, W, b)(v), rel=1e-10, abs=1e-12)
    inner = np.sqrt((W**2).sum() + (b**2).sum())
    assert (t * t * a @ a) + inner**2 / t**2 == pytest.approx(2 * np.linalg.norm(a) * inner)


def test_the_width_at_which_the_head_has_more_parameters():
    for q, D_e in product(range(1, 7), range(3, 60)):
        found = next(m for m in range(1, 2 * D_e) if m * (q * D_e + 2) >= q * D_e**2)
        assert found == D_e - max(0, 2 - q), (q, D_e)
