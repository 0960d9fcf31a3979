"""How rows become words and outcomes: slack, the strongest witness, controls, what is expected, what is left open."""

import itertools
import math
import time
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import strategies as st
from properties import examples
from tiny import N, constant, shrinking, tiny, value
from verdict_examples import HUGE, OPEN, open_row, root, spoiled, verdict_of

from theorytools import Control, Estimate, Evidence, Outcome, exactly, grid
from theorytools.claims.judging.conclude import Named, Stated, conclude
from theorytools.claims.judging.verdict import Row, Verdict, finite, strongest
from theorytools.claims.language.estimate import fitted
from theorytools.claims.language.relation import related
from theorytools.numbers import End

UNBOUNDED = (End.from_json({"inf": -1}), End.from_json({"inf": 1}))


def estimate(low, high=None, evidence=Evidence.EXACT, **more):
    return Estimate(End(Fraction(low)), End(Fraction(low if high is None else high)), evidence, **more)


def row(measured, *bound, relation="<=", evidence=Evidence.EXACT, **changed):
    """A row that is true, false or open as its ends are."""
    ends = measured if isinstance(measured, tuple) else (measured, measured)
    sides = tuple(estimate(*(b if isinstance(b, tuple) else (b, b))) for b in bound)
    left = estimate(*ends, evidence)
    parts = {"point": {"N": "2"}, "control": "", "assertion": "v", "quantity": "v", "relation": relation,
             "truth": related(relation, left, sides), "measured": left, "bound": sides}  # fmt: skip
    return Row(**{**parts, **changed})


numbers = st.fractions(min_value=-9, max_value=9, max_denominator=12)
intervals = st.tuples(numbers, numbers).map(lambda pair: tuple(sorted(pair)))


# -- slack -------------------------------------------------------------------------------------------------------------
@examples(80, intervals, intervals, st.sampled_from(["<=", ">="]))
def test_slack_is_at_least_one_exactly_where_the_row_is_proved(measured, bound, relation):
    made = row(measured, bound, relation=relation)
    if made.slack is not None:
        assert made.truth is (made.slack >= 1)
    elif made.truth is not None:
        small, large = (measured, bound) if relation == "<=" else (bound, measured)
        ends = (large[0], small[1]) if made.truth else (large[1], small[0])
        assert min(ends) <= 0


@pytest.mark.parametrize(
    ("measured", "bound", "relation", "slack"),
    [
        ((2, 3), (6, 9), "<=", 2), ((6, 9), (2, 3), ">=", 2), ((6, 9), (2, 3), "<=", 0.5), ((2, 3), (6, 9), ">=", 0.5),
        (3, 3, "<=", 1), (3, 3, ">=", 1), ((1, 3), 2, "<=", None), (0, 1, "<=", None), (-2, -1, "<=", None),
        (-1, 5, "<=", None), (1, 0, "<=", None), (10**400, 1, ">=", None), (1, 10**400, "<=", None),
        (2, 2, "==", None),
    ],
)  # fmt: skip
def test_slack_takes_the_ends_that_the_proof_rests_on(measured, bound, relation, slack):
    assert row(measured, bound, relation=relation).slack == slack


def test_a_false_row_has_a_slack_below_one_however_close():
    close = row(Fraction(10**30 + 1, 10**30), 1)
    assert close.truth is False
    assert close.slack == math.nextafter(1.0, 0.0)
    unbounded = replace(row(1, 2), bound=(Estimate(End(Fraction(2)), UNBOUNDED[1], Evidence.ENCLOSED),))
    assert unbounded.slack == 2
    assert replace(unbounded, truth=False).slack is None


# -- the strongest witness ---------------------------------------------------------------------------------------------
def test_the_strongest_false_row_is_of_the_best_evidence_then_the_farthest_off():
    near, far = row(3, 2), row(200, 2)
    fit = row(10**9, 2, evidence=Evidence.FITTED)
    assert strongest([fit, near, far, row(1, 2), replace(far, truth=None)]) == far
    assert strongest([fit]) == fit
    assert strongest([row(1, 2)]) is None
    assert strongest([]) is None


@pytest.mark.parametrize("relation", ["==", "<="])
@pytest.mark.parametrize(
    ("near", "far"),
    [((11, 9, 10), (20, 9, 10)), ((8, 9, 10), (2, 9, 10)), ((-3, -2, -1), (-90, -2, -1))],
)
def test_of_rows_that_miss_the_one_that_misses_by_more_is_shown(relation, near, far):
    """Of an equality, and where one of two numbers is not positive, the relative distance counts."""
    made = [row(m, low, high, relation=relation) for m, low, high in (near, far)]
    if any(one.truth is not False for one in made):
        assert relation == "<="
        return
    assert strongest(made) == made[1]
    assert strongest(made[::-1]) == made[1]


def test_a_row_that_misses_zero_or_lies_at_infinity_is_still_a_witness():
    zero = row(1, 0, 0, relation="==")
    infinite = replace(row(1, 2), truth=False, measured=Estimate(*UNBOUNDED, Evidence.ENCLOSED), relation="==")
    assert strongest([infinite]) == infinite
    assert strongest([infinite, zero]) == zero
    assert [finite(x) for x in (1.5, math.inf, -math.inf, math.nan)] == [1.5, None, None, None]


# -- controls ----------------------------------------------------------------------------------------------------------
def summary(tries, *, repair=False, places=None):
    """What a control comes to whose rows have these truths, point by point; True and False as the row is proved."""
    stated = Stated((Named("v"),), (Named("c", repair),), "HOLDS")
    honest = [row(1, 2, point={"N": str(k)}) for k in range(places or len(tries))]
    tried = [replace(row(9 if truth is False else 1 if truth else (1, 9), 2), point={"N": str(k)}, control="c",
                     must_break=not repair) for k, truth in enumerate(tries)]  # fmt: skip
    (found,) = conclude(stated, [*honest, *tried], ())["controls"]
    return found.outcome, found.applied, found.broken


@pytest.mark.parametrize(
    ("tries", "expected"),
    [
        ([False, False], ("breaks", 2, 2)), ([False, True], ("fails", 2, 1)), ([False, None], ("open", 2, 1)),
        ([None, True], ("fails", 2, 0)), ([True, None], ("fails", 2, 0)), ([None, None], ("open", 2, 0)),
        ([True, True], ("fails", 2, 0)),
    ],
)  # fmt: skip
def test_a_control_is_as_bad_as_its_worst_point(tries, expected):
    assert summary(tries) == expected


def test_a_repair_must_hold_at_every_point_at_which_the_claim_was_judged():
    assert summary([True, True], repair=True) == ("holds", 2, 2)
    assert summary([True, False], repair=True) == ("fails", 2, 1)
    assert summary([True], repair=True, places=2) == ("never applies", 1, 1)
    assert summary([], places=1) == ("never applies", 0, 0)
    assert summary([False], places=2) == ("breaks", 1, 1)  # a control applies where it does


def test_a_point_with_a_row_that_fails_and_one_that_is_open_fails():
    stated = Stated((Named("v"), Named("w")), (Named("c"),), "HOLDS")
    honest = [row(1, 2), row(1, 2, assertion="w", quantity="w")]
    for first, second, word in ((1, (1, 9), "proved"), ((1, 9), 1, "left open")):
        tried = [row(first, 2, control="c", must_break=True),
                 row(second, 2, control="c", must_break=True, assertion="w", quantity="w")]  # fmt: skip
        (found,) = conclude(stated, [*honest, *tried], ())["controls"]
        assert (found.outcome, found.applied, found.broken) == ("fails", 1, 0)
        assert found.detail == f"v was {word} at N=2"
        assert found.breaks == ("v", "w")


# -- outcomes ----------------------------------------------------------------------------------------------------------
def concluded(rows, skipped=(), expect="HOLDS", role="", controls=(), **options):
    return conclude(Stated((Named("v"),), tuple(controls), expect, role), rows, skipped, **options)


OUT, LEFT = ({"point": {"N": "7"}, "control": "", "reason": said, "open": said == "too long"}
             for said in ("outside", "too long"))  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "skipped", "outcome", "reason"),
    [
        ([], [], Outcome.INAPPLICABLE, "no point"), ([], [OUT], Outcome.INAPPLICABLE, "outside"),
        ([], [OUT, LEFT], Outcome.UNDECIDED, "too long"), ([row(1, 2)], [OUT], Outcome.HOLDS, "1 row proved; "),
        ([row(1, 2)], [OUT, LEFT], Outcome.UNDECIDED, "too long"), ([row(3, 2)], [LEFT], Outcome.REFUTED, "v fails at"),
        ([row(1, 2), row((1, 3), 2)], [], Outcome.UNDECIDED, "v stays open at N=2 within the budget"),
    ],
)  # fmt: skip
def test_the_outcome_of_a_grid(rows, skipped, outcome, reason):
    found = concluded(rows, skipped)
    assert found["outcome"] is outcome
    assert found["reason"].startswith(reason)
    assert found["as_expected"] is (outcome is Outcome.HOLDS)


def test_at_a_users_points_what_was_not_judged_is_counted():
    found = concluded([row(1, 2)], [OUT, LEFT, OUT, LEFT], user=True)
    assert found["outcome"] is Outcome.HOLDS
    assert found["as_expected"] is False
    assert "; 2 points open (N=7: too long); 2 points outside the hypotheses (N=7: outside)" in found["reason"]
    found = concluded([row(1, 2)], [OUT], user=True)
    assert found["as_expected"] is True
    assert found["reason"].endswith("; 1 point outside the hypotheses (N=7: outside)")
    assert "7" not in concluded([row(1, 2)], [OUT])["reason"]
    assert concluded([], [OUT], user=True)["reason"] == "outside"


@pytest.mark.parametrize("expect", ["HOLDS", "REFUTED", "UNDECIDED"])
def test_at_a_users_points_holding_is_what_counts_whatever_the_grid_expects(expect):
    for number, skipped, good in ((1, [], True), (3, [], False), ((1, 3), [], False), (1, [LEFT], False)):
        assert concluded([row(number, 2)], skipped, user=True, expect=expect)["as_expected"] is good


def test_where_a_row_stays_open_the_reason_names_the_side_without_a_value():
    nowhere = Estimate(*UNBOUNDED, Evidence.ENCLOSED)
    left = replace(row((1, 3), 2), measured=nowhere, truth=None)
    assert "the measured value is undefined there (v has no finite enclosure)" in concluded([left])["reason"]
    right = replace(row((1, 3), 2), bound=(nowhere,), truth=None)
    assert "the bound is undefined there" in concluded([right])["reason"]
    both = replace(right, bound=(nowhere, nowhere))
    assert "the bound, or its tolerance, is undefined there" in concluded([both])["reason"]
    half = Estimate(End(Fraction(1)), UNBOUNDED[1], Evidence.ENCLOSED)  # one end is known: more bits might do
    assert "within the budget" in concluded([replace(right, bound=(half,))])["reason"]
    assert "within the budget" in concluded([replace(left, measured=half)])["reason"]


@pytest.mark.parametrize(
    ("expect", "role", "evidence", "number", "expected"),
    [
        ("HOLDS", "", Evidence.EXACT, 1, True), ("HOLDS", "", Evidence.EXACT, 9, False),
        ("UNDECIDED", "prediction", Evidence.FITTED, (1, 9), True),
        ("UNDECIDED", "prediction", Evidence.FITTED, 1, False),
        ("REFUTED", "", Evidence.EXACT, 9, True), ("REFUTED", "", Evidence.ENCLOSED, 9, True),
        ("REFUTED", "", Evidence.SAMPLED, 9, False), ("REFUTED", "", Evidence.FITTED, 9, False),
        ("REFUTED", "prediction", Evidence.FITTED, 9, True), ("REFUTED", "", Evidence.EXACT, 1, False),
    ],
)  # fmt: skip
def test_what_is_expected_of_a_refuted_reading_is_a_certificate(expect, role, evidence, number, expected):
    assert concluded([row(number, 2, evidence=evidence)], expect=expect, role=role)["as_expected"] is expected


def test_evidence_is_the_weakest_row_and_of_a_refutation_the_strongest_false_one():
    rows = [row(1, 2), row(1, 2, evidence=Evidence.SAMPLED), row(1, 2, evidence=Evidence.ENCLOSED)]
    assert concluded(rows)["evidence"] is Evidence.SAMPLED
    assert concluded([])["evidence"] is None
    false = [row(9, 2, evidence=Evidence.FITTED), row(9, 2, evidence=Evidence.ENCLOSED)]
    assert concluded([*false, row(1, 2)])["evidence"] is Evidence.ENCLOSED


def test_power_is_the_largest_over_assertions_of_the_least_of_their_rows():
    def powers(*pairs):
        rows = [row(1, 2, assertion=name, power=power) for name, power in pairs]
        found = conclude(Stated((Named("v"), Named("w")), (), "HOLDS"), rows, ())
        return found["powers"], found["power"]

    assert powers(("v", 2.0), ("v", 1.01), ("v", None), ("w", 10.0)) == ({"v": 1.01, "w": 10.0}, 10.0)
    assert powers(("v", 2.0), ("w", None)) == ({"v": 2.0, "w": None}, None)
    assert powers(("v", 2.0), ("w", 1.25))[1] == 2.0


def test_all_vacuous_rows_are_no_statement_and_one_that_says_something_is_enough():
    said, empty = row(1, 2, vacuous=False), row(1, 2, vacuous=True)
    assert concluded([empty, empty])["outcome"] is Outcome.POWERLESS
    assert concluded([empty, said])["outcome"] is Outcome.HOLDS
    assert concluded([empty, replace(said, vacuous=None)])["outcome"] is Outcome.HOLDS


def test_rows_are_counted_by_what_they_show():
    drawn = replace(row(1, 2, evidence=Evidence.SAMPLED), measured=estimate(1, 1, Evidence.SAMPLED, alpha=1e-7))
    reason = concluded([row(1, 2), drawn, row(1, 2), drawn, drawn])["reason"]
    assert reason.startswith("2 rows proved, 3 rows ")
    assert reason.startswith("2 rows proved, 3 rows within error 3e-07; ")
    assert concluded([row(1, 2)], controls=[])["reason"].endswith("0 of 0 controls rejected")


def test_at_a_users_point_a_control_that_did_not_do_its_work_is_named_and_one_that_did_suffices():
    claim = tiny(controls=[spoiled(), spoiled("not at 5", where=N <= 4), spoiled("weak", number=OPEN)])
    at = verdict_of(claim, [{"N": 5}])
    assert at.outcome is Outcome.HOLDS
    assert "1 of 3 controls rejected; the control 'not at 5' applies at no point" in at.reason
    grid_verdict = verdict_of(replace(claim, grid=grid(N=[5])))
    assert grid_verdict.outcome is Outcome.POWERLESS
    only_open = verdict_of(constant(1, open_row, controls=[spoiled("weak", number=OPEN)]))
    assert only_open.outcome is Outcome.UNDECIDED
    assert "the control 'weak' stays open: value <= sqrt(6) was left open at N=2" in only_open.reason
    failing = verdict_of(constant(1, value <= N, controls=[spoiled(number=1), spoiled("other")]))
    assert failing.reason == "the control 'spoiled' did not break at 1 of 1 points: value <= N was proved at N=2"
    repaired = constant(9, value <= N, expect="REFUTED", controls=[Control("repair", asserts=[value <= 10])])
    assert verdict_of(repaired).as_expected
    assert not verdict_of(replace(repaired, controls=[Control("repair", asserts=[value <= 8])])).as_expected


# -- the verdict as a whole --------------------------------------------------------------------------------------------
def test_processor_time_is_counted_point_by_point(monkeypatch):
    # a clock of its own: a machine's may stand still for as long as so small a claim takes
    ticks = itertools.count()
    monkeypatch.setattr(time, "process_time", lambda: next(ticks))
    verdict = verdict_of(tiny(grid=grid(N=[2, 3, 4])))
    assert verdict.cpu_points == (2, 2, 2)
    assert verdict.cpu_parts == {"measured": 3, "controls": 3, "search": 0}
    assert verdict.cpu == 7  # which concluded too


def test_rows_of_controls_stand_after_the_own_ones_in_the_order_of_the_controls():
    verdict = verdict_of(tiny(controls=[spoiled("b"), spoiled("a")]))
    assert [(row.control, row.point["N"]) for row in verdict.rows] == [
        ("", "2"), ("", "3"), ("b", "2"), ("b", "3"), ("a", "2"), ("a", "3"),
    ]  # fmt: skip


@pytest.mark.parametrize(("count", "lines"), [(1, 2), (12, 13), (13, 14), (15, 14)])
def test_a_verdict_is_written_with_its_first_dozen_rows(count, lines):
    verdict = verdict_of(tiny(grid=grid(N=range(2, 2 + count)), asserts=[value <= 5]))
    text = repr(verdict).splitlines()
    assert len(text) == lines
    assert (f"and {count - 12} rows more" in text[-1]) is (count > 12)
    assert text[1] == "  N=2: value 2 <= 5"
    assert text[1:13] == [f"  N={n}: value {n} <= 5{'  fails' if n > 5 else ''}" for n in range(2, 2 + min(count, 12))]
    opened = verdict_of(constant(OPEN, open_row))
    assert repr(opened).endswith("  open")
    silent = Verdict("a.b", "L", Outcome.UNDECIDED, "HOLDS", False, None, "why")
    assert str(silent) == "a.b: UNDECIDED (no evidence): why"


def test_the_witness_is_of_the_claim_itself():
    verdict = verdict_of(constant(9, value <= 5, controls=[spoiled(number=HUGE)]))
    assert verdict.witness.control == ""
    assert verdict_of(tiny()).witness is None
    data = verdict.to_json()
    assert data["alpha"] == {"claim": 1e-6, "spent": 0.0}
    assert [r["must_break"] for r in data["rows"]] == [False, True]
    drawn = verdict_of(constant(shrinking(1, Fraction(1, 2)), value <= 5)).to_json()
    assert drawn["alpha"]["spent"] == pytest.approx(5e-7)
    assert "shifts" not in verdict_of(constant(fitted(1, 1), value <= 5)).to_json()["rows"][0]
    assert verdict_of(constant(root(4), value <= 5)).evidence is Evidence.EXACT
    assert verdict_of(constant(exactly(2), value <= N)).to_json()["rows"][0]["shifts"] == ["N"]
