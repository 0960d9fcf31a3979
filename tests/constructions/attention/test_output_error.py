"""The output of the whole network: exact against float64, and the numbers of the record."""

from fractions import Fraction

import numpy as np
import pytest
import sympy

from theorytools import BlockAttention, DomainError, sufficient_temperature
from theorytools.codes.families import rademacher
from theorytools.constructions.feedforward.link_heads import linear_head
from theorytools.constructions.feedforward.readout import ReluHead, exact_label
from theorytools.numbers import at_precision
from theorytools.papers.qstr.attention.output_error import extremal_prompt, head_norms, label_error, sum_head
from theorytools.papers.qstr.attention.stored_norms import scattered_norms


def network(N=16, d_e=23, beta=Fraction(213, 10), q=3, d=4, **options):
    return BlockAttention(rademacher(N, d_e, np.random.default_rng(0)), beta, q, d, **options)


def test_numbers_of_the_record_and_a_network_without_head():
    # N = 64, d = 10, q = 3, r_x = 5, leakage target 1e-4: tokens off by 3.892410e-5, labels by 6.742e-5
    code = rademacher(64, 67, np.random.default_rng(0))
    head = linear_head(np.eye(10)[0], 3)
    net = BlockAttention(code, sufficient_temperature(code, "1e-4"), 3, 10, head)
    prompts = [extremal_prompt(net, 5, t) for t in net.probes(1)]
    tokens = [at_precision(128, lambda X=X, T=T: 5 - net.exact_token(X, T, 0, 1)[0]) for X, T in prompts]
    labels = [at_precision(128, lambda X=X, T=T: label_error(net, head, X, T, 0)) for X, T in prompts]
    assert max(map(float, tokens)) == pytest.approx(3.892410e-5, rel=1.3e-7)  # seven digits of the record
    assert max(map(float, labels)) == pytest.approx(6.742e-5, rel=7.5e-5)
    assert 2 * 5 * float(at_precision(128, net.worst_leakage)) == pytest.approx(3.892410e-5, rel=1.3e-7)
    net = network()
    with pytest.raises(DomainError, match="head"):
        label_error(net, sum_head(3, 4), *extremal_prompt(net, 1, 0), 0)
    with pytest.raises(DomainError, match="units"):
        sum_head(3, 4, units=3)


@pytest.mark.parametrize("units", [1, 2])
def test_exact_labels_are_the_float_ones_and_the_extremal_prompt_attains_the_bound(units):
    head = sum_head(3, 4, units=units)
    net = network(head=head)
    rng = np.random.default_rng(1)
    X, T = rng.integers(-3, 4, (16, 4)), rng.integers(0, 16, (16, 3))
    tokens = [x for h in range(3) for x in net.exact_token(X.tolist(), T, 5, h)]
    # tokens below 3: three weights of relative error below 96·22·2^-52 each, summed
    assert float(exact_label(head, tokens)) == pytest.approx(net(X[None].astype(float), T[None])[0, 5], abs=1e-10)
    assert float(exact_label(head, tokens)) == pytest.approx(head(np.array([float(x) for x in tokens])), abs=1e-12)
    net = network(beta=23 * sympy.log(2), head=sum_head(3, 4, units=units))
    errors = [label_error(net, net.head, *extremal_prompt(net, 5, t), 0).fraction() for t in range(16)]
    assert max(errors) == 2 * 3 * 5 * net.worst_leakage().fraction()


def test_biases_and_norms_of_heads_and_blocks():
    head = ReluHead(np.array([2.0, -1.0]), np.array([[1.0, -0.5], [0.0, 1.0]]), np.array([0.25, -3.0]))
    # 2 (1/3 - 1/2·1/7 + 1/4)_+ - (1/7 - 3)_+
    expected = 2 * (Fraction(1, 3) - Fraction(1, 14) + Fraction(1, 4))
    assert exact_label(head, [Fraction(1, 3), Fraction(1, 7)]).fraction() == expected
    assert head_norms(sum_head(4, 3, units=1)) == (1, 2)
    assert head_norms(sum_head(3, 5, units=2)) == (sympy.sqrt(2), sympy.sqrt(6))
    head = linear_head(np.full(4, 0.5), 3)
    A, B = head_norms(head)
    assert float(A * B) == pytest.approx(2, rel=1e-15)  # weights are doubles near 1/sqrt(12)
    assert float(B) == pytest.approx(np.linalg.norm(head.W), rel=1e-15)
    net = network(beta=8)
    W = net.W_QK(2)
    norms = scattered_norms(W)
    assert float(norms.squared_frobenius) == pytest.approx(np.linalg.norm(W) ** 2, rel=1e-13)
    assert float(norms.operator) == pytest.approx(np.linalg.norm(W, 2), rel=1e-12)
    assert float(norms.columns) == pytest.approx(np.linalg.norm(W, axis=0).sum(), rel=1e-13)
    assert scattered_norms(np.zeros((3, 2))).operator == 0


@pytest.mark.parametrize("W", [np.ones((2, 2)), np.array([[1.0, 0], [1.0, 0]]), np.array([[np.inf, 0], [0, 1.0]])])
def test_other_matrices_are_refused(W):
    with pytest.raises(DomainError):
        scattered_norms(W)
