"""Look-ups, strings, tables and neighbours by second routes."""

import itertools
import math
from fractions import Fraction as F

import numpy as np
import pytest
import sympy
from hypothesis import strategies as st
from properties import examples

from theorytools.codes.equiangular import orthonormal, simplex
from theorytools.codes.families import binary_index, rademacher
from theorytools.constructions.attention.attention_tables import FixedPointTables
from theorytools.constructions.attention.layer import softmax
from theorytools.constructions.attention.least_temperature import minimal_temperature
from theorytools.constructions.attention.temperature import necessary_temperature, rounded_up, sufficient_temperature
from theorytools.numbers import Enclosure
from theorytools.papers.qstr.attention.average_leakage import RandomSigns
from theorytools.papers.qstr.attention.truncated_attention import TruncatedAttention, largest_norm
from theorytools.papers.sep.attention.boolean import TwoLayerBoolean, exact_parity
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.attention.long_lookup import LongLookup
from theorytools.papers.sep.attention.lookup_margin import LookupMargin, circle_margin, explicit_scale, largest_power
from theorytools.papers.sep.attention.nearest_weights import root_above
from theorytools.papers.sep.attention.position_copy import CodeCopy

half = F(1, 2)


def rng(seed):
    return np.random.default_rng(seed)


@examples(15, st.integers(2, 9), st.fractions(F(1, 20), F(9, 10), max_denominator=20))
def test_temperatures_bracket_the_target(N, target):
    # equiangular codes need exactly the sufficient temperature
    beta = sufficient_temperature((N, 0), target)
    S = (N - 1) * math.exp(-float(beta))
    if beta == 0:
        assert target + 1e-12 >= S / (1 + S)
    else:
        assert pytest.approx(float(target)) == S / (1 + S)
    assert float(necessary_temperature(N, target)) == pytest.approx(float(beta) * (1 - 1 / N))
    found = minimal_temperature(orthonormal(N), target, step=F(1, 64))
    assert float(beta) <= float(found.beta) < float(beta) + 1 / 64
    assert found.beta - found.below == F(1, 64)
    simple = minimal_temperature(simplex(N), target, step=F(1, 64))
    assert simple.beta <= found.beta


@examples(25, st.fractions(-9, 9, max_denominator=50), st.fractions(F(1, 9), 2, max_denominator=9))
def test_rounding_up_is_the_least_multiple(number, step):
    up = rounded_up(number, step)
    assert (up / step).denominator == 1
    assert number <= up < number + step
    root = rounded_up(sympy.sqrt(2), step)
    assert root >= math.sqrt(2) > root - step


@examples(20, st.integers(2, 60), st.integers(2, 30), st.integers(1, 9), st.integers(2, 9))
def test_the_radius_of_a_cut_is_the_least(N, d_e, beta, digits):
    cut = TruncatedAttention(N=N, d_e=d_e, d=2, beta=beta, r_x=3, tolerance=F(1, 10**digits))
    assert cut.error.certainly_le(cut.tau)
    assert 0 <= cut.radius <= d_e
    if cut.radius:
        assert (cut.dropped(cut.radius - 1) + cut.rounding).certainly_le(cut.tau) is not True
    weights = cut.weights()
    assert len(weights) == cut.radius + 1
    assert weights == pytest.approx([math.exp(-2 * beta / d_e * k) for k in range(cut.radius + 1)])
    assert cut.dropped(d_e).fraction() == 0
    lam = math.exp(-2 * beta / d_e)
    rest = (N - 1) * lam  # every other code lies at distance 1
    assert float(cut.dropped(0)) == pytest.approx(6 * rest / (1 + rest)) or d_e == 0


@examples(25, st.integers(0, 2**32), st.integers(1, 5))
def test_the_largest_norm_is_bounded_closely(seed, d):
    X = rng(seed).standard_normal((6, d)) * 10.0 ** rng(seed).integers(-8, 9)
    exact = max(sum(F(x) ** 2 for x in row) for row in X.tolist())
    bound = largest_norm(X)
    assert exact <= bound**2 <= exact * (1 + F(2 * d + 32, 2**53)) ** 2
    assert largest_norm(-np.abs(X)) == largest_norm(np.abs(X))
    assert largest_norm(0 * X) == 0


@examples(12, st.integers(1, 6), st.sampled_from([half, F(1, 3), F(1)]), st.integers(0, 1))
def test_random_signs_by_their_law(d_e, z, idle):
    idle = min(idle, d_e - 1)
    law = RandomSigns(2, d_e, z, idle)
    pair = {name: float(recipe_value(recipe)) for name, recipe in law.pair().items()}
    exact = law.enumerated()
    assert pair == pytest.approx({name: float(value) for name, value in exact.items()})
    assert exact["excess"] == ((1 + z) / 2) ** (d_e - idle)
    assert law.repeat_chance() == half ** (d_e - idle)
    drawn = law.draw(rng(1), 4000)
    # leakages lie in [0, 1/2]: Hoeffding with probability 2 exp(-20)
    assert abs(drawn["each"].mean() - float(exact["each"])) <= math.sqrt(20 / (2 * 4000)) / 2
    assert (drawn["worst"] >= drawn["each"] - 1e-15).all()


def recipe_value(recipe):
    from theorytools.claims.language.estimate import Budget

    *_, value = recipe.steps(0.0, Budget(bits=128))
    return sum(value.floats) / 2


def test_repeats_of_three_codes_are_counted():
    codes = list(itertools.product(range(4), repeat=3))
    assert RandomSigns(3, 2, half).repeat_chance() == F(sum(len(set(c)) < 3 for c in codes), len(codes))


@pytest.mark.parametrize(("code", "b", "symbols", "one_hot"), [
    ("binary", 3, 2, False), ("quadratic", 9, 3, False), ("binary", F(5, 2), 3, True), ("binary", 3, 4, False),
])  # fmt: skip
def test_the_worst_margin_is_that_of_all_words(code, b, symbols, one_hot):
    net = IndexLookup.of(code, 4, b, symbols=symbols, one_hot=one_hot)
    words = np.array(list(itertools.product(range(symbols), repeat=4)))
    found = min(min(net.margins(net.exact(words, p), words, p)) for p in range(4))
    bound = LookupMargin.of(net)
    assert bound.worst(b) == found
    assert bound.bound(b) <= found
    assert bound.bound(b) == 2 * bound.weight(b) - 1
    asked = min(min(net.margins(net.exact(words, p, asked=s), words, p)) for p in range(4) for s in range(symbols))
    assert bound.worst(b, query_value=1) == asked or one_hot
    a = [net.layer.weights(p)[p] for p in range(4)]
    assert bound.weight(b) == min(x.fraction() for x in a)
    if symbols == 2:
        floats = net(words, 1)
        assert np.allclose(floats.astype(float), net.exact(words, 1).astype(float))
        assert (net.answers(words, 1) == np.where(floats[:, 0] > 0, 0, 1)).all()


@examples(15, st.integers(2, 9), st.integers(0, 2**32))
def test_gaps_of_signs_without_a_table(N, seed):
    code = rademacher(N, 7, rng(seed))
    table = LookupMargin.of(IndexLookup(code.signs.astype(int), code.signs.astype(int), 5))
    counted = LookupMargin.of_signs(code)
    for b in (F(3, 2), 5):
        assert counted.worst(b) == table.worst(b)
        assert counted.weight(b) == table.weight(b)
        assert sorted(counted.sums(b)) == sorted(table.sums(b))


@pytest.mark.parametrize("k", [1, 2, 3])
def test_all_binary_codes_are_counted_by_binomials(k):
    code = binary_index(2**k)
    full, counted = LookupMargin.full_binary(k), LookupMargin.of_signs(code)
    for b in (2, F(7, 2)):
        assert full.worst(b) == counted.worst(b)
        assert list(full.sums(b)) == [((1 + F(1, 1) / F(b) ** 2) ** k - 1, F(1) / F(b) ** k)]
    assert (full.worst(5) > 0) == ((1 + F(1, 25)) ** k < 2)
    assert largest_power(F(3, 2)) == max(j for j in range(9) if (1 + F(4, 9)) ** j < 2)


@examples(15, st.integers(2, 12), st.integers(2, 40))
def test_the_circle_by_its_softmax(N, b):
    scores = np.append(np.cos(2 * np.pi * np.arange(N) / N), 0.0)
    w = softmax(math.log(b) * scores)
    weight, margin = circle_margin(N, b)
    assert float(weight) == pytest.approx(w[0])
    assert float(margin) == pytest.approx(w[0] - w[1:N].sum())
    assert float(circle_margin(N, b, query_value=1)[1]) == pytest.approx(w[0] - w[1:].sum())


@examples(25, st.integers(1, 300), st.integers(1, 6))
def test_roots_are_the_least_above(number, degree):
    root = root_above(F(number, 3), degree)
    assert root**degree >= F(number, 3)
    if degree > 1:
        assert (64 * root).denominator == 1
        assert (root - F(1, 64)) ** degree < F(number, 3)
    for code, k in (("binary", 1), ("binary", 5), ("quadratic", 3), ("jl", 5)):
        least = {"binary": min(2, k), "quadratic": 1, "jl": 3}[code]
        assert explicit_scale(code, number, k) ** least >= 3 * number
    assert explicit_scale("binary", 27, 4) == 9


@examples(20, st.integers(2, 40), st.integers(0, 2), st.integers(2, 5))
def test_a_long_look_up_is_the_layer_of_its_length(N, dropped, symbols):
    dropped = min(dropped, (N - 1).bit_length() - 1)
    net = LongLookup(N, symbols, dropped=dropped)
    k, b = net.k, net.b
    distance = np.array([[((p ^ j) & (2**k - 1)).bit_count() for j in range(N)] for p in range(N)])
    sums = [sum(b ** (2 * (k - int(d))) for d in row) for row in distance]
    assert net.code_sum == max(sums) == sums[0]
    for p in (0, N - 1):
        assert net.streamed(p) == F(b ** (2 * k), sums[p] + b**k)
    assert net.weight == net.streamed(0)
    assert net.margin == F(2 * b ** (2 * k) - sums[0], sums[0] + b**k)
    assert 2**net.c >= symbols > 2 ** (net.c - 1)
    assert net.width == net.c + 2 * k + 1


@examples(20, st.integers(1, 9), st.integers(1, 40), st.booleans(), st.integers(0, 2**32))
def test_copies_by_three_routes(n, base, causal, seed):
    copy = CodeCopy(n, base, causal)
    x, y = rng(seed).integers(0, 2, (2, 4, n))
    numerators, denominators = copy.all(x, y)
    for row in range(4):
        exact = [F(int(a), int(b)) for a, b in zip(numerators[row], denominators, strict=True)]
        assert [copy.at(x[row], y[row], i) for i in range(n)] == exact
        signs = [(2 * bits[row] - 1).astype(float)[None] for bits in (x, y)]
        assert copy.floats(*signs, "float64")[0] == pytest.approx([float(r) for r in exact])
    weights = [[base ** (copy.k - (i ^ j).bit_count()) for j in range(n)] for i in range(n)]
    assert copy.code_sum == max(map(sum, weights))
    if not causal:
        assert copy.kept == min(F(base**copy.k, sum(row) + n + 1) for row in weights)
        worst = min(F(2 * base**copy.k - sum(row) - n, sum(row) + n + 1) for row in weights)
        assert copy.least == worst
        opposite = np.zeros(n, dtype=int)
        assert min(-copy.at(1 - np.eye(n, dtype=int)[i], opposite + 1, i) for i in range(n)) >= worst


@pytest.mark.parametrize("task", ["equality", "disjointness"])
@pytest.mark.parametrize("scale", [0, 1, 2])
def test_extremes_are_those_of_all_pairs(task, scale):
    net = TwoLayerBoolean(2, task, scale)
    bits = np.array(list(itertools.product((0, 1), repeat=2)))
    x, y = np.repeat(bits, 4, axis=0), np.tile(bits, (4, 1))
    right = (x == y).all(axis=1) if task == "equality" else ~(x & y).any(axis=1)
    out = [float(v) for v in net.exact(x, y)]
    top, bottom = net.extremes()
    assert float(top()) == pytest.approx(max(v for v, r in zip(out, right, strict=True) if r))
    assert float(bottom()) == pytest.approx(min(v for v, r in zip(out, right, strict=True) if not r))
    worst = net.worst_input(1)
    assert not (worst[0] == worst[1]).all() if task == "equality" else (worst[0] & worst[1]).any()
    assert float(net.exact(*(w[None] for w in worst))[0]) >= float(bottom()) - 1e-12
    assert np.allclose(net(x, y), out)


def test_a_count_is_exact_where_the_mean_that_it_is_read_from_tells_integers_apart():
    mean, count = TwoLayerBoolean(3, "disjointness", 0, True), TwoLayerBoolean(3, "inner_product", 0, True)
    assert 0 < mean.rounding(1) < 1e-14
    assert count.rounding(1) == count.rounding(1, 2.0**-9) == 0
    assert count.rounding(1, 2.0**-8) == math.inf  # seven times the error of the mean is more than a half
    assert TwoLayerBoolean(3, "inner_product", 0, False).rounding(1) == math.inf  # violations that are no integers
    assert TwoLayerBoolean(3, "inner_product", 1, True).rounding(1) == math.inf  # a mean that is no count
    assert mean.rounding(1) < TwoLayerBoolean(3, "disjointness", 2, True).rounding(1)
    assert mean.rounding(1) < TwoLayerBoolean(3, "disjointness", 0, False).rounding(1)  # a rounded copy is exact


@examples(20, st.integers(1, 6), st.integers(0, 6), st.fractions(0, 1, max_denominator=8))
def test_parities_are_read_between_integers_by_a_line(n, j, part):
    j %= n
    value = exact_parity(Enclosure(j + part), n).fraction()
    assert value == (j % 2) * (1 - part) + ((j + 1) % 2) * part


def test_an_inner_product_is_counted_without_error():
    net = TwoLayerBoolean(3, "inner_product")
    bits = np.array(list(itertools.product((0, 1), repeat=3)))
    x, y = np.repeat(bits, 8, axis=0), np.tile(bits, (8, 1))
    parity = (x & y).sum(axis=1) % 2
    assert np.allclose(net(x, y), parity)
    assert float(net.largest_error()) <= 0.5


@examples(15, st.integers(0, 2**32), st.integers(8, 30))
def test_quantised_tables_come_close_to_the_softmax(seed, p):
    r = rng(seed)
    logits, values = r.uniform(-2, 2, (4, 3, 2)), r.uniform(-1, 1, (4, 3, 2, 1))
    model = FixedPointTables.quantised(logits, values, p, lambda o: o[:, 0, 0])
    tokens = r.integers(0, 3, (6, 4))
    e, v = model.numerators(tokens), model.values(tokens)
    assert e.min() >= 1
    assert model.e.max() == 2**p - 1
    assert -(2 ** (p - 1)) <= v.min() <= v.max() < 2 ** (p - 1)
    w = softmax(np.stack([logits[np.arange(4), row][:, 0] for row in tokens]))
    wanted = (w * np.stack([values[np.arange(4), row][:, 0, 0] for row in tokens])).sum(axis=1)
    # numerators of at least e^-4 2^p are off by a half each, a value by half a cell of width at most 2^(1-p)
    off = 2 * math.exp(4) / 2**p + 2.0**-p
    assert np.abs(model.execute(tokens) - wanted).max() <= off
