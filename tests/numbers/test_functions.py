"""Harmonic numbers, zeta, digamma, Lambert's function, remainders, cases and sums: what their enclosures contain."""

import itertools
import math
from fractions import Fraction

import mpmath
import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sympy import Eq, Mod, Piecewise, Sum, harmonic, log, pi

from theorytools import BudgetError, DomainError, letter
from theorytools.numbers import POSITIVE_INFINITY, Enclosure, at_precision, between, evaluate
from theorytools.numbers.special import digamma, hurwitz, lambert, modulo, polygamma, zeta
from theorytools.numbers.sums import TERMS, finite_sum
from theorytools.numbers.sums import harmonic as harmonic_number

x, y, N = sympy.symbols("x y N", real=True)
k = sympy.Symbol("k", integer=True)
BITS = (64, 128, 333)
MARGIN = Fraction(1, 10**40)
POSITIVE = (Fraction(1, 9), Fraction(30))


def real(value):
    """Sixty digits of mpmath as a fraction."""
    return Fraction(str(mpmath.nstr(value, 60, min_fixed=-1, max_fixed=-1)))


def mp(q):
    return mpmath.mpf(q.numerator) / q.denominator


ONE = {
    "zeta": (zeta, mpmath.zeta, (Fraction(-7), Fraction(9)), lambda q: q != 1),
    "digamma": (digamma, mpmath.digamma, (Fraction(-5), Fraction(40)), lambda q: not (q <= 0 and q.denominator == 1)),
    "lambert": (lambert, lambda q: mpmath.lambertw(q).real, (Fraction(-36, 100), Fraction(50)), lambda q: True),
    "harmonic": (
        lambda b: harmonic_number(b, Enclosure(1)), mpmath.harmonic, (Fraction(-3), Fraction(60)),
        lambda q: not (q < 0 and q.denominator == 1),
    ),
    "trigamma": (lambda b: polygamma(Enclosure(1), b), lambda q: mpmath.psi(1, q), POSITIVE, bool),
    "third": (lambda b: polygamma(Enclosure(2), b), lambda q: mpmath.psi(2, q), POSITIVE, bool),
    "hurwitz": (lambda b: hurwitz(Enclosure(3), b), lambda q: mpmath.zeta(3, q), POSITIVE, bool),
}  # fmt: skip


@pytest.mark.parametrize("name", ONE)
def test_enclosures_hold_sixty_digits_and_narrow_with_the_precision(name):
    function, truth, (low, high), defined = ONE[name]

    @settings(max_examples=12, deadline=None, derandomize=True, database=None)
    @given(st.fractions(low, high, max_denominator=60))
    def check(q):
        assume(defined(q))
        with mpmath.workdps(70):
            value = real(truth(mp(q)))
        boxes = [at_precision(bits, lambda: function(Enclosure(q))) for bits in BITS]
        for box in boxes:
            assert box.lower <= value + MARGIN * (1 + abs(value))
            assert box.upper >= value - MARGIN * (1 + abs(value))
        widths = [Fraction(0) if b.exact else at_precision(400, lambda b=b: Enclosure(b.upper.value) - b.lower.value)
                  for b in boxes]  # fmt: skip
        for wide, narrow in itertools.pairwise(widths):
            assert Enclosure(narrow).certainly_le(wide)
        assert Enclosure(widths[-1]).certainly_le(Fraction(1 + abs(value)) / 10**70)

    check()


@pytest.mark.parametrize("name", ONE)
def test_a_wide_ball_holds_the_value_at_each_of_its_points(name):
    function, truth, (low, high), defined = ONE[name]

    @settings(max_examples=12, deadline=None, derandomize=True, database=None)
    @given(st.fractions(low, high, max_denominator=60), st.fractions(0, 1, max_denominator=20), st.fractions(0, 1))
    def check(start, width, share):
        end = min(high, start + width)
        q = start + (end - start) * share
        assume(defined(q))
        box = function(between(start, end))
        with mpmath.workdps(70):
            value = real(truth(mp(q)))
        assert box.lower <= value + MARGIN * (1 + abs(value))
        assert box.upper >= value - MARGIN * (1 + abs(value))

    check()


@pytest.mark.parametrize(
    ("expr", "letters", "value"),
    [
        (harmonic(N), {"N": 10}, Fraction(7381, 2520)), (harmonic(N), {"N": 0}, 0),
        (harmonic(N, 2), {"N": 3}, Fraction(49, 36)), (harmonic(N, -2), {"N": 4}, 30), (harmonic(N, 0), {"N": 7}, 7),
        (sympy.zeta(N), {"N": -1}, Fraction(-1, 12)), (sympy.zeta(N), {"N": 0}, Fraction(-1, 2)),
        (sympy.zeta(N), {"N": -4}, 0), (sympy.LambertW(N), {"N": 0}, 0),
        (Mod(x, y), {"x": 17, "y": 5}, 2), (Mod(x, y), {"x": -17, "y": 5}, 3), (Mod(x, y), {"x": 17, "y": -5}, -3),
        (Mod(x, y), {"x": Fraction(7, 3), "y": Fraction(1, 2)}, Fraction(1, 3)), (Mod(x, y), {"x": 6, "y": 3}, 0),
        (Sum(k**2, (k, 1, N)), {"N": 10}, 385), (Sum(1 / k, (k, 2, N)), {"N": 5}, Fraction(77, 60)),
        (Sum(k, (k, 3, N)), {"N": 1}, 0), (Sum(k, (k, 3, N)), {"N": 2}, 0),
        (Sum(x**k, (k, 0, N)), {"N": 3, "x": 2}, 15),
        (Sum(k, (k, x, N)), {"N": 3, "x": -3}, 0), (Sum(k * x, (x, 1, k), (k, 1, N)), {"N": 4}, 65),
        (Piecewise((1, x > 3), (2, x >= 3), (3, True)), {"x": 3}, 2),
        (Piecewise((1, Eq(x, y)), (0, True)), {"x": 1, "y": 1}, 1),
        (Piecewise((log(x), x > 0), (7, True)), {"x": -1}, 7),
        (Piecewise((1, (x > 0) & (y > 0)), (0, True)), {"x": 1, "y": 0}, 0),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_rational_stays_exact(expr, letters, value):
    for bits in (30, 64):
        assert at_precision(bits, lambda: evaluate(expr, letters)).fraction() == value


@pytest.mark.parametrize(
    ("expr", "letters"),
    [
        (sympy.zeta(x), {"x": 1}), (sympy.zeta(x), {"x": between(Fraction(1, 2), 2)}), (sympy.digamma(x), {"x": 0}),
        (sympy.digamma(x), {"x": -3}), (sympy.digamma(x), {"x": between(-1, 1)}), (harmonic(x), {"x": -1}),
        (sympy.LambertW(x), {"x": Fraction(-37, 100)}), (sympy.LambertW(x), {"x": between(-1, 1)}),
        (sympy.zeta(x, y), {"x": 1, "y": 1}), (sympy.zeta(x, y), {"x": 2, "y": 0}), (Mod(x, y), {"x": 1, "y": 0}),
        (Mod(x, y), {"x": 1, "y": between(-1, 1)}), (Sum(k, (k, 1, N)), {"N": Fraction(5, 2)}),
        (Sum(k, (k, 1, N)), {"N": between(2, 3)}), (Sum(1 / k, (k, -1, N)), {"N": 2}),
        (Piecewise((1, x > 3)), {"x": 2}),
        (Piecewise((1, log(x) > 0), (1, x > 3)), {"x": -1}), (Piecewise((1, x > 3)), {"x": between(2, 4)}),
        (sympy.polygamma(1, x), {"x": -Fraction(1, 2)}), (sympy.polygamma(x, 2), {"x": Fraction(1, 2)}),
    ],
    ids=str,
)  # fmt: skip
def test_where_it_is_undefined_nothing_is_certified(expr, letters):
    box = evaluate(expr, letters)
    assert box.certainly_le(10**9) is None
    assert box.certainly_lt(-(10**9)) is None


def close(box, low, high):
    """The interval from low to high and no more than the rounding of a union."""
    room = Fraction(1, 10**6)
    return low - room <= box.lower <= low and high <= box.upper <= high + room


def test_an_open_case_is_the_hull_of_what_may_apply_and_no_more():
    formula = Piecewise((10, x > 5), (20, x > 3), (30, True))
    box = evaluate(formula, {"x": between(2, 4)})
    assert close(box, 20, 30)
    assert close(evaluate(formula, {"x": between(4, 6)}), 10, 20)
    narrow = evaluate(formula, {"x": between(Fraction(31, 10), 4)})
    assert narrow.fraction() == 20
    # the same value on both sides of an open condition is that value
    assert evaluate(Piecewise((1, x > 3), (1, True), evaluate=False), {"x": between(2, 4)}).fraction() == 1
    # log(8)/log(2) is decided at once, exp(log(3)) never by balls alone
    assert evaluate(Piecewise((1, log(x) / log(2) >= 3), (0, True)), {"x": 8}).fraction() == 1


def test_a_remainder_whose_quotient_is_open_lies_between_zero_and_the_divisor():
    box = modulo(between(Fraction(29, 10), Fraction(31, 10)), Enclosure(3))
    assert close(box, 0, 3)
    assert evaluate(Mod(x, 2), {"x": at_precision(64, lambda: evaluate(pi))}).upper < Fraction(115, 100)
    below = modulo(between(Fraction(29, 10), Fraction(31, 10)), Enclosure(-3))
    assert close(below, -3, 0)


def test_long_sums_are_harmonic_numbers_and_stop_at_a_stated_number_of_terms():
    long = 60_000  # beyond the exact ones
    direct = math.fsum(1 / j for j in range(1, long + 1))
    for box in (evaluate(harmonic(N), {"N": long}), evaluate(Sum(1 / k, (k, 1, N)), {"N": long})):
        assert not box.exact
        assert box.lower <= direct + 1e-9
        assert box.upper >= direct - 1e-9
    assert evaluate(harmonic(N), {"N": 10**30}).upper < 70
    with pytest.raises(BudgetError, match="at most 131072 terms"):
        evaluate(Sum(k, (k, 1, N)), {"N": TERMS + 1})
    nested = Sum(x * k, (x, 1, k), (k, 1, N))
    with pytest.raises(BudgetError, match="inner sums counted"):
        evaluate(nested, {"N": 600})
    assert evaluate(nested, {"N": 3}).fraction() == 25  # the count begins anew
    assert finite_sum(Enclosure(1), Enclosure(2), lambda j: Enclosure(0).log()).upper == POSITIVE_INFINITY


def test_an_index_is_no_letter():
    inner = sympy.Dummy("k", integer=True)
    assert evaluate(Sum(Sum(inner + k, (inner, 1, k)), (k, 1, 2)), {}).fraction() == 2 + 3 + 4
    assert evaluate(Sum(k, (k, 1, 2)) + sympy.Symbol("k"), {"k": 10}).fraction() == 13
    assert evaluate(Sum(k + sympy.Symbol("k"), (k, 1, 2)), {"k": 10}).fraction() == 23
    assert evaluate(Sum(Sum(k, (k, 1, k)), (k, 1, 3)), {}).fraction() == 1 + 3 + 6
    positive = letter("j", "an index", integer=True, positive=True)
    assert evaluate(Sum(sympy.Abs(positive), (positive, 1, N)), {"N": 3}).fraction() == 6
    with pytest.raises(DomainError, match="a first index of at least 1"):
        evaluate(Sum(sympy.Abs(positive), (positive, -2, N)), {"N": 3})


def test_the_branch_point_of_lambert_and_the_pole_of_zeta_are_approached():
    for bits in BITS:
        box = at_precision(bits, lambda: lambert(Enclosure(Fraction(-3678, 10_000))))
        assert box.lower >= -1
        assert box.certainly_le(Fraction(-9, 10))
    near = zeta(Enclosure(1 + Fraction(1, 10**6)))
    assert near.certainly_le(10**6 + 1)
    assert near.certainly_le(10**6) is False


def test_the_advice_names_what_may_be_written_instead():
    for formula, advice in (
        (sympy.tan(x), "sin and cos"), (sympy.Heaviside(x), "Piecewise"), (sympy.beta(x, y), "gamma"),
        (sympy.Product(k, (k, 1, N)), "Sum"), (sympy.Sum(1 / k**2, (k, 1, sympy.oo)), r"zeta\(s\)"),
        (sympy.log(sympy.lowergamma(x, y)), "did you mean loggamma"),
        (sympy.Function("harmnic")(x), "did you mean harmonic"),
        (sympy.Function("f")(x), "rewrite it"), (sympy.LambertW(x, -1), "principal branch"),
        (sympy.GoldenRatio, "sqrt"),
    ):  # fmt: skip
        with pytest.raises(DomainError, match=advice) as refusal:
            evaluate(formula, {"x": 1, "y": 1, "N": 3})
        assert refusal.value.given
        assert refusal.value.required
        assert refusal.value.why
