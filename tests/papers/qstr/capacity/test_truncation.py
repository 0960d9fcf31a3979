"""Truncation of labels: tails that are attained, levels that make them rare, and the excess beyond."""

import math
from fractions import Fraction

import pytest
import sympy
from hypothesis import strategies as st
from properties import examples

from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, evaluate
from theorytools.papers.qstr.capacity.truncation import Truncation, TwoPointLabels, gaussian_excess, label_tail


@examples(20, st.integers(2, 10**6), st.integers(1, 3), st.fractions(1, 40, max_denominator=3))
def test_two_point_labels_attain_their_tail_and_nothing_exceeds_their_moments(K, s, r):
    law = TwoPointLabels.sharp(K, C_y=2, s=s)
    allowed = evaluate(2 * sympy.Rational(r.numerator, r.denominator) ** s)
    if math.exp(s / 2) <= K:  # else the formula is below its range
        assert law.moment(r).certainly_lt(allowed * (1 + Fraction(1, 2**40))) is True
        assert label_tail(sympy.sqrt(law.v2), C_y=2, s=s).expr.equals(sympy.Rational(1, K))


def test_levels_make_both_tails_rare_and_the_excess_has_its_derivative():
    for C_y in (1, 46, 48, 10**4):
        t = Truncation(100, 10**6, 10, 1, 1, 2, 1, C_y, 1)
        rare = 10**6 * evaluate(t.E_2) ** 2
        at_level, below = (t.tails(evaluate(t.level) * f) * rare for f in (1, Fraction(99, 100)))
        # one of them is 1 exactly; the level less one per cent makes it larger by a factor e^(log(n E_2^2)/100) > 1.2
        assert at_level.certainly_le(2) is True
        assert Enclosure(1).certainly_lt(at_level * (1 + Fraction(1, 2**40))) is True
        assert Enclosure(Fraction(12, 10)).certainly_lt(below) is True
    with pytest.raises(DomainError):
        TwoPointLabels(sympy.Integer(1), Fraction(0))
    c = sympy.Symbol("c", positive=True)
    excess = gaussian_excess(c).expr
    density = sympy.exp(-(c**2) / 2) / sympy.sqrt(2 * sympy.pi)
    assert sympy.simplify(sympy.diff(excess, c) + 8 * c**2 * density) == 0  # 4 E[y² 1_{|y|>c}]
    assert sympy.limit(excess, c, 0) == 4
