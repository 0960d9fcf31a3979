"""Claims about growth: what holds, what is refuted, and what finitely many sizes leave unresolved."""

from dataclasses import replace
from fractions import Fraction

import pytest
from refusals import refuses
from sympy import Integer, Rational, log
from tiny import M, N, value

from theorytools import (
    CheckError,
    Claim,
    Control,
    Enclosure,
    Estimate,
    Evidence,
    Outcome,
    Recipe,
    enclosed,
    grid,
    judge,
)
from theorytools.claims.judging.conclude import Stated, conclude
from theorytools.claims.judging.judge import judge as judged
from theorytools.claims.judging.run import searched
from theorytools.claims.judging.verdict import row_from_json
from theorytools.numbers import End
from theorytools.recheck import _outcome_of

SIZES = [8, 16, 32, 64, 128, 256]
RIVALS = [N * log(N) ** 2, N**2]


def claim(measured, *asserts, sizes=SIZES, **changed):
    """A claim that a family grows as asserted; a cube must break it."""
    cube = Control("a cube", breaks=value, measure=lambda n, p: {value: p.N**3}, where=N >= 64)
    parts = {
        "label": "Growth 1", "asserts": list(asserts), "grid": grid(N=sizes), "construct": lambda p: p.N,
        "measure": lambda n, p: {value: measured(n)}, "controls": [cube],
    }  # fmt: skip
    return Claim(**{**parts, **changed})


def outcome(measured, *asserts, **changed):
    verdict = judge(claim(measured, *asserts, **changed), "toy.lemma_01")
    return str(verdict.outcome), verdict.reason


def comparisons(n):
    return n * (n.bit_length() - 1)


def test_a_shape_holds_with_the_rivals_it_excludes_and_its_constant_is_that_of_the_first_half():
    made = claim(comparisons, value.grows(N, at_most=N * log(N), rivals=RIVALS))
    verdict = judge(made, "toy.lemma_01")
    assert verdict.outcome is Outcome.HOLDS
    assert "excluded: a value that grows like N*log(N)**2; value that grows like N**2" in verdict.reason
    # n log2 n is exactly n log n / log 2: with a tenth of room the slack is 11/10 everywhere
    assert all(row.slack == pytest.approx(1.1) for row in verdict.rows if not row.control)
    assert [c.rival for c in verdict.controls] == [False, True, True]
    assert ["rival" in c for c in verdict.to_json()["controls"]] == [False, True, True]
    assert judge(replace(made, budget=made.budget), "toy.lemma_01").reason == verdict.reason
    plain = replace(made, asserts=[value <= 2 * N * log(N)])
    assert (plain.derived, plain.derive, len(plain.controls)) == ([], None, 1)


def test_what_is_not_excluded_is_unresolved_and_a_fitted_constant_is_never_refuted():
    word, reason = outcome(lambda n: n, value.grows(N, at_most=N * log(N), rivals=RIVALS))
    assert (word, reason) == (
        "UNDECIDED", "unresolved: with the same constant a value that grows like N*log(N)**2 would pass"
    )  # fmt: skip
    word, reason = outcome(comparisons, value.grows(N, at_most=N, rivals=[N**2]))
    assert word == "UNDECIDED"
    assert reason.startswith("unresolved: value = O(N) fails with the constant of its first sizes at N=256")
    word, reason = outcome(comparisons, value.grows(N, at_most=N, rivals=[N**2], constant=4))
    assert word == "REFUTED"
    word, reason = outcome(comparisons, value.grows(N, at_most=N * log(N), rivals=[N * log(N) ** 2], constant=9))
    assert (word, "would pass" in reason) == ("UNDECIDED", True)
    loose = value.grows(N, at_most=N, rivals=[N**2], room=1)
    assert outcome(comparisons, loose)[0] == "HOLDS"  # twice the constant: 10 against 8/5


def test_an_ordinary_assertion_beside_it_is_still_refuted():
    grows = value.grows(N, at_most=N, rivals=[N**2])
    assert outcome(comparisons, grows, value <= 100)[0] == "REFUTED"


def test_lower_bounds_rates_and_independence():
    lower = value.grows(N, at_least=N * log(N), rivals=[N])
    small = Control("linear", breaks=value, measure=lambda n, p: {value: p.N}, where=N >= 64)
    assert outcome(comparisons, lower, controls=[small])[0] == "HOLDS"
    word, reason = outcome(lambda n: n, lower, controls=[replace(small, measure=lambda n, p: {value: 1})])
    assert (word, reason.startswith("unresolved")) == ("UNDECIDED", True)
    rate = value.vanishes(N, rate=1 / log(N))
    assert rate.name == "value = o(1) at the rate 1/log(N)"
    assert outcome(lambda n: Fraction(1, n.bit_length() - 1), rate)[0] == "HOLDS"
    assert outcome(lambda n: 1, rate)[0] == "UNDECIDED"
    logs = value.independent(N, logs=1, rivals=[N ** Rational(1, 2)])
    assert outcome(lambda n: n.bit_length() - 1, logs)[0] == "HOLDS"
    root = lambda n: enclosed(lambda: Enclosure(n).sqrt())  # noqa: E731
    assert outcome(root, logs)[0] == "UNDECIDED"


def test_other_letters_have_constants_of_their_own():
    cube = Control("a cube", breaks=value, measure=lambda n, p: {value: 100 * p.N**3}, where=N >= 64)
    made = claim(
        comparisons, value.grows(N, at_most=N * log(N), rivals=[N**2]), grid=grid(N=SIZES, M=[1, 100]),
        measure=lambda n, p: {value: p.M * comparisons(n)}, controls=[cube],
    )  # fmt: skip
    assert judge(made, "toy.lemma_01").outcome is Outcome.HOLDS
    farther = judged(made, "toy.lemma_01", [{"N": 4096, "M": 7}])
    assert farther.outcome is Outcome.HOLDS
    assert M.name in farther.rows[0].point


def test_a_stored_verdict_concludes_as_it_was_judged():
    for measured, shape in ((comparisons, N * log(N)), (comparisons, N), (lambda n: n, N * log(N))):
        made = claim(measured, value.grows(N, at_most=shape, rivals=[N**2]))
        verdict = judge(made, "toy.lemma_01")
        data = verdict.to_json()
        data["assertions"] = [{"name": made.assertions[0].name, "growth": "fitted"}]
        rows = [row_from_json(row) for row in data["rows"]]
        assert conclude(Stated.of(data), rows, ())["outcome"] is verdict.outcome
    assert _outcome_of([{"truth": None, "vacuous": False}], ["open"], False, "REFUTED") == "UNDECIDED"


def test_claims_about_growth_that_say_nothing_are_refused():
    sampled = Recipe(Evidence.SAMPLED, lambda alpha, budget: iter([Estimate(End(1), End(2), Evidence.SAMPLED, alpha)]))
    refuses(
        CheckError,
        (lambda: value.grows(N, at_most=N, rivals=[]), "(?s)without rivals.*required.*why.*try"),
        (lambda: value.grows(N, at_most=N, rivals=[N / 2]), "a shape that grows faster"),
        (lambda: value.grows(N, at_least=N, rivals=[N**2]), "a shape that grows slower"),
        (lambda: value.grows(N, rivals=[N]), "one of them"),
        (lambda: value.grows(N, at_most=N, at_least=N, rivals=[N]), "one of them"),
        (lambda: value.grows(N, at_most=N, rivals=[N**2], room=0.1), "an exact part"),
        (lambda: value.vanishes(N, rate=Integer(1)), "tends to zero"),
        (lambda: claim(comparisons, value.grows(N, at_most=N, rivals=[N**2]), sizes=[8, 16, 32]), "at least 4 sizes"),
        (lambda: claim(comparisons, value.grows(N, at_most=N, rivals=[N**2]), controls=[]), "at least one Control"),
        (lambda: outcome(lambda n: sampled, value.grows(N, at_most=N, rivals=[N**2])), "declare constant"),
    )  # fmt: skip


def test_a_size_beyond_the_grid_that_needs_another_constant_leaves_the_claim_unresolved():
    bursting = claim(lambda n: n if n <= 300 else n**2, value.grows(N, at_most=N, rivals=[N**2]))
    found = searched(bursting, judge(bursting, "toy.lemma_01"))
    assert (found.outcome, found.as_expected, found.rows[-1].truth) == (Outcome.UNDECIDED, False, False)
    assert found.reason.endswith("another constant may hold")
    declared = replace(bursting, asserts=[value.grows(N, at_most=N, rivals=[N**2], constant=2)])
    assert searched(declared, judge(declared, "toy.lemma_01")).outcome is Outcome.REFUTED
