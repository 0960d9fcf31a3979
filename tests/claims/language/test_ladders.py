"""Ladders of estimates: the precisions they climb, ends that hold the number at each of them, and what ends them."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from properties import examples
from sympy import E, Integer, Max, Min, Rational, ceiling, erfc, exp, log, oo, pi, sqrt
from tiny import M, N, tiny, value, x

from theorytools import Bound, Budget, CheckError, Control, DomainError, Enclosure, Evidence, Quantity, grid, letter
from theorytools.claims.language.bound import as_recipe, exact_value, recipe, resolve, substitute
from theorytools.claims.language.estimate import (
    Estimate,
    certain,
    enclosed,
    enclosed_between,
    exactly,
    outward,
    unbounded,
)
from theorytools.claims.language.growth import Growth, leading_term
from theorytools.claims.language.ladder import Ladder
from theorytools.claims.language.slope import checked_window, curve_slope, window_text
from theorytools.errors import DisjointError
from theorytools.numbers import End, working_precision
from theorytools.numbers.float_result import FloatResult

ROOT = Fraction(math.isqrt(2 * 10**800), 10**400)  # below the root of two by less than 10^-400
ABOVE = ROOT + Fraction(1, 10**400)


def root():
    return Enclosure(2).sqrt()


def bits_of(made, budget):
    return [step.work["bits"] for step in made.steps(0.0, budget)]


# -- enclosures --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("make", [enclosed, lambda f, **more: enclosed_between(f, f, **more)], ids=["one", "between"])
def test_each_step_has_twice_the_bits_up_to_the_budget(make):
    assert bits_of(make(root), Budget(bits=500)) == [64, 128, 256, 500]
    assert bits_of(make(root), Budget(bits=64)) == [64]
    assert bits_of(make(root), Budget(bits=40)) == [40]
    assert bits_of(make(root, first_bits=100), Budget(bits=200)) == [100, 200]
    steps = list(make(root).steps(0.0, Budget(bits=1024)))
    for step in steps:
        assert step.low <= ROOT
        assert step.high >= ABOVE
        assert step.evidence is Evidence.ENCLOSED
        assert step.high < ROOT + Fraction(64, 2 ** step.work["bits"])
        assert step.low > ROOT - Fraction(64, 2 ** step.work["bits"])
    assert working_precision() == 53


def test_a_number_that_turns_out_rational_ends_the_ladder():
    assert bits_of(enclosed(lambda: Enclosure(4).sqrt()), Budget()) == [64]
    (same,) = enclosed_between(lambda: 3, lambda: Fraction(3)).steps(0.0, Budget())
    assert (same.evidence, same.low == same.high == 3) == (Evidence.EXACT, True)
    (apart,) = enclosed_between(lambda: 1, lambda: 3).steps(0.0, Budget())
    assert (apart.evidence, apart.low == 1, apart.high == 3) == (Evidence.ENCLOSED, True, True)
    half = list(enclosed_between(lambda: 1, root).steps(0.0, Budget(bits=256)))
    assert [step.work["bits"] for step in half] == [64, 128, 256]
    assert all(step.low == 1 for step in half)
    late = enclosed(lambda: Enclosure(3) if working_precision() > 100 else Enclosure(9) + (root() ** 2 - 2) - 6)
    assert [step.evidence for step in late.steps(0.0, Budget())] == [Evidence.ENCLOSED, Evidence.EXACT]


def test_steps_are_cut_to_the_last_and_disjoint_ones_are_an_error():
    def widening():
        radius = Fraction(1, 4) if working_precision() < 100 else Fraction(1, 2)
        return Enclosure(5) + radius * (Enclosure(2).sqrt() ** 2 - 2) * 2**70

    first, second, *_ = enclosed(widening).steps(0.0, Budget(bits=256))
    assert first.low <= second.low <= 5 <= second.high <= first.high

    def jumping():
        return Enclosure(2).sqrt() + (0 if working_precision() < 100 else 9)

    with pytest.raises(DisjointError, match="disjoint"):
        list(enclosed(jumping).steps(0.0, Budget()))
    box = Estimate(End(Fraction(1)), End(Fraction(3)), Evidence.ENCLOSED)
    touching = replace(box, low=End(Fraction(3)), high=End(Fraction(4)))
    met = box.within(touching)
    assert met.low == met.high == 3
    with pytest.raises(DomainError, match="low <= high"):
        Estimate(End(Fraction(2)), End(Fraction(1)), Evidence.EXACT)
    nothing = unbounded(Evidence.SAMPLED)
    assert (nothing.floats, nothing.evidence) == ((-math.inf, math.inf), Evidence.SAMPLED)


def test_a_ladder_gives_each_reader_the_same_steps():
    ladder = Ladder(enclosed(root), 0.25, Budget(bits=256))
    assert (ladder.alpha, ladder.evidence) == (0.25, Evidence.ENCLOSED)
    third = ladder.at(2)
    assert third.work["bits"] == 256
    assert ladder.best is third
    assert ladder.at(0).work["bits"] == 64
    assert ladder.at(3) is None
    assert ladder.at(2) is third
    assert len(ladder.climbed) == 3


def test_a_ladder_climbed_again_gives_the_same_steps_and_computes_none_twice():
    made = []
    ladder = Ladder(enclosed(lambda: made.append(working_precision()) or root()), 0.0, Budget(bits=256))
    first = ladder.at(0)
    again = ladder.again()
    assert again.climbed == []
    assert again.at(1) is ladder.at(1)  # the view climbs where its source has not been
    assert (again.at(0), again.best, len(again.climbed)) == (first, ladder.at(1), 2)
    assert (again.at(2), again.at(3)) == (ladder.at(2), None)
    assert made == [64, 128, 256]


def test_a_step_that_cannot_be_computed_is_no_end_of_the_ladder_for_a_later_reader():
    ladder = Ladder(enclosed(lambda: root() if working_precision() < 100 else 1 / 0), 0.0, Budget())
    for reader in (ladder, ladder, ladder.again(), ladder.again()):
        assert reader.at(0).work["bits"] == 64
        with pytest.raises(ZeroDivisionError):
            reader.at(1)


@pytest.mark.parametrize("wrong", [0.5, True, "1", None, 1j])
def test_what_is_no_certificate_is_refused(wrong):
    with pytest.raises(DomainError, match="not a certificate"):
        certain(wrong)
    with pytest.raises(DomainError):
        exactly(wrong)
    assert certain(3).fraction() == certain(Enclosure(3)).fraction() == 3


def test_a_ball_at_one_precision_is_no_measured_value():
    with pytest.raises(DomainError, match="a ball at one precision"):
        as_recipe(root())
    with pytest.raises(DomainError):
        exactly(root())
    made = exactly(2)
    assert as_recipe(made) is made
    assert as_recipe(Fraction(1, 2)).evidence is Evidence.EXACT
    assert as_recipe(root).evidence is Evidence.ENCLOSED
    assert as_recipe(FloatResult(0.5, "numpy")).evidence is Evidence.OBSERVED


ends = st.floats(-1e6, 1e6)


@examples(60, ends, ends)
def test_rounding_outward_widens_by_a_two_thousandth_at_most(a, b):
    low, high = sorted((a, b))
    below, above = outward(low, high)
    assert below <= low <= high <= above
    width = Fraction(high) - Fraction(low)
    assert Fraction(low) - Fraction(below) <= width / 2048
    assert Fraction(above) - Fraction(high) <= width / 2048
    assert outward(low, low) == (low, low)


def test_rounding_outward_at_its_edges():
    assert outward(-math.inf, math.inf) == (-math.inf, math.inf)
    low, high = outward(0.3, math.inf)
    assert (low <= 0.3, 0.3 - low < 0.3 * 2**-18, high) == (True, True, math.inf)
    low, high = outward(-math.inf, 0.3)
    assert (low, high >= 0.3, high - 0.3 < 0.3 * 2**-18) == (-math.inf, True, True)
    near, far = 2.0**35, 2.0**37 + 2.0**10  # a width of 1 beside 2^35 is rounded, beside 2^37 it is not
    assert outward(near - 1 + 2.0**-13, near) == (near - 1, near)
    assert outward(far + 2.0**-15, far + 1) == (far + 2.0**-15, far + 1)
    assert outward(0.0, 2.0**-1001) == (0.0, 2.0**-1001)


# -- bounds ------------------------------------------------------------------------------------------------------------
def test_the_usual_precision_is_64_bits_of_an_enclosure_and_128_of_a_slope_and_a_double():
    bound = Bound(sqrt(N) * pi)
    usual, asked = bound.enclosure(N=3), bound.enclosure(64, N=3)
    assert (usual.lower, usual.upper) == (asked.lower, asked.upper)
    for other in (63, 65, 128):
        assert (bound.enclosure(other, N=3).lower, bound.enclosure(other, N=3).upper) != (usual.lower, usual.upper)
    curve = Bound(N * log(N))
    usual, asked = curve.slope(N, [4, 8, 24]), curve.slope(N, [4, 8, 24], bits=128)
    assert (usual.lower, usual.upper) == (asked.lower, asked.upper)
    for other in (64, 127, 129, 256):
        made = curve.slope(N, [4, 8, 24], bits=other)
        assert (made.lower, made.upper) != (usual.lower, usual.upper)
    cancelling = Bound(exp(pi * sqrt(163)) - 262537412640768743)  # 18 digits of it are 9
    assert cancelling.value() == pytest.approx(0.99999999999925, abs=1e-13)


@pytest.mark.parametrize("window", [[4], [4, 4], [0, 4], [-1, 4], []])
def test_a_slope_needs_two_distinct_positive_sizes(window):
    with pytest.raises((DomainError, ValueError)):
        Bound(N).slope(N, window)
    with pytest.raises((DomainError, ValueError)):
        checked_window(window)


def test_windows_are_exact_and_heights_fit():
    assert window_text([2, Fraction(1, 2), 0.1, 4.0]) == [2, "1/2", "1/10", 4]
    flat = next(curve_slope([1, 2, 4], [3, 3, 3]).steps(0.0, Budget()))
    assert (flat.evidence, flat.low == flat.high == 0, flat.work["window"]) == (Evidence.EXACT, True, [1, 2, 4])
    rising = next(curve_slope([1, 2, 4], [3, 3, 6]).steps(0.0, Budget()))
    assert rising.low > 0
    for heights in ([1, 2], [1, 2, 3, 4], [1, 2, 0], [1, 2, -3]):
        with pytest.raises(DomainError):
            curve_slope([1, 2, 4], heights)


def test_exact_letters_are_put_in_only_where_all_is_defined_and_short():
    t = letter("t", "a time", positive=True)
    assert substitute(2**t, {"t": 5}) == 2**t  # an enclosure does it
    assert substitute(exp(t), {"t": log(3) * 2}) == 9
    assert exact_value(1 / log(t), {t: Integer(1)}) is None
    assert exact_value(sqrt(x) * sqrt(x - 1), {x: Integer(-1)}) is None
    assert exact_value(x + 1, {x: Integer(-1)}) == 0
    assert exact_value(Max(x, 2), {x: Integer(1)}) == 2
    assert exact_value(Integer(5), {}) == 5
    assert exact_value(2 * x, {}) == 2 * x
    for power, known in ((2 * 10**6, True), (2 * 10**6 + 1, False), (10**9, False)):
        assert (exact_value(2**t, {t: Integer(power)}) is not None) is known
        assert (exact_value(2**-x, {x: Integer(power)}) is not None) is known
    assert exact_value(exp(t), {t: 10**9 * log(2)}) is None
    assert exact_value(exp(t), {t: 100 * log(2)}) == 2**100
    assert resolve(lambda: Fraction(1, 3)).fraction() == Fraction(1, 3)
    assert resolve(Rational(1, 3)).fraction() == Fraction(1, 3)
    assert next(recipe(2**t, {"t": 5}).steps(0.0, Budget())).evidence is Evidence.EXACT


@pytest.mark.parametrize("wrong", [oo, -oo, 1 / Integer(1) * oo + 3, 0.5, Rational(1, 2) + 0.5])
def test_a_bound_is_a_finite_formula(wrong):
    with pytest.raises(DomainError):
        Bound(wrong)


# -- growth ------------------------------------------------------------------------------------------------------------
n = letter("n", "a size", positive=True)
half = Rational(1, 2)
GROWN = [
    (3 * n**2 + n, 3, (0, 2, 0, 0)),
    ((3 * n**2 + n) * log(1 + n**5) - 7, 15, (0, 2, 1, 0)),
    (n - sqrt(n), 1, (0, 1, 0, 0)),
    (Max(n, 2 * n, sqrt(n)), 2, (0, 1, 0, 0)),
    (Max(5, 1 / n), 5, (0, 0, 0, 0)),
    (sqrt(4 * n + 1), 2, (0, half, 0, 0)),
    (log(log(n)) ** 2 * 3, 3, (0, 0, 0, 2)),
    (log(n**3 * log(n)), 3, (0, 0, 1, 0)),
    (log(exp(2 * n) * n), 2, (0, 1, 0, 0)),
    (exp(2 * n) + n**9, 1, (2, 0, 0, 0)),
    (1 / (n + 1), 1, (0, -1, 0, 0)),
    (ceiling(n / 2), half, (0, 1, 0, 0)),
    (ceiling(Rational(5, 2) + 1 / n), 3, (0, 0, 0, 0)),
    (n / log(n), 1, (0, 1, -1, 0)),
    (exp(-3 * n) * n, 1, (-3, 1, 0, 0)),
    (n**2 - 2 * n + 3, 1, (0, 2, 0, 0)),
    (7 * E, 7 * E, (0, 0, 0, 0)),
]


@pytest.mark.parametrize(("formula", "coefficient", "powers"), GROWN, ids=str)
def test_the_leading_term_is_the_limit_of_the_quotient(formula, coefficient, powers):
    found = leading_term(formula, n)
    assert (found.coefficient, found.powers) == (coefficient, powers)
    if powers[0] == 0 and powers[3] == 0:  # brute force: at 10^60 the quotient is 1 up to a part in a hundred
        size = Integer(10) ** 60
        scale = coefficient * size ** powers[1] * log(size) ** powers[2]
        assert abs(float((formula.subs(n, size) / scale).evalf(30)) - 1) < 0.03


@pytest.mark.parametrize(
    "wrong",
    [n - n - 1, n**2 + n - n**2 - 2 * n, log(1 / n), -n, log(log(log(n))), n**n, ceiling(2 + 1 / n), ceiling(1 / n),
     log(Rational(1, 2)) * n,     Min(n, 3), x * n, exp(sqrt(n)), 1 - n],
    ids=str,
)  # fmt: skip
def test_what_the_rules_do_not_decide_is_refused(wrong):
    with pytest.raises(DomainError):
        leading_term(wrong, n)


def test_growth_has_a_direction_a_limit_and_an_exponent():
    up, flat, down = leading_term(n / log(n), n), leading_term(7 + 1 / n, n), leading_term(log(n) / n, n)
    assert [g.direction for g in (up, flat, down)] == [1, 0, -1]
    assert (flat.limit, down.limit) == (7, 0)
    assert [g.exponent for g in (up, flat, down)] == [1, 0, -1]
    with pytest.raises(DomainError, match="the limit of"):
        _ = up.limit
    with pytest.raises(DomainError, match="the exponent of"):
        _ = leading_term(exp(n), n).exponent
    product = Growth(Integer(2), (0, 1, 0, 0)) * Growth(Integer(3), (0, -1, 2, 0))
    assert (product.coefficient, product.powers) == (6, (0, 0, 2, 0))
    known = {x: Growth(Integer(4), (Integer(0), Integer(2), Integer(0), Integer(0)))}
    assert leading_term(x * n + n, n, known).powers == (0, 3, 0, 0)
    fixed = {x: Growth(Integer(2))}
    assert leading_term(exp(x) * n**x, n, fixed).coefficient == exp(2)
    assert leading_term(n**x, n, fixed).powers == (0, 2, 0, 0)
    assert leading_term(erfc(x) * n, n, fixed).coefficient == erfc(2)


# -- claims ------------------------------------------------------------------------------------------------------------
def test_the_error_probability_is_divided_by_points_controls_and_quantities():
    other = Quantity("other", "w")
    two = Control("two", breaks=value, asserts=[value <= 1, other <= 1], measure=lambda t, p: {value: 9, other: 0})
    one = tiny(grid=grid(N=[2, 3, 4]))
    assert one.row_alpha() == one.row_alpha(0) == one.row_alpha(3) == one.budget.alpha / 6
    assert one.row_alpha(4) == one.budget.alpha / 8
    both = replace(one, controls=[*one.controls, two])
    assert both.row_alpha() == one.budget.alpha / (3 * 3 * 2)
    asserted = replace(one, asserts=[value <= N, value >= 0, other >= 0], measure=lambda t, p: {value: t, other: 0})
    assert asserted.row_alpha() == one.budget.alpha / (3 * 2 * 2)


@pytest.mark.parametrize("part", ["controls", "requires", "derived", "uses", "tabulated", "listed"])
@pytest.mark.parametrize("wrong", [None, "N", {"N"}, 3])
def test_a_part_that_is_no_list_is_refused_by_name(part, wrong):
    with pytest.raises(CheckError) as caught:
        tiny(**{part: wrong})
    assert caught.value.given == f"claim 'Tiny 1': {part} = {wrong!r}"
    assert (caught.value.required, caught.value.advice) == ("a list", f"{part}=[…]")


@pytest.mark.parametrize(
    ("part", "wrong", "required"),
    [("budget", 3, "Budget("), ("note", 3, "a text"), ("lets", [M], "letters and what they stand for"),
     ("uses", ["lemma"], "ids of claims"), ("uses", [3], "ids of claims"), ("listed", ["M"], "an axis of the grid: N"),
     ("tabulated", [M], "an axis of the grid: N"), ("measure", 3, "two functions"),
     ("construct", None, "two functions"),
     ("expect", "UNDECIDED", "role='prediction'"), ("role", "anything", ""), ("scope", {"N": "points"}, ""),
     ("source", "somewhere", ""), ("lets", {M: oo}, "a finite expression")],
)  # fmt: skip
def test_a_part_of_another_kind_is_refused(part, wrong, required):
    with pytest.raises(CheckError) as caught:
        tiny(**{part: wrong})
    assert required in caught.value.required


def test_what_a_statement_speaks_of():
    assert not tiny().fixed
    assert tiny(tabulated=[N]).fixed
    both = tiny(grid=grid(N=[2], M=[3]), listed=["M"])
    assert not both.fixed
    assert replace(both, listed=["M", N]).fixed
    sized = tiny(asserts=[value <= x, value >= 0], lets={x: N + 1}, grid=grid(N=[2], M=[3]))
    assert sized.sizes == {"value <= x": ("N",), "value >= 0": ("N", "M")}
    assert list(sized.all_letters()) == ["N", "x"]
    assert tiny(expect="UNDECIDED", role="prediction").expect == "UNDECIDED"
