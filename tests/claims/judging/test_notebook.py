"""What a notebook shows of claims, bounds, estimates and certificates as HTML; points and ends as numbers."""

from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import theorytools as tt
from theorytools.errors import NumberError
from theorytools.numbers import End, float_lower, float_upper


def test_html_of_claims_bounds_estimates_and_certificates():
    bound = tt.bound_of("qstr.lemma_11", "leakage")
    assert bound._repr_html_().startswith("<p>$")
    recipe = tt.exactly(Fraction(1, 3))
    assert recipe._repr_html_() == recipe.value._repr_html_() == "<p>0.333333, exact</p>"
    x = tt.letter("x", "a size", positive=True)
    size = tt.Quantity("size", "s", "a size < 2 & more", (0, None))
    claim = tt.Claim("A toy", size <= x, tt.grid(x=[1, 2]), lambda p: p.x, lambda x, p: {size: x}, requires=[x > 0],
                     controls=[tt.Control("half", asserts=[size <= x / 2], breaks=size)])  # fmt: skip
    shown = claim._repr_html_()
    assert "<td>$s \\le x$</td>" in shown
    assert "requires" not in shown  # what the letter's own domain says is no hypothesis
    assert "half" in shown
    certificate = tt.certify_compressor([[1, 1, 1]], T=3, d=1, q=1)
    assert "<td>risk</td><td>2/3 ≈ 0.666667</td>" in certificate._repr_html_()
    assert sympy.latex(bound.expr) == bound.latex()


@given(st.fractions())
def test_an_end_is_a_double_between_its_neighbours(q):
    end = End(q)
    assert float_lower(end) <= float(end) <= float_upper(end)
    assert float(end) == float(q)


@given(st.fractions(), st.integers(0, 200))
def test_what_an_end_prints_is_all_of_it_or_marked(q, digits):
    value = q + Fraction(1, 3**digits)
    text = str(End(value))
    if text.startswith("≈"):
        assert abs(Fraction(text[1:]) - value) <= abs(value) / 10**16
    else:
        assert Fraction(text) == value


def test_an_end_beyond_doubles_is_no_float():
    with pytest.raises(NumberError, match="range of doubles"):
        float(End(Fraction(10**400)))
    assert float(End(float("inf"))) == float("inf")
