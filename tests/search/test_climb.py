"""Moves of good points: several by turns, each while it gains, one at most where both sides are equal."""

import random
from fractions import Fraction

import sympy

from theorytools.search.climb import Climbs
from theorytools.search.kinds import Vectors
from theorytools.search.protocols import Variable
from theorytools.search.space import Space

n = sympy.Symbol("n")


def space():
    sized = Variable("v", "object", (), thing=Vectors(), size="n")
    return Space([Variable("n", "int", (2, 3), Fraction(1)), sized], [n >= 2])


def point(*v):
    return {"n": len(v), "v": tuple(map(Fraction, v))}


def test_a_point_is_moved_while_it_gains_and_given_up_when_it_does_not():
    climbs = Climbs(space(), random.Random(0))
    climbs.note(False, point(1, 1), 0.5)
    margin = 0.5
    for _ in range(10):
        made = climbs.propose()
        margin -= 0.01
        climbs.note(True, made, margin)
        assert climbs._last.point == made
    for _ in range(200):
        if climbs.propose() is None and not climbs._climbs:
            break
        climbs.note(True, made, 0.9)
    assert climbs._climbs == []
    assert climbs.idle()


def test_equal_margins_move_a_point_on_and_are_no_gain():
    climbs = Climbs(space(), random.Random(0))
    climbs.note(False, point(1, 1), 0.25)
    before = climbs.gains
    made = climbs.propose()
    climbs.note(True, made, 0.25)
    assert climbs._last.point == made
    assert climbs._last.failures == 1
    assert climbs.gains < before


def test_where_both_sides_are_equal_one_point_at_most_is_moved():
    climbs = Climbs(space(), random.Random(0))
    for k in range(6):
        climbs.note(False, point(k, k, k), 0.0)
        climbs.note(False, point(k, k), 0.0)
    climbs.note(False, point(1, 5, 1), 0.75)
    for _ in range(8):
        climbs.propose()
    assert sum(climb.margin == 0 for climb in climbs._climbs) == 1
    assert any(climb.margin == 0.75 for climb in climbs._climbs)


def test_sizes_begin_alike_often_though_one_of_them_is_nearer_to_failing():
    climbs = Climbs(space(), random.Random(0))
    for k in range(1, 30):
        climbs.note(False, point(k, 2 * k), k / 1000)
        climbs.note(False, point(k, 2 * k, 0), 0.5 + k / 1000)
    for _ in range(8):
        climbs.propose()
    assert {climb.point["n"] for climb in climbs._climbs} == {2, 3}
