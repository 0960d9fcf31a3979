"""Rounding, one layer and temperatures of attention by second routes."""

import itertools
import math
from fractions import Fraction as F

import numpy as np
import pytest
import sympy
from hypothesis import strategies as st
from properties import examples

from theorytools.codes.equiangular import orthonormal, simplex
from theorytools.codes.families import hadamard, rademacher
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.attention.formats import Format, rounded_down
from theorytools.constructions.attention.layer import AttentionLayer, Products, softmax
from theorytools.constructions.attention.leakage import Profiles, worst_leakage
from theorytools.constructions.attention.lookup_precision import LookupFormat, exact_sum
from theorytools.papers.qstr.attention.matrix import MatrixAttention, attend
from theorytools.papers.qstr.attention.output_error import extremal_prompt, head_norms, sum_head
from theorytools.papers.qstr.attention.streaming import working_bytes
from theorytools.papers.qstr.attention.tuple_risk import tuple_risk
from theorytools.papers.qstr.attention.two_hop import TwoStepAttention, least_product
from theorytools.papers.qstr.precision.rounding import heaviest, nearest_exponential
from theorytools.papers.sep.attention.equality import close_pairs, equal_in_floats, equality_weights, sequential_sum

half = F(1, 2)


SIGNS = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])


def rng(seed):
    return np.random.default_rng(seed)


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
