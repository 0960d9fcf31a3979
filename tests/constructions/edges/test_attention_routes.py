"""Numbers of attention by second routes: brute force on small sizes, doubles beside rationals, bounds that bite."""

import itertools
import math
from fractions import Fraction as F

import numpy as np
import pytest
import sympy
from hypothesis import strategies as st
from properties import eighths, examples

from theorytools.codes.bch import bch
from theorytools.codes.encodings import orthonormal_encodings, sign_encodings
from theorytools.codes.families import binary_index, hadamard, rademacher
from theorytools.codes.gram import orthonormal, simplex
from theorytools.constructions.attention.average_leakage import RandomSigns
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.attention.boolean import TwoLayerBoolean, exact_parity
from theorytools.constructions.attention.equality import close_pairs, equal_in_floats, equality_weights, sequential_sum
from theorytools.constructions.attention.few_heads.quadratic_readout import AttentionRows, best_error, gram
from theorytools.constructions.attention.fixed_point import FixedPointTables, MarginEquality
from theorytools.constructions.attention.index_lookup import IndexLookup
from theorytools.constructions.attention.layer import AttentionLayer, Products, softmax
from theorytools.constructions.attention.leakage import Profiles, worst_leakage
from theorytools.constructions.attention.lookup_margin import (
    LongLookup,
    LookupMargin,
    circle_margin,
    explicit_scale,
    largest_power,
)
from theorytools.constructions.attention.lookup_precision import LookupFormat, exact_sum
from theorytools.constructions.attention.matrix import MatrixAttention, attend
from theorytools.constructions.attention.nearest_neighbour import NearestNeighbour, direct_margin, root_above
from theorytools.constructions.attention.output_error import extremal_prompt, head_norms, sum_head, tuple_risk
from theorytools.constructions.attention.position_copy import CodeCopy
from theorytools.constructions.attention.precision.formats import ARITHMETICS, FORMATS, Format, rounded_down
from theorytools.constructions.attention.precision.machine import (
    MachineAttention,
    fold,
    largest_miss,
    line_prompts,
    random_prompts,
    row_products,
    some_orders,
)
from theorytools.constructions.attention.precision.rounding import (
    MachineWeights,
    certified_error,
    heaviest,
    nearest_exponential,
    total_error,
)
from theorytools.constructions.attention.selector import SparseSelector
from theorytools.constructions.attention.selector_queries import cross_talk, dual_certificate, float_queries
from theorytools.constructions.attention.selector_rules import RuleSelector
from theorytools.constructions.attention.streaming import working_bytes
from theorytools.constructions.attention.temperature import (
    minimal_temperature,
    necessary_temperature,
    rounded_up,
    sufficient_temperature,
)
from theorytools.constructions.attention.truncated_attention import TruncatedAttention, largest_norm
from theorytools.constructions.attention.two_hop import TwoStepAttention, least_product
from theorytools.numbers import Enclosure, between
from theorytools.tasks.nearest_neighbour import NearestTask, equidistant

half = F(1, 2)
SIGNS = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])


def rng(seed):
    return np.random.default_rng(seed)


# -- rounding ----------------------------------------------------------------------------------------------------------
@examples(60, st.integers(-(2**40), 2**40), st.integers(1, 12), st.integers(0, 2**32))
def test_integers_are_rounded_to_nearest_and_ties_to_even(z, precision, seed):
    def rounded(n):
        drop = max(abs(n).bit_length() - precision, 0)
        return round(F(n, 2**drop)) * 2**drop  # Python rounds halves to even

    drop = max(abs(z).bit_length() - precision, 1)
    ties = [(z >> drop << drop) + (1 << (drop - 1)) + k for k in (-1, 0, 1)]
    numbers = np.array([[z], *[[t] for t in ties], [0]])
    assert sequential_sum(numbers, precision).tolist() == [rounded(int(n)) for n in numbers[:, 0]]
    row = rng(seed).integers(-99, 100, 6).tolist()
    total = 0
    for term in row:
        total = rounded(total + term)
    assert sequential_sum(np.array([row]), precision).tolist() == [total]


@examples(40, st.fractions(-40, 40, max_denominator=999), st.integers(2, 5), st.integers(-4, 1))
def test_the_nearest_number_of_a_format_has_none_nearer(number, precision, least):
    form = Format("toy", precision, least)
    unit = form.underflow / 2 ** (precision - 1)
    near = form.nearest(number)
    size = abs(near) or unit
    step = unit
    while size >= step * 2**precision:
        step *= 2
    assert near % step == 0  # a number of the format
    apart = abs(near - number)
    for other in (near - step, near + step, near - step / 2, near + step / 2):
        inside = abs(other) < unit * 2**precision or other % (2 * step) == 0 or abs(other) < step * 2**precision
        if inside and other % unit == 0 and abs(other / step).denominator == 1:
            assert abs(other - number) >= apart
    assert form.nearest(-number) == -near
    assert form.unit_roundoff == half**precision
    assert form.nearest(near) == near


@examples(40, st.fractions(-9, 9, max_denominator=10**6))
def test_a_double_below_is_the_largest(number):
    x = rounded_down(number)
    assert F(x) <= number < F(math.nextafter(x, math.inf))


@pytest.mark.parametrize("p", [3, 8])
def test_an_exponential_next_to_a_tie_is_rounded_by_its_side(p):
    """exp(x) is within 2^-300 of a number halfway between two: the first enclosure holds both sides of it."""
    form = Format("toy", p, -40)
    tie = sympy.log(1 + sympy.Rational(1, 2**p))  # of a number halfway between 1 and 1 + 2^(1-p)
    for sign in (-1, 1):
        x = F(int(sympy.floor(tie.evalf(400) * 2**1000)), 2**1000) + sign * half**300
        assert nearest_exponential(form, x) == (1 if sign < 0 else 1 + 2 * half**p)
    for argument in (F(0), F(-1), F(-7, 3)):
        near = nearest_exponential(form, argument)
        assert near == form.nearest(F(math.exp(argument)))


@pytest.mark.parametrize(("name", "p"), [("float32", 24), ("float16", 11), ("bfloat16", 8), ("bits", 5)])
def test_a_lookup_format_rounds_as_its_model_does(name, p):
    form = LookupFormat(name, p)
    model = Format("model", p, {"float16": -14, "float32": -126, "bfloat16": -126, "bits": -1000}[name])
    ties = 1 + (2 * np.arange(8) + 1) * 2.0**-p
    values = np.concatenate([rng(p).standard_normal(40), ties, -ties, [0.0, 1.5, 3.0]])
    for kind in (np.float64, np.float32):
        given = values.astype(kind)
        out = form.rounded(given)
        assert out.dtype == form.wide
        assert [F(float(x)) for x in out] == [model.nearest(F(float(x))) for x in given]
    assert form.rounded(np.array([3])).tolist() == [3.0]
    assert (form.exp(np.zeros(1)) == 1).all()


@examples(30, st.lists(st.floats(0, 2, width=16), max_size=8))
def test_doubles_are_summed_exactly(values):
    assert exact_sum(np.array(values)) == sum((F(v) for v in values), F(0))
    assert exact_sum(np.array([2.0**-1074, 1.0])) == 1 + half**1074


def test_float_comparison_of_strings_is_that_of_the_sums():
    x, y = close_pairs(5, rng(0), 8)
    assert set(np.unique(x)) == {0, 1}
    same = (x == y).all(axis=1)
    assert same.any()
    assert (~same).any()
    assert (equal_in_floats(x, y, 60) == same).all()
    assert (equal_in_floats(x, y, 60) == equal_in_floats(x, y, 60, interleaved=True)).all()
    w = equality_weights(5)
    terms = np.concatenate([(2 * x - 1) * w, (1 - 2 * y) * w], axis=1)
    for precision in (2, 3, 4):
        assert (equal_in_floats(x, y, precision) == (sequential_sum(terms, precision) == 0)).all()
    assert w.tolist() == [16, 8, 4, 2, 1]


# -- one layer ---------------------------------------------------------------------------------------------------------
def test_a_softmax_of_distant_scores_is_finite():
    weights = softmax(np.array([[1000.0, 0.0, 1000.0], [-2000.0, -2000.0, -4000.0]]))
    assert weights.tolist() == [[0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]


@examples(25, st.integers(0, 2**32), st.integers(1, 4))
def test_a_layer_in_doubles_and_enclosures(seed, over):
    r = rng(seed)
    table = r.integers(-4, 5, (3, 5))
    layer = AttentionLayer(table, sympy.log(3), over, asked=[{0, 2}, {1}, {4}], silent=1)
    w = softmax(math.log(3) * table / over)
    values = r.integers(-5, 6, (5, 2))
    for q in range(3):
        assert [float(x) for x in layer.weights(q)] == pytest.approx(w[q].tolist())
        exact = [float(x) for x in layer.exact(q, values.tolist())]
        assert exact == pytest.approx((w[q] @ values).tolist())
        some = [float(x) for x in layer.exact(q, values[[3, 0, 3]].tolist(), keys=[3, 0, 3])]
        chosen = w[q, [3, 0, 3]] / w[q, [3, 0, 3]].sum()
        assert some == pytest.approx((chosen @ values[[3, 0, 3]]).tolist())
    leaks = [1 - w[q, sorted(asked)].sum() for q, asked in enumerate(layer.asked)]
    assert float(layer.leakage()) == pytest.approx(max(leaks))
    assert [float(layer.leaked(q)) for q in range(3)] == pytest.approx(leaks)
    margins = [sum(w[q, j] * (1 if j in layer.asked[q] else -1) for j in range(4)) for q in range(3)]
    margins[2] = -w[2, :4].sum()  # the last key is silent even where it is asked for
    assert float(layer.margin()) == pytest.approx(min(margins))
    assert np.allclose(layer(values.astype(float)), w @ values)
    assert np.allclose(layer(values.astype(float), [2, 0]), (w @ values)[[2, 0]])
    assert np.allclose(layer.rounded(LookupFormat("float64")), w)


@examples(15, st.integers(0, 2**32))
def test_products_row_by_row_are_the_table(seed):
    r = rng(seed)
    queries, keys, more = r.integers(-3, 4, (4, 3)).astype(np.int8), r.integers(-3, 4, (5, 3)), r.integers(0, 9, (4, 2))
    for extra in (None, more):
        rows = Products(queries, keys, extra)
        table = queries.astype(int) @ keys.T if extra is None else np.hstack([queries.astype(int) @ keys.T, extra])
        assert (np.asarray(rows) == table).all()
        assert all((rows[q] == table[q]).all() for q in range(4))
        assert len(rows) == 4


@examples(15, st.integers(0, 2**32), st.sampled_from([1, 2]))
def test_the_merged_matrix_is_the_network(seed, h):
    r = rng(seed)
    # q = 2, d = 2: the squared scale 1 over 4 signs is the square of 1/2
    net = BlockAttention(SIGNS, beta=2 * sympy.log(2), q=2, d=2)
    T = r.integers(0, 4, (4, 2))
    X = r.integers(-5, 6, (4, 2)).tolist()
    head = MatrixAttention.of(net, T, h - 1)
    found = head(X)
    for i in range(4):
        wanted = net.exact_token(X, T, i, h - 1)
        assert [x.fraction() for x in found[i]] == [x.fraction() for x in wanted]
    plain = MatrixAttention.of(net, T)(X)
    assert [[x.fraction() for x in row] for row in plain] == [
        [x.fraction() for x in net.exact_token(X, T, i, 0)] for i in range(4)
    ]
    W = r.integers(-2, 3, (2, 2))
    scores = np.array(X) @ W @ np.array(X).T * math.log(2)
    assert np.allclose([[float(x) for x in row] for row in attend(X, W.tolist())], softmax(scores) @ np.array(X))


@examples(10, st.integers(0, 2**32))
def test_the_risk_of_tuples_is_that_of_the_weights(seed):
    r = rng(seed)
    net = BlockAttention(rademacher(5, 9, r), beta=3, q=2, d=1)
    T = r.integers(0, 5, (5, 2))
    i = int(r.integers(5))
    A = net.attention(np.zeros((1, 5, 1)), T[None])[0]  # (H, N, N)
    asked = np.bincount(T[i], minlength=5)
    assert float(tuple_risk(net, T, i)) == pytest.approx(((asked - A[:, i].sum(axis=0)) ** 2).sum() / 2, abs=1e-12)


@examples(15, st.integers(0, 2**32), st.integers(1, 9))
def test_probes_hold_the_worst_positions_and_an_even_sample(seed, count):
    code = rademacher(9, 24, rng(seed))
    net = BlockAttention(code, beta=4)
    w = np.exp(4 * (code.gram() / 24 - 1))
    np.fill_diagonal(w, 0)
    probes = net.probes(count)
    assert int(w.sum(axis=1).argmax()) in probes
    assert set(range(0, 9, max(1, 9 // count))) <= set(probes)
    assert probes == sorted(set(probes))
    assert len(probes) <= count + len(range(0, 9, max(1, 9 // count)))


def test_extremal_prompts_and_the_norms_of_a_head():
    net = BlockAttention(hadamard(4), beta=2, q=1, d=2)
    X, T = extremal_prompt(net, 3, 2)
    assert X == [[-3, 0], [-3, 0], [3, 0], [-3, 0]]
    assert T.tolist() == [[2]] * 4
    token = net.exact_token(X, T, 0, 0)
    assert (token[0] - 3 * (1 - 2 * net.worst_leakage())).contains(0)
    assert head_norms(sum_head(2, 3)) == (1, sympy.sqrt(2))
    assert head_norms(sum_head(2, 3, units=2)) == (sympy.sqrt(2), 2)
    two = sum_head(2, 2, units=2)
    assert two(np.array([[3.0, 9.0, -5.0, 9.0]])).tolist() == [-2.0]
    assert sum_head(2, 2)(np.array([[3.0, 9.0, -5.0, 9.0], [3.0, 0.0, 1.0, 0.0]])).tolist() == [0.0, 4.0]


@pytest.mark.parametrize("seed", range(8))
def test_the_extremal_pointers_of_two_steps(seed):
    code = rademacher(5, 23, rng(seed))
    net = TwoStepAttention(code, 4, 9)
    T, i = net.extremal()
    G = code.gram()
    a = int(T[i])
    others = [j for j in range(5) if j != a]
    assert G[a, i] == min(G[a, others])
    assert least_product(code) == F(int(min(G[j, k] for j in range(5) for k in range(5) if j != k)), 23)
    # it leaks no less than the same pointers from any other position that points to a
    leaks = float(net.escaped(T, i))
    assert leaks <= float(net.worst_leakage()) + 1e-12
    weights = [float(w) for w in net.weights(T, i)]
    assert sum(weights) == pytest.approx(1)
    assert leaks == pytest.approx(1 - weights[int(T[a])])


@pytest.mark.parametrize("code", [orthonormal(3), simplex(3)])
def test_of_equiangular_codes_no_pointers_leak_more_than_the_extremal_ones(code):
    net = TwoStepAttention(code, 2, 3)
    T, i = net.extremal()
    every = [np.array(t) for t in itertools.product(range(3), repeat=3)]
    leaks = [float(net.escaped(t, j)) for t in every for j in range(3)]
    assert max(leaks) == pytest.approx(float(net.escaped(T, i)))
    assert max(leaks) <= float(net.worst_leakage()) + 1e-12
    assert float(net.first_leakage()) == pytest.approx(float(worst_leakage(code, 2)))


@examples(20, st.integers(2, 9), st.integers(1, 200), st.integers(1, 4), st.integers(1, 50), st.integers(1, 3))
def test_the_bytes_of_a_stream_grow_with_every_size(N, d_e, d, asked, heads):
    plain = working_bytes(N, d_e, d, asked, heads)
    assert plain < working_bytes(N + 1, d_e, d, asked, heads)
    assert plain < working_bytes(N, d_e, d + 1, asked, heads)
    assert plain < working_bytes(N, d_e, d, asked + 1, heads)
    assert plain < working_bytes(N, d_e, d, asked, heads + 1)
    # one more word of signs is held for every key and every query
    word = working_bytes(N, d_e + 64, d, asked, heads) - plain
    assert word >= 8 * N + 8 * asked * heads
    # tokens, codes and results are among the arrays
    words = -(-d_e // 64)
    assert plain >= 8 * (words * N + N * (d + 1) + asked * heads * (d + words))


# -- temperatures and leakage ------------------------------------------------------------------------------------------
@examples(15, st.integers(0, 2**32), st.integers(1, 6))
def test_the_leakage_is_that_of_the_worst_row(seed, beta):
    code = rademacher(7, 9, rng(seed))
    w = np.exp(-beta * (1 - code.gram() / 9))
    np.fill_diagonal(w, 0)
    S = w.sum(axis=1).max()
    assert float(worst_leakage(code, beta)) == pytest.approx(S / (1 + S))
    profiles = Profiles.of(code)
    assert (profiles.counts.sum(axis=1) == 6).all()
    rows = heaviest(profiles, np.exp(-beta / 9 * np.array(profiles.gaps)))
    assert worst_leakage(rows, beta).certainly_lt(worst_leakage(profiles, beta)) is not True
    assert len(rows.counts) <= len(profiles.counts)


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


# -- look-ups ----------------------------------------------------------------------------------------------------------
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


# -- strings -----------------------------------------------------------------------------------------------------------
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


def test_a_count_is_rounded_more_than_the_mean_that_it_is_read_from():
    mean, count = TwoLayerBoolean(3, "disjointness", 0, True), TwoLayerBoolean(3, "inner_product", 0, True)
    assert 0 < 7 * mean.rounding(1) < count.rounding(1) < 1e-9
    assert mean.rounding(1) < TwoLayerBoolean(3, "disjointness", 2, True).rounding(1)
    assert TwoLayerBoolean(3, "disjointness", 0, False).rounding(1) <= mean.rounding(1)


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


# -- fixed point -------------------------------------------------------------------------------------------------------
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


@examples(15, st.integers(1, 6), st.integers(0, 2**32))
def test_the_margin_of_equality(n, seed):
    net = MarginEquality(n, F(1, 2 ** (n + 1) * n))
    tokens = rng(seed).integers(0, 2, (8, 2 * n))
    tokens[0, n:] = tokens[0, :n]
    out = net.values(tokens).sum(axis=1)[:, 0, 0] * F(1, 2 * n)
    same = (tokens[:, :n] == tokens[:, n:]).all(axis=1)
    least = 2 * F(1, 2**n * n)
    assert all((value == 0) if s else abs(value) >= least for value, s in zip(out, same, strict=True))
    assert np.abs(net.values(tokens)).max() == net.V == 1
    assert not net.logits(tokens).any()
    assert net.length == 2 * n


# -- nearest neighbours ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("variant", ["position", "copy"])
@pytest.mark.parametrize("pull", [None, 3, F(3, 2)])
def test_the_least_margin_is_that_of_all_labels(variant, pull):
    net = NearestNeighbour(NearestTask(equidistant(4, 0)), variant, pull)
    every = np.array(list(itertools.product((1, -1), repeat=4)))
    out = net.exact(every)
    nearest = net.task.nearest
    found = [min(float(out[i, q]) * every[i, nearest[q]] for i in range(16)) for q in range(len(nearest))]
    assert [float(m) for m in net.margins()] == pytest.approx(found)
    assert float(net.least_margin()) == pytest.approx(min(found))
    assert np.allclose(net(every), out.astype(float))


@examples(12, st.sampled_from([2, 4, 8]), st.fractions(F(1, 4), 20, max_denominator=4))
def test_the_direct_margin_of_equidistant_vectors_has_a_closed_form(N, pull):
    task = NearestTask(equidistant(N, 0))
    # the nearest has weight R and each other 1
    assert direct_margin(task, pull).contains((pull - (N - 1)) / (pull + N - 1))
    assert direct_margin(task, pull).certainly_lt(direct_margin(task, pull + 1)) is not False


# -- selection ---------------------------------------------------------------------------------------------------------
@examples(12, st.integers(0, 2**32))
def test_the_loss_of_any_values_is_that_of_unit_prompts(seed):
    """The output is affine in the prompt: its columns are the differences that unit prompts make."""
    r = rng(seed)
    E = sign_encodings(4, 5, r)
    V = r.integers(-2, 3, (2, 7)).astype(object)
    net = SparseSelector(E, 2, 2, 2, "sum", values=V)
    y = (1, 3)
    zero = [[0, 0] for _ in range(4)]
    units = []
    for i, k in itertools.product(range(4), range(2)):
        X = [row[:] for row in zero]
        X[i][k] = 1
        units.append(X)
    base, *columns = net.outputs([zero, *units], y)
    loss = sum(float(x) ** 2 for x in base)
    for (i, k), column in zip(itertools.product(range(4), range(2)), columns, strict=True):
        for j in range(2):
            wanted = half if (i in y and j == k) else 0
            loss += (float(column[j]) - float(base[j]) - wanted) ** 2
    assert float(net.loss(y)) == pytest.approx(loss)
    X = r.integers(-3, 4, (1, 4, 2))
    assert np.allclose(net(X, [y]), [[float(x) for x in row] for row in net.exact(X, [y])])


@examples(12, st.integers(0, 2**32), st.integers(1, 3))
def test_certified_losses_and_temperatures_of_a_selection(seed, beta):
    E = orthonormal_encodings(5)
    net = SparseSelector(E, beta, 2, 3)
    y = tuple(sorted(rng(seed).permutation(5)[:2].tolist()))
    eps = 3 / (3 + 2 * math.exp(beta))
    assert net.margin(y) == 1
    assert float(net.leaked(y)) == pytest.approx(eps)
    assert float(net.leaked_bound(y)) == pytest.approx(eps)
    assert recipe_value(net.loss_certificate(y)) == pytest.approx(3 * 1.5 * eps**2)
    assert recipe_value(net.certificate(2, y)) == pytest.approx(4 * eps)
    assert recipe_value(net.certificate(2)) == pytest.approx(4 * eps)
    assert float(net.loss(y)) <= recipe_value(net.loss_certificate(y)) * (1 + 1e-12)
    enough = net.sufficient_beta(y, F(1, 10))
    reached = SparseSelector(E, enough, 2, 3)
    assert recipe_value(reached.loss_certificate(y)) == pytest.approx(0.1)
    assert net.sufficient_beta(y, 99) == 0


@examples(12, st.integers(0, 2**32), st.sampled_from(["hard", "top", "linear", "free"]))
def test_other_rules_by_their_weights(seed, rule):
    r = rng(seed)
    E = sign_encodings(5, 7, r)
    net = RuleSelector(E, 2, 3, rule, "sum")
    y = tuple(sorted(r.permutation(5)[:2].tolist()))
    a, sigma = net.attention(y), net.scores(y)
    if rule == "hard":
        assert a == [F(int(s == max(sigma)), sigma.count(max(sigma))) for s in sigma]
    if rule == "top":
        kept = sorted(range(5), key=lambda i: (-sigma[i], i))[:2]
        assert a == [half * (i in kept) for i in range(5)]
    if rule == "linear":
        assert a == sigma
    if rule == "free":
        gaps = np.array([float(x) - 0.5 * (i in y) for i, x in enumerate(a)])
        span = np.array(E.vectors.tolist(), dtype=float)
        assert np.abs(gaps @ span).max() < 1e-9  # what is left is orthogonal to the encodings
    tau = [half * (i in y) for i in range(5)]
    assert net.loss(y) == 3 * sum((x - t) ** 2 for x, t in zip(a, tau, strict=True))
    sets = list(itertools.combinations(range(5), 2))
    assert net.risk() == sum(net.loss(z) for z in sets) / len(sets)
    doubled = RuleSelector(E, 2, 3, rule, "sum", alpha=2)
    assert doubled.loss(y) == 3 * sum((2 * x - t) ** 2 for x, t in zip(a, tau, strict=True))


@examples(10, st.integers(0, 2**32), st.integers(0, 3))
def test_corrections_of_a_dual_query(seed, steps):
    E = sign_encodings(9, 21, rng(seed))
    y = (2, 5)
    start, found = dual_certificate(E, y, 0), dual_certificate(E, y, steps)
    assert [start.scores[i] for i in y] == [1, 1] == [found.scores[i] for i in y]
    assert start.corrections == ()
    assert len(found.corrections) <= steps
    assert start.largest == max(abs(start.scores[i]) for i in range(9) if i not in y)
    if found.corrections:
        worst = sorted((abs(start.scores[i]) for i in range(9) if i not in y), reverse=True)[:2]
        assert found.corrections[0] == sum(x * x for x in worst)
    assert cross_talk(E, y) == max(start.scores[i] for i in range(9) if i not in y)
    queries = float_queries(E, [y])[0]
    vectors = np.array(E.matrix())
    assert np.allclose(vectors @ queries, start.scores.astype(float))
    assert np.allclose(float_queries(vectors, [y])[0], queries)
    assert np.allclose(float_queries(vectors[None], [y], "sum")[0], vectors[list(y)].sum(axis=0))
    plain = dual_certificate(orthonormal_encodings(4), (0, 1), 3)
    assert plain.corrections == ()
    assert plain.largest == 0


# -- few heads ---------------------------------------------------------------------------------------------------------
@examples(25, st.lists(eighths, min_size=1, max_size=5).filter(any), st.integers(1, 5))
def test_the_best_error_of_one_head_has_a_closed_form(row, q):
    q = min(q, len(row))
    whole, seen = sum(x * x for x in row), sum(x * x for x in row[:q])
    # the copy is a multiple of one direction: it tells the part (seen/whole)^2 of one degree of freedom
    assert best_error([row], q).fraction() == 2 - 2 * (seen / whole) ** 2 / q
    rows = AttentionRows((tuple(row), tuple(x + 1 for x in row)), q)
    if len(row) > 1 and len(set(row)) > 1:
        assert rows.late_error().fraction() <= best_error([row], q).fraction()
        assert rows.late_error().fraction() >= 2 * (1 - F(2, q))


def test_grams_count_a_column_as_often_as_it_is_listed():
    rows = [[1, 2, 3], [0, 1, -1]]
    assert [[x.fraction() for x in row] for row in gram(rows, [1, 2, 1])] == [[17, 1], [1, 3]]
    assert [[x.fraction() for x in row] for row in gram(rows, [])] == [[0, 0], [0, 0]]
    drawn = AttentionRows.random(rng(0), 40, 30, 2)
    entries = [x for row in drawn.rows for x in row]
    assert (len(drawn.rows), len(drawn.rows[0]), min(entries), max(entries)) == (40, 30, 1, 99)


# -- the machine -------------------------------------------------------------------------------------------------------
@examples(20, st.integers(1, 30), st.integers(1, 9), st.integers(0, 2**32))
def test_lanes_hold_every_term_once(N, lanes, seed):
    terms = rng(seed).integers(-9, 10, (N, 2))
    parts = fold(terms, lanes)
    for lane in range(min(lanes, N)):
        assert (parts[lane] == terms[lane::lanes].sum(axis=0)).all()
    weights = rng(seed).random(N)
    orders = list(some_orders(weights, N // 2, rng(seed)))
    assert len(orders) == 5
    assert (orders[0][0] == np.arange(N)).all()
    assert orders[1][0][-1] == N // 2 == orders[2][0][0]
    assert (np.diff(weights[orders[1][0][:-1]]) >= 0).all()
    assert (orders[1][0][::-1] == orders[2][0]).all()
    assert all(passes[-1] == 1 for _, passes in orders if passes)


@pytest.mark.parametrize("name", FORMATS)
def test_prompts_of_a_search_lie_in_the_ball(name):
    for r in (1.0, 0.7, 3.0):
        X = line_prompts(9, 4, r, FORMATS[name], rng(0))
        assert X.shape == (9, 24)
        assert np.abs(X).max() <= r
        assert X[4, :4].tolist() == [r, r, r, 0.0]
        assert (X[0, :4] == [-r, r, 0.0, r]).all()
        assert (np.abs(X[:4, -4:]) == r).all()
        assert (X[4, 12:20] >= r * 15 / 16).all()
        Y = random_prompts(5, 3, r, 4, rng(1))
        norms = np.linalg.norm(Y, axis=2)
        assert Y.shape == (4, 5, 3)
        assert norms.max() <= r
        assert norms.min() >= r * (1 - 1e-9)


@examples(20, st.integers(0, 2**32), st.integers(1, 3))
def test_the_largest_miss_is_exact(seed, d):
    r = rng(seed)
    out, wanted = r.standard_normal((2, 4 + 3 * d))
    gaps = [F(a) - F(b) for a, b in zip(out, wanted, strict=True)]
    plain, squared = largest_miss(out, wanted, 4, d)
    assert plain == max(map(abs, gaps[:4]))
    assert squared == max(sum(g * g for g in gaps[4 + d * k : 4 + d * (k + 1)]) for k in range(3))


@pytest.mark.parametrize("code", [bch(16), rademacher(9, 7, rng(2)), orthonormal(5), hadamard(8), simplex(4)])
def test_rows_of_products_are_those_of_the_table(code):
    table = code.gram_numerators()
    for t in (0, code.N - 1):
        assert (row_products(code, t) == table[t]).all()


@pytest.mark.parametrize("how", ["float64", "float32", "bfloat16", "bfloat16_scores", "bfloat16_sums"])
@pytest.mark.parametrize("exponentials", ["library", "nearest"])
def test_what_is_observed_is_within_what_is_certified(how, exponentials):
    head = MachineAttention(rademacher(12, 9, rng(5)), 6, how, 2, exponentials)
    seen = recipe_value(head.observed(2, np.random.SeedSequence(1), positions=1, draws=2))
    assert 0 < seen <= 2 * float(head.certified(2))
    assert head.rounding_part(2).certainly_lt(0) is False
    assert head.certified(2, terms=24) >= head.certified(2)
    assert head.certified(2, spill=0) <= head.certified(2, spill=head.spill) == head.certified(2)
    assert len(head.probes(1)) == 1
    made = head.weights
    # the library's exponentials are right to a few units
    assert float(made.relative_error()) <= 4 * float(made.how.scores.unit_roundoff)
    table = made.table()
    assert [table[g] for g in made.gaps] == [float(w) for w in made.weights]
    assert np.isnan(table).sum() == len(table) - len(made.gaps)


@examples(15, st.integers(2, 99), st.fractions(F(1, 30), 9, max_denominator=30), st.sampled_from(sorted(ARITHMETICS)))
def test_a_certificate_of_an_enclosed_spill_encloses_that_of_the_number(N, spill, name):
    how = ARITHMETICS[name]
    exact = certified_error(N, 3, F(2), how, spill)
    assert certified_error(N, 3, F(2), how, Enclosure(spill)).contains(exact)
    assert certified_error(N, 3, F(2), how, between(spill, spill + 1)).contains(exact)
    rest = exact - total_error(N, how.u, how.u_a, how.u_c, spill)
    assert rest == 32 * N**2 * 3 * F(3, 2) * how.tiny  # underflow, with 1 + 1/r_x


def test_weights_that_underflow_are_zero():
    assert MachineWeights.of([0, 2], 1, 10**6, "float64").weights == (1, 0)


def test_gaps_that_were_not_given_are_counted_from_zero():
    made = MachineWeights.of([4, 2], 3, 1, "float64")
    assert made.gaps == (0, 2, 4)
    assert made.weights[0] == 1
    assert [float(w) for w in made.weights] == pytest.approx([1, math.exp(-2 / 3), math.exp(-4 / 3)])
