"""The second route: exact where it is rational, unknown where it cannot be sure, and near sympy's own digits."""

from fractions import Fraction

import mpmath
import pytest
import sympy
from hypothesis import strategies as st
from properties import examples

from theorytools.numbers import Enclosure
from tools.bench.evaluation import Unknown, Value, apart, end, less, value

x, y = sympy.symbols("x y", positive=True)


@examples(60, st.fractions(1, 9, max_denominator=7), st.integers(1, 6))
def test_a_rational_formula_is_a_fraction_and_sympys(a, b):
    formula = x**3 / (y + 1) - sympy.Max(x, y) * sympy.floor(x) + sympy.binomial(y, 2)
    found = value(formula, {"x": a, "y": Fraction(b)})
    exact = formula.subs({x: sympy.Rational(a.numerator, a.denominator), y: b})
    assert found.exact
    assert found.number == Fraction(int(exact.p), int(exact.q))


@examples(30, st.fractions(Fraction(1, 5), 9, max_denominator=7))
def test_any_other_lies_within_its_margin_of_sympys(a):
    formula = sympy.log(x + 1) * sympy.sqrt(x) + sympy.exp(-x) * sympy.gamma(x) / sympy.pi
    found = value(formula, {"x": a})
    digits = sympy.N(formula.subs(x, sympy.Rational(a.numerator, a.denominator)), 80)
    with mpmath.workdps(80):
        assert abs(found.number - mpmath.mpf(str(digits))) <= found.margin


@pytest.mark.parametrize(
    "formula",
    [sympy.floor(sympy.log(8 * x) / sympy.log(2)), sympy.log(-x), 1 / (x - 1), sympy.zeta(x + 2), y, sympy.sqrt(-x)],
)
def test_a_jump_a_pole_and_what_is_not_known_have_no_value(formula):
    with pytest.raises(Unknown):
        value(formula, {"x": Fraction(1)})


def test_numbers_are_apart_only_beyond_their_margins():
    third, near = Value(Fraction(1, 3)), Value(mpmath.mpf(1) / 3, mpmath.mpf("1e-10"))
    assert not apart(third, near)
    assert less(third, Value(Fraction(1, 3) + Fraction(1, 10**9)))
    assert not less(third, third)


def test_ends_of_intervals_are_read_exactly():
    box = Enclosure(2).sqrt()
    low, high = end(box.lower.to_json()), end(box.upper.to_json())
    assert low**2 < 2 < high**2
    assert end({"inf": 1}) is None
    assert end({"q": ["0x1", "0x3"]}) == Fraction(1, 3)
