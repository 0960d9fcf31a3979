"""The two sides of a statement: letters, bounds and assertions, which are compared and never silently true."""

import math
import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Float, Rational, cos, exp, log, oo, sqrt
from tiny import N, tiny, value

from theorytools import Bound, Control, DomainError, Estimate, Evidence, Outcome, Quantity, judge, letter, points
from theorytools.algebra.bound import recipe, substitute
from theorytools.algebra.estimate import Budget, certain
from theorytools.algebra.rigorous import Enclosure, End, working_precision

beta = letter("beta", "a temperature", latex=r"\beta", nonnegative=True)
leakage = Quantity("leakage", "L", "weight elsewhere", (0, 1))
fuzz = settings(deadline=None, derandomize=True, database=None, max_examples=60)
fractions = st.fractions(min_value=-9, max_value=9, max_denominator=12)


# -- assertions have no truth value --------------------------------------------------------------------------
@pytest.mark.parametrize(
    "use",
    [lambda: bool(leakage <= 1), lambda: 0 <= leakage <= 1, lambda: leakage <= 1 and leakage >= 0,
     lambda: not leakage.equals(1), lambda: [a for a in [leakage <= 1] if a]],
)  # fmt: skip
def test_an_assertion_is_never_silently_true(use):
    with pytest.raises(TypeError, match="statement, not a truth value"):
        use()


def test_strict_comparisons_do_not_exist():
    for compare in (lambda: leakage < 1, lambda: leakage > 1):
        with pytest.raises(TypeError, match="not supported"):
            compare()


def test_the_reflected_comparison_is_the_same_assertion():
    assert (leakage <= 1) == (leakage <= 1)
    assert (leakage <= N) == (leakage <= N)
    assert (leakage >= N + 1) == (leakage >= N + 1)


def test_equality_of_quantities_stays_that_of_python():
    twin = Quantity("leakage", "L", "weight elsewhere", (0, 1))
    assert leakage == twin
    assert {leakage: 1}[twin] == 1
    assert leakage != Quantity("leakage", "M")
    assert leakage in [Quantity("other", "o"), twin]
    assert (leakage <= N) in [leakage >= N, twin <= N]


def test_quantities_letters_and_assertions_survive_pickling():
    for thing in (leakage, beta, leakage <= N * beta, leakage.equals(N, within=Rational(1, 3)), Bound(N * exp(beta))):
        again = pickle.loads(pickle.dumps(thing))
        assert again == thing
        assert hash(again) == hash(thing)
    again = pickle.loads(pickle.dumps(beta))
    assert (again.meaning, again.tex, again.is_nonnegative) == (beta.meaning, r"\beta", True)
    assert {leakage: 1}[pickle.loads(pickle.dumps(leakage))] == 1


def test_an_error_survives_pickling_too():
    error = DomainError("the given", required="the required", why="the reason", advice="the advice")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(error).split("\n") == [
        "given:    the given", "required: the required", "why:      the reason", "try:      the advice"
    ]  # fmt: skip


# -- letters ------------------------------------------------------------------------------------------------
def test_two_letters_of_one_name_do_not_mix():
    other = letter("N", "number of heads", integer=True, positive=True)
    assert other != N
    assert len({N, other}) == 2
    assert letter("N", "a size", integer=True, positive=True) == N


def test_a_letter_knows_its_domain():
    real = letter("r", "a number")
    assert [str(c) for c in N.domain] == ["N >= 1"]
    assert [str(c) for c in beta.domain] == ["beta >= 0"]
    assert [str(c) for c in letter("eps", "small", positive=True).domain] == ["eps > 0"]
    assert real.domain == []
    assert N.domain_latex == r"N\in \{1,2,\dots\}"
    assert beta.domain_latex == r"\beta \ge 0"
    assert real.domain_latex == r"r \in \mathbb{R}"
    assert letter("z", "", integer=True).domain_latex == r"z\in \mathbb{Z}"
    assert letter("z", "", integer=True, nonnegative=True).domain_latex == r"z\in \{0,1,2,\dots\}"


@pytest.mark.parametrize("assumptions", [{"negative": True}, {"even": True}, {"nonzero": True}, {"positive": False}])
def test_assumptions_that_no_point_is_tested_against_are_refused(assumptions):
    with pytest.raises(DomainError, match="every point must be tested"):
        letter("k", "a number", **assumptions)


def test_letter_names_are_identifiers():
    with pytest.raises(DomainError, match="Python identifier"):
        letter("d e", "not a name")


# -- bounds: exact formulas only -------------------------------------------------------------------------------
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


def test_floats_for_letters_mean_their_shortest_decimal():
    bound = Bound(beta * N)
    assert bound.enclosure(N=10, beta=21.3).fraction() == 213
    assert bound.value(N=10, beta="213/10") == 213.0
    assert Bound(exp(beta)).value(beta=1) == pytest.approx(math.e, rel=2**-52)  # one rounding


def test_a_letter_without_a_value_is_named():
    with pytest.raises(DomainError, match="no value for beta"):
        Bound(beta * N).value(N=3)


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


# -- letters that make a bound rational -------------------------------------------------------------------------
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


def test_substitution_leaves_rational_letters_to_the_evaluator():
    assert substitute(exp(beta), {"beta": 3}) == exp(beta)
    assert substitute(exp(beta), {"beta": log(2) * 3}) == 8
    assert next(recipe(exp(beta), {"beta": 3 * log(2)}).steps(0.0, Budget())).evidence is Evidence.EXACT


# -- three-valued comparison -------------------------------------------------------------------------------------
@fuzz
@given(st.tuples(fractions, fractions).map(sorted), st.tuples(fractions, fractions).map(sorted))
def test_a_comparison_is_decided_exactly_when_every_point_agrees(measured, bound):
    box, side = (Estimate(End(low), End(high), Evidence.ENCLOSED) for low, high in (measured, bound))
    corners = [(a, b) for a in measured for b in bound]
    for assertion, holds in ((value <= N, lambda a, b: a <= b), (value >= N, lambda a, b: a >= b)):
        answers = {holds(a, b) for a, b in corners}
        assert assertion.compare(box, [side]) is (answers.pop() if len(answers) == 1 else None)


@fuzz
@given(st.tuples(fractions, fractions).map(sorted), fractions, st.fractions(0, 3, max_denominator=12))
def test_equality_within_a_tolerance_is_two_inequalities(measured, centre, within):
    assertion = value.equals(centre, within=within)
    box = Estimate(End(measured[0]), End(measured[1]), Evidence.ENCLOSED)
    sides = [Estimate.of(certain(Fraction(side.p, side.q))) for side in assertion.sides()]
    answers = {abs(a - centre) <= within for a in (*measured, centre) if measured[0] <= a <= measured[1]}
    assert assertion.compare(box, sides) is (answers.pop() if len(answers) == 1 else None)


@pytest.mark.parametrize("rhs", [10, -10])
def test_tightening_moves_the_bound_falseward(rhs):
    sign = 1 if rhs > 0 else -1
    assert (value <= rhs).tightened(Fraction(2), sign=sign)[0].expr == rhs - (5 if rhs > 0 else 10)
    assert (value >= rhs).tightened(Fraction(2), sign=sign)[0].expr == rhs + (10 if rhs > 0 else 5)
    low, high = value.equals(rhs, within=1).tightened(Fraction(2), sign=sign)
    assert low.expr < rhs < high.expr
    assert low.within == high.within == 1


def test_a_bound_that_is_zero_is_moved_by_the_factor_less_one():
    assert [a.expr for a in (value <= 0).tightened(Fraction(5, 4), sign=0)] == [Rational(-1, 4)]
    assert [a.expr for a in value.equals(0).tightened(Fraction(5, 4), sign=0)] == [Rational(-1, 4), Rational(1, 4)]


@pytest.mark.parametrize("rhs", [10, -10])
def test_a_tie_loosens_the_bound_outward(rhs):
    def loosened(assertion):
        return replace(assertion, tie=Rational(1, 10)).loosened()

    assert loosened(value <= rhs).sides() == [rhs + 1]
    assert loosened(value >= rhs).sides() == [rhs - 1]
    assert loosened(value.equals(rhs)).sides() == [rhs - 1, rhs + 1]
    assert loosened(value.equals(rhs, within=3)).sides() == [rhs - 4, rhs + 4]
    assert loosened(value <= rhs).name == (value <= rhs).name
