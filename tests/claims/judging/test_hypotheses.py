"""What is not judged: points outside the hypotheses or of other letters, and measurements that lack a quantity."""

from dataclasses import replace
from fractions import Fraction

import pytest
from sympy import sqrt
from tiny import M, N, constant, tiny, value
from verdict_examples import open_product, other, spoiled, verdict_of

from theorytools import CheckError, DomainError, Enclosure, Outcome, grid, letter
from theorytools.claims.judging.hypotheses import _integral


@pytest.mark.parametrize(
    ("at", "reason"),
    [({"N": 0}, "N >= 1"), ({"N": -3}, "N >= 1"), ({"N": "5/2"}, "'N is an integer' fails: N = 5/2"),
     ({"N": 0.5}, "'N is an integer' fails: N = 1/2")],
)  # fmt: skip
def test_a_letters_own_domain_is_a_hypothesis(at, reason):
    verdict = verdict_of(tiny(requires=[N >= 1]), [at])  # sympy turns N >= 1 into True
    assert verdict.outcome is Outcome.INAPPLICABLE
    assert reason in verdict.reason


@pytest.mark.parametrize(
    ("number", "outcome"),
    [(3, Outcome.HOLDS), (lambda: Enclosure(3), Outcome.HOLDS), (Fraction(5, 2), Outcome.INAPPLICABLE),
     (lambda: Enclosure(Fraction(5, 2)), Outcome.INAPPLICABLE), (lambda: Enclosure(2).sqrt(), Outcome.INAPPLICABLE),
     (lambda: open_product() * Enclosure(6).sqrt(), Outcome.UNDECIDED), (sqrt(5), Outcome.INAPPLICABLE)],
)  # fmt: skip
def test_a_derived_letter_is_tested_for_being_an_integer(number, outcome):
    claim = constant(0, value <= M, derive=lambda thing, p: {M: number}, derived=[M])
    assert verdict_of(claim).outcome is outcome


def test_lets_are_tested_and_hypotheses_judged_before_the_construction():
    root_of = letter("k", "", integer=True, positive=True)
    claim = tiny(asserts=[value <= N, value >= 0 * root_of - 1], lets={root_of: sqrt(N)}, requires=[root_of <= 9],
                 controls=[spoiled(breaks=value <= N)])  # fmt: skip
    assert verdict_of(claim, [{"N": 4}]).outcome is Outcome.HOLDS
    assert "'k is an integer' fails" in verdict_of(claim, [{"N": 5}]).reason

    def construct(p):
        raise AssertionError("built outside the hypotheses")

    claim = tiny(construct=construct, requires=[N <= 1])
    assert verdict_of(claim).outcome is Outcome.INAPPLICABLE


def test_a_construction_may_refuse_a_users_point_but_not_its_own_grid():
    def construct(p):
        if p.N > 3:
            raise DomainError(f"N = {p.N}", required="N <= 3", why="it is a toy")
        return p.N

    claim = tiny(construct=construct, controls=[spoiled()])
    verdict = verdict_of(claim, [{"N": 4}])
    assert verdict.outcome is Outcome.INAPPLICABLE
    assert "the construction refuses N = 4, it takes N <= 3" in verdict.reason
    with pytest.raises(CheckError, match="a grid of points that the construction accepts"):
        verdict_of(replace(claim, grid=grid(N=[3, 4])))


@pytest.mark.parametrize("at", [{}, {"N": 2, "d": 3}, {"n": 2}])
def test_a_point_gives_each_axis_once(at):
    with pytest.raises(DomainError, match="one value for each of N"):
        verdict_of(tiny(), [at])


def test_measure_gives_every_quantity():
    with pytest.raises(CheckError, match="a value for value"):
        verdict_of(tiny(measure=lambda thing, p: {other: 1}))
    with pytest.raises(CheckError, match="Tiny 1: value"):
        verdict_of(tiny(measure=lambda thing, p: {value: 0.5}))


@pytest.mark.parametrize("given", [None, 1, [1], "value", {"value": 1}, {1: 2}, {}], ids=repr)
def test_what_is_no_dictionary_of_quantities_is_told_with_the_claim(given):
    with pytest.raises(CheckError) as caught:
        verdict_of(tiny(measure=lambda thing, p: given))
    assert caught.value.given.startswith("claim 'Tiny 1': measure gave ")
    assert caught.value.required
    assert caught.value.advice == "measure returns {Quantity: recipe or exact number}"


@pytest.mark.parametrize(
    ("make", "answer"),
    [(lambda: Enclosure(3), True), (lambda: Enclosure(Fraction(5, 2)), False), (lambda: Enclosure(2).sqrt(), False),
     (lambda: -Enclosure(2).sqrt(), False), (lambda: Enclosure(4).sqrt(), True),
     (lambda: Enclosure(2).sqrt() ** 2, None),
     (lambda: Enclosure(7) + (Enclosure(2).sqrt() ** 2 - 2), None)],
)  # fmt: skip
def test_whole_numbers_are_told_from_balls_only_where_the_ball_decides(make, answer):
    assert _integral(make, 64) is answer
