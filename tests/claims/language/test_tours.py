"""The order in which a search looks: every point of small values once, growth by half, tracks that end when dear."""

import itertools
from dataclasses import replace
from fractions import Fraction

import pytest
from checkfolders import write
from hypothesis import strategies as st
from properties import examples
from theorytools.claims.judging.tracks import Spent, Track, _compositions, _growing, diagonal, tour
from tiny import N, tiny, value

from theorytools import Catalogue, Control, DomainError, Estimate, Evidence, grid, letter
from theorytools.claims.judging import pool, run
from theorytools.claims.judging.horizon import horizon
from theorytools.claims.judging.judge import judge
from theorytools.claims.judging.picture import size_letter
from theorytools.claims.judging.point import Judgement, _sign
from theorytools.claims.judging.user_points import Axis, axis_choices, ends
from theorytools.numbers import Enclosure, End

HUGE = Control("huge", breaks=value, measure=lambda thing, p: {value: 10**9})
x = letter("x", "a number")


def axes_of(claim):
    return {name: Axis.of(claim, name) for name in claim.grid.axes}


# -- every point once -------------------------------------------------------------------------------------------------
@examples(60, st.lists(st.integers(0, 3), min_size=1, max_size=4))
def test_ranks_of_all_sums_together_are_all_ranks(tops):
    found = [ranks for total in range(sum(tops) + 1) for ranks in _compositions(total, tops)]
    assert sorted(found) == sorted(itertools.product(*(range(top + 1) for top in tops)))
    assert [sum(ranks) for ranks in found] == sorted(sum(ranks) for ranks in found)
    assert list(_compositions(sum(tops) + 1, tops)) == []


def test_the_diagonal_has_every_point_of_small_values_once():
    claim = tiny(
        asserts=[value <= N + x], controls=[HUGE], grid=grid(N=[2, 5], x=[1]), requires=[N <= 5, x >= 0, x <= 1]
    )
    axes = axes_of(claim)
    points = [tuple(point.values()) for point in diagonal(axes)]
    assert len(points) == len(set(points)) == len(axes["N"].small) * len(axes["x"].small)
    assert points[0] == (axes["N"].small[0], axes["x"].small[0]) == (1, 0)


def test_where_the_grid_was_judged_its_points_are_left_out_and_elsewhere_they_come_first():
    claim = tiny(grid=grid(N=[20, 30]), requires=[N >= 10])
    points = [point["N"] for _, point in itertools.islice(tour(claim, axes_of(claim)), 40)]
    assert set(points[: points.index(20)]) == {10, 11}  # the edge and its neighbour
    assert {10, 11, 20, 30} < set(points)
    judged = [point["N"] for _, point in tour(claim, axes_of(claim), judged=True)]
    assert max(judged) <= 30  # nothing beyond what was judged: a size that costs more
    assert {10, 11} <= set(judged)


# -- growth -----------------------------------------------------------------------------------------------------------
@examples(60, st.lists(st.integers(1, 10**6), min_size=1, max_size=4, unique=True), st.integers(1, 9))
def test_values_beyond_the_grid_grow_by_half_from_the_largest(sizes, more):
    axis = Axis.of(tiny(grid=grid(N=sizes), requires=[max(sizes) * 10**more >= N]), "N")
    grown = list(axis.grown())
    for before, after in itertools.pairwise([max(*sizes, 2), *grown]):
        assert after == -(-3 * before // 2)
    assert all(value <= axis.high for value in grown)
    assert 3 * ([*axis.values, *grown][-1]) // 2 + 1 > min(axis.high, 10**12)


def test_without_a_time_an_axis_grows_to_ten_thousand_or_a_hundred_times_its_grid():
    for sizes, furthest in (([2, 7, 31, 400], 40_000), ([2, 3], 10_000), ([3, 100], 10_000)):
        claim = tiny(grid=grid(N=sizes))
        (first, _) = _growing(claim, axes_of(claim), False)
        values = [point["N"] for point in first.points]
        assert values[0] > sizes[-1]
        assert furthest / 1.5 - 1 < values[-1] <= furthest
        (endless, _) = _growing(claim, axes_of(claim), True)
        assert max(point["N"] for point in endless.points) > 10**11


def test_rationals_grow_and_shrink_to_the_end_of_their_interval():
    axis = Axis.of(
        tiny(asserts=[value <= x], controls=[HUGE], grid=grid(x=[1, 4]), requires=[x >= Fraction(1, 2)]), "x"
    )
    grown = [Fraction(value) for value in axis.grown()]
    down = [value for value in grown if value < 1]
    assert [value - Fraction(1, 2) for value in down] == [Fraction(1, 4**k) for k in range(3, 20)]
    assert all(value > Fraction(1, 2) for value in down)
    assert grown[0] == 6


# -- when a track ends ------------------------------------------------------------------------------------------------
@examples(80, st.floats(0.01, 10), st.floats(0.01, 10), st.floats(0.1, 1000))
def test_a_growing_track_expects_the_square_of_its_last_factor_and_one_and_a_half_at_least(last, now, left):
    track = Track(iter(()), growing=True)
    track.last = last
    track.paid(Spent(now, 0), left)
    expected = now * max(now / last, 1.5) ** 2
    assert track.ended is (expected > left / 8)
    assert track.last == now
    plain = Track(iter(()))
    plain.last = last
    plain.paid(Spent(now, 0), left)
    assert plain.ended is (now > left / 8)


def test_times_below_the_noise_are_not_compared_and_memory_ends_a_track_by_itself():
    track = Track(iter(()), growing=True)
    track.last = 1e-6
    track.paid(Spent(0.004, 0), 8 * 0.004 * 1.5**2 + 1e-9)  # both count as the noise: the factor is 1.5
    assert not track.ended
    for memory, ended in ((0, False), (2**18, False), (2**18 + 1, True)):
        track = Track(iter(()))
        track.paid(Spent(0.0, memory), None)
        assert track.ended is ended


# -- axes -------------------------------------------------------------------------------------------------------------
def test_ends_of_an_interval_are_read_from_either_side_of_a_relation():
    for kind, expected in (([N >= 3], (3, None)), ([N > 3], (3, None)), ([N <= 9], (1, 9)), ([N < 9], (1, 9)),
                           ([N >= 3, N >= 5, N <= 9, N <= 7], (5, 7))):  # fmt: skip
        low, high = ends(tiny(requires=kind), N)
        assert (max(low or 1, 1), high) == (expected[0] or 1, expected[1])


def test_a_value_beyond_an_end_is_moved_to_it_and_one_inside_stays():
    axis = Axis.of(tiny(requires=[N >= 3, N <= 9], grid=grid(N=[4, 5])), "N")
    assert [axis.nearest(k) for k in (1, 3, 4, 9, 12)] == [3, 3, 4, 9, 9]
    assert [axis.inside(Fraction(k)) for k in (2, 3, 9, 10)] == [False, True, True, False]
    assert set(axis.edges()) == {3, 4, 8, 9}
    assert sorted(axis.small) == list(range(3, 10))


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
    assert _sign(Judgement(claim, 1e-7), claim.assertions[0], values) == sign


def test_an_interval_around_zero_has_no_sign():
    claim = tiny()
    values = {"N": lambda: Enclosure(2).sqrt() ** 2 - 2}
    assert _sign(Judgement(claim, 1e-7), claim.assertions[0], values) is None


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

    def elsewhere(judge, jobs, count, *, hints, progress):
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
