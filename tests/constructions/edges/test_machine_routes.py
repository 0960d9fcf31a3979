"""Selections, few heads and machines by second routes."""

import itertools
import math
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import eighths, examples

from theorytools.codes.bch import bch
from theorytools.codes.encodings import orthonormal_encodings, sign_encodings
from theorytools.codes.equiangular import orthonormal, simplex
from theorytools.codes.families import hadamard, rademacher
from theorytools.constructions.attention.attention_tables import MarginEquality
from theorytools.constructions.attention.formats import ARITHMETICS, FORMATS
from theorytools.numbers import Enclosure, between
from theorytools.papers.qstr.few_heads.quadratic_readout import AttentionRows, best_error, gram
from theorytools.papers.qstr.precision.hard_prompts import fold, line_prompts, random_prompts, some_orders
from theorytools.papers.qstr.precision.machine import MachineAttention, largest_miss, row_products
from theorytools.papers.qstr.precision.rounding import MachineWeights, certified_error, total_error
from theorytools.papers.sep.attention.nearest_neighbour import NearestNeighbour
from theorytools.papers.sep.attention.nearest_weights import direct_margin
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask, equidistant
from theorytools.papers.stsq.attention.corrected_query import dual_certificate
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.attention.selector_queries import cross_talk, float_queries
from theorytools.papers.stsq.attention.selector_rules import RuleSelector

half = F(1, 2)


def rng(seed):
    return np.random.default_rng(seed)


def recipe_value(recipe):
    from theorytools.claims.language.estimate import Budget

    *_, value = recipe.steps(0.0, Budget(bits=128))
    return sum(value.floats) / 2


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
