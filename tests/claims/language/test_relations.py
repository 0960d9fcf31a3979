"""Strict relations, arithmetic of measured quantities, and implications: what they are, print, and refuse."""

import itertools
import pickle
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import refuses
from sympy import Abs, Max, Rational, Symbol, airyai, log, sqrt
from tiny import M, N, shrinking, tiny, value

from theorytools import (
    Budget,
    CheckError,
    Control,
    DomainError,
    Estimate,
    Evidence,
    Quantity,
    Recipe,
    enclosed,
    exactly,
    grid,
    implies,
    largest,
    letter,
    smallest,
)  # fmt: skip
from theorytools.claims.language.combined import left_ladder
from theorytools.claims.language.ladder import Ladder
from theorytools.claims.language.quantity import Combined
from theorytools.claims.language.relation import trivial_end
from theorytools.numbers import Enclosure, End

a, b = Quantity("first", "a", "one number", (0, 1)), Quantity("second", r"\bar b", "another")
fractions = st.fractions(min_value=-9, max_value=9, max_denominator=12)
boxes = st.tuples(fractions, fractions).map(sorted)


# -- strict relations ------------------------------------------------------------------------------------------------
def test_strict_relations_are_written_and_printed():
    assert [s.name for s in (a < N, a > N, a.differs(N))] == [
        "first < N", "first > N", "first != N",
    ]  # fmt: skip
    assert [s.latex() for s in (a < N, a > N, a.differs(N))] == ["a < N", "a > N", r"a \ne N"]
    assert (a == N) is False  # Python's, as quantities are keys
    assert (a != N) is True
    assert [s.sides() for s in (a < N, a.differs(N))] == [[N], [N]]
    assert a.slope(N, N, "<").relation == "<"


def test_strict_relations_move_towards_falsehood_and_have_no_slack():
    assert [m.expr for m in (a < N).tightened(Fraction(2), sign=1)] == [N / 2]
    assert [m.expr for m in (a > N).tightened(Fraction(2), sign=-1)] == [N / 2]
    assert a.differs(N).tightened(Fraction(2), sign=1) == []
    assert [trivial_end((0, 1), r) for r in ("<=", "<", ">=", ">", "==", "!=")] == [1, 1, 0, 0, None, None]
    refuses(
        DomainError,
        (lambda: tied(a < N), "so it can neither be excused"), (lambda: tied(a.differs(N)), "a closed relation"),
        (lambda: type(a < N)(a, ">", N, within=1), "a closed relation"),
    )  # fmt: skip


def tied(assertion):
    return type(assertion)(assertion.quantity, assertion.relation, assertion.rhs, 0, Rational(1, 10))


# -- arithmetic ------------------------------------------------------------------------------------------------------
def test_arithmetic_of_quantities_is_a_left_side_with_parts():
    both = a + 2 * b
    assert isinstance(both, Combined)
    assert both.parts == (a, b)
    assert both.name == "first + 2*second"
    assert both.latex == r"a + 2 \bar b"
    assert both.meaning == "first: one number; second: another"
    assert both.trivial == (None, None)
    names = [q.name for q in (a - b, 1 - a, a * b, a / b, 1 / a, a**2, 2**a, -a, abs(a - b), N * a, a / N, a - N)]
    assert names == [
        "first - second", "1 - first", "first*second", "first/second", "1/first", "first**2", "2**first", "-first",
        "Abs(first - second)", "N*first", "first/N", "-N + first",
    ]  # fmt: skip
    assert largest(a, b, N).formula == Max(a.formula, b.formula, N)
    assert smallest(a, 1).name == "Min(1, first)"
    assert (N * a).letters == {N}
    assert pickle.loads(pickle.dumps(both)) == both
    assert {both: 1}[a + 2 * b] == 1


def test_two_measured_sides_are_printed_as_written_and_judged_by_their_difference():
    assert (a <= b).name == "first <= second"
    assert (a <= b).latex() == r"a \le \bar b"
    assert (a <= b).quantity.name == "first - second"
    assert (a <= b).expr == 0
    assert ((b >= a).name, (a < b).name, a.differs(b).name) == ("second >= first", "first < second", "first != second")
    near = a.equals(b, within=1 / N)
    assert near.name == "first == second ± 1/N"
    assert near.latex() == r"a = \bar b \pm \frac{1}{N}"
    moved = a <= 2 * b + 1 / N
    assert (moved.quantity.name, moved.expr) == ("first - 2*second", 1 / N)
    assert moved.parts == (a, b)
    assert ((a <= N * b).letters, (a <= b).letters) == ({N}, set())


def test_arithmetic_in_which_nothing_measured_is_left_is_refused():
    refuses(
        DomainError,
        (lambda: a - a, "a measured number is left"), (lambda: a <= a, "a measured number is left"),
        (lambda: a / 0, "a measured number is left"), (lambda: a + 0.5, "a float"), (lambda: a * "x", "a part of"),
        (lambda: a + Symbol("first"), "two things have one name"),
        (lambda: a + Quantity("first", "c"), "two things have one name"),
        (lambda: (a + b).slope(N, N), "the slope of one quantity"), (lambda: a.equals(N, within=b), "the bound of"),
    )  # fmt: skip
    with pytest.raises(TypeError, match="statement"):
        bool(a <= b)


FORMULAS = [
    (a + 2 * b, lambda x, y: x + 2 * y), (a * b, lambda x, y: x * y), (a - 3, lambda x, y: x - 3), (largest(a, b), max),
    (abs(a - b), lambda x, y: abs(x - y)), (a**2, lambda x, y: x**2),
]  # fmt: skip


@examples(60, boxes, boxes)
def test_an_interval_of_a_formula_holds_its_value_at_every_corner(first, second):
    budget = Budget(bits=64)
    ladders = {q: Ladder(between(*box), 0.0, budget) for q, box in ((a, first), (b, second))}
    for quantity, truth in FORMULAS:
        found = left_ladder(quantity, ladders, {}, budget).at(0)
        for x in (*first, sum(first) / 2):
            for y in (*second, sum(second) / 2):
                assert found.low <= truth(x, y) <= found.high


def between(low, high):
    return Recipe(Evidence.ENCLOSED, lambda alpha, budget: iter([Estimate(End(low), End(high), Evidence.ENCLOSED)]))


def climbed(quantity, values, letters=None, budget=None):
    budget = budget or Budget(bits=256)
    ladder = left_ladder(quantity, {q: Ladder(r, 1e-6, budget) for q, r in values.items()}, letters or {}, budget)
    rung = 0
    while ladder.at(rung) is not None:
        rung += 1
    return ladder


def test_parts_are_refined_together_and_what_is_exact_stays_exact():
    root = enclosed(lambda: Enclosure(2).sqrt())
    ladder = climbed(a - b, {a: root, b: exactly(1)})
    widths = [float(step.high) - float(step.low) for step in ladder.climbed]
    assert len(widths) == 3  # 64, 128 and 256 bits
    assert all(narrow <= wide for wide, narrow in itertools.pairwise(widths))
    assert ladder.best.evidence is Evidence.ENCLOSED
    whole = climbed(a - b / N, {a: exactly(Fraction(1, 3)), b: exactly(2)}, {"N": 6})
    assert [str(step) for step in whole.climbed] == ["0"]
    assert whole.best.evidence is Evidence.EXACT
    # the letters of a formula are enclosed too, so an exact part does not end the ladder
    assert len(climbed(a * log(N), {a: exactly(2)}, {"N": 3}).climbed) == 3


def test_error_probabilities_add_up_and_the_weakest_evidence_counts():
    ladder = climbed(a + b, {a: shrinking(1, 1, Fraction(1, 8)), b: shrinking(2, 1)})
    assert ladder.evidence is Evidence.SAMPLED
    assert ladder.best.alpha == pytest.approx(2e-6)
    assert (float(ladder.best.low), float(ladder.best.high)) == pytest.approx((3 - 9 / 8, 3 + 9 / 8))
    assert ladder.best.work["samples"] == 3  # two of one and one of the other
    mixed = climbed(a * b, {a: shrinking(1, 1), b: exactly(2)})
    assert mixed.best.evidence is Evidence.SAMPLED
    assert mixed.best.alpha == pytest.approx(1e-6)
    # of a number that is bounded on one side a ball says nothing
    beside = Estimate(End(1), End(float("inf")), Evidence.SAMPLED, 1e-6)
    half = climbed(a - b, {a: Recipe(Evidence.SAMPLED, lambda alpha, budget: iter([beside])), b: exactly(0)})
    assert not half.best.low.finite


# -- implications ----------------------------------------------------------------------------------------------------
def test_an_implication_is_the_conclusion_under_a_premise():
    said = implies(a > 0, b <= 1 / N)
    assert said == (b <= 1 / N).when(a > 0)
    assert said.name == "second <= 1/N when first > 0"
    assert said.latex() == r"a > 0 \;\Rightarrow\; \bar b \le \frac{1}{N}"
    assert said.parts == (b, a)
    assert (said.quantity, said.letters) == (b, {N})
    assert implies(a > M, b <= a).letters == {M}
    assert implies(a > 0, b <= a).name == "second <= first when first > 0"
    refuses(
        DomainError,
        (lambda: implies(said, a <= 1), "a premise of its own"), (lambda: implies(tied(a <= 1), b <= 1), "a tie"),
        (lambda: implies(a.slope(N, N), b <= 1), "a slope"), (lambda: implies(a <= 1, b.slope(N, N)), "a slope"),
    )  # fmt: skip


# -- claims of them --------------------------------------------------------------------------------------------------
def test_a_claim_measures_the_parts_and_knows_every_letter():
    claim = tiny(
        asserts=[value <= N, implies(a * M > 0, b < value)], grid=grid(N=[2], M=[1]),
        measure=lambda t, p: {value: t, a: 1, b: 0},
        controls=[Control("more", breaks=value, construct=lambda p: p.N + 1)],
    )  # fmt: skip
    assert claim.quantities == (value, b, a)
    assert claim.all_letters() == {"N": N, "M": M}
    assert claim.row_alpha() == pytest.approx(claim.budget.alpha / 6)  # three numbers, for the claim and its control
    assert Control("", breaks=a).must_break(a <= b)
    assert Control("", breaks="first").must_break(a + b <= 1)
    assert not Control("", breaks=a).must_break(implies(a > 0, b <= 1))
    refuses(
        CheckError,
        (lambda: tiny(asserts=[M * value <= N]), "the letter M has no value"),
        (lambda: tiny(asserts=[value * airyai(N) <= N]), "airyai"),
        (lambda: tiny(asserts=[implies(value > letter("N", "another"), value <= N)]), "two letters named N"),
    )


def test_a_formula_in_letters_and_roots_is_one_side():
    assert (a * sqrt(N) <= abs(b - 1)).quantity.formula == sqrt(N) * a.formula - Abs(b.formula - 1)
