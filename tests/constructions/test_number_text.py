"""Exact numbers as text: what is written is read as the same number, and nothing else is read."""

from fractions import Fraction

import pytest
import sympy
from hypothesis import strategies as st
from properties import examples

from theorytools.constructions.number_text import double, ratio, symbolic, whole, written
from theorytools.errors import DomainError

rationals = st.builds(sympy.Rational, st.integers(1, 99), st.integers(1, 12))
leaves = rationals | rationals.map(sympy.log) | rationals.map(sympy.sqrt) | st.sampled_from([sympy.pi, sympy.E])
numbers = st.recursive(
    leaves,
    lambda inner: st.builds(lambda a, b: a + b, inner, inner) | st.builds(lambda a, b: a - b, inner, inner)
    | st.builds(lambda a, b: a * b, inner, inner) | st.builds(lambda a, b: a / b, inner, leaves)
    | st.builds(lambda a, k: a**k, inner, st.integers(1, 3)) | st.builds(lambda a: sympy.log(a**2 + 2), inner),
    max_leaves=5,
)  # fmt: skip


@examples(120, numbers)
def test_a_number_of_sympy_comes_back_as_itself(value):
    """A sign or a bracket that binds otherwise than in what sympy prints gives another number."""
    if value.is_real and not value.has(sympy.zoo, sympy.nan):
        assert symbolic(written(value)) == value


@examples(60, st.fractions(), st.floats(allow_nan=False, allow_infinity=False), st.integers())
def test_fractions_doubles_and_integers_come_back_to_the_bit(fraction, float_, integer):
    assert (ratio(written(fraction)), whole(written(integer))) == (fraction, integer)
    assert double(written(float_)).hex() == float_.hex()


@pytest.mark.parametrize(
    ("read", "texts"),
    [
        (whole, ["+1", "01", "-0", "1_0", " 1", "1.0", "\u0661", "", "x", 1, True, None, "1" * 4001]),
        (ratio, ["2/4", "3/1", "1/0", "-1/-2", "1e3", "0.5", "1/2/3", "1/", Fraction(1), None, "1/" + "7" * 4001]),
        (double, ["1.5", "nan", "inf", "0x1p+99999", "0x1.8p1", None, 1.5]),
        (
            symbolic,
            ["9**9**9**9", "exp(exp(exp(9)))", "2**(2**200)", "exp(10**30)", "10**10**8", "log(0)", "sqrt(-1)",
             "log(-1)", "1/0", "x", "1.5", "(1, 2)", "log(2, 3)", "log", "lambda: 1", "True", "1_0", "0x10", "007",
             "log(2).func", "__import__('os')", "log(2)[0]", "1 if 1 else 2", "1;2", "1\n2", "-" * 3000 + "1",
             "", None, 7, "(" * 900 + "1" + ")" * 900, "1" * 4001],
        ),
    ],
    ids=["whole", "ratio", "double", "symbolic"],
)  # fmt: skip
def test_another_text_is_refused(read, texts):
    for text in texts:
        with pytest.raises(DomainError) as refusal:
            read(text)
        assert refusal.value.required, text


def test_numbers_that_no_text_of_the_grammar_means_are_not_written():
    for value in (sympy.EulerGamma, sympy.zeta(3), sympy.sin(1), sympy.Symbol("x"), sympy.Float(0.5), 10**5000):
        with pytest.raises(DomainError):
            written(value)
