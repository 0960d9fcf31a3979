"""Guesses, norms, patterns and pieces by second routes: all guesses, all tests, vectors of a ball, values on a grid."""

from fractions import Fraction as F
from itertools import pairwise, product
from operator import mul

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import BudgetError, DomainError, Enclosure
from theorytools.measures import (
    Law,
    bayes_error,
    entropy,
    expectation,
    growth_function,
    induced_norm,
    kinks,
    linear_pieces,
    lipschitz_constant,
    minimax_error,
    minimum_norm_interpolant,
    mutual_information,
    operator_norm,
    signed_permutations,
    softmax,
    squared_distance,
    total_variation,
    vc_dimension,
    words,
    zero_one_error,
)

HALF, COUNTS = F(1, 2), st.integers(0, 5)
LAWS = st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=4).filter(
    lambda c: any(a for a, _ in c) and any(b for _, b in c)
)
JOINT = st.lists(st.lists(COUNTS, min_size=2, max_size=2), min_size=1, max_size=3).filter(lambda c: any(map(any, c)))
ENTRY = st.integers(-3, 3)
MATRIX = st.tuples(st.integers(1, 3), st.integers(1, 3)).flatmap(
    lambda s: st.lists(st.lists(ENTRY, min_size=s[1], max_size=s[1]), min_size=s[0], max_size=s[0])
)
NAMES = {1: 1, 2: 2, "inf": np.inf}


def joint(counts):
    whole = sum(map(sum, counts))
    return {(x, y): F(c, whole) for x, row in enumerate(counts) for y, c in enumerate(row)}


def near(a, b):
    return abs(a - b).certainly_le(F(1, 10**9)) is True


# decisions ---------------------------------------------------------------------------------------------------------
@examples(25, JOINT)
def test_the_bayes_error_is_the_least_of_all_guesses_and_information_counts_entropies(counts):
    law = joint(counts)
    guesses = product(range(2), repeat=len(counts))
    assert bayes_error(law) == min(zero_one_error(law, lambda x, g=g: g[x]) for g in guesses)
    assert bayes_error({pair: Enclosure(m) for pair, m in law.items()}) == bayes_error(law)
    turned = {(y, x): m for (x, y), m in law.items()}
    parts = [entropy([sum(law[x, y] for x, y in law if (x, y)[k] == v) for v in {pair[k] for pair in law}], base=2)
             for k in (0, 1)]  # fmt: skip
    found = mutual_information(law, base=2)
    assert near(found, parts[0] + parts[1] - entropy(law, base=2))
    assert near(found, mutual_information(turned, base=2))
    assert near(found * Enclosure(2).log(), mutual_information(law, base="e"))


@examples(25, LAWS)
def test_the_minimax_error_is_that_of_the_best_mixture_of_two_tests(counts):
    p, q = ([F(c, sum(column)) for c in column] for column in zip(*counts, strict=True))
    tests = [(sum(map(mul, p, A)), 1 - sum(map(mul, q, A))) for A in product((0, 1), repeat=len(p))]
    worst = [max(test) for test in tests]
    for (a, b), (c, d) in product(tests, repeat=2):  # mixed so that both errors are equal
        if a > b and c < d:
            share = (d - c) / (a - b + d - c)
            worst.append(share * a + (1 - share) * c)
    assert minimax_error(p, q) == min(worst) == minimax_error(q, p)
    assert (1 - total_variation(p, q)) / 2 <= minimax_error(p, q) <= min(HALF, 1 - total_variation(p, q))


def test_refusals_of_decisions():
    sample = Law.empirical([(0, 1), (1, 1)])
    refuses(
        DomainError,
        (lambda: bayes_error(sample), "the law of a sample"),
        (lambda: mutual_information(sample, base=2), "the law of a sample"),
        (lambda: bayes_error({0: 1}), "pairs"),
        (lambda: bayes_error({(0, 1): 0.5, (1, 1): 0.5}), "a float"),
        (lambda: mutual_information({(0, 0): 1}, base=10), "bits"),
        (lambda: minimax_error([1], [HALF, HALF]), "equal lengths"),
        (lambda: minimax_error([2, -1], [1, 0]), "the sum 1"),
        (lambda: minimax_error([HALF, F(1, 3)], [1, 0]), "the sum 1"),
        (lambda: minimax_error([0.5, 0.5], [1, 0]), "a float"),
        (lambda: minimax_error([Enclosure(2).sqrt() / 2, 1], [1, 0]), "a ball"),
        (lambda: minimax_error([], [1]), "at least one"),
    )
    with pytest.raises(TypeError, match="base"):
        mutual_information({(0, 0): 1})


# norms -------------------------------------------------------------------------------------------------------------
@examples(15, MATRIX, st.sampled_from([*product(NAMES, repeat=2)]))
def test_an_induced_norm_is_attained_in_the_ball_and_exceeded_by_none_of_its_vectors(A, kinds):
    p, q = kinds
    found, array = float(induced_norm(A, p, q)), np.array(A, dtype=float)
    rng, columns = np.random.default_rng(0), len(A[0])
    tried = [
        *np.eye(columns),
        *map(np.array, product((-1.0, 1.0), repeat=columns)),
        *rng.standard_normal((60, columns)),
    ]
    tried += [array.T @ signs for signs in map(np.array, product((-1.0, 1.0), repeat=len(A)))] + list(array)
    tried += list(np.linalg.svd(array)[2])
    sizes = [np.linalg.norm(array @ x, NAMES[q]) / np.linalg.norm(x, NAMES[p]) for x in tried if np.any(x)]
    assert np.isclose(max(sizes), found)
    transposed, dual = [list(c) for c in zip(*A, strict=True)], {1: "inf", 2: 2, "inf": 1}
    assert np.isclose(found, float(induced_norm(transposed, dual[q], dual[p])))
    balls = [[x + Enclosure(2).sqrt() - Enclosure(2).sqrt() for x in row] for row in A]
    assert near(Enclosure(induced_norm(balls, p, q)), Enclosure(induced_norm(A, p, q)))


def test_quotients_are_in_the_norms_that_are_asked():
    f = lambda x: [2 * x[0] - x[1], x[0] + 3 * x[1]]  # noqa: E731
    pairs = [((0, 0), x) for x in ((1, 0), (0, 1), (1, 1), (1, -1))]
    for p, q in ((1, 1), (1, "inf"), ("inf", 1), ("inf", "inf")):  # attained at a corner of the ball
        assert lipschitz_constant(f, pairs, norms=(p, q)) == induced_norm([[2, -1], [1, 3]], p, q)
    assert near(lipschitz_constant(f, pairs, norms=(1, 2)), Enclosure(10).sqrt())
    assert induced_norm([[1, 2], [2, 1]], 2, 2) == operator_norm([[1, 2], [2, 1]]).fraction()
    assert lipschitz_constant(softmax, [((0, 0), (1, 0))], norms=("inf", 1)).certainly_le(1)
    refuses(
        DomainError,
        (lambda: induced_norm([[1]], 3, 1), 'norms with exact|1, 2 or "inf"'),
        (lambda: induced_norm([[1]], 1, True), '1, 2 or "inf"'),
        (lambda: induced_norm([[1]], 1.0, 1), '1, 2 or "inf"'),
        (lambda: induced_norm([[0.5]], 1, 1), "a float"),
        (lambda: lipschitz_constant(f, pairs, norms=(2, 2, 2)), "two of them"),
        (lambda: lipschitz_constant(f, pairs, norms=("sup", 1)), '1, 2 or "inf"'),
        (lambda: lipschitz_constant(f, pairs, norms=2), "a sequence"),
    )
    refuses(BudgetError, (lambda: induced_norm([[1] * 21], "inf", 1), "columns of signs"))


# classes -----------------------------------------------------------------------------------------------------------
@examples(25, st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=1, max_size=9))
def test_growth_is_full_to_the_dimension_and_below_the_sum_of_binomials_above(A):
    grown, d = [growth_function(A, m) for m in range(5)], vc_dimension(A)
    assert grown[0] == 1
    assert grown[4] == len(set(map(tuple, A)))
    assert [m for m in range(5) if grown[m] == 2**m] == list(range(d + 1))
    sums = [
        sum(c for i, c in enumerate(row) if i <= d) for row in ([1], [1, 1], [1, 2, 1], [1, 3, 3, 1], [1, 4, 6, 4, 1])
    ]
    assert all(g <= s for g, s in zip(grown, sums, strict=True))
    assert all(a <= b for a, b in pairwise(grown))


def test_refusals_of_growth():
    refuses(
        DomainError,
        (lambda: growth_function([[0, 1]], 3), "from 0 to 2"),
        (lambda: growth_function([[0, 1]], True), "from 0 to 2"),
        (lambda: growth_function([[0], [0, 1]], 1), "one length"),
        (lambda: growth_function([[0.5]], 1), "a float"),
    )
    refuses(BudgetError, (lambda: growth_function([[0] * 60], 30), "sets of 30 points"))
    assert growth_function(words("abc", 3), 2) == 9


# spaces ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("d", range(5))
def test_signed_permutations_are_a_group_that_averages_every_direction(d):
    space = signed_permutations(d)
    assert len(set(space)) == space.count
    if not d:
        return
    x, y = list(range(1, d + 1)), [F(1, k) for k in range(1, d + 1)]
    moved = Law.uniform(space)
    assert expectation(moved, lambda g: (sum(y[k] * s * x[place] for k, (place, s) in enumerate(g))) ** 2) == (
        F(sum(a * a for a in x)) * sum(b * b for b in y) / d
    )  # E <y, gx>^2 = |x|^2 |y|^2 / d
    rows = [[1, *[2] * (d - 1)]]
    missed = expectation(moved, lambda g: squared_distance(x, minimum_norm_interpolant(
        [[row[place] * s for place, s in g] for row in rows],
        [sum(row[place] * s * x[k] for k, (place, s) in enumerate(g)) for row in rows])))  # fmt: skip
    assert missed == (1 - F(1, d)) * sum(a * a for a in x)


# networks ----------------------------------------------------------------------------------------------------------
def run(layers, x):
    h = [F(x)]
    for k, (W, b) in enumerate(layers):
        h = [sum((w * v for w, v in zip(row, h, strict=True)), F(c)) for row, c in zip(W, b, strict=True)]
        h = [max(v, F(0)) for v in h] if k < len(layers) - 1 else h
    return h[0]


def layer(fed, made):
    rows = st.lists(st.lists(ENTRY, min_size=fed, max_size=fed), min_size=made, max_size=made)
    return st.tuples(rows, st.lists(st.fractions(-2, 2, max_denominator=3), min_size=made, max_size=made))


@examples(25, st.tuples(layer(1, 3), layer(3, 2), layer(2, 1)))
def test_between_its_kinks_a_network_is_a_line_and_at_them_it_turns(net):
    low, high = F(-3), F(2)
    places = kinks(net, low, high)
    assert places == sorted(set(places))
    assert linear_pieces(net, low, high) == len(places) + 1
    ends = [low, *places, high]
    assert low < min(ends[1:])
    slopes = []
    for a, b in pairwise(ends):
        values = [run(net, a + (b - a) * F(k, 12)) for k in range(13)]
        assert {v - u for u, v in pairwise(values)} == {(values[-1] - values[0]) / 12}
        slopes.append((values[-1] - values[0]) / (b - a))
    assert all(s != t for s, t in pairwise(slopes))
    mirrored = [([[-w for w in row] for row in net[0][0]], net[0][1]), *net[1:]]
    assert kinks(mirrored, -high, -low) == [-x for x in reversed(places)]


def test_refusals_of_networks():
    refuses(
        DomainError,
        (lambda: kinks([([[1]], [0])], 1, 1), "low < high"),
        (lambda: kinks([], 0, 1), "at least one"),
        (lambda: kinks([[[1]]], 0, 1), "pairs .W, b."),
        (lambda: kinks([([[1], [1]], [0])], 0, 1), "equal lengths"),
        (lambda: kinks([([[1], [1]], [0, 0])], 0, 1), "one output"),
        (lambda: kinks([([[1, 2]], [0])], 0, 1), "length 1"),
        (lambda: kinks([([[1], [1]], [0, 0]), ([[1]], [0])], 0, 1), "length 2"),
        (lambda: kinks([([[0.5]], [0])], 0, 1), "a float"),
        (lambda: kinks([([[1]], [Enclosure(2).sqrt()])], 0, 1), "a ball"),
        (lambda: linear_pieces([([[1]], [0])], 0, 1.0), "a float"),
    )
