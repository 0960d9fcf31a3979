"""Orders of points: every proposal satisfies the hypotheses, and each order reaches what it is for."""

import random
from fractions import Fraction
from itertools import islice, product

import pytest
import sympy
from hypothesis import strategies as st
from properties import examples
from sympy import Eq, Ne, Or

from theorytools.search.kinds import Graphs
from theorytools.search.proposal_orders import (
    Joint,
    _compositions,
    doubles,
    edges,
    in_order,
    moved,
    nearest,
    small,
    steps,
    sweep,
)
from theorytools.search.protocols import Ends, Variable
from theorytools.search.simplest import contains
from theorytools.search.space import Space

N, M, x, y = sympy.symbols("N M x y")


def whole(name, *values, low=1):
    return Variable(name, "int", values, Fraction(low))


def rational(name, *values):
    return Variable(name, "rat", tuple(map(Fraction, values)))


SPACES = {
    "free sizes": ([whole("N", 2, 40), whole("M", 1, 8)], [], [{"N": 2, "M": 1}, {"N": 40, "M": 8}]),
    "a chain": ([rational("x", "1/4"), rational("y", "1/2")], [x > 0, x < y, y < 1], [{"x": "1/4", "y": "1/2"}]),
    "an equation": ([whole("N", 4, 8), whole("M", 2, 4)], [Eq(N, 2 * M)], [{"N": 4, "M": 2}, {"N": 8, "M": 4}]),
    "a product": ([whole("N", 4), whole("M", 3), rational("y", 1)], [N * M <= 60, y <= N, y >= M],
                  [{"N": 4, "M": 3, "y": 3}]),
    "a gap": ([whole("N", 2)], [Or(N <= 3, N >= 100), Ne(N, 2000)], [{"N": 2}]),
    "words and objects": ([whole("N", 3), Variable("k", "word", ("a", "b", "c")),
                           Variable("G", "object", (), thing=Graphs(), size="N")], [N >= 2], []),
}  # fmt: skip


def space_of(name):
    variables, conditions, rows = SPACES[name]
    grid = [{n: Fraction(v) if isinstance(v, str) else v for n, v in row.items()} for row in rows]
    return Space(variables, conditions), grid


def proposed(track, count):
    return [point for point in islice(track, count) if point is not None]


def orders(space, grid, seed=0):
    """Some of each order, by name."""
    rng = random.Random(seed)
    found = {"small": proposed(small(space), 60), "joint": proposed(Joint(space, grid, rng), 60),
             "edges": proposed(edges(space, grid, rng), 60), "steps": proposed(steps(space, grid), 20)}  # fmt: skip
    some = [point for points in found.values() for point in points][:20]
    return {**found, "moved": [p for one in some for _ in range(2) if (p := moved(space, one, rng)) is not None]}


@pytest.mark.parametrize("name", SPACES)
def test_each_proposal_satisfies_the_hypotheses(name):
    space, grid = space_of(name)
    found = orders(space, grid)
    for points in found.values():
        assert all(space.holds(point) for point in points)
    assert all(found[order] for order in ("small", "joint", "moved"))
    again = orders(space, grid)
    assert found == again  # nothing but the seed decides


# -- small values ------------------------------------------------------------------------------------------------------
@examples(60, st.lists(st.integers(0, 3), min_size=1, max_size=4))
def test_ranks_of_all_sums_together_are_all_ranks(tops):
    found = [ranks for total in range(sum(tops) + 1) for ranks in _compositions(total, tops)]
    assert sorted(found) == sorted(product(*(range(top + 1) for top in tops)))
    assert [sum(ranks) for ranks in found] == sorted(sum(ranks) for ranks in found)
    assert list(_compositions(sum(tops) + 1, tops)) == []


def test_small_points_come_by_the_sum_of_their_ranks_and_none_is_left_out():
    space, _ = space_of("free sizes")
    found = [(p["N"], p["M"]) for p in islice(small(space), 55)]
    assert found == sorted({(n, t - n) for t in range(2, 12) for n in range(1, t)}, key=lambda p: (sum(p), p))
    bounded = Space([whole("N"), Variable("k", "word", ("a", "b"))], [N <= 4])
    assert {(p["N"], p["k"]) for p in proposed(small(bounded), 10**4)} == {*product(range(1, 5), "ab")}


# -- steps -------------------------------------------------------------------------------------------------------------
def test_steps_double_each_letter_and_then_take_the_next_number_the_others_kept():
    space, grid = space_of("free sizes")
    found = proposed(steps(space, grid), 99)
    assert found == [{"N": 80, "M": 8}, {"N": 40, "M": 16}, {"N": 41, "M": 8}, {"N": 40, "M": 9}]
    space, grid = space_of("an equation")
    assert proposed(steps(space, grid), 9)[0] == {"N": 16, "M": 8}  # the other one moves along
    capped = Space([whole("N", 4), whole("M", 3)], [N <= 4])
    assert [p["N"] for p in proposed(steps(capped, [{"N": 4, "M": 3}]), 9)] == [4, 4]


# -- edges -------------------------------------------------------------------------------------------------------------
def test_edges_are_the_ends_and_what_lies_next_to_them_and_an_open_end_is_left_out():
    closed = Space([rational("y", "1/2")], [y >= 0, y <= 1])
    tiny = Fraction(1, 2**20)
    found = {p["y"] for p in proposed(edges(closed, [{"y": Fraction(1, 2)}], random.Random(0)), 32)}
    assert {0, 1, tiny, 1 - tiny, Fraction(1, 16), Fraction(15, 16)} <= found
    strict = Space([rational("y", "1/2")], [y > 0, y < 1])
    found = {p["y"] for p in proposed(edges(strict, [{"y": Fraction(1, 2)}], random.Random(0)), 32)}
    assert {tiny, 1 - tiny} <= found
    assert not {0, 1} & found
    sizes = Space([whole("N", 50)], [N > 10, N < 1000])
    found = {p["N"] for p in proposed(edges(sizes, [{"N": 50}], random.Random(0)), 32)}
    assert {11, 12, 13, 999, 998, 997} <= found


def test_the_edge_of_a_relation_of_two_letters_is_met_with_either_letter_kept():
    space = Space([whole("N", 4), whole("M", 5)], [M <= 3 * N + 7])
    found = {(p["N"], p["M"]) for p in proposed(edges(space, [{"N": 4, "M": 5}], random.Random(0)), 40)}
    assert (4, 19) in found
    assert any(m == 3 * n + 7 and (n, m) != (4, 19) for n, m in found)


# -- joint sizes -------------------------------------------------------------------------------------------------------
def test_joint_points_reach_all_sizes_together():
    names = "NMKL"
    grid = [dict.fromkeys(names, 4)]
    space = Space([whole(n, 2, 4) for n in names], [])
    joint = Joint(space, grid, random.Random(3))
    found = proposed(joint, 300)
    assert sum(min(p.values()) >= 16 for p in found) > 30
    assert any(min(p.values()) > 10**4 for p in found)
    assert max(max(p.values()) for p in found) <= 5 << 24
    assert sum(max(p.values()) <= 16 for p in found[:24]) > 0  # the reach grows with each point


def test_a_reach_that_is_closed_stays_closed():
    space, grid = space_of("free sizes")
    joint = Joint(space, grid, random.Random(3))
    proposed(joint, 30)
    for _ in range(40):
        joint.close()
    assert sum(max(p.values()) <= 41 for p in proposed(joint, 100)) > 80
    joint = Joint(space, grid, random.Random(3))
    joint.most = 1.0
    found = proposed(joint, 200)  # but for a letter that is tied to another one: its double, its square
    assert sum(max(p.values()) <= 80 for p in found) > 170


def test_words_are_crossed_with_sizes_and_objects_end_at_twice_the_grid():
    space, grid = space_of("words and objects")
    found = proposed(Joint(space, grid, random.Random(1)), 150)
    assert {p["k"] for p in found if p["N"] > 4} == {p["k"] for p in found if p["N"] <= 4} == {*"abc"}
    assert max(p["N"] for p in found) == 6 == 2 * 3
    assert all(p["G"].vertices == p["N"] for p in found)


# -- moves and the nearest value ---------------------------------------------------------------------------------------
def test_a_move_changes_few_letters_and_keeps_the_others_where_it_may():
    names = "NMKL"
    space = Space([whole(n, 2, 4) for n in names], [])
    start = dict.fromkeys(names, 9)
    rng = random.Random(0)
    for _ in range(60):
        made = moved(space, start, rng)
        assert sum(made[n] != 9 for n in names) <= 2


@examples(
    80, st.fractions(-9, 9, max_denominator=6), st.fractions(-9, 9, max_denominator=6), st.booleans(), st.booleans()
)
def test_the_nearest_value_lies_inside_and_one_inside_stays(value, end, low, strict):
    ends = Ends(low=end, open_low=strict) if low else Ends(high=end, open_high=strict)
    rational_one = nearest(rational("y"), ends, {}, value)
    assert contains(ends, rational_one)
    assert rational_one == value or not contains(ends, value)
    whole_one = nearest(whole("N"), ends, {}, int(value))
    assert contains(ends, whole_one)
    assert whole_one == int(value) or not contains(ends, int(value))
    assert nearest(whole("N"), Ends(Fraction(1, 3), Fraction(2, 3)), {}, 5) is None


def test_values_in_order_are_kept_and_what_is_missing_gets_the_simplest():
    space, _ = space_of("a product")
    kept = {"N": 5, "M": 2, "y": Fraction(5, 2)}
    assert space.solve(in_order(kept), random.Random(0)) == kept
    point = space.solve(in_order({"N": 5}), random.Random(0), ["N", "M", "y"])
    assert (point["N"], point["M"]) == (5, 1)
    assert space.holds(point)


def test_two_fifths_of_the_joint_points_have_all_sizes_large_together():
    """Without it one point in eleven has its three sizes as close together."""
    space, grid = Space([whole(name, 100) for name in "NMK"], []), [{"N": 100, "M": 100, "K": 100}]
    found = proposed(Joint(space, grid, random.Random(5)), 600)
    close = [p for p in found if max(p.values()) <= 4 * min(p.values()) and p not in grid]
    assert len(close) > 0.25 * len(found)  # 0.4 of them, where none of the three is tied to another: 0.4 (7/8)^3
    assert max(max(p.values()) for p in close) > 100_000


# -- objects -----------------------------------------------------------------------------------------------------------
def graphs(least=0):
    variables = [whole("n", 2, 3), Variable("G", "object", (), thing=Graphs(), size="n")]
    return Space(variables, [sympy.Symbol("n") >= 2], least=least)


def test_the_lists_of_objects_are_gone_through_at_the_largest_size_one_less_and_three_quarters():
    found = proposed(sweep(graphs()), 30)
    assert [p["n"] for p in found[:6]] == [6, 5, 4, 6, 5, 4]
    listed = list(islice(Graphs().first(6), 9))
    assert [p["G"] for p in found if p["n"] == 6][:9] == listed
    assert proposed(sweep(graphs(least=16)), 1)[0]["n"] == 16


def test_a_move_of_a_size_makes_the_object_larger_or_smaller_by_parts():
    space, rng = graphs(), random.Random(1)
    point = {"n": 5, "G": next(islice(Graphs().first(5), 3, None))}  # complete
    made = [moved(space, point, rng) for _ in range(80)]
    assert {p["n"] for p in made} >= {4, 5, 6}
    assert all(p["G"].vertices == p["n"] for p in made)
    assert all(len(p["G"].edges) == 6 for p in made if p["n"] == 4)  # what is left of it, and not another graph


def test_edges_of_doubles_are_within_the_hypotheses_and_of_real_letters_alone():
    space = Space([rational("x", "1"), whole("N", 2)], [x > 0])
    found = proposed(doubles(space, [{"x": Fraction(1), "N": 2}]), 60)
    assert {p["N"] for p in found} == {2}
    assert {Fraction(5e-324), Fraction(1e308), 2**53 + 2} <= {p["x"] for p in found}
    assert all(p["x"] > 0 for p in found)
