"""Values of an axis, what rows would have seen when they are turned round, and how runs are shared out."""

from dataclasses import replace
from fractions import Fraction

import pytest
from checkfolders import write
from tiny import N, tiny, value

from theorytools import Catalogue, Control, DomainError, Estimate, Evidence, grid
from theorytools.claims.judging import pool, run
from theorytools.claims.judging.horizon import horizon
from theorytools.claims.judging.judge import judge
from theorytools.claims.judging.picture import size_letter
from theorytools.claims.judging.row import sign_of
from theorytools.claims.judging.user_points import axis_choices
from theorytools.numbers import Enclosure, End

HUGE = Control("huge", breaks=value, measure=lambda thing, p: {value: 10**9})


# -- values of an axis ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("given", [None, [], (), {}, True, float("nan"), [1, None], [float("nan")], ["1", True]])
def test_what_is_no_value_of_an_axis_is_refused(given):
    with pytest.raises(DomainError):
        axis_choices("N", given)


@pytest.mark.parametrize(
    ("given", "values"), [(3, [3]), ("3", [3]), ("1/2,4", [Fraction(1, 2), 4]), (range(2), [0, 1])]
)
def test_values_of_an_axis_are_read_exactly(given, values):
    assert axis_choices("N", given) == values


# -- what rows would have seen, turned round --------------------------------------------------------------------------
SIZES = [2, 16, 64, 1024]


def seen(measured, assertion):
    claim = tiny(
        asserts=[assertion], controls=[HUGE], grid=grid(N=SIZES), measure=lambda thing, p: {value: measured(p.N)}
    )
    rows = [row for row in judge(claim, "toy.lemma_01").rows if not row.control]
    return rows, next(iter(horizon(rows).values()))


def test_an_equality_of_negative_numbers_sees_what_its_mirror_image_sees():
    _, one = seen(lambda n: Fraction(101, 100) * n, value.equals(N, within=N / 20))
    _, other = seen(lambda n: -Fraction(101, 100) * n, value.equals(-N, within=N / 20))
    assert one == {**other, "shifts": one["shifts"]}


def test_an_axis_that_is_zero_somewhere_has_no_exponent_and_breaks_nothing():
    rows, plain = seen(lambda n: n, value <= N)
    moved = [replace(row, point={**row.point, "z": z}) for row, z in zip(rows, ("0", "1", "2", "3"), strict=True)]
    (found,) = horizon(moved).values()
    assert found["exponents"]["N"] == plain["exponents"]["N"]
    assert found["constant"] == plain["constant"] == 0


def test_a_log_factor_is_asked_for_from_two_on():
    rows, plain = seen(lambda n: n, value <= N)
    assert plain["logs"] == ["N"]
    small = [replace(row, point={"N": text}) for row, text in zip(rows, ("1", "5/4", "3/2", "2"), strict=True)]
    assert next(iter(horizon(small).values()))["logs"] == []
    two = [replace(row, point={"N": text}) for row, text in zip(rows, ("1", "3/2", "2", "4"), strict=True)]
    assert next(iter(horizon(two).values()))["logs"] == ["N"]


def test_rows_that_are_open_or_false_or_of_a_control_are_left_out():
    rows, plain = seen(lambda n: Fraction(n, 2), value <= N)
    spoiled = [
        replace(rows[0], truth=truth, control=control) for truth, control in ((False, ""), (None, ""), (True, "c"))
    ]
    assert horizon(spoiled) == {}
    assert next(iter(horizon([*spoiled, *rows]).values())) == plain


@pytest.mark.parametrize("sign", [1, 0, -1])
def test_the_sign_of_a_right_side_is_that_of_an_interval_that_leaves_zero(sign):
    claim = tiny()
    values = {"N": lambda: Enclosure(2).sqrt() * sign}
    assert sign_of(claim.assertions[0], values, claim.budget) == sign


def test_an_interval_around_zero_has_no_sign():
    claim = tiny()
    values = {"N": lambda: Enclosure(2).sqrt() ** 2 - 2}
    assert sign_of(claim.assertions[0], values, claim.budget) is None


# -- runs -------------------------------------------------------------------------------------------------------------
def test_the_letter_of_a_picture_is_the_one_with_most_numbers():
    rows, _ = seen(lambda n: n, value <= N)
    assert size_letter(rows) == "N"
    assert size_letter(rows[:1]) == size_letter([]) == ""
    assert size_letter([replace(row, point={"k": "word"}) for row in rows]) == ""


def test_one_process_is_this_one_and_the_times_of_claims_say_how_many_there_are(tmp_path, monkeypatch):
    entries = Catalogue(write(tmp_path, "holds", "refuted")).entries
    jobs = [(entry, {}) for entry in entries if entry.paper == "tiny"]
    assert len(jobs) == 2

    def elsewhere(judge, jobs, count, *, hints, progress, said, limit):
        yield from ((entry, ({"count": count, "hints": hints}, "")) for entry, _ in jobs)

    monkeypatch.setattr(run, "pooled", elsewhere)
    monkeypatch.setattr(pool, "cores", lambda: 8)
    here = [result.verdict["outcome"] for result in run.run(jobs, processes=1)]
    assert here == ["HOLDS", "REFUTED"]
    assert [result.verdict["outcome"] for result in run.run(jobs)] == here  # two claims of a moment: one process
    hints = {entry.id: 30.0 for entry, _ in jobs}
    told = [result.verdict for result in run.run(jobs, hints=hints)]
    assert told == [{"count": 2, "hints": hints}] * 2
    assert [result.verdict["count"] for result in run.run(jobs, processes=5)] == [2, 2]


def test_the_time_of_a_verdict_is_that_of_all_its_points():
    claim = tiny(grid=grid(N=[2, 3, 4, 5]), construct=lambda p: sum(range(20_000 * p.N)) * 0 + p.N)
    made = judge(claim, "toy.lemma_01")
    assert len(made.cpu_points) == 4
    assert made.cpu >= sum(made.cpu_points) - 1e-9


def test_the_evidence_of_a_row_is_the_weaker_side():
    rows, _ = seen(lambda n: n, value <= N)
    weak = Estimate(End(1), End(1), Evidence.FITTED)
    assert replace(rows[0], bound=(weak,)).evidence == replace(rows[0], measured=weak).evidence == Evidence.FITTED
