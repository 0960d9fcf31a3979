"""Standard left sides by second routes and properties, what they refuse, spaces that miscount, memories that cheat."""

import math
from fractions import Fraction as F
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import BudgetError, DomainError, Enclosure, SignCode, UndecidedError
from theorytools import rademacher_complexity as complexity_of_losses
from theorytools.measures import (
    Law,
    Memory,
    Space,
    absolute_coherence,
    attention_output,
    attention_weights,
    ball_complexity,
    chaining_sum,
    coherence,
    count_where,
    covering_number,
    empirical_risk,
    entropy,
    euclidean_norm,
    expectation,
    expected_first_passage,
    first_passage,
    frobenius_norm,
    greedy_packing_bound,
    hamming,
    hard_maximum,
    infimum,
    kullback_leibler,
    largest_packing,
    least_cover,
    least_distance,
    lipschitz_constant,
    listed,
    log_moment_generating,
    mean_squared_error,
    minimum_norm_interpolant,
    operator_norm,
    packing_number,
    permutations,
    rademacher_complexity,
    rank,
    regret,
    risk_on_new,
    shattered_set,
    sign_vectors,
    softmax,
    span_loss,
    squared_distance,
    squared_norm,
    subsets,
    supremum,
    tail_of_sum,
    total_variation,
    variance,
    vc_dimension,
    words,
    zero_one_error,
)
from theorytools.measures import (
    product as product_of,
)
from theorytools.numbers import at_precision
from theorytools.numbers.float_result import FloatResult
from theorytools.numbers.spectrum import largest_eigenvalue
from theorytools.theory.first_layers.exact_span import smallest_eigenvalue
from theorytools.theory.memory.counting import count_states

ENTRY = st.integers(-4, 4)
SIZE = st.integers(1, 4)
MATRIX = st.tuples(SIZE, SIZE).flatmap(
    lambda s: st.lists(st.lists(ENTRY, min_size=s[1], max_size=s[1]), min_size=s[0], max_size=s[0])
)
COUNTS = st.lists(st.integers(0, 5), min_size=2, max_size=5).filter(any)
HALF = F(1, 2)


def masses(counts):
    return [F(c, sum(counts)) for c in counts]


def overlap(a, b):
    """Whether two enclosures may be of one number, and are narrow."""
    return abs(a - b).certainly_le(F(1, 10**9)) is not False and float(abs(a - b).upper.value) < 1e-9


# laws --------------------------------------------------------------------------------------------------------------
@examples(25, COUNTS, COUNTS)
def test_laws_obey_gibbs_pinsker_and_the_largest_event(p, q):
    p, q = masses(p), masses((q + [1] * len(p))[: len(p)] if any((q + [1] * len(p))[: len(p)]) else [1] * len(p))
    far = total_variation(p, q)
    assert far == max(
        sum((p[i] - q[i] for i in A), F(0)) for k in range(len(p) + 1) for A in combinations(range(len(p)), k)
    )
    assert entropy(p, base=2).certainly_le(Enclosure(len(p)).log() / Enclosure(2).log()) is not False
    if all(b or not a for a, b in zip(p, q, strict=True)):
        nats = kullback_leibler(p, q, base="e")
        assert (2 * far**2 <= F(1, 10**12)) or Enclosure(2 * far**2).certainly_le(nats) is not False  # Pinsker
        assert overlap(kullback_leibler(p, q, base=2) * Enclosure(2).log(), nats)
    # the divergence from the uniform law is what is missing to the largest entropy
    flat = kullback_leibler(p, [F(1, len(p))] * len(p), base="e")
    assert overlap(flat, Enclosure(len(p)).log() - entropy(p, base="e"))


def test_a_law_has_masses_that_add_up_and_a_sample_is_no_law():
    root = Enclosure(2).sqrt()
    law = Law({0: root / 2, 1: 1 - root / 2})
    assert overlap(expectation(law, lambda x: x), 1 - root / 2)
    sample = Law.empirical([(0, 1), (0, 1), (1, 1)])
    assert sample.masses == {(0, 1): F(2, 3), (1, 1): F(1, 3)}
    assert Law.uniform(words(2, 2)).masses == dict.fromkeys(product((0, 1), repeat=2), F(1, 4))
    refuses(
        DomainError,
        (lambda: risk_on_new(sample, lambda x: x, lambda a, b: a), "the law of a sample"),
        (lambda: mean_squared_error(sample, lambda x: x), "empirical_risk"),
        (lambda: zero_one_error(sample, lambda x: x), "the law of a sample"),
        (lambda: Law.uniform([0, 1, 0]), "Law.empirical"),
        (lambda: Law.uniform([]), "at least one"),
        (lambda: Law.uniform([[0], [1]]), "tuples"),
        (lambda: Law({}), "a dictionary"),
        (lambda: Law({0: HALF, 1: F(1, 3)}), "the sum 1"),
        (lambda: Law({0: 2, 1: -1}), "masses >= 0"),
        (lambda: Law({0: 0.5, 1: 0.5}), "enclosed.lambda"),
        (lambda: expectation([HALF] * 2, float), "a float"),
        (lambda: risk_on_new({0: 1}, lambda x: x, lambda a, b: a), "pairs"),
        (lambda: entropy([HALF, HALF], base=math.e), "bits"),
        (lambda: entropy([HALF, HALF], base=True), "bits"),
        (lambda: entropy([HALF, HALF], base=10), 'base="e"'),
        (lambda: total_variation([1], [HALF, HALF]), "equal lengths"),
        (lambda: kullback_leibler([HALF, HALF], [1, 0], base=2), "infinite"),
        (lambda: mean_squared_error({(0, (1, 2)): 1}, lambda x: (1,)), "equal lengths"),
        (lambda: zero_one_error({(0, 1): 1}, lambda x: 1.0), "a float"),
        (lambda: Law.empirical([(0, np.float32(1))]), "a float32"),
        (lambda: zero_one_error({(0, 1): 1}, lambda x: Enclosure(2).sqrt()), "a ball"),
        (lambda: empirical_risk([], lambda x: x, lambda a, b: a), "at least one"),
    )
    with pytest.raises(TypeError, match="base"):
        entropy([HALF, HALF])


def test_the_base_may_be_sympys_number():
    from sympy import E

    assert entropy([HALF, HALF], base=E).same(entropy([HALF, HALF], base="e"))


# sums of independent variables -------------------------------------------------------------------------------------
def convolved(laws, level):
    chosen = product(*(enumerate(p) for p in laws))
    return sum((math.prod(m for _, m in each) for each in chosen if sum(x for x, _ in each) >= level), F(0))


@examples(15, COUNTS, COUNTS, st.fractions(-1, 9, max_denominator=3))
def test_sums_have_the_tails_of_all_outcomes_and_means_and_variances_that_add_up(p, q, level):
    p, q = masses(p), masses(q)
    assert tail_of_sum([p, q, p], level) == convolved([p, q, p], level)
    halves = Law({F(k, 2) - 3: m for k, m in enumerate(p)})
    assert tail_of_sum([halves, q], level) == convolved([p, [x for m in q for x in (m, 0)]], 2 * level + 6)
    whole = Law({k: tail_of_sum([p, q], k) - tail_of_sum([p, q], k + 1) for k in range(len(p) + len(q) - 1)})
    assert variance(whole) == variance(p) + variance(q)
    for s in (F(1, 2), -2):
        parts = log_moment_generating(p, s) + log_moment_generating(q, s)
        assert overlap(log_moment_generating(whole, s), parts)


def test_what_a_sum_takes():
    root = Enclosure(2).sqrt()
    coin = [HALF, HALF]
    assert overlap(variance(Law({0: root / 2, 1: 1 - root / 2})), root / 2 - HALF)
    assert overlap(log_moment_generating(coin, root), log_moment_generating(coin, -root) + root)
    assert tail_of_sum([coin] * 400, 200) == HALF + F(math.comb(400, 200), 2**401)
    refuses(
        DomainError,
        (lambda: tail_of_sum([], 1), "at least one"),
        (lambda: tail_of_sum([coin], 0.5), "a float"),
        (lambda: tail_of_sum([coin], root), "a ball"),
        (lambda: tail_of_sum([{0: root / 2, 1: 1 - root / 2}], 1), "a ball"),
        (lambda: tail_of_sum([{"heads": 1}], 1), "a str"),
        (lambda: tail_of_sum(coin, 1), "a sequence"),
        (lambda: variance({"heads": 1}), "a str"),
        (lambda: variance([HALF]), "the sum 1"),
        (lambda: log_moment_generating(coin, 0.5), "a float"),
        (lambda: log_moment_generating({(0, 1): 1}, 1), "a tuple"),
    )
    refuses(
        BudgetError,
        (lambda: tail_of_sum([coin] * 1000, 500), "products of words"),
        (lambda: tail_of_sum([[1 - F(1, 10**9 + 7), F(1, 10**9 + 7)]] * 300, 5), "a small denominator"),
    )


# spaces ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("size", range(5))
def test_spaces_have_as_many_members_as_they_say(size):
    made = [
        words("abc", size),
        sign_vectors(size),
        permutations(size),
        subsets(size),
        subsets(5, size),
        subsets(2, size),
        product_of(words(2, size), subsets(3, 1)),
        listed(range(size + 1), size + 1),
        words(3, size),
    ]
    for space in made:
        members = list(space)
        assert len(members) == len(set(members)) == space.count
        assert count_where(space, lambda member: True) == space.count
    assert supremum(sign_vectors(3), sum) == -infimum(sign_vectors(3), lambda s: -sum(s)) == 3
    assert product_of().count == 1


def test_a_space_that_miscounts_is_refused_and_so_is_an_extremum_over_nothing():
    def of(members, count):
        return Space(lambda: members, count, "a few")

    refuses(
        DomainError,
        (lambda: supremum(of([1, 2], 3), abs), "2 members of a few"),
        (lambda: supremum(of([1, 2, 3, 4], 3), abs), "more than 3"),
        (lambda: infimum(of([1, 2, 1], 3), abs), "twice"),
        (lambda: supremum(of([], 2), abs), "0 members"),
        (lambda: supremum(of(7, 2), abs), "an iterable"),
        (lambda: supremum(of([], 0), abs), "which is empty"),
        (lambda: supremum(of([[1]], 1), abs), "tuples"),
        (lambda: supremum(of([1, 2], 2), float), "a float"),
        (lambda: count_where(words(2, 2), lambda w: None), "True or False"),
        (lambda: words("aba", 2), "differ"),
        (lambda: supremum([1, 2], abs), "a Space"),
        (lambda: words(2, -1), "at least 0"),
        (lambda: subsets(2.0), "integer"),
        (lambda: list(product_of(of([1], 2), words(2, 1))), "1 members of a few"),
    )
    refuses(BudgetError, (lambda: supremum(words(2, 100), sum), "members of words"))


# classes -----------------------------------------------------------------------------------------------------------
POINTS = st.lists(st.tuples(ENTRY, ENTRY), min_size=1, max_size=7, unique=True)


@examples(20, POINTS, st.integers(0, 5))
def test_covers_and_packings_bound_each_other_and_their_members_show_it(points, r):
    cover, packing = least_cover(points, squared_distance, r * r), largest_packing(points, squared_distance, r * r)
    assert all(any(squared_distance(x, c) <= r * r for c in cover) for x in points)
    assert all(squared_distance(x, y) > r * r for x, y in combinations(packing, 2))
    sizes = [covering_number(points, squared_distance, r * r), packing_number(points, squared_distance, r * r)]
    assert [len(cover), len(packing)] == sizes
    assert packing_number(points, squared_distance, 4 * r * r) <= sizes[0] <= sizes[1]
    assert sizes[0] <= greedy_packing_bound(points, squared_distance, r * r) <= sizes[1]
    # by all subsets
    apart = [
        k
        for k in range(1, len(points) + 1)
        for A in combinations(points, k)
        if all(squared_distance(x, y) > r * r for x, y in combinations(A, 2))
    ]
    assert sizes[1] == max(apart)


@examples(20, st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=1, max_size=12))
def test_the_vc_dimension_is_that_of_all_sets_of_points(rows):
    shattered = [
        A
        for k in range(5)
        for A in combinations(range(4), k)
        if len({tuple(row[j] for j in A) for row in rows}) == 2**k
    ]
    assert vc_dimension(rows) == max(map(len, shattered))
    assert shattered_set(rows) in shattered
    assert vc_dimension([["yes" if x else "no" for x in row] for row in rows]) == vc_dimension(rows)


@examples(10, MATRIX)
def test_rademacher_complexity_is_that_of_losses_and_of_sign_vectors(A):
    n = len(A[0])
    assert rademacher_complexity(A) == complexity_of_losses(A)
    assert rademacher_complexity(A) == expectation(
        Law.uniform(sign_vectors(n)), lambda s: F(max(sum(x * y for x, y in zip(s, row, strict=True)) for row in A), n)
    )


@examples(15, MATRIX)
def test_the_average_of_a_ball_is_that_of_its_corners_and_is_ordered_as_the_balls_are(X):
    columns = [list(column) for column in zip(*X, strict=True)]
    corners = [*columns, *([-x for x in column] for column in columns)]  # the functions of the corners of the l1 ball
    small, wide = ball_complexity(X, ball=1), ball_complexity(X, ball="inf")
    assert small == rademacher_complexity(corners)
    assert wide == expectation(Law.uniform(sign_vectors(len(X))), lambda s: F(sum(
        abs(sum(a * b for a, b in zip(s, column, strict=True))) for column in columns
    ), len(X)))  # fmt: skip
    middle = ball_complexity(X, ball=2)
    sums = [[sum(a * b for a, b in zip(s, column, strict=True)) for column in columns] for s in sign_vectors(len(X))]
    assert math.isclose(float(middle), np.linalg.norm(sums, axis=1).mean() / len(X), abs_tol=1e-12)
    assert Enclosure(small).certainly_le(middle) is not False
    assert middle.certainly_le(wide) is not False
    assert overlap(ball_complexity([[3 * x for x in row] for row in X], ball=2), 3 * middle)


@examples(15, MATRIX, st.integers(1, 9))
def test_the_sum_over_scales_scales_forgets_translations_and_repeats_and_is_above_the_supremum(T, c):
    whole = chaining_sum(T)
    assert overlap(chaining_sum([[c * x + c for x in row] for row in [*T, *T]]), c * whole)
    assert (rademacher_complexity(T) * len(T[0]) - 2 * Enclosure(2).sqrt() * whole).certainly_le(F(1, 10**9)) is True
    parts = [chaining_sum(T, scales=k) for k in (1, 2, 60)]
    assert parts[0].certainly_le(parts[1]) is not False
    assert overlap(parts[2], whole)


def test_refusals_of_balls_and_scales():
    root = Enclosure(2).sqrt()
    assert chaining_sum([[1, 2]]).fraction() == 0
    assert chaining_sum([[0], [1], [2**256 - 1]]).certainly_lt(2**255) is False
    assert chaining_sum([[0], [1], [2**256]], scales=256).certainly_lt(2**255) is False
    refuses(
        DomainError,
        (lambda: ball_complexity([[1]], ball=3), "the norm of the weights"),
        (lambda: ball_complexity([[1]], ball=True), "the norm of the weights"),
        (lambda: ball_complexity([[1]], ball=math.inf), 'ball = 1, 2 or "inf"'),
        (lambda: ball_complexity([[0.5]], ball=2), "a float"),
        (lambda: ball_complexity([[1], [1, 2]], ball=1), "one length"),
        (lambda: chaining_sum([[root]]), "a ball"),
        (lambda: chaining_sum([]), "at least one"),
        (lambda: chaining_sum([[1], [2]], scales=0), "at least 1"),
    )
    refuses(
        BudgetError,
        (lambda: ball_complexity([[1]] * 17, ball=2), "17 signs"),
        (lambda: ball_complexity([[1]] * 17, ball=1), "17 signs"),
        (lambda: chaining_sum([[k] for k in range(65)]), "at most 64"),
        (lambda: chaining_sum([[0], [1], [2**256]]), "at most 256 scales"),
    )
    with pytest.raises(TypeError, match="ball"):
        ball_complexity([[1]])


def test_what_a_metric_set_is_not():
    root = Enclosure(2).sqrt()
    refuses(
        DomainError,
        (lambda: covering_number([0, 1], lambda x, y: 1, 0), "itself"),
        (lambda: packing_number([0, 1], lambda x, y: max(y - x, 0), 0), "symmetric"),
        (lambda: covering_number([], squared_distance, 1), "at least one"),
        (lambda: covering_number([0], squared_distance, -1), "radius >= 0"),
        (lambda: covering_number([0, 1], lambda x, y: abs(x - y) / 2, 1), "a float"),
        (lambda: greedy_packing_bound([0, 1], lambda x, y: -1, 1), "distances >= 0"),
        (lambda: vc_dimension([[0, 1, 2]]), "two labels"),
        (lambda: vc_dimension([[0], [0, 1]]), "one length"),
        (lambda: vc_dimension([[0.5, 0]]), "a float"),
        (lambda: rademacher_complexity([[0.5]]), "enclosed.lambda"),
        (lambda: rademacher_complexity([[root]]), "a ball"),
        (lambda: hamming("ab", "a"), "equal lengths"),
    )
    refuses(
        BudgetError,
        (lambda: covering_number(range(65), squared_distance, 1), "at most 64"),
        (lambda: vc_dimension([[k >> j & 1 for j in range(200)] for k in range(64)]), "sets of"),
    )
    refuses(
        UndecidedError, (lambda: covering_number([0, 1], lambda x, y: (root * (x - y)) ** 2, 2), "squared distances")
    )


# vectors -----------------------------------------------------------------------------------------------------------
@examples(30, MATRIX)
def test_norms_are_those_of_numpy_and_obey_their_order(A):
    exact = [float(f(A)) for f in (operator_norm, frobenius_norm)]
    assert np.allclose(exact, [np.linalg.norm(A, 2), np.linalg.norm(A)], rtol=1e-9, atol=1e-9)
    assert operator_norm(A).certainly_le(frobenius_norm(A)) is not False
    assert overlap(operator_norm(A), operator_norm([list(c) for c in zip(*A, strict=True)]))
    assert rank(A) == np.linalg.matrix_rank(A)
    balls = [[x + Enclosure(2).sqrt() - Enclosure(2).sqrt() for x in row] for row in A]
    assert overlap(operator_norm(balls), operator_norm(A))
    assert not operator_norm(balls).exact


@examples(15, st.lists(st.lists(ENTRY, min_size=3, max_size=3), min_size=2, max_size=3))
def test_the_largest_eigenvalue_is_that_of_pivots_on_the_other_side(A):
    S = [[sum(x * y for x, y in zip(v, w, strict=True)) for w in A] for v in A]
    bound = 1 + sum(S[k][k] for k in range(len(S)))
    rest = [[F(bound * (k == l) - x) for l, x in enumerate(row)] for k, row in enumerate(S)]
    assert overlap(largest_eigenvalue(S), bound - smallest_eigenvalue(rest, bound))


def test_norms_are_exact_where_they_are_rational_and_narrow_at_every_precision():
    assert largest_eigenvalue([[F(1, 2), 0], [0, F(1, 3)]]).fraction() == HALF
    assert largest_eigenvalue([[0, 0], [0, 0]]).fraction() == 0
    assert operator_norm([[F(1, 2), F(1, 2)], [F(1, 2), F(-1, 2)]]).exact is False
    wide, narrow = (at_precision(bits, lambda: operator_norm([[1, 1], [0, 1]])) for bits in (64, 256))
    assert float(narrow.upper.value - narrow.lower.value) < 1e-60 < float(wide.upper.value - wide.lower.value)
    refuses(
        DomainError,
        (lambda: largest_eigenvalue([[1, 2], [3, 4]]), "symmetric"),
        (lambda: operator_norm([[Enclosure(1) / 0]]), "bounded balls"),
        (lambda: operator_norm([[1.0]]), "a float"),
        (lambda: operator_norm([[1], [1, 2]]), "one length"),
        (lambda: euclidean_norm(np.array([0.5])), "a float"),
        (lambda: squared_norm([]), "at least one"),
        (lambda: squared_norm([True]), "a bool"),
        (lambda: squared_norm("12"), "a sequence"),
        (lambda: squared_norm([FloatResult(0.5, "numpy")]), "a FloatResult"),
        (lambda: frobenius_norm([[math.nan]]), "a float"),
        (lambda: rank([[Enclosure(2).sqrt()]]), "a ball"),
        (lambda: rank([[1 / 3]]), "a float"),
    )


@examples(30, MATRIX, st.lists(ENTRY, min_size=4, max_size=4))
def test_interpolants_and_span_losses_are_those_of_least_squares(A, w):
    w = w[: len(A[0])]
    y = [sum(a * b for a, b in zip(row, w, strict=True)) for row in A]
    shortest = minimum_norm_interpolant(A, y)
    assert [sum(a * b for a, b in zip(row, shortest, strict=True)) for row in A] == y
    assert squared_norm(shortest) <= squared_norm(w)
    assert span_loss(shortest, A) == 0  # it lies in the span of the rows
    assert squared_norm(shortest) + span_loss(w, A) == squared_norm(w)  # Pythagoras: w less its projection
    assert np.allclose([float(x) for x in shortest], np.linalg.pinv(np.array(A, dtype=float)) @ np.array(y), atol=1e-8)


def test_what_no_linear_function_takes_is_refused():
    refuses(
        DomainError,
        (lambda: minimum_norm_interpolant([[1, 2], [2, 4]], [1, 3]), "row 1"),
        (lambda: minimum_norm_interpolant([[0, 0]], [1]), "no interpolant"),
        (lambda: minimum_norm_interpolant([[1, 2]], [1, 2]), "equal lengths"),
        (lambda: span_loss([1, 2], [[1, 2, 3]]), "equal lengths"),
        (lambda: span_loss([1.0], [[1]]), "a float"),
    )
    assert minimum_norm_interpolant([[0, 0]], [0]) == [0, 0]


@examples(20, st.lists(st.lists(st.sampled_from((-1, 1)), min_size=4, max_size=4), min_size=2, max_size=6))
def test_codes_have_the_distance_and_the_coherence_of_sign_codes(rows):
    code = SignCode(rows)
    assert least_distance(rows) == least_distance(np.array(rows)) == code.minimum_distance()
    assert coherence(rows) == coherence(np.array(rows) * 3) == code.coherence()
    assert absolute_coherence(rows) == code.absolute_coherence()
    letters = [[*row, k] for k, row in enumerate(rows)]  # a further place with as many letters as words
    assert least_distance(letters) == code.minimum_distance() + 1


def test_refusals_of_codes_and_quotients():
    refuses(
        DomainError,
        (lambda: coherence([[1, 0]]), "two at least"),
        (lambda: coherence([[0, 0], [1, 0]]), "not zero"),
        (lambda: coherence([[1.0, 0], [0, 1]]), "a float"),
        (lambda: least_distance(["ab"]), "two words"),
        (lambda: least_distance(["ab", "abc"]), "one length"),
        (lambda: least_distance([[0.5], [1]]), "a float"),
        (lambda: lipschitz_constant(abs, []), "at least one"),
        (lambda: lipschitz_constant(abs, [(1, 1)]), "differ"),
        (lambda: lipschitz_constant(float, [(1, 2)]), "a float"),
        (lambda: lipschitz_constant(abs, [1]), "pairs"),
        (lambda: lipschitz_constant(lambda x: [0] * x, [(1, 2)]), "equal lengths"),
    )


# attention ---------------------------------------------------------------------------------------------------------
@examples(20, st.lists(st.fractions(-5, 5, max_denominator=8), min_size=1, max_size=5))
def test_softmax_has_the_sum_one_is_that_of_numpy_and_tends_to_the_hard_maximum(scores):
    weights = softmax(scores)
    e = np.exp(np.array([float(s) for s in scores]))
    assert np.allclose([float(w) for w in weights], e / e.sum(), atol=1e-12)
    assert sum(weights[1:], weights[0]).contains(1)
    in_balls = softmax([s + Enclosure(2).sqrt() for s in scores])
    assert all(overlap(v, w) for v, w in zip(weights, in_balls, strict=True))
    steep = softmax([1000 * s for s in scores])
    assert all(abs(v - w).certainly_le(F(1, 10**9)) for v, w in zip(steep, hard_maximum(scores), strict=True))
    assert attention_weights([1], [[s] for s in scores])[0].same(weights[0])


def test_refusals_of_attention():
    root = Enclosure(2).sqrt()
    assert hard_maximum([root, 1, F(7, 5)]) == [1, 0, 0]
    refuses(UndecidedError, (lambda: hard_maximum([root, root * 1, 0]), "tie"))
    refuses(
        DomainError,
        (lambda: softmax([0.5]), "a float"),
        (lambda: softmax([]), "at least one"),
        (lambda: attention_weights([1, 2], [[1]]), "one length"),
        (lambda: attention_weights([1], [[1]], scale=0.5), "a float"),
        (lambda: attention_output([1], [[1], [2]], [[1]]), "equal lengths"),
        (lambda: hard_maximum(["a"]), "a str"),
    )


# runs --------------------------------------------------------------------------------------------------------------
@examples(20, MATRIX, st.integers(0, 3))
def test_regret_is_the_largest_against_a_fixed_action(losses, a):
    a = min(a, len(losses[0]) - 1)
    fixed = [sum(row[k] for row in losses) for k in range(len(losses[0]))]
    assert regret(losses, [a] * len(losses)) == max(fixed[a] - other for other in fixed) >= 0


def test_expected_passages_are_sums_of_survival():
    P = [[F(1, 2), F(1, 4), F(1, 4)], [F(1, 3), F(1, 3), F(1, 3)], [0, 0, 1]]
    alive, survived = [F(1), F(0)], F(0)
    for _ in range(200):  # the sum over t >= 0 of Pr(T > t), all but a 2^-80 of it
        survived += sum(alive)
        alive = [sum(alive[i] * P[i][j] for i in range(2)) for j in range(2)]
    assert 0 <= expected_first_passage(P, 0, [2]) - survived < F(1, 10**9)
    assert expected_first_passage(np.eye(2, dtype=int)[::-1], np.int64(0), [np.int64(1)]) == 1
    stuck = [[1, 0, 0], [F(1, 2), 0, F(1, 2)], [0, 0, 1]]
    assert expected_first_passage(stuck, 1, [0, 2]) == 1  # the state that ends the run may be any
    refuses(
        DomainError,
        (lambda: expected_first_passage(stuck, 1, [2]), "infinite"),
        (lambda: expected_first_passage([[HALF]], 0, [0]), "laws"),
        (lambda: expected_first_passage([[2, -1], [0, 1]], 0, [1]), "laws"),
        (lambda: expected_first_passage([[1]], 1, [0]), "from 0 to 0"),
        (lambda: expected_first_passage([[1.0]], 0, [0]), "a float"),
        (lambda: regret([[1, 2]], [2]), "from 0 to 1"),
        (lambda: regret([[1, 2]], [0, 1]), "equal lengths"),
        (lambda: regret([[0.5]], [0]), "a float"),
        (lambda: first_passage([1, 2], lambda n: n > 2), "a run of 2 states"),
        (lambda: first_passage([1], lambda n: n), "True or False"),
    )
    refuses(BudgetError, (lambda: first_passage(iter(int, 1), lambda n: n > 0, limit=9), "a run of 9 steps"))
    assert first_passage(iter(range(10)), lambda n: n == 9, limit=9) == 9


# memory ------------------------------------------------------------------------------------------------------------
PLACES = [0, 1, 2]


def at(word, place):
    return word[place]


def test_a_memory_is_asked_from_its_bytes_alone():
    """What the encoder keeps outside the state is of no use, and the answers of one state are the same for all."""
    kept = []

    def sly(word):
        kept.append(word)
        return 0

    found = Memory(sly, lambda state, place: kept[-1][place]).over(words(2, 3), PLACES, at)
    assert found.states == 1
    assert found.wrong >= 24 - 3 * 4  # one answer for each place, right for at most half of the words
    seen = []
    Memory(
        lambda word: seen.append(type(word)) or [1, (np.int64(2), "a"), np.array([3, 4]), None, b"x"],
        lambda state, place: seen.append(state) or 0,
    ).over(words(2, 1), [0], at)
    assert (1, (2, "a"), (3, 4), None, b"x") in seen


def test_a_memory_that_is_no_function_of_the_prompt_is_refused():
    count = iter(range(1000))
    refuses(
        DomainError,
        (lambda: Memory(lambda w: next(count), at).over(words(2, 2), [0], at), "encoded twice"),
        (lambda: Memory(lambda w: 0.5, at).over(words(2, 2), [0], at), "a float"),
        (lambda: Memory(lambda w: lambda: w, at).over(words(2, 2), [0], at), "a function"),
        (lambda: Memory(lambda w: {0: w}, at).over(words(2, 2), [0], at), "a dict"),
        (lambda: Memory(lambda w: w, lambda s, q: 0.5).over(words(2, 2), [0], at), "a float"),
        (lambda: Memory(at, at).over(words(2, 2), [], at), "at least one"),
        (lambda: Memory(lambda w: w, at).over([(0, 1)], [0], at), "a Space"),
        (lambda: Memory(1, at), "a function"),
        (lambda: Memory(lambda w: w, at).over(Space(lambda: [], 0), [0], at), "a prompt"),
    )


class Counter:
    """A recurrent state that counts ones up to a limit."""

    start = (0,)

    def __init__(self, limit):
        self.limit = limit

    def step(self, h, s, t):
        return np.minimum(h + np.asarray(s)[:, None], self.limit)


@pytest.mark.parametrize("limit", [1, 2, 9])
def test_states_are_those_of_a_recurrence_and_fano_pigeonhole_holds(limit):
    machine, N = Counter(limit), 4
    counted = count_states(machine, N)

    def encode(word):
        return min(sum(word), limit)

    best = {
        h: [
            max((0, 1), key=lambda a, j=j, h=h: sum(w[j] == a for w in words(2, N) if encode(w) == h)) for j in range(N)
        ]
        for h in range(N + 1)
    }
    found = Memory(encode, lambda state, place: best[state][place]).over(words(2, N), range(N), at)
    assert found.states == counted.S
    assert 1 - found.wrong_share == counted.accuracy
    assert (found.wrong == 0) == (found.merged is None)
    assert 2**found.bits >= found.states > 2 ** (found.bits - 1) or found.states == 1
