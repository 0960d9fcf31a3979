"""Exact linear algebra, linear algebra and integrals in balls, and what a typed number means."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools.errors import CertificateError, DomainError
from theorytools.numbers import (
    NEGATIVE_INFINITY,
    Enclosure,
    at_precision,
    ball_matmul,
    first_independent,
    fraction,
    integrate,
    over_one,
    pi,
    quick,
    rational_dot,
    rational_inverse,
    rational_product,
    rational_rank,
    shortest_fraction,
    solve_ball,
    solve_rational,
)
from theorytools.numbers.linear_algebra import independent_rows

entries = st.fractions(min_value=-9, max_value=9, max_denominator=7)
F = Fraction


@pytest.mark.parametrize(
    ("given_", "meant"),
    [
        (0.1, F(1, 10)), (21.3, F(213, 10)), (-2.5e-7, F(-1, 4_000_000)), (1e22, F(10**22)), (7, F(7)),
        ("21.3", F(213, 10)), ("213/10", F(213, 10)), ("1e-3", F(1, 1000)), (" -.5 ", F(-1, 2)), (F(1, 3),
        F(1, 3)),
        (np.float64(0.1), F(1, 10)), (np.float32(0.1), F(1, 10)), (np.int8(-3), F(-3)), (np.uint64(2**63),
        F(2**63)),
        (sympy.Rational(1, 3), F(1, 3)), (sympy.Integer(4), F(4)),
    ],
)  # fmt: skip
def test_a_typed_number_means_its_shortest_decimal(given_, meant):
    result = shortest_fraction(given_)
    assert type(result) is Fraction
    assert result == meant


@examples(30, st.floats(allow_nan=False, allow_infinity=False))
def test_the_shortest_decimal_rounds_back(x):
    assert float(shortest_fraction(x)) == x


@pytest.mark.parametrize(
    "bad",
    [float("nan"), float("inf"), "nan", "1/0", "1_0", "", "1e99999", "9" * 5000, True, np.True_, None, 1j,
     sympy.Symbol("x"), sympy.Float("0.1"), [1], np.float32("nan")],
)  # fmt: skip
def test_other_numbers_are_refused(bad):
    with pytest.raises(DomainError, match="as a number"):
        shortest_fraction(bad)


def matrices(n):
    return st.lists(st.lists(entries, min_size=n, max_size=n), min_size=n, max_size=n)


@examples(30, st.integers(1, 4).flatmap(lambda n: st.tuples(matrices(n), st.lists(entries, min_size=n, max_size=n))))
def test_solutions_solve(system):
    A, b = system
    n = len(b)
    assert rational_rank(A) == sympy.Matrix(n, n, [sympy.Rational(*x.as_integer_ratio()) for r in A for x in r]).rank()
    if rational_rank(A) < n:
        with pytest.raises(DomainError, match="singular"):
            solve_rational(A, b)
        return
    x = solve_rational(A, b)
    assert [sum(a * y for a, y in zip(row, x, strict=True)) for row in A] == b
    product = ball_matmul(A, rational_inverse(A))
    assert [[box.fraction() for box in row] for row in product] == [[int(i == j) for j in range(n)] for i in range(n)]
    balls = at_precision(256, lambda: solve_ball(A, b))
    assert all(box.contains(value) for box, value in zip(balls, x, strict=True))


@examples(30, st.integers(1, 6), st.integers(1, 6), st.integers(0, 999))
def test_independent_rows_are_the_first_ones(n, m, seed):
    A = np.random.default_rng(seed).integers(-1, 2, (n, m)).astype(object) / F(2)
    kept = []
    for k in range(n):
        if rational_rank(A[[*kept, k]]) > len(kept):
            kept.append(k)
    assert first_independent(A) == kept
    rows, columns = independent_rows(A)
    assert len(rows) == len(columns) == len(kept)
    assert not rows or rational_rank(A[np.ix_(rows, columns)]) == len(rows)


def test_arrays_and_several_right_sides():
    A = np.array([[2, 1], [1, 1]], dtype=np.int8)
    assert solve_rational(A, np.array([3, 2])) == [1, 1]
    assert solve_rational(A, np.eye(2, dtype=int)) == rational_inverse(A) == [[1, -1], [-1, 2]]
    assert rational_rank(np.array([[1, 2, 3], [2, 4, 6]], dtype=object)) == 1
    assert rational_rank(np.full((2, 2), 2**63, dtype=np.uint64)) == 1
    two = Enclosure(2).sqrt()
    square = ball_matmul([[two, F(1, 2)]], [[two], [2]])[0][0]
    assert square.contains(3)
    assert not square.exact
    x = solve_ball([[two, 1], [0, 1]], [[2], [0]])
    assert (x[0][0] - two).contains(0)


@pytest.mark.parametrize(
    "bad", [[[0.5]], [[True]], [[1, 2], [3]], [], [[]], 5, [1, 2], [["1"]], np.array([[0.5]]), [[None]]]
)
def test_bad_matrices_are_refused(bad):
    with pytest.raises(DomainError):
        rational_rank(bad)


def test_bad_systems_and_floats_are_refused():
    for A, b in [([[1, 2]], [1]), ([[1]], [1, 2]), ([[1]], []), ([[1]], 3), ([[0]], [1])]:
        with pytest.raises(DomainError):
            solve_rational(A, b)
    refuses(DomainError, lambda: rational_inverse([[1, 1], [1, 1]]), lambda: ball_matmul([[1, 2]], [[1, 2]]))
    with pytest.raises(CertificateError, match="pivot"):
        solve_ball([[Enclosure(2).sqrt() - Enclosure(2).sqrt()]], [1])
    refuses(DomainError, lambda: quick(0.5), lambda: rational_dot([0.5], [1]), lambda: quick(True))


def test_quadrature():
    half = integrate(lambda x: (-x * x / 2).exp() / (2 * pi()).sqrt(), 0, 8)
    # P(0 < X < 8) = 1/2 - P(X > 8), and P(X > 8) is between 6e-16 and 7e-16
    assert half.upper < Fraction(1, 2) + Fraction(1, 10**15)
    assert half.lower > Fraction(1, 2) - Fraction(1, 10**14)
    assert integrate(lambda x: x.sqrt(), 1, 4).contains(Fraction(14, 3))
    assert integrate(lambda x: 1 / x, -1, 1).lower == NEGATIVE_INFINITY
    assert integrate(lambda x: x.sqrt(), -1, 1).lower == NEGATIVE_INFINITY
    with pytest.raises(KeyError):
        integrate(lambda x: {}["f"], 0, 1)


@examples(30, st.integers(0, 4), st.data())
def test_products_and_sums_are_those_of_fractions(k, data):
    rows = st.lists(entries | st.integers(), min_size=k + 1, max_size=k + 1)
    a, b = data.draw(rows), data.draw(rows)
    expected = sum((Fraction(x) * Fraction(y) for x, y in zip(a, b, strict=True)), Fraction(0))
    assert rational_dot(a, b) == expected
    assert type(rational_dot(a, b)) is Fraction
    left, right = np.array([a, b], dtype=object), np.array(b, dtype=object)
    product = rational_product(left, right)
    assert product.tolist() == (left @ right).tolist()
    assert {type(x) for x in product.flat} == {Fraction}
    assert rational_product(left, left.T).tolist() == (left @ left.T).tolist()


@examples(30, entries, entries, st.integers(-3, 3))
def test_quick_numbers_compute_as_fractions_do(x, y, n):
    a, b = quick(x), quick(y)
    assert [fraction(z) for z in (a + b, a - b, a * b, n * a, n + a)] == [x + y, x - y, x * y, n * x, n + x]
    assert fraction(max(a, b)) == max(x, y)
    assert y == 0 or fraction(a / b) == x / y
    assert x == 0 or fraction(a**n) == x**n
    made = fraction(a)
    assert (made.numerator, made.denominator, hash(made)) == (x.numerator, x.denominator, hash(x))


@examples(30, st.lists(entries, min_size=4, max_size=4))
def test_over_one_denominator(numbers):
    whole, scale = over_one(np.array(numbers, dtype=object).reshape(2, 2))
    assert [F(x, scale) for x in whole.flat] == numbers
    assert all(type(x) is int for x in whole.flat)
    assert scale == sympy.ilcm(1, *(x.denominator for x in numbers))
