"""A violation made simpler: it fails still, no letter alone can be simpler, equations stay, limits are kept."""

import random
from fractions import Fraction

import pytest
import sympy
from hypothesis import strategies as st
from properties import examples
from sympy import Eq

from theorytools.search import shrink as module
from theorytools.search.kinds import Graph, Graphs
from theorytools.search.protocols import Variable
from theorytools.search.shrink import shrink
from theorytools.search.space import Space

N, M, y = sympy.symbols("N M y")


def whole(*names, low=1):
    return [Variable(name, "int", (), Fraction(low)) for name in names]


def counted(fails):
    def judge(point):
        judge.asked.append(tuple(point.items()))
        return fails(point)

    judge.asked = []
    return judge


@examples(40, st.integers(1, 3000), st.integers(1, 3000), st.integers(1, 60), st.integers(1, 9), st.integers(1, 9))
def test_the_end_fails_and_no_smaller_number_of_one_letter_does(n, m, bound, a, b):
    """Where failing is monotone, halving finds the least value of each letter."""
    fails = counted(lambda p: a * p["N"] + b * p["M"] >= bound)
    start = {"N": n, "M": m}
    if not fails(start):
        return
    end = shrink(Space(whole("N", "M"), []), start, fails, most=500)
    assert fails(end)
    assert end["N"] == 1 or a * (end["N"] - 1) + b * end["M"] < bound
    assert end["M"] == 1 or a * end["N"] + b * (end["M"] - 1) < bound
    assert end["N"] + end["M"] <= n + m


def test_a_fraction_becomes_the_simplest_one_that_fails():
    space = Space([Variable("y", "rat")], [y >= 0, y <= 2])
    end = shrink(space, {"y": Fraction(1234, 2345)}, lambda p: Fraction(1, 2) < p["y"] < Fraction(3, 4), most=200)
    assert end == {"y": Fraction(2, 3)}
    near = shrink(space, {"y": Fraction(12345, 23456)}, lambda p: Fraction(1, 2) < p["y"] < Fraction(15, 28), most=200)
    assert Fraction(1, 2) < near["y"] < Fraction(15, 28)
    assert near["y"].denominator < 40


def test_a_word_becomes_an_earlier_one_and_signs_go():
    space = Space([Variable("k", "word", ("a", "b", "c")), *whole("N", low=-100)], [])
    end = shrink(space, {"k": "c", "N": -50}, lambda p: p["k"] != "a" and abs(p["N"]) >= 3, most=200)
    assert end == {"k": "b", "N": 3}


def test_equations_are_kept():
    space = Space(whole("N", "M"), [Eq(N, 2 * M), M <= 10**6])
    asked = counted(lambda p: p["N"] >= 100)
    end = shrink(space, {"N": 8000, "M": 4000}, asked, most=300)
    assert end == {"N": 100, "M": 50}
    assert all(dict(p)["N"] == 2 * dict(p)["M"] for p in asked.asked)


@pytest.mark.parametrize("most", [0, 1, 5, 40, 500])
def test_no_more_points_are_judged_than_may_be_and_none_twice(most):
    asked = counted(lambda p: p["N"] * p["M"] > 10**6)
    start = {"N": 40_000, "M": 30_000}
    end = shrink(Space(whole("N", "M"), []), start, asked, most=most)
    assert len(asked.asked) == len(set(asked.asked)) <= most
    assert end["N"] * end["M"] > 10**6
    assert most in (1, 5) or (end == start) == (most == 0)


def test_no_point_is_judged_after_the_clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])

    def fails(point):
        now[0] += 1.0
        fails.count += 1
        return point["N"] > 10

    fails.count = 0
    end = shrink(Space(whole("N"), []), {"N": 10**9}, fails, most=200, late=5.0)
    assert fails.count <= 6
    assert 10 < end["N"] <= 10**9


def test_objects_lose_their_parts_and_their_size_goes_with_them():
    graphs = Graphs()
    space = Space([Variable("n", "int", (), Fraction(1)), Variable("G", "object", thing=graphs, size="n")], [])
    start = graphs.draw(random.Random(4), 9)
    while not any(True for _ in start.edges):
        start = graphs.near(random.Random(4), start)
    end = shrink(space, {"n": 9, "G": start}, lambda p: len(p["G"].edges) >= 1, most=500)
    assert end == {"n": 2, "G": Graph(2, ((0, 1),))}
    fixed = Space(space.variables, [sympy.Symbol("n") >= 4])
    end = shrink(fixed, {"n": 9, "G": start}, lambda p: len(p["G"].edges) >= 1, most=500)
    assert (end["n"], end["G"].vertices, len(end["G"].edges)) == (4, 4, 1)


def test_what_is_simplest_stays_and_a_shrink_repeats():
    space = Space(whole("N", "M"), [])
    assert shrink(space, {"N": 1, "M": 1}, lambda p: True, most=50) == {"N": 1, "M": 1}
    fails = lambda p: (p["N"] * 7 + p["M"]) % 5 == 0  # noqa: E731
    start = {"N": 990, "M": 995}
    ends = [shrink(space, start, fails, most=300) for _ in range(2)]
    assert ends[0] == ends[1]
    assert fails(ends[0])


def test_what_makes_another_letter_longer_is_not_simpler():
    """x + y = 1000: each could be 0 in turn, for ever."""
    x, y = sympy.symbols("x y", integer=True, nonnegative=True)
    variables = [Variable("x", "int", (400,), Fraction(0)), Variable("y", "int", (600,), Fraction(0))]
    asked = []
    found = shrink(
        Space(variables, [sympy.Eq(x + y, 1000)]), {"x": 400, "y": 600}, lambda p: not asked.append(p), most=200
    )
    assert found in ({"x": 0, "y": 1000}, {"x": 1000, "y": 0})
    assert len(asked) < 12
    ahead = Space(variables, [sympy.Eq(y, 10**6 + 50 - 10**6 * x)])  # x = 0 asks for a longer y
    assert shrink(ahead, {"x": 1, "y": 50}, lambda p: True, most=50) == {"x": 1, "y": 50}
    asked.clear()
    one = Space(variables, [sympy.Eq(x + y, 1)])  # (1, 0) is no simpler than (0, 1)
    assert shrink(one, {"x": 0, "y": 1}, lambda p: not asked.append(p), most=50) == {"x": 0, "y": 1}
    assert asked == []
