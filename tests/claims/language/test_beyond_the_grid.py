"""The search of a verdict goes one step beyond the grid in every letter, by rules of size and never by a clock."""

from fractions import Fraction
from math import comb

import pytest
from sympy import Eq
from tiny import M, N, shrinking, tiny, value

from theorytools import Claim, Control, Outcome, Quantity, grid, judge, letter, points
from theorytools.claims.judging.falsify import falsify
from theorytools.claims.judging.region import Axis
from theorytools.claims.judging.run import EVALUATIONS, searched
from theorytools.claims.judging.tracks import steps
from theorytools.errors import BudgetError, DomainError
from theorytools.reporting.horizon import beyond_text

n = letter("n", "points on the circle", integer=True, positive=True)
s = letter("s", "a share", positive=True)
parts = Quantity("parts", "P", "parts of a disc cut by all chords between n points")


def first(claim):
    """By letter the value of each point that is tried, in order."""
    axes = {name: Axis.of(claim, name) for name in claim.grid.axes}
    return {name: [point[name] for point in some] for name, some in steps(claim, axes)}


def verdict(claim):
    return searched(claim, judge(claim, "tiny.claim"))


def chords(sizes):
    return Claim(
        "Chords", parts.equals(2 ** (n - 1)), grid(n=sizes), lambda p: 1 + comb(p.n, 2) + comb(p.n, 4),
        lambda count, p: {parts: count}, [Control("none", breaks=parts, construct=lambda p: 0)],
    )  # fmt: skip


@pytest.mark.parametrize("sizes", [[1, 2, 3, 4, 5], [3, 5], [5]])
def test_powers_of_two_break_at_six_points_on_the_circle(sizes):
    found = verdict(chords(sizes))
    assert found.outcome is Outcome.REFUTED
    assert found.witness.point == {"n": "6"}


@pytest.mark.parametrize(
    ("sizes", "tried"), [([1, 5], [6, 7, 8, 9]), ([63], [64, 65, 66, 67]), ([64], [128, 65, 66, 67, 68])]
)
def test_a_small_size_is_followed_by_the_next_ones_and_a_large_one_doubled(sizes, tried):
    assert first(tiny(grid=grid(N=sizes))) == {"N": tried}


def test_hypotheses_end_a_step_and_lists_and_words_have_none():
    assert first(tiny(requires=[N <= 3])) == {}
    assert first(tiny(requires=[N <= 100], grid=grid(N=[64]))) == {"N": [65, 66, 67, 68]}
    assert first(tiny(listed=["N"])) == first(tiny(tabulated=["N"])) == {}
    both = tiny(grid=grid(N=[2], kind=["a"], M=[5]), listed=["M", "kind"])
    assert list(first(both)) == ["N"]


def test_a_fraction_is_doubled_or_goes_half_of_the_way():
    share = tiny(grid=grid(N=[2], s=[Fraction(1, 4), Fraction(3, 4)]), requires=[s < 1])
    assert first(share)["s"] == [Fraction(7, 8)]
    assert first(tiny(grid=grid(N=[2], s=[Fraction(1, 4), 3])))["s"] == [6]


def test_what_an_equation_ties_moves_along_from_the_largest_size():
    tied = tiny(grid=points("N M", (2, 4), (3, 6)), requires=[Eq(M, 2 * N)])
    axes = {name: Axis.of(tied, name) for name in tied.grid.axes}
    assert dict(steps(tied, axes))["N"][0] == {"N": 4, "M": 8}


def test_what_holds_beyond_is_told_and_each_letter_has_its_step():
    found = verdict(tiny(grid=grid(N=[2, 64], M=[1, 2]), requires=[M <= N]))
    assert found.outcome is Outcome.HOLDS
    assert found.searched["beyond"] == {"N": "128", "M": "3"}
    assert found.searched["inside"] <= EVALUATIONS
    assert beyond_text(found.searched, found.tested) == "looked one step beyond: to N = 128, M = 3"


def test_a_violation_beyond_the_grid_refutes_with_its_point():
    found = verdict(tiny(asserts=[value <= 3]))
    assert found.outcome is Outcome.REFUTED
    assert int(found.witness.point["N"]) > 3
    assert "off the grid" in found.reason


def built(sizes, bad, error, tried):
    """The claim over these sizes, with a construction that raises at those of ``bad`` and keeps a list."""

    def construct(p):
        tried.append(p.N)
        if bad(p.N):
            raise error(f"N = {p.N}", required="another size")
        return p.N

    return tiny(grid=grid(N=sizes), construct=construct, controls=[Control("one more", breaks=value,
                construct=lambda p: p.N + 1)])  # fmt: skip


def test_a_size_that_the_construction_refuses_is_followed_by_the_next_one():
    tried = []
    found = verdict(built([2, 4], lambda size: size % 2, DomainError, tried))
    assert found.searched["beyond"] == {"N": "6"}


@pytest.mark.parametrize("error", [BudgetError, lambda text, required: MemoryError(text), lambda *a, **k: KeyError(a)])
def test_where_a_size_is_too_much_work_no_larger_one_is_tried_and_nothing_is_refuted(error):
    tried = []
    found = verdict(built([2, 4], lambda size: size > 4, error, tried))
    assert found.outcome is Outcome.HOLDS
    assert found.searched["beyond"] == {}
    assert found.searched["open"] >= 1
    assert max(tried) == 5
    assert beyond_text(found.searched, found.tested) == "looked no step beyond in N"


def test_a_smaller_size_is_tried_where_twice_the_largest_is_too_much():
    found = verdict(built([64], lambda size: size > 100, BudgetError, []))
    assert found.searched["beyond"] == {"N": "65"}


def test_a_claim_that_draws_objects_takes_its_own_to_the_step():
    drawn = tiny(asserts=[value <= 3], search=lambda draw, p: min(p.N, 3))
    found = falsify(drawn, "tiny.claim", evaluations=EVALUATIONS, judged=True)
    assert found.row.point == {"N": "4"}
    assert found.thing == ""


def test_steps_spend_no_error_probability_beyond_that_of_the_search():
    booked = []
    claim = tiny(asserts=[value <= N], measure=lambda thing, p: {value: shrinking(1, 1, booked=booked)})
    found = falsify(claim, "tiny.claim", evaluations=EVALUATIONS, judged=True)
    assert found.steps == {"N": "4"}
    assert found.spent == pytest.approx(sum(booked))
    assert 0 < found.spent <= claim.budget.alpha
