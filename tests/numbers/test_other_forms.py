"""The same number in another form: integers of numpy, reflected operators, ends as doubles, variables."""

from fractions import Fraction

import numpy as np
import pytest

from theorytools.errors import TheoryError
from theorytools.numbers import Enclosure, End, at_precision, ipow, root
from theorytools.numbers.polynomials import Polynomial
from theorytools.numbers.power_series import PowerSeries


def test_integers_of_numpy_are_integers_and_nothing_else_is():
    assert ipow(Fraction(3, 2), np.int64(3)).fraction() == Fraction(27, 8)
    assert root(Fraction(27, 8), np.int32(3)).fraction() == Fraction(3, 2)
    assert at_precision(np.int64(80), lambda: Enclosure(2).log()).upper > 0
    for call in (lambda: ipow(2, 1.5), lambda: ipow(2, True), lambda: root(2, 0), lambda: at_precision(1, int),
                 lambda: at_precision(53, 7), lambda: at_precision("53", int)):  # fmt: skip
        with pytest.raises(TheoryError):
            call()


def test_a_number_to_the_power_of_an_enclosure():
    assert (2 ** Enclosure(5)).fraction() == 32
    box = at_precision(120, lambda: 2 ** Enclosure(2).sqrt())
    back = at_precision(120, lambda: box.log() / Enclosure(2).log() - Enclosure(2).sqrt())
    assert back.lower >= -Fraction(1, 10**30)
    assert back.upper <= Fraction(1, 10**30)


def test_an_end_knows_whether_it_is_rational_and_its_nearest_double():
    assert End(Fraction(1, 3)).rational
    assert not Enclosure(2).sqrt().lower.rational
    assert float(End(Fraction(1, 3))) == 1 / 3
    assert float(Enclosure(2).sqrt().upper) == pytest.approx(2**0.5, abs=1e-15)
    with pytest.raises(TheoryError, match="range of doubles"):
        float(End(Fraction(10**400)))


def test_polynomials_by_their_variables_and_series_as_keys():
    x, y = Polynomial.variable(0), Polynomial.variable(1)
    assert Polynomial.linear({0: Fraction(2), 1: Fraction(-1), 3: Fraction(0)}) == x + x - y
    square = Polynomial.linear({0: Fraction(1), 1: Fraction(1)}) * (x + y)
    assert square.terms == {((0, 2),): 1, ((0, 1), (1, 1)): 2, ((1, 2),): 1}
    series = PowerSeries((Fraction(1), Fraction(2)))
    assert {series: "found"}[PowerSeries((Fraction(1), Fraction(2)))] == "found"
