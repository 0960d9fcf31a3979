"""The tour of a search: which points it meets, in turn, and where a track ends because its points become dear."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product

import pytest
from hypothesis import strategies as st
from properties import examples
from theorytools.claims.judging.tracks import (
    Spent,
    Track,
    _anywhere,
    _compositions,
    _growing,
    _in_turn,
    _neighbours,
    _reached,
    _rows,
    _together,
    diagonal,
    steps,
    tour,
)
from tiny import M, N, tiny

from theorytools import grid, letter, points
from theorytools.claims.judging.user_points import Axis

y = letter("y", "a share", positive=True)
MEBI = 1024


def axis(name="N", integral=True, low=1, high=None, values=(1,), words=()):
    ends = (None if end is None else Fraction(end) for end in (low, high))
    return Axis(name, words, integral, *ends, tuple(map(Fraction, values)))


def axes_of(claim):
    return {name: Axis.of(claim, name) for name in claim.grid.axes}


# -- what ends a track -------------------------------------------------------------------------------------------------
def ends(seconds, left, *, growing=True, memory=0):
    """Whether a track has ended after points that took so many seconds each, with ``left`` at the last."""
    track = Track(iter(()), growing=growing)
    for k, spent in enumerate(seconds, 1):
        assert not track.ended
        track.paid(Spent(spent, memory if k == len(seconds) else 0), left if k == len(seconds) else None)
    return track.ended


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ([1], 1),  # one point says nothing of the growth
        ([1, 2], 2 * 4), ([1, 4], 4 * 16), ([2, 3], Fraction(27, 4)),
        ([1, 1], Fraction(9, 4)), ([4, 1], Fraction(9, 4)), ([1, Fraction(5, 4)], Fraction(5, 4) * Fraction(9, 4)),
        ([1, 4, 8], 8 * 4), ([1, 8, 8], 8 * Fraction(9, 4)),
        ([Fraction(1, 1000), Fraction(4, 1000)], Fraction(9, 1000)),  # both are noise
        ([Fraction(1, 1000), Fraction(1, 100)], Fraction(4, 100)),  # 5 ms and less count as 5 ms
        ([Fraction(1, 100), Fraction(1, 1000)], Fraction(9, 4000)),
    ],
)  # fmt: skip
def test_a_growing_track_ends_where_its_next_point_takes_more_than_an_eighth_of_the_time_left(seconds, expected):
    left = 8 * float(expected)
    assert not ends(list(map(float, seconds)), left * 1.001)
    assert ends(list(map(float, seconds)), left * 0.999)
    assert not ends(list(map(float, seconds)), None)


def test_other_tracks_expect_the_last_cost_and_exactly_an_eighth_is_allowed():
    assert not ends([1.0, 4.0], 32.0, growing=False)
    assert ends([1.0, 4.0], 31.9, growing=False)
    assert ends([0.001], 0.0)
    assert not ends([0.0], 0.0)


@pytest.mark.parametrize("left", [None, 1e9])
def test_a_point_that_raises_the_memory_by_more_than_a_quarter_gibibyte_ends_its_track(left):
    assert not ends([0.0], left, memory=256 * MEBI)
    assert ends([0.0], left, memory=256 * MEBI + 1)


def test_what_is_spent_is_counted_from_the_start():
    start = Spent(5.0, 100)
    end = start.end()
    now = Spent.begin()
    assert end.seconds + 5.0 <= now.seconds
    assert end.memory + 100 <= now.memory
    assert now.memory > 1000  # KiB of this process


def test_tracks_take_turns_until_each_has_ended():
    first, second, third = Track(iter("abcd")), Track(iter("x")), Track(iter("12345"))
    seen = []
    for track, point in _in_turn([first, second, third]):
        seen.append(point)
        if point == "2":
            track.ended = True
    assert "".join(seen) == "ax1b2cd"


# -- orders ------------------------------------------------------------------------------------------------------------
@examples(20, st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_the_diagonal_has_every_point_once_by_the_sum_of_ranks(tops):
    axes = {name: axis(name, high=top) for name, top in zip("abc", tops, strict=False)}
    found = [tuple(point.values()) for point in diagonal(axes)]
    assert sorted(found) == sorted(product(*(range(1, top + 1) for top in tops)))
    assert [sum(point) for point in found] == sorted(map(sum, found))
    assert tuple(next(diagonal(axes))) == tuple(axes)


def test_where_the_grid_was_judged_small_values_cost_no_more_than_it():
    assert list(_reached(axis(values=(1, 7), high=99))) == [1, 2, 3, 4, 5, 6, 7]
    assert list(_reached(axis(values=(5, 7), low=4))) == [4, 5, 6, 7]
    assert list(_reached(axis(values=(-2, 3), low=-9))) == [0, 1, 2, 3]
    assert list(_reached(axis(values=(-5, -2), low=-9, high=-1))) == [-1]  # none lies so near: the first one
    assert list(_reached(axis(words=("a", "b"), values=()))) == ["a", "b"]
    shares = _reached(axis("y", False, 0, 1, values=(Fraction(1, 4), Fraction(1, 2))))
    assert {0, 1, Fraction(1, 4), Fraction(1, 2), Fraction(1, 3)} <= set(shares)
    assert all(s in (0, 1) or Fraction(1, 4) <= s <= Fraction(1, 2) for s in shares)


def listed(axis):
    """All small values of an axis at once, and those of them that cost no more than the grid: the definition."""
    every = list(axis.small)
    if axis.words:
        return every, every
    low, high = (0 if axis.integral else axis.values[0]), axis.values[-1]
    return every, [v for v in every if low <= Fraction(v) <= high or v in (0, 1)] or every[:1]


numbers = st.lists(st.fractions(-6, 30, max_denominator=5), min_size=1, max_size=3, unique=True)
drawn = st.builds(
    lambda integral, values, low, width: Axis(
        "a", (), integral, low, None if width is None else (values[0] if low is None else low) + width,
        tuple(sorted({Fraction(math.ceil(v)) for v in values} if integral else values)),
    ),
    st.booleans(), numbers, st.none() | st.fractions(-6, 6, max_denominator=3), st.none() | st.integers(1, 40),
)  # fmt: skip


@examples(60, drawn, st.integers(0, 40))
def test_values_are_made_as_they_are_asked_for_in_the_order_of_the_whole_list(one, k):
    every, near = listed(one)
    again = replace(one)
    assert again.small.has(k) is (k < len(every))
    assert len(again.small._made) <= k + 1  # and no more were made
    assert [again.small[:k], list(again.small), len(again.small)] == [every[:k], every, len(every)]
    assert (list(_reached(one)), again.small[-1:]) == (near, every[-1:])


@examples(30, st.lists(drawn | st.just(axis(words=("a", "b"), values=())), min_size=1, max_size=3))
def test_the_diagonal_of_values_made_on_the_way_is_that_of_whole_lists(made):
    axes = {f"a{k}": one for k, one in enumerate(made)}
    for small, part in ((lambda one: one.small, 0), (_reached, 1)):
        lists = [listed(one)[part] for one in made]
        tops = [len(values) - 1 for values in lists]
        ranks = (rank for total in range(sum(tops) + 1) for rank in _compositions(total, tops))
        whole = (tuple(values[r] for values, r in zip(lists, rank, strict=True)) for rank in islice(ranks, 150))
        assert list(whole) == [tuple(point.values()) for point in islice(diagonal(axes, small), 150)]
    short = {name: replace(one) for name, one in axes.items()}
    assert len(list(islice(diagonal(short), 12))) <= 12
    assert all(len(one.small._made) <= 12 for one in short.values())  # a dozen points list no thousands


def test_bases_are_rows_that_the_hypotheses_allow_or_else_rows_moved_to_the_ends():
    claim = tiny(grid=grid(N=[2, 9, 3, 4, 5, 6, 7]), requires=[N <= 8])
    assert [row["N"] for row in _rows(claim, axes_of(claim))] == [2, 3, 4, 5]
    none = tiny(grid=grid(N=[12, 9, 30, 4, 5, 6]), requires=[N >= 40])
    assert [row["N"] for row in _rows(none, axes_of(none))] == [40, 40, 40, 40]


def test_neighbours_change_one_letter_of_a_row_simplest_first():
    claim = tiny(grid=points("N M kind", (2, 9, "a"), (3, 8, "b")))
    tracks = _neighbours(claim, axes_of(claim))
    assert [track.growing for track in tracks] == [True, True, False]
    first = [dict(point) for point in islice(tracks[0].points, 4)]
    assert first == [{"N": n, "M": m, "kind": k} for n in (1, 2) for m, k in ((9, "a"), (8, "b"))]
    assert [p["kind"] for p in tracks[2].points] == ["a", "a", "b", "b"]


@pytest.mark.parametrize(("values", "furthest"), [((1, 2, 500), 50_000), ((1, 2, 50), 10_000), ((3,), 10_000)])
def test_without_a_clock_an_axis_grows_to_ten_thousand_or_a_hundred_times_the_grid(values, furthest):
    claim = tiny(grid=grid(N=values))
    tracks = _growing(claim, axes_of(claim), False)
    assert [track.growing for track in tracks] == [True, True]
    for track in tracks:
        found = [point["N"] for point in track.points]
        assert values[-1] < found[0] <= 2 * values[-1]
        assert furthest * 2 / 3 - 1 <= found[-1] <= furthest
        assert found == sorted(found)
    timed = [point["N"] for point in _growing(claim, axes_of(claim), True)[0].points]
    assert timed[-1] >= 10**12


def test_all_integers_grow_together_from_the_first_row_and_words_stay():
    claim = tiny(grid=points("N M kind y", (4, 10, "a", Fraction(1, 2)), (5, 11, "b", 1)), requires=[M <= 30])
    tracks = _growing(claim, axes_of(claim), False)
    assert len(tracks) == 2 * 3 + 1
    together = [(p["N"], p["M"], p["kind"], p["y"]) for p in tracks[-1].points]
    half = Fraction(1, 2)
    assert together[:4] == [(6, 15, "a", half), (9, 22, "a", half), (14, 10, "a", half), (20, 10, "a", half)]
    assert 100 <= Fraction(together[-1][0], 4) < 153
    other_base = [(p["N"], p["M"]) for p in tracks[1].points]
    assert {m for _, m in other_base} == {1}  # the least point
    assert {p["M"] for p in tracks[0].points} == {10}
    assert len(_growing(tiny(grid=grid(N=[2], kind=["a"])), axes_of(tiny(grid=grid(N=[2], kind=["a"]))), False)) == 2


def test_growing_together_ends_where_every_letter_has_reached_its_end():
    base, axes = {"N": 4, "M": 0}, {"N": axis(high=9, values=(4,)), "M": axis("M", low=0, values=(0,))}
    assert list(_together(base, axes, 100)) == [{"N": 6, "M": 0}, {"N": 9, "M": 0}]
    free = {"N": axis(values=(4,))}
    assert list(_together({"N": 4}, free, Fraction(9, 4))) == [{"N": 6}, {"N": 9}]  # the last factor is the furthest
    assert list(_together({"N": 4}, free, Fraction(5, 2))) == [{"N": 6}, {"N": 9}, {"N": 14}]


def test_drawn_points_fill_the_axes_up_to_ten_times_the_grid():
    axes = {"N": axis(low=3, values=(3, 50)), "M": axis("M", high=7, values=(2,)),
            "k": axis("k", False, None, None, (), ("a", "b")), "y": axis("y", False, 0, 1)}  # fmt: skip
    drawn = list(_anywhere(axes))
    assert len(drawn) == 20_000
    sizes = [p["N"] for p in drawn]
    assert min(sizes) == 3
    assert 450 < max(sizes) <= 500
    assert {p["M"] for p in drawn} == set(range(1, 8))
    assert {p["k"] for p in drawn} == {"a", "b"}
    assert {0, 1, Fraction(1, 2)} <= {p["y"] for p in drawn}
    below = sum(size < 3 + 22 for size in sizes) / len(sizes)  # log 23 / log 499 of a logarithmic scale
    assert 0.45 < below < 0.56
    assert drawn == list(_anywhere(axes))


# -- the tour ----------------------------------------------------------------------------------------------------------
def met(claim, count, **options):
    return [dict(point) for _, point in islice(tour(claim, axes_of(claim), **options), count)]


def test_edges_come_first_then_the_grid_then_all_tracks_in_turn():
    claim = tiny(grid=grid(N=[4, 9]), requires=[N <= 20])
    found = [point["N"] for point in met(claim, 300)]
    edges = [1, 1, 1, 2, 2, 2, 20, 20, 20, 19, 19, 19]
    assert found[: len(edges) + 2] == [*edges, 4, 9]
    assert set(range(1, 21)) <= set(found)
    assert found[14:18] == [1, 1, 14, 14]  # the diagonal, a neighbour, growth from a row and from the least point


def test_unless_told_a_tour_has_a_clock_and_no_judged_grid():
    claim = tiny(grid=grid(N=[4, 9]))
    usual = met(claim, 150)
    assert usual == met(claim, 150, timed=True, judged=False)
    assert usual != met(claim, 150, timed=False)
    assert usual != met(claim, 150, judged=True)
    assert max(point["N"] for point in met(claim, 150, timed=False)) <= 10_000 < max(point["N"] for point in usual)


def test_a_claim_of_fixed_points_is_toured_on_them_alone():
    claim = tiny(grid=grid(N=[4, 9]), listed=["N"])
    assert met(claim, 99) == met(claim, 99, judged=True) == [{"N": 4}, {"N": 9}]


def test_where_the_grid_was_judged_it_is_no_track():
    claim = tiny(grid=grid(N=[3, 5]), requires=[N <= 20])
    found = [point["N"] for point in met(claim, 300, judged=True)]
    assert found[:6] == [1, 1, 1, 1, 2, 1]  # an edge, the diagonal and a neighbour in turn
    assert set(found) == {1, 2, 3, 4, 5, 19, 20}


# -- one step beyond ---------------------------------------------------------------------------------------------------
def test_a_step_begins_at_the_rows_of_the_largest_value():
    claim = tiny(grid=points("N M", (2, 9), (7, 3), (7, 4), (3, 8)), requires=[M <= 12])
    tried = dict(steps(claim, axes_of(claim)))
    assert [(p["N"], p["M"]) for p in tried["N"]] == [(8, 3), (9, 3), (10, 3), (11, 3)]
    assert [(p["N"], p["M"]) for p in tried["M"]] == [(2, 10), (2, 11), (2, 12)]
    assert list(steps(tiny(listed=["N"]), axes_of(tiny()))) == []


@pytest.mark.parametrize(
    ("values", "requires", "tried"),
    [
        ((Fraction(1, 4), Fraction(1, 2)), [y < 1], [1, Fraction(3, 4)]), ((Fraction(1, 2), 3), [], [6]),
        ((3,), [y <= 5], [4]),
        ((1,), [y <= 1], []), ((Fraction(1, 2),), [y <= 1], [1, Fraction(3, 4)]),
    ],
)  # fmt: skip
def test_a_share_is_doubled_or_goes_half_of_the_way_inside_its_ends(values, requires, tried):
    claim = tiny(grid=grid(N=[2], y=values), requires=requires)
    found = [p["y"] for p in dict(steps(claim, axes_of(claim))).get("y", [])]
    assert found == [value for value in tried if not (value == 1 and requires == [y < 1])]
