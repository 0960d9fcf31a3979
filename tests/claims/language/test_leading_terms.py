"""Leading terms: limits of quotients, what the rules do not decide, and the growth of the bound."""

from fractions import Fraction

import pytest
import sympy

from theorytools import DomainError
from theorytools.claims.language.growth import Growth, leading_term
from theorytools.numbers import Enclosure, at_precision, evaluate
from theorytools.papers.qstr import GeneralisationBound

x = sympy.Symbol("x", positive=True)
FORMULAS = [
    (3 * x**2 + x) * sympy.log(1 + x**5) - 7, sympy.sqrt(x + 1) / (2 + 1 / x), sympy.Max(x, 3 * x - sympy.log(x), 100),
    sympy.log(x + sympy.log(x)) ** 2 / x, sympy.ceiling(2 * x + sympy.Rational(1, 3)) / x, 2 + 5 / x,
    sympy.log(7 * sympy.exp(3 * x) + x) ** 3, (x**2 + x) ** sympy.Rational(2, 3), sympy.log(3 + 1 / sympy.log(x)),
]  # fmt: skip


@pytest.mark.parametrize("formula", FORMULAS)
def test_the_leading_term_is_the_limit_of_the_quotient(formula):
    found = leading_term(formula, x)
    scale = (sympy.exp(x), x, sympy.log(x), sympy.log(sympy.log(x)))
    lead = found.coefficient * sympy.Mul(*(base**power for base, power in zip(scale, found.powers, strict=True)))
    for place, gap in ((10**4, Fraction(1, 5)), (10**40, Fraction(1, 45))):
        ratio = at_precision(300, lambda place=place: evaluate(formula / lead, {"x": Enclosure(place)}))
        # every correction here is at most of relative size 2/log x
        assert abs(ratio - 1).certainly_le(gap) is True


def test_what_the_rules_do_not_decide_is_refused():
    for formula in (x - x * sympy.log(2) / sympy.log(2) + sympy.sin(x), sympy.log(1 / x), x**x, sympy.exp(x**2),
                    1 - x, sympy.ceiling(3 + 1 / x), sympy.log(sympy.log(sympy.log(sympy.log(x))))):  # fmt: skip
        with pytest.raises(DomainError):
            leading_term(formula, x)
    with pytest.raises(DomainError):
        leading_term(sympy.Add(x, sympy.log(2) * x, -sympy.log(2) * x - x, 1, evaluate=False), x)
    with pytest.raises(DomainError):
        Growth(sympy.Integer(2), (1, 0, 0, 0)).limit  # noqa: B018
    assert Growth(sympy.Integer(2), (0, -1, 3, 0)).limit == 0


def test_growth_in_log_N_is_the_limit_that_sympy_finds():
    L = sympy.Symbol("L", positive=True)
    bound = GeneralisationBound(N=sympy.exp(L), n=L**5, d=10, q=1)
    growth = bound.growth(L)
    assert (growth["tau"].coefficient, growth["Lambda"].coefficient) == (320 * sympy.E, 6144)
    assert growth["bound"].limit == sympy.Rational(1, 100)
    assert sympy.limit(sympy.sqrt(3 * sympy.E * 10 * (L + 5 * sympy.log(L))) / sympy.sqrt(L), L, sympy.oo) == (
        growth["r_x"].coefficient
    )
