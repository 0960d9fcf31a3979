"""Bounds are exact formulas: printed, enclosed, their exponents and slopes; floats refused."""

import math
from fractions import Fraction

import numpy as np
import pytest
from statement_examples import beta, leakage
from sympy import Float, Rational, cos, exp, log, oo, sqrt
from tiny import N, tiny, value

from theorytools import Bound, Budget, Control, DomainError, Evidence, Outcome, judge, letter, points
from theorytools.claims.language.bound import recipe, substitute
from theorytools.numbers import Enclosure, working_precision


@pytest.mark.parametrize(
    "rhs",
    [0.5, np.float64(0.5), np.float32(0.5), Float("0.5"), N + 0.5, oo, -oo, 1 / (N - N), "N", None, True, leakage,
     N < 3, [1]],
)  # fmt: skip
def test_floats_and_non_formulas_are_refused_in_a_bound(rhs):
    for make in (lambda: leakage <= rhs, lambda: leakage.equals(N, within=rhs), lambda: Bound(rhs)):
        with pytest.raises(DomainError) as caught:
            make()
        assert caught.value.given
        assert caught.value.required


@pytest.mark.parametrize("rhs", [3, Fraction(1, 3), np.int64(3), Rational("0.1"), Bound(N), N / 3, -2])
def test_exact_numbers_are_taken(rhs):
    assert (leakage <= rhs).expr == Bound(rhs).expr


def test_a_bound_is_printed_from_one_expression():
    bound = Bound((N - 1) / (N - 1 + exp(beta)))
    assert bound.letters == ("N", "beta")
    assert bound.latex() == r"\frac{N - 1}{N + e^{\beta} - 1}"
    assert "<mfrac>" in bound.mathml()
    assert "<mi>&#946;</mi>" in bound.mathml()
    assert (leakage <= bound).latex() == r"L \le " + bound.latex()
    assert (leakage >= 1).latex() == r"L \ge 1"
    assert leakage.equals(N, within=Rational(1, 3)).latex() == r"L = N \pm \frac{1}{3}"
    assert (leakage <= bound).name == "leakage <= (N - 1)/(N + exp(beta) - 1)"
    assert leakage.equals(N, within=Rational(1, 3)).name == "leakage == N ± 1/3"


@pytest.mark.parametrize("bits", [64, 200, 1000])
def test_an_enclosure_gets_sharper_with_the_precision(bits):
    bound = Bound((N - 1) / (N - 1 + exp(beta)))
    box = bound.enclosure(bits, N=64, beta="21.3")
    reference = ((N - 1) / (N - 1 + exp(beta))).subs({N: 64, beta: Rational(213, 10)}).evalf(400)
    exact = Fraction(*map(int, Rational(reference).as_numer_denom()))  # off by less than 10^-400
    assert box.lower <= exact + Fraction(1, 10**400)
    assert box.upper >= exact - Fraction(1, 10**400)
    width = Enclosure(box.upper.value) - Enclosure(box.lower.value)
    assert width.upper < Fraction(1, 2 ** (bits - 10)) * exact  # a dozen operations lose fewer than ten bits
    assert working_precision() == 53


def test_letters_take_decimals_and_are_named_where_they_lack_a_value():
    bound = Bound(beta * N)
    assert bound.enclosure(N=10, beta=21.3).fraction() == 213
    assert bound.value(N=10, beta="213/10") == 213.0
    assert Bound(exp(beta)).value(beta=1) == pytest.approx(math.e, rel=2**-52)  # one rounding
    with pytest.raises(DomainError, match="no value for beta"):
        Bound(beta * N).value(N=3)
    assert substitute(exp(beta), {"beta": 3}) == exp(beta)
    assert substitute(exp(beta), {"beta": log(2) * 3}) == 8
    assert next(recipe(exp(beta), {"beta": 3 * log(2)}).steps(0.0, Budget())).evidence is Evidence.EXACT


@pytest.mark.parametrize(
    ("expr", "limit"),
    [(N * log(N), 1), (sqrt(N), Rational(1, 2)), (1 / N, -1), (log(N) ** 3, 0), (N**2 / log(N), 2), (exp(N), oo),
     (exp(-N), -oo), (7 * N**0, 0), (sqrt(N * log(N)) * beta, Rational(1, 2)), (N**beta, beta),
     ((N - 1) / (N - 1 + exp(beta)), 0), (N**3 + 1000 * N, 3)],
)  # fmt: skip
def test_exponent_at_infinity(expr, limit):
    assert Bound(expr).exponent(N) == limit


@pytest.mark.parametrize("expr", [0 * N, cos(N) + 2])
def test_an_exponent_that_does_not_exist_is_refused(expr):
    with pytest.raises(DomainError, match="a limit that sympy finds"):
        Bound(expr).exponent(N)


@pytest.mark.parametrize("expr", [N * log(N), sqrt(N) + 3, 1 / N**2, N * exp(-N / 100) + N**3])
def test_slope_on_a_window_is_the_least_squares_slope(expr):
    window = [4, 8, 12, 16, 24]
    box = Bound(expr).slope(N, window)
    heights = [math.log(expr.subs(N, n)) for n in window]
    fit = np.polyfit(np.log(window), heights, 1)[0]
    # polyfit solves a 5 x 2 system with condition number below 100 in doubles
    assert fit == pytest.approx(float(box), abs=1e-12)
    assert box.upper >= box.lower


def test_slope_is_exact_for_a_power_and_far_from_the_limit_for_a_logarithm():
    assert Bound(5 * N**3).slope(N, [2, 3, 7]).contains(3)
    assert float(Bound(N * log(N)).slope(N, [4, 8, 16, 24])) > 1.4  # at infinity it is 1
    for window in ([4], [4, 4], [0, 4]):
        with pytest.raises(DomainError, match="two distinct positive"):
            Bound(N).slope(N, window)


def test_lets_simplify_to_exact_rationals():
    s, d_e = letter("s", "", integer=True, positive=True), letter("d_e", "", integer=True, positive=True)
    rho = letter("rho", "")
    seen = []

    def measure(thing, p):
        seen.append(p.t)
        return {value: thing}

    t = letter("t", "defined by others", nonnegative=True)
    claim = tiny(
        asserts=[value <= 1 / exp(t * (1 - rho))], lets={t: s * d_e * log(2) / 2}, grid=points("s d_e", (1, 67)),
        derive=lambda thing, p: {rho: Fraction(25, 67)}, derived=[rho], construct=lambda p: Fraction(1, 2**21),
        measure=measure, controls=[Control("twice", breaks=value, construct=lambda p: Fraction(1, 2**20))],
    )  # fmt: skip
    verdict = judge(claim, "toy.lemma")
    assert verdict.outcome is Outcome.HOLDS
    assert verdict.evidence is Evidence.EXACT  # attained, so nothing but exact rationals can decide it
    assert verdict.rows[0].bound[0].low == Fraction(1, 2**21)
    assert seen[0] == 67 * log(2) / 2
