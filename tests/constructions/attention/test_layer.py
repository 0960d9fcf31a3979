"""The attention layer itself: its five evaluators against each other, and against enumeration."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import sympy
import torch

from theorytools import BlockAttention, DomainError, bch, hadamard
from theorytools.codes.families import rademacher
from theorytools.constructions.attention import layer as layers
from theorytools.constructions.attention.layer import AttentionLayer
from theorytools.constructions.attention.lookup_precision import LookupFormat
from theorytools.constructions.network import DOUBLE, SINGLE, weights_rounding
from theorytools.numbers import Enclosure, maximum, minimum
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.attention.lookup_margin import LookupMargin

LAYERS = {
    "integers, rational weights": AttentionLayer(np.array([[3, 0, 1, 0], [0, 2, 2, 1]]), sympy.log(2)),
    "integers, irrational weights": AttentionLayer(np.array([[5, -1, 3], [1, 4, 4], [0, 0, 2]]), 3, over=5),
    "fractions": AttentionLayer([[Fraction(1, 2), 1, Fraction(-1, 3)]], sympy.log(4)),
    "a silent key": AttentionLayer(np.array([[4, 0, 2], [0, 4, 2]]), sympy.log(3), silent=1),
    "a set": AttentionLayer(np.array([[2, 2, 0, 1]]), sympy.log(5), asked=[(0, 1)]),
}  # fmt: skip


@pytest.fixture(params=LAYERS, ids=str)
def layer(request):
    return LAYERS[request.param]


def shape(layer):
    return len(layer.scores), len(layer.scores[0])


def reach(layer, size, u=DOUBLE):
    """What floats may lose, for values of modulus up to ``size``."""
    largest = max(abs(float(k)) for q in range(len(layer.scores)) for k in layer.row(q)) / layer.over
    return size * weights_rounding(float(layer.beta) * largest, 1, shape(layer)[1], u)


def test_floats_lie_within_rounding_of_the_exact_outputs(layer):
    Q, J = shape(layer)
    values = np.random.default_rng(1).integers(-9, 10, (J, 3))
    found, allowed = layer(values.astype(float)), reach(layer, 9)
    assert allowed < 1e-12
    for q in range(Q):
        exact = layer.exact(q, values.tolist())
        assert all(abs(Enclosure(float(a)) - b).certainly_lt(allowed) for a, b in zip(found[q], exact, strict=True))
        dot = [sum((w * int(v) for w, v in zip(layer.weights(q), column, strict=True)), Enclosure(0))
               for column in values.T]  # fmt: skip
        assert all((a - b).contains(0) for a, b in zip(exact, dot, strict=True))


def test_torch_is_the_call(layer):
    values = np.random.default_rng(2).integers(-9, 10, (2, shape(layer)[1], 3)).astype(float)
    for dtype, u in ((torch.float64, DOUBLE), (torch.float32, SINGLE)):
        found = layer.module(dtype)(torch.tensor(values, dtype=dtype)).detach().double().numpy()
        assert np.abs(found - layer(values)).max() <= reach(layer, 9, u) + reach(layer, 9)
    with pytest.raises(DomainError, match="int64"):
        layer.module(torch.int64)


def test_the_worst_case_is_that_of_enumeration(layer):
    Q, J = shape(layer)
    loud, least, most = J - layer.silent, [], []
    for q in range(Q):
        wanted = {q} if layer.asked is None else set(layer.asked[q])
        for signs in itertools.product((-1, 1), repeat=J):
            if not all(signs[j] == 1 for j in wanted):
                continue
            heard = [[y if j < loud else 0] for j, y in enumerate(signs)]
            least.append(layer.exact(q, heard)[0])
            most.append((1 - layer.exact(q, [[y] for y in signs])[0]) / 2)
    assert (layer.margin() - minimum(least)).contains(0)
    assert (layer.leakage() - maximum(most)).contains(0)


def test_a_machine_format_rounds_the_weights(layer):
    Q, J = shape(layer)
    exact = np.array([[float(w) for w in layer.weights(q)] for q in range(Q)])
    for bits in (12, 24, 40):
        found = layer.rounded(LookupFormat("bits", bits))
        # a score of modulus below 8, its difference, exponential, sum and quotient: 8 + 16 + 3 roundings of 2^-bits,
        # each weight and the sum
        assert np.abs(found / exact - 1).max() <= 2 * (8 + 16 + 4) * 2.0**-bits
        mantissa, _ = np.frexp(found)
        assert (np.ldexp(mantissa, bits) % 1 == 0).all()
    assert np.allclose(layer.rounded(LookupFormat("float64")), layer.attention(), rtol=1e-14)
    assert found.shape[1] == J


def test_a_score_beyond_the_range_is_refused():
    with pytest.raises(DomainError, match="range of the format"):
        AttentionLayer(np.array([[100000, 0]]), 1).rounded(LookupFormat("float16"))


@pytest.mark.parametrize("code", [hadamard(8), bch(64), rademacher(12, 9, np.random.default_rng(3))], ids=str)
def test_the_profiles_of_a_code_give_the_leakage_of_its_table(code):
    net = BlockAttention(code, beta=sympy.log(7))
    table = AttentionLayer(np.asarray(net.layer.scores), net.layer.beta, net.layer.over)
    assert net.layer.code is code
    assert table.code is None
    assert (net.worst_leakage() - table.leakage()).contains(0)


@pytest.mark.parametrize("options", [{}, {"symbols": 3}, {"symbols": 3, "one_hot": True}], ids=str)
@pytest.mark.parametrize(("code", "N", "b"), [("binary", 6, 3), ("quadratic", 5, Fraction(7, 2)), ("binary", 4, 1)])
def test_the_margin_of_a_table_is_the_closed_one_of_its_gaps(code, N, b, options):
    net = IndexLookup.of(code, N, b, **options)
    assert net.layer.margin().fraction() == LookupMargin.of(net).worst(b)
    assert 1 - net.layer.leakage().fraction() == LookupMargin.of(net).weight(b)


def test_values_may_stand_at_keys_in_another_order():
    layer, values = LAYERS["integers, rational weights"], [[1], [10], [100], [1000]]
    order = [2, 0, 3, 1]
    moved = [values[order.index(j)] for j in range(4)]
    assert layer.exact(1, values, keys=order)[0].fraction() == layer.exact(1, moved)[0].fraction()
    assert layer.exact(0, [[5], [7]], keys=[0, 0])[0].fraction() == 6  # twice the same key: equal weights


def test_long_tables_are_read_row_by_row(monkeypatch):
    code = rademacher(40, 12, np.random.default_rng(4))
    held, read = BlockAttention(code, 9), BlockAttention(code, 9)
    X, T = np.arange(40)[:, None].tolist(), np.full((40, 1), 7)
    first = held.exact_token(X, T, 0, 0)[0]
    monkeypatch.setattr(layers, "_TABLE", 100)
    monkeypatch.setattr(type(code), "gram_numerators", lambda self: pytest.fail("the table is not to be held"))
    assert str(first) == str(read.exact_token(X, T, 0, 0)[0])


def test_products_of_codes_are_a_table():
    net = IndexLookup.of("quadratic", 5, 3)
    table = np.asarray(net.layer.scores)
    assert table.shape == (5, 6)
    assert all((net.layer.scores[q] == table[q]).all() for q in range(5))
    np.testing.assert_array_equal(table[:, :-1], net.queries @ net.keys.T)
    np.testing.assert_array_equal(table[3], net.scores(net.stream([[0] * 5], 3))[0])


@pytest.mark.parametrize("q", [-1, 2])
def test_a_query_that_does_not_exist_is_refused(q):
    with pytest.raises(DomainError, match="query"):
        LAYERS["integers, rational weights"].weights(q)
