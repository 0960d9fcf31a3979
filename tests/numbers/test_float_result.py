"""Numbers that floats gave keep their origin: through arithmetic, into a row, and never into an enclosure."""

import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import constant, value

from theorytools import exactly
from theorytools.claims.judging.judge import judge
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure
from theorytools.numbers.float_result import FloatResult

plain = st.fractions(min_value=-9, max_value=9, max_denominator=64)


@given(plain, plain)
def test_arithmetic_is_that_of_fractions_and_keeps_the_origin(a, b):
    x, y = FloatResult(a, "numpy"), FloatResult(b, "torch")
    for made, exact in ((x + b, a + b), (b - x, b - a), (x * 3, a * 3), (-x, -a), (abs(x), abs(a)), (x**2, a**2)):
        assert (type(made), made.exact, made.libraries) == (FloatResult, exact, ("numpy",))
    assert (x - y).libraries == ("numpy", "torch")
    assert sum([x, y]).exact == a + b
    assert type(min(x, y)) is FloatResult
    if b:
        assert (x / y).exact == a / b


def test_an_enclosure_of_it_is_refused_and_so_is_a_certificate():
    seen = FloatResult(0.5, "numpy")
    for made in (lambda: Enclosure(seen), lambda: exactly(seen), lambda: Enclosure(1) + seen):
        with pytest.raises(DomainError, match="run in floats"):
            made()
    assert Enclosure(seen.exact).exact


def test_a_row_of_it_is_observed():
    verdict = judge(constant(FloatResult(0.5, "numpy"), value <= 1), "toy.lemma_01")
    (row,) = [row for row in verdict.rows if not row.control]
    assert (row.measured.evidence.name, "numpy" in row.measured.work) == ("OBSERVED", True)
    assert verdict.evidence.name == "OBSERVED"


def test_what_is_no_result_is_refused():
    for given_, libraries in ((float("nan"), ("numpy",)), (float("inf"), ("numpy",)), ("x", ("numpy",)), (0.5, ())):
        with pytest.raises(DomainError):
            FloatResult(given_, *libraries)


def test_it_survives_pickling():
    again = pickle.loads(pickle.dumps(FloatResult(Fraction(1, 3), "torch", "numpy")))
    assert (again, again.libraries) == (Fraction(1, 3), ("numpy", "torch"))
