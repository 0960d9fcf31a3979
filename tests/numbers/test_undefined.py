"""A formula without a value at a point leaves the row open and says so, whichever part of the statement it is."""

from dataclasses import replace

import pytest
from sympy import Rational, exp, log, sqrt
from tiny import M, N, constant, tiny, value, x

from theorytools import Control, Enclosure, Quantity, UndecidedError, enclosed, grid, judge
from theorytools.claims.language.bound import exact_value, recipe
from theorytools.claims.language.estimate import Budget
from theorytools.claims.language.ladder import Ladder

HUGE = 10**9


def of(claim):
    return judge(claim, "toy.lemma_01")


# N = 2 throughout, so N - 2 is zero, and log(N/2) too
POLES = [1 / (N - 2), 1 / log(N / 2), (N - 2) ** (-N), log(N - 2), sqrt(1 - N), exp(exp(exp(exp(exp(N + 3))))),
         1 / (1 + 1 / log(N / 2)), 1 / (sqrt(N) ** 2 - 2)]  # fmt: skip


@pytest.mark.parametrize("pole", POLES, ids=str)
@pytest.mark.parametrize("assertion", [lambda e: value <= e, lambda e: value >= e, lambda e: value.equals(e),
                                       lambda e: value <= -e, lambda e: value >= -e])  # fmt: skip
def test_an_undefined_bound_decides_nothing(pole, assertion):
    verdict = of(constant(1, assertion(pole)))
    assert verdict.outcome == "UNDECIDED"
    assert "the bound is undefined there" in verdict.reason


@pytest.mark.parametrize("pole", POLES, ids=str)
def test_undefined_tolerances_ties_and_ranges_decide_nothing(pole):
    verdict = of(constant(1, value.equals(1, within=pole)))
    assert verdict.outcome == "UNDECIDED"
    assert "the bound, or its tolerance, is undefined" in verdict.reason
    # sqrt(6) is attained by a ball at every precision: only a tie could decide it.
    attained = enclosed(lambda: (Enclosure(6) / 7).sqrt() * Enclosure(7).sqrt())
    for relation, truth in ((value <= sqrt(6), None), (value <= 3, True), (value <= 2, False)):
        tied = replace(relation, tie=pole)
        rows = [r for r in of(constant(attained, tied, budget=Budget(bits=128))).rows if not r.control]
        assert [row.truth for row in rows] == [truth]
        assert not rows[0].tied
    size = Quantity("size", "s", "a size", (pole, pole))
    claim = tiny(asserts=[size <= N], grid=grid(N=[2]), measure=lambda thing, p: {size: thing},
                 controls=[Control("one more", breaks=size, construct=lambda p: p.N + 1)])  # fmt: skip
    verdict = of(claim)
    assert verdict.outcome == "HOLDS"
    assert verdict.rows[0].vacuous is None


def test_undefined_measurements_decide_nothing_and_defined_ones_are_simplified():
    for compute in (lambda: Enclosure(0).log(), lambda: 1 / Enclosure(0), lambda: Enclosure(0) ** -1):
        verdict = of(constant(enclosed(compute), value <= N))
        assert verdict.outcome == "UNDECIDED"
        assert "the measured value is undefined there" in verdict.reason
    verdict = of(tiny(grid=grid(N=[2]), requires=[log(N - 2) > 0, N >= 3]))
    assert verdict.outcome == "INAPPLICABLE"
    assert "N >= 3" in verdict.reason
    assert exact_value(exp(x * N), {x: log(2), N: 10 + 0 * N}) == 1024
    assert exact_value(sqrt(x) * sqrt(N), {x: 2 + 0 * N, N: 8 + 0 * N}) == 4
    assert exact_value(exp(x * N), {x: log(2), N: 10**9 + 0 * N}) is None  # a thousand million bits
    bound = Ladder(recipe(exp(x * N), {"x": log(2), "N": 10**9}), 0.0, Budget(bits=64))
    assert bound.at(0).low > 10**300


@pytest.mark.parametrize("pole", POLES, ids=str)
def test_an_undefined_hypothesis_or_condition_decides_nothing(pole):
    for condition in (pole > 5, pole <= 5):
        verdict = of(tiny(grid=grid(N=[2]), requires=[condition]))
        assert verdict.outcome == "UNDECIDED"
        assert "stays undecided" in verdict.reason
        condition_of_a_control = Control("sometimes", breaks=value, construct=lambda p: HUGE, where=condition)
        always = Control("always", breaks=value, construct=lambda p: HUGE)
        verdict = of(tiny(grid=grid(N=[2]), controls=[always, condition_of_a_control]))
        assert verdict.outcome == "POWERLESS"  # that control applies nowhere
        assert "applies at no point" in verdict.reason


@pytest.mark.parametrize("formula", [1 / (M - 1), log(M - 1), 1 / log(M), sqrt(M - 2)], ids=str)
def test_an_undefined_let_leaves_its_points_open(formula):
    claim = tiny(asserts=[value <= N + x], lets={x: formula}, grid=grid(N=[2], M=[1, 2]), requires=[M >= 1])
    verdict = of(claim)
    assert verdict.outcome == "UNDECIDED"
    assert "the letter x = " in verdict.reason
    assert "is undefined at N=2, M=1" in verdict.reason
    with pytest.raises(UndecidedError, match="the letter x"):
        _ = claim.point({"N": 2, "M": 1}, "toy.lemma_01").x
    assert of(
        tiny(asserts=[value <= N + x], lets={x: formula}, grid=grid(N=[2], M=[1]), requires=[M >= 2])
    ).outcome == ("INAPPLICABLE")


@pytest.mark.parametrize(
    ("formula", "letters"),
    [(1 / log(N) + x, {"N": 1, "x": sqrt(2)}), (1 / (1 + 1 / x) + N, {"x": 0, "N": log(2)}),
     (abs(1 / x) * N, {"x": 0, "N": sqrt(3)}), (sqrt(x) * sqrt(N), {"x": -1, "N": -sqrt(2)}),
     (x ** Rational(1, 3) * N, {"x": -8, "N": sqrt(3)})],
)  # fmt: skip
def test_an_irrational_letter_does_not_hide_that_a_part_is_undefined(formula, letters):
    ladder, rung = Ladder(recipe(formula, letters), 0.0, Budget(bits=256)), 0
    while ladder.at(rung) is not None:
        rung += 1
    assert not ladder.best.low.finite
    assert not ladder.best.high.finite
    assert exact_value(formula, {s: letters[s.name] + N * 0 for s in formula.free_symbols}) is None
