"""The search of a verdict goes one step beyond the grid in every letter, by rules of size and never by a clock."""

from fractions import Fraction
from math import comb

import pytest
from sympy import Eq
from theorytools.claims.judging.tracks import Work, steps
from tiny import M, N, shrinking, tiny, value

from theorytools import Claim, Control, Outcome, Quantity, grid, judge, letter, points
from theorytools.claims.judging.falsify import falsify
from theorytools.claims.judging.run import EVALUATIONS, searched
from theorytools.claims.judging.user_points import Axis
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


def spoiled(name):
    return Control(name, breaks=value, construct=lambda p: p.N + 1)


def work(sizes, controls=1, **point):
    claim = tiny(grid=grid(**sizes), controls=[spoiled(f"c{k}") for k in range(controls)])
    made = Work(claim, {name: Axis.of(claim, name) for name in claim.grid.axes})
    return made.of(point) if point else made.allowed


@pytest.mark.parametrize(
    ("sizes", "point", "operations"),
    [({"N": [100, 200]}, {"N": 200}, 1), ({"N": [100, 200]}, {"N": 50}, Fraction(1, 4)),
     ({"N": [100, 200]}, {"N": 0}, Fraction(1, 200)), ({"N": [64]}, {"N": 128}, 2),
     ({"N": [4]}, {"N": -1}, Fraction(1, 4)), ({"N": [2, 5], "M": [100]}, {"N": 4, "M": 50}, Fraction(2, 5)),
     ({"N": [2], "x": [Fraction(1, 2)]}, {"N": 2, "x": Fraction(1, 1000)}, 1)],
)  # fmt: skip
def test_the_work_of_a_point_is_that_of_its_sizes(sizes, point, operations):
    assert work(sizes, **point) == operations


def test_the_largest_point_and_not_its_largest_letters_is_one_operation():
    claim = tiny(grid=points("N M", (100, 400), (200, 100)))
    made = Work(claim, {name: Axis.of(claim, name) for name in claim.grid.axes})
    assert [made.of(dict(p)) for p in claim.grid] == [1, Fraction(1, 2)]
    assert made.of({"N": 200, "M": 400}) == 2


@pytest.mark.parametrize(
    ("sizes", "controls", "allowed"),
    [([64], 1, Fraction(4, 5)), ([64, 128], 1, Fraction(6, 5)), ([128, 64, 32], 4, Fraction(7, 2))],
)
def test_two_fifths_of_what_grid_and_controls_ask_for_are_allowed(sizes, controls, allowed):
    assert work({"N": sizes}, controls) == allowed


def test_beside_the_grid_points_are_left_out_for_their_work_and_smaller_ones_follow():
    met = []
    claim = tiny(grid=grid(N=[100]), construct=lambda p: met.append(p.N) or p.N)
    found = verdict(claim)
    assert found.searched["beyond"] == {"N": "200"}  # a step is taken in any case
    beside = met[met.index(200) + 1 :]
    assert beside == [*range(1, 10)]  # 2 to 9 are 44, and half an operation is 50; 1 is an end of the hypotheses
    assert found.searched["work"] == {"allowed": 2.5, "spent": 2.44, "left_out": 48}
    assert len(beside) == found.searched["inside"] - 1
    many = verdict(tiny(grid=grid(N=[90, 95, 100]), controls=[*tiny().controls, spoiled("again")]))
    assert many.searched["inside"] == EVALUATIONS
    assert many.searched["work"]["left_out"] == 0


def test_an_end_of_the_hypotheses_is_looked_at_however_large_it_is():
    claim = tiny(asserts=[value <= 10**9 - 1], grid=grid(N=[1, 2]), requires=[N <= 10**9], controls=[
        Control("huge", breaks=value, construct=lambda p: 10**9)])  # fmt: skip
    assert verdict(claim).witness.point == {"N": "1000000000"}


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
