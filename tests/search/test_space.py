"""Points inside the hypotheses: proposals hold, few attempts fail, no true point is lost, single failures."""

import contextlib
import io
import os
import random
import subprocess
import sys
from fractions import Fraction

import pytest
import sympy
from hypothesis import strategies as st
from properties import examples
from sympy import And, Eq, Ne, Or, Rational, ceiling, exp, floor, log, sqrt

from theorytools import DomainError
from theorytools.numbers import decide
from theorytools.search import intervals
from theorytools.search.contractors import Atom
from theorytools.search.protocols import Ends, Variable
from theorytools.search.space import Space

a, b, c, d, k, m, n, x, y, M, N = sympy.symbols("a b c d k m n x y M N")


def whole(*names, low=1):
    return [Variable(str(name), "int", low=None if low is None else Fraction(low)) for name in names]


def rational(*names, low=None):
    return [Variable(str(name), "rat", low=None if low is None else Fraction(low)) for name in names]


def uniform(rng, reach=100):
    """A value between the ends, so far from a single one at most; never an end of a rational."""

    def choose(variable, ends, place):
        low = ends.low if ends.low is not None else (ends.high - reach if ends.high is not None else -reach)
        high = ends.high if ends.high is not None else low + reach
        if variable.kind == "int":
            return rng.randint(int(low), int(high))
        return low + (high - low) * Fraction(rng.randint(1, 15), 16)

    return choose


def proposals(space, count, seed=1, reach=100, **given):
    rng = random.Random(seed)
    return [space.solve(uniform(rng, reach), rng, **given) for _ in range(count)]


def at_low(variable, ends, place):
    return ends.low


# -- proposals ---------------------------------------------------------------------------------------------------------
FAMILIES = {
    "chain": (rational(a, b, c), [a < b, b < c, c < 1]),
    "positive chain": (rational(a, b, c), [a > 0, a < b, b < c, c < 1]),
    "power": (whole(N, d), [2**d >= N]),
    "product": (whole(N, M, d), [M * d <= N]),
    "logarithm": ([*whole(N), *rational(d)], [d >= 3 * log(N)]),
    "root": ([*whole(N), *rational(a, low=0)], [a * sqrt(N) <= 1]),
    "given by a power": (whole(N, k), [Eq(N, 2**k)]),
    "given by a logarithm": (whole(N, k), [Eq(k, log(N) / log(2))]),
    "given by a product": (whole(m, n, k), [Eq(m, n * k)]),
    "a simplex": (rational(a, b, c, low=0), [Eq(a + b + c, 1)]),
    "no letter is given": (whole(a, b), [Eq(2 * a, 3 * b)]),
    "parity": (whole(m, n), [Eq(floor(m / 2), m / 2), n <= m]),
    "divisibility": (whole(m, n), [Eq(floor(m / 3) * 3, m), Ne(m, n), n <= m + 1]),
    "a letter twice": (whole(n, N), [n * log(n) <= N]),
    "a disc": (rational(x, y), [x**2 + y**2 < 1, x * y > 0]),
    "a branch of a parabola": (rational(x), [x**2 - x < 0]),
    "long chain": (whole(*"abcdkmnN"), [a < b, b < c, c < d, d < k, k < m, m < n, n < N, N <= 10**6, a * b <= N]),
    "large": (whole(N, M, d, low=10**12), [2**d >= N, M * d <= N * 10**13, M >= N]),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_every_proposal_holds_and_none_is_lost(name):
    variables, conditions = FAMILIES[name]
    space = Space(variables, conditions)
    found = proposals(space, 60)
    assert None not in found
    for point in found:
        assert space.holds(point)
        assert all(decide(condition, point) is True for condition in conditions)
    assert len({tuple(point.items()) for point in found}) >= 5


def test_three_hundred_of_three_hundred_in_a_chain():
    assert None not in proposals(Space(rational(a, b, c), [a < b, b < c, c < 1]), 300, seed=2)


@examples(40, st.integers(0, 10**6))
def test_random_linear_systems_around_a_point(seed):
    rng = random.Random(seed)
    letters = [a, b, c, d]
    variables = [Variable(str(s), rng.choice(["int", "rat"]), low=Fraction(-50), high=Fraction(50)) for s in letters]
    inside = {s: rng.randint(-20, 20) for s in letters}
    rows, conditions = [], []
    for _ in range(3):
        slopes = {s: rng.choice([-3, -2, -1, 1, 2, 3]) for s in rng.sample(letters, 2)}
        rows.append((slopes, sum(slope * inside[s] for s, slope in slopes.items()) + rng.randint(3, 30)))
        conditions.append(sum(slope * s for s, slope in slopes.items()) <= rows[-1][1])
    space = Space(variables, conditions)
    assert space.contradiction() == ""
    found = [point for point in proposals(space, 20, seed) if point is not None]
    assert len(found) >= 18
    for point in found:
        assert all(sum(slope * point[str(s)] for s, slope in slopes.items()) <= most for slopes, most in rows)


PROGRAM = """
import random, sympy
from fractions import Fraction
from theorytools.search.protocols import Variable
from theorytools.search.space import Space
a, b, c, N, k = sympy.symbols("a b c N k")
variables = [Variable(s, "rat") for s in "abc"] + [Variable(s, "int", low=Fraction(1)) for s in "Nk"]
space = Space(variables, [a < b, b < c, sympy.Or(c < 1, a + k > N, a*b > c), sympy.Eq(N, 2**k), k <= 40, c < 9, a > -9])
rng = random.Random(4)
def choose(v, ends, place):
    t = Fraction(rng.randint(1, 7), 8)
    return ends.low + (ends.high - ends.low)*t if v.kind == "rat" else rng.randint(int(ends.low), int(ends.high))
for _ in range(25):
    print(space.solve(choose, rng))
"""


def test_two_processes_propose_the_same_points():
    other = {**os.environ, "PYTHONHASHSEED": "77" if os.environ.get("PYTHONHASHSEED") != "77" else "78"}
    there = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=other, capture_output=True, text=True, check=True
    ).stdout
    here = io.StringIO()
    with contextlib.redirect_stdout(here):
        exec(PROGRAM, {})
    assert there == here.getvalue()
    assert there.count("{") >= 25


# -- the intervals that are left ---------------------------------------------------------------------------------------
def left(space, name, fixed):
    """The ends that are left to one letter."""
    seen = {}

    def choose(variable, ends, place):
        seen.setdefault(variable.name, ends)
        return None

    space.solve(choose, random.Random(0), [name], fixed)
    return seen[name]


def test_ends_are_exact_and_strictness_stays_with_them():
    space = Space(rational(a, b), [a > Rational(1, 10), 3 * a <= b, b < Rational(9, 10)])
    assert left(space, "a", {}) == Ends(Fraction(1, 10), Fraction(3, 10), True, True)
    assert left(space, "b", {"a": Fraction(1, 5)}) == Ends(Fraction(3, 5), Fraction(9, 10), False, True)
    assert left(Space(rational(x, low=0), [x**2 < 4]), "x", {}) == Ends(Fraction(0), Fraction(2), False, True)
    assert left(Space(rational(x, low=0), [2**x <= 8]), "x", {}).high == 3
    assert left(Space(whole(n), [n > 3, n < 9]), "n", {}) == Ends(Fraction(4), Fraction(8))


def test_ends_of_large_whole_numbers():
    space = Space(whole(N, d), [2**d >= N])
    assert left(space, "d", {"N": 2**300}).low == 300
    # 64 bits do not tell log2(2^300 + 1) from 300; the relation itself does
    assert space.solve(at_low, random.Random(0), ["d"], {"N": 2**300 + 1}) == {"N": 2**300 + 1, "d": 301}
    assert left(space, "N", {"d": 10**30}).high is None
    high = left(Space(whole(N, d), [d >= 3 * log(N)]), "N", {"d": 300}).high
    assert decide(exp(100) <= int(high), {})
    assert decide(int(high) <= exp(100) * (1 + Rational(1, 2**50)), {})
    cut = left(Space(whole(n, N), [n * log(n) <= N]), "n", {"N": 10**15}).high
    assert decide(And(n * log(n) <= N, (n + 1) * log(n + 1) > N), {"n": int(cut), "N": 10**15})


def test_the_sign_of_a_symbol_is_an_end_and_none_without_it():
    assert left(Space(rational(x), []), "x", {}) == Ends()
    assert min(point["x"] for point in proposals(Space(rational(x), [x < 3]), 20)) < 0
    signs = {"x": sympy.Symbol("x", positive=True), "n": sympy.Symbol("n", integer=True, positive=True)}
    space = Space([*rational(x), *whole(n, low=None)], [], symbols=signs)
    assert left(space, "x", {}) == Ends(Fraction(0), None, True, False)
    assert left(space, "n", {}) == Ends(Fraction(1), None)
    assert not space.holds({"x": Fraction(0), "n": 1})
    assert Space(rational(x), [], symbols={"x": sympy.Symbol("x", nonpositive=True)}).holds({"x": Fraction(0)})


FORMULAS = [
    x**2 + y, x * y - n, x / (y - 1), 2**n - x, n**x, sqrt(x) - y, log(x * y) + n, exp(x) - n, abs(x - y) - n,
    floor(x / 2) - n, ceiling(x) * y, sympy.Max(x, y) - n, sympy.Min(x, 2 * y, n), x**3 - x * y, x**2 * y + x - n,
    n * log(n) - x, x**-2 - y, (x - 1) ** Rational(2, 3) - y, Rational(1, 2) ** n - x, y**n - x, sympy.tanh(x) - y,
    x**y - 2, 1 / x - 1 / y, (x + n) * (x - n), sympy.binomial(n, 2) - x, sympy.erf(x) * n - y,
]  # fmt: skip


@examples(150, st.integers(0, 10**9))
def test_no_point_that_satisfies_a_relation_is_cut_off(seed):
    rng = random.Random(seed)
    formula = rng.choice(FORMULAS)
    index = {"x": 0, "y": 1, "n": 2}
    atoms = [Atom(kind(formula, 0), index, frozenset({2})) for kind in (sympy.Le, sympy.Lt, sympy.Ge, sympy.Gt, Eq)]
    relations = [kind(formula, 0) for kind in (sympy.Le, sympy.Lt, sympy.Ge, sympy.Gt, Eq)]
    for _ in range(4):
        point = [Fraction(rng.randint(-12, 24), rng.choice([1, 2, 4])) for _ in range(2)] + [rng.randint(-3, 9)]
        box = [around(rng, value, i == 2) for i, value in enumerate(point)]
        for atom, relation in zip(atoms, relations, strict=True):
            if decide(relation, dict(zip("xyn", point, strict=True)), bits=128) is True:
                assert not atom.impossible(box)
                for i in atom.places:
                    assert intervals.contains(atom.narrowed(box, i), point[i])


def around(rng, value, is_whole):
    """A point, or an interval with the value inside or at an end, bounded or not."""
    if rng.random() < 0.3:
        return intervals.point(value)
    below, above = (rng.choice([0, 1, 6] if is_whole else [0, Fraction(1, 3), 6]) for _ in range(2))
    low = intervals.NEG if rng.random() < 0.2 else value - below
    high = intervals.INF if rng.random() < 0.2 else value + above
    return (low, high, low is intervals.NEG or (low < value and rng.random() < 0.5), high is intervals.INF)


# -- what else is asked of an attempt ----------------------------------------------------------------------------------
def test_both_branches_are_drawn_and_an_impossible_one_is_not():
    space = Space(whole(m, n), [Or(n >= m + 5, And(m >= 2 * n, n >= 3))])
    found = proposals(space, 40)
    assert None not in found
    assert {point["n"] >= point["m"] + 5 for point in found} == {True, False}
    assert None not in proposals(space, 40, fixed={"n": 4, "m": 11})


def test_what_is_fixed_is_kept_and_may_contradict():
    space = Space(whole(N, k, n), [Eq(N, 2**k), n <= k])
    assert {(p["N"], p["k"]) for p in proposals(space, 5, fixed={"N": 64})} == {(64, 6)}
    assert proposals(space, 3, fixed={"N": 63}) == [None] * 3
    assert proposals(space, 3, fixed={"N": 64, "n": 7}) == [None] * 3
    assert proposals(space, 1, fixed={"N": 0}) == [None]
    assert proposals(space, 1, fixed={"k": Fraction(1, 2)}) == [None]


def test_a_value_outside_its_ends_is_a_dead_end():
    space = Space(rational(a, b), [a < b])
    for value in (None, Fraction(5), 5.0, True, "5"):
        assert space.solve(lambda v, ends, place, value=value: value, random.Random(0), fixed={"b": 5}) is None
    assert space.solve(lambda v, ends, place: 4, random.Random(0), fixed={"b": 5}) == {"a": 4, "b": 5}
    # half a whole number is none
    assert Space(whole(n), []).solve(lambda v, ends, place: Fraction(3, 2), random.Random(0)) is None


def test_the_order_is_kept_except_for_what_is_given():
    asked = []

    def choose(variable, ends, place):
        asked.append(variable.name)
        return uniform(random.Random(1))(variable, ends, place)

    space = Space(whole(N, k, m, n), [Eq(N, 2**k), k <= 9])
    assert space.solve(choose, random.Random(0), ["N", "n", "k"]) is not None
    assert asked == ["n", "k", "m"]  # N is given by k


class Strings:
    """Strings of a length, as a kind of objects."""

    name = "strings"

    def size(self, text):
        return len(text)


def test_an_object_comes_after_its_size_and_has_it():
    variables = [Variable("w", "object", thing=Strings(), size="n"), *whole(n), Variable("c", "word", ("a", "b"))]
    space = Space(variables, [n >= 3, n <= 5], tests=[lambda place: place["w"][0] == place["c"]])

    def choose(variable, ends, place):
        if variable.kind == "int":
            return 4
        assert ends == Ends()
        return "a" if variable.kind == "word" else "a" * place["n"]

    for order in (["w", "n"], None):
        assert space.solve(choose, random.Random(0), order) == {"w": "aaaa", "n": 4, "c": "a"}
    assert space.solve(choose, random.Random(0), fixed={"w": "abcab"})["n"] == 5
    assert space.solve(choose, random.Random(0), fixed={"w": "ab"}) is None
    assert space.solve(choose, random.Random(0), fixed={"c": "b"}) is None  # by the test of the whole point
    assert space.solve(lambda v, e, p: "a" if v.kind != "int" else 4, random.Random(0)) is None


# -- contradictions ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("variables", "conditions", "text"),
    [
        (whole(n), [n >= 8, n <= 4], "n >= 8 and n <= 4"),
        (whole(n, m), [m <= 9, n < 1], "n < 1 and n >= 1"),
        (rational(a, b, c), [a < b, c < 5, b < 1, a >= 1], "a < b and b < 1 and a >= 1"),
        (rational(x), [x > 0, x**2 <= 0], "x > 0 and x**2 <= 0"),
        (whole(n), [Or(n <= 2, n >= 9), n > 3, n < 8], "(n >= 9) | (n <= 2) and n > 3 and n < 8"),
        (whole(n, m), [n <= 5, m >= 2, Eq(n, 2 * m), m > 2], "n <= 5 and Eq(n, 2*m) and m > 2"),
        (rational(x, low=5), [x <= 9], ""),
        (whole(n, m), [n < m, m < n + 1, n <= 50], "n < m and m < n + 1 and n <= 50 and m >= 1"),
    ],
)
def test_a_contradiction_names_what_it_needs(variables, conditions, text):
    space = Space(variables, conditions)
    assert space.contradiction() == text
    if text:
        assert proposals(space, 3) == [None] * 3


# -- refusals ----------------------------------------------------------------------------------------------------------
def test_refusals():
    for variables, conditions, word in [
        (whole(n), [N >= 2], "the letter N"),
        (whole(n), [True], "the condition True"),
        (whole(n), [n + 1], "the condition n + 1"),
        (whole(n), [sympy.airyai(n) > 1], "airyai"),
        ([Variable("w", "word", ("a", "b"))], [sympy.Symbol("w") > 1], "the letter w"),
        (whole(n, n), [], "n, n"),
        ([Variable("w", "object", size="n")], [], "the size n"),
    ]:
        with pytest.raises(DomainError, match=word.replace("+", r"\+")):
            Space(variables, conditions)
    space = Space(whole(n), [n >= 2])
    for call in (
        lambda: space.holds({}),
        lambda: space.solve(at_low, random.Random(0), ["q"]),
        lambda: space.solve(at_low, random.Random(0), None, {"q": 1}),
    ):  # fmt: skip
        with pytest.raises(DomainError):
            call()


def test_what_does_not_hold():
    space = Space([*whole(n), *rational(x, low=0)], [x < n], tests=[lambda place: place["n"] != 4])
    good = {"n": 3, "x": Fraction(1, 2)}
    assert space.holds(good)
    assert space.holds({**good, "x": 2})
    for wrong in ({"n": 0}, {"n": Fraction(7, 2)}, {"n": 4}, {"x": Fraction(-1)}, {"x": 3}, {"x": 0.5}, {"n": True}):
        assert not space.holds({**good, **wrong})
    assert not Space(rational(x), [1 / x > 0]).holds({"x": 0})  # undefined there
