"""Families of false statements about objects of at most five elements: true for most, false for some with structure.

A property gives of an object how far it is from breaking the statement, and one object that breaks it.
"""

# ruff: noqa: E731 - the gap of a family is one line and has a name
from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy

from theorytools.search.kinds import Boolean, Booleans, Graph, Graphs, Laws, Matrices, Permutations, Vectors
from theorytools.search.protocols import Variable
from tools.planted.letters import HIDDEN, planted
from tools.planted.members import member
from tools.planted.statement import WAYS, Planted, fails, whole

Property = tuple[Callable[[Any], float], Any]  # the gap of an object, and one whose gap is 0
SIZES = (2, 5)  # of the rivals' box


# -- graphs ------------------------------------------------------------------------------------------------------------
def triangles(graph: Graph) -> int:
    """The number of triangles."""
    near = [set(each) for each in graph.around]
    return sum(len(near[u] & near[v]) for u, v in graph.edges) // 3


def profile(graph: Graph) -> Any:
    """What tells the graphs of at most five vertices apart, but for few."""
    return sorted(graph.degrees), triangles(graph), sorted(map(len, graph.components))


NAMED = {
    "four-cycle": (4, [(0, 1), (1, 2), (2, 3), (3, 0)]), "five-cycle": (5, [(k, (k + 1) % 5) for k in range(5)]),
    "claw": (4, [(0, 1), (0, 2), (0, 3)]), "five complete": (5, list(itertools.combinations(range(5), 2))),
    "two and three": (5, [(a, b) for a in (0, 1) for b in (2, 3, 4)]),
    "diamond": (4, [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]), "bull": (5, [(0, 1), (0, 2), (1, 2), (1, 3), (2, 4)]),
    "two triangles": (5, [(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)]),
    "an edge apart": (5, [(0, 1), (1, 2), (2, 0), (3, 4)]),
}  # fmt: skip


def shape(rng: random.Random) -> Property:
    """One graph up to its labels: with a name, or a random one."""
    found = Graph(*NAMED[rng.choice(sorted(NAMED))])
    if rng.random() < 0.4:
        found = member(Graphs(), rng, rng.choice((4, 5)))
    wanted = profile(found)
    return lambda x: fails(x.vertices == found.vertices and profile(x) == wanted), found


def extremal(rng: random.Random) -> Property:
    """Without a triangle, and with as many edges as that allows (or one less), from four vertices on."""
    room = rng.choice((0, 0, 1))

    def gap(x: Graph) -> float:
        return max(0, x.vertices**2 // 4 - room - len(x.edges)) + triangles(x) + max(0, 4 - x.vertices)

    return gap, Graph(*NAMED["two and three"])


def regular(rng: random.Random) -> Property:
    """All degrees equal to two, or three, from four vertices on."""
    degree = rng.choice((2, 3))
    found = Graph(*NAMED["five-cycle"]) if degree == 2 else Graph(4, list(itertools.combinations(range(4), 2)))
    return lambda x: sum(abs(d - degree) for d in x.degrees) + max(0, 4 - x.vertices), found


# -- permutations ------------------------------------------------------------------------------------------------------
def cycles(x: tuple[int, ...]) -> list[int]:
    """The lengths of the cycles of a permutation, ascending."""
    left, found = set(range(len(x))), []
    while left:
        at, length = left.pop(), 1
        while (at := x[at]) in left:
            left.remove(at)
            length += 1
        found.append(length)
    return sorted(found)


def cycle_type(rng: random.Random) -> Property:
    """The cycle type of a random permutation of four or five elements."""
    found = member(Permutations(), rng, rng.choice((4, 5)))
    wanted = cycles(found)
    return lambda x: fails(cycles(x) == wanted), found


def inverted(rng: random.Random) -> Property:
    """All pairs inverted but for none, one or two, from four elements on."""
    n, room = rng.choice((4, 5)), rng.choice((0, 1, 2))

    def gap(x: tuple[int, ...]) -> float:
        straight = sum(a < b for a, b in itertools.combinations(x, 2))
        return abs(straight - room) + max(0, n - len(x))

    back = list(range(n))[::-1]
    for k in range(room):
        back[2 * k : 2 * k + 2] = back[2 * k : 2 * k + 2][::-1]
    return gap, tuple(back)


def involution(rng: random.Random) -> Property:
    """Its own inverse, without a fixed point or with one, from four elements on."""
    fixed = rng.choice((0, 1))
    found = (1, 0, 3, 2, *range(4, 4 + fixed))
    return lambda x: fails(len(x) >= 4 and cycles(x) == [1] * fixed + [2] * ((len(x) - fixed) // 2)), found


# -- Boolean functions -------------------------------------------------------------------------------------------------
def sensitive(f: Boolean) -> list[int]:
    """At each input the number of bits that change the value."""
    return [sum(f.table[x] != f.table[x ^ 1 << k] for k in range(f.inputs)) for x in range(len(f.table))]


def parity(rng: random.Random) -> Property:
    """Every bit counts everywhere, from three (or four) bits on."""
    n = rng.choice((3, 4))
    gap = lambda f: 1 - sum(sensitive(f)) / max(1, f.inputs * len(f.table)) + max(0, n - f.inputs)
    return gap, Boolean(tuple(x.bit_count() % 2 for x in range(2**n)))


def levels(rng: random.Random) -> Property:
    """A function of the number of ones, with given values, of three or four bits."""
    n = rng.choice((3, 4))
    wanted = [rng.randrange(2) for _ in range(n + 1)]
    wanted[rng.randrange(n + 1)] = 1 - wanted[0]
    table = tuple(wanted[x.bit_count()] for x in range(2**n))
    return lambda f: fails(f.table == table), Boolean(table)


def monotone(rng: random.Random) -> Property:
    """Monotone, depending on all of three bits or more, and true for half of the inputs (or for few)."""
    share = rng.choice((Fraction(1, 2), Fraction(1, 8), Fraction(7, 8), Fraction(5, 8)))

    def gap(f: Boolean) -> float:
        rises = all(f.table[x] <= f.table[x | 1 << k] for x in range(len(f.table)) for k in range(f.inputs))
        ones = Fraction(sum(f.table), len(f.table))
        return fails(f.inputs >= 3 and rises and ones == share and len(f.relevant) == f.inputs)

    least = {
        Fraction(1, 2): (3, 5, 6, 7),
        Fraction(1, 8): (7,),
        Fraction(7, 8): range(1, 8),
        Fraction(5, 8): (1, 3, 5, 6, 7),
    }
    return gap, Boolean(tuple(int(x in least[share]) for x in range(8)))


# -- laws --------------------------------------------------------------------------------------------------------------
def level_law(rng: random.Random) -> Property:
    """Uniform on three outcomes or more (or two), with others that never happen."""
    least = rng.choice((2, 3, 3))

    def gap(x: Any) -> float:
        mass = [p for p in x if p]
        return fails(least <= len(mass) < len(x) and len(set(mass)) == 1)

    return gap, (*[Fraction(1, least)] * least, Fraction(0))


def half(rng: random.Random) -> Property:
    """One outcome has exactly a half (or a third), of three or more that all happen."""
    mass, n = rng.choice((Fraction(1, 2), Fraction(1, 3))), rng.choice((3, 4))
    gap = lambda x: fails(len(x) >= n and min(x) > 0 and max(x) == mass)
    rest = (1 - mass) / (n - 1)
    return gap, (mass, *[rest] * (n - 1))


def mixed(rng: random.Random) -> Property:
    """The probabilities of a law of common denominator at most six, in any order."""
    q, n = rng.randrange(4, 7), rng.choice((2, 3, 3))
    cuts = sorted(rng.sample(range(1, q), n - 1))
    found = sorted(Fraction(b - a, q) for a, b in itertools.pairwise((0, *cuts, q)))
    return lambda x: fails(sorted(x) == found), tuple(found)


# -- matrices ----------------------------------------------------------------------------------------------------------
def determinant(rows: Any) -> Fraction:
    """The determinant, by elimination."""
    left, found = [[Fraction(v) for v in row] for row in rows], Fraction(1)
    for k in range(len(left)):
        pivot = next((i for i in range(k, len(left)) if left[i][k]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            left[k], left[pivot], found = left[pivot], left[k], -found
        found *= left[k][k]
        for row in left[k + 1 :]:
            ratio = row[k] / left[k][k]
            row[k:] = [a - ratio * b for a, b in zip(row[k:], left[k][k:], strict=True)]
    return found


def _flat(x: Any) -> list[Any]:
    return [v for row in x for v in row]


def singular(rng: random.Random) -> Property:
    """Of determinant 0, at least three rows, without a zero (or with different diagonal entries)."""
    full = rng.random() < 0.5

    def gap(x: Any) -> float:
        other = all(_flat(x)) if full else len({x[i][i] for i in range(len(x))}) == len(x)
        return abs(float(determinant(x))) + (0 if other and len(x) >= 3 else 1)

    return gap, ((1, 1, 2), (1, 1, 2), (2, 2, 4)) if full else ((1, 0, 0), (0, 2, 0), (0, 0, 0))


def hollow(rng: random.Random) -> Property:
    """A diagonal of zeros and a determinant that is positive, or that is negative and even."""
    sign = rng.choice((1, -1))

    def gap(x: Any) -> float:
        empty, value = not any(x[i][i] for i in range(len(x))), determinant(x)
        return fails(len(x) >= 3 and empty and (value > 0 if sign > 0 else value < 0 and value % 2 == 0))

    return gap, ((0, 1, 1), (1, 0, sign), (1, sign, 0))


def balanced_rows(rng: random.Random) -> Property:
    """Rows with one sum, which is 0 or another number, and entries that are not all equal, from three rows on."""
    wanted = rng.choice((0, 0, 1, 2, 3))

    def gap(x: Any) -> float:
        off = sum(abs(sum(row) - wanted) for row in x)
        return float(off) + (0 if len(x) >= 3 and len(set(_flat(x))) > 1 else 1)

    return gap, tuple(tuple(wanted + 2 if i == j else -1 for j in range(3)) for i in range(3))


def low_rank(rng: random.Random) -> Property:
    """Positive semidefinite of rank one, with a negative entry or without a zero, from two or three rows on."""
    n, negative = rng.choice((2, 3)), rng.random() < 0.5

    def gap(x: Any) -> float:
        pairs = itertools.combinations(range(len(x)), 2)
        one = all(x[i][i] * x[j][j] == x[i][j] ** 2 for i, j in pairs) and any(_flat(x))
        return fails(len(x) >= n and one and (min(_flat(x)) < 0 if negative else all(_flat(x))))

    v = [-1 if negative else 1, *range(1, n)]
    return gap, tuple(tuple(a * b for b in v) for a in v)


def laplacian(rng: random.Random) -> Property:
    """Positive semidefinite and singular, none positive beside the diagonal (or but one 0), from three rows on."""
    single = rng.random() < 0.5

    def gap(x: Any) -> float:
        n = len(x)
        beside = [x[i][j] for i in range(n) for j in range(n) if i < j]
        few = sum(v != 0 for v in beside) == 1 if single else True
        return abs(float(determinant(x))) + (0 if n >= 3 and few and min(beside, default=0) < 0 >= max(beside) else 1)

    return gap, ((1, -1, 0), (-1, 1, 0), (0, 0, 1)) if single else ((2, -1, -1), (-1, 2, -1), (-1, -1, 2))


def correlated(rng: random.Random) -> Property:
    """Positive semidefinite with one number on the diagonal and one beside it, which is negative (or positive)."""
    sign = rng.choice((1, -1))

    def gap(x: Any) -> float:
        n = len(x)
        beside = {x[i][j] for i in range(n) for j in range(n) if i != j}
        return fails(n >= 3 and len(beside) == 1 and len({x[i][i] for i in range(n)}) == 1 and sign * min(beside) > 0)

    return gap, tuple(tuple(2 if i == j else sign for j in range(3)) for i in range(3))


# -- stochastic matrices -----------------------------------------------------------------------------------------------
def deterministic(rng: random.Random) -> Property:
    """A permutation of three states or more that leaves none in its place, or a map that is none."""
    onto = rng.random() < 0.6

    def gap(x: Any) -> float:
        sure = all(max(row) == 1 for row in x)
        images = [max(range(len(x)), key=row.__getitem__) for row in x]
        good = (
            len(set(images)) == len(x) and all(k != v for k, v in enumerate(images)) if onto else len(set(images)) == 2
        )
        return fails(len(x) >= 3 and sure and good)

    images = (1, 2, 0) if onto else (0, 1, 0)
    return gap, tuple(tuple(Fraction(int(j == v)) for j in range(3)) for v in images)


def absorbing(rng: random.Random) -> Property:
    """Exactly one state (or two) that is never left, of three or more."""
    count = rng.choice((1, 2))
    gap = lambda x: abs(sum(row[k] == 1 for k, row in enumerate(x)) - count) + max(0, 3 - len(x))
    third = (Fraction(1, 3),) * 3
    unit = [tuple(Fraction(int(i == j)) for j in range(3)) for i in range(3)]
    return gap, (*unit[:count], *[third] * (3 - count))


def forgetful(rng: random.Random) -> Property:
    """All rows one law, which is not uniform; or columns that sum to one, too, for a matrix that is not symmetric."""
    twice = rng.random() < 0.5

    def gap(x: Any) -> float:
        if not twice:
            return float(sum(abs(a - b) for row in x for a, b in zip(row, x[0], strict=True))) + (len(set(x[0])) == 1)
        off = sum(abs(sum(column) - 1) for column in zip(*x, strict=True))
        return float(off) + (tuple(zip(*x, strict=True)) == tuple(x))

    f = Fraction
    return gap, ((f(0), f(1), f(0)), (f(0), f(0), f(1)), (f(1), f(0), f(0))) if twice else ((f(1, 3), f(2, 3)),) * 2


# -- vectors -----------------------------------------------------------------------------------------------------------
def cancelling(rng: random.Random) -> Property:
    """Sums to zero without a zero entry, from three (or four) entries on."""
    n = rng.choice((3, 4))
    gap = lambda x: abs(float(sum(x))) + max(0, n - len(x)) + (not all(x))
    return gap, (1,) * (n - 1) + (1 - n,)


def progression(rng: random.Random) -> Property:
    """Equal steps, which are not 0 (or which are), of four entries or more."""
    still = rng.random() < 0.4

    def gap(x: Any) -> float:
        steps = [b - a for a, b in itertools.pairwise(x)]
        return fails(len(x) >= 4 and len(set(steps)) == 1 and any(x) and (steps[0] == 0) == still)

    return gap, (1, 1, 1, 1) if still else (1, 2, 3, 4)


def alternating(rng: random.Random) -> Property:
    """Signs that alternate, and sizes that fall (or that are one), from three or four entries on."""
    n, falls = rng.choice((3, 4)), rng.random() < 0.5

    def gap(x: Any) -> float:
        pairs = list(itertools.pairwise(x))
        good = all(a * b < 0 and (abs(a) > abs(b) if falls else abs(a) == abs(b)) for a, b in pairs)
        return fails(len(x) >= n and good)

    return gap, tuple((-1) ** k * (n - k if falls else 1) for k in range(n))


def lonely(rng: random.Random) -> Property:
    """One entry that is not zero, and is at least two in size (or one), of three or more."""
    least, n = rng.choice((1, 2)), rng.choice((3, 4))
    gap = lambda x: fails(len(x) >= n and sum(map(bool, x)) == 1 and max(map(abs, x)) >= least)
    return gap, (*[0] * (n - 1), least)


KINDS: dict[str, tuple[Any, tuple[Callable[[random.Random], Property], ...]]] = {
    "graph": (Graphs(), (shape, extremal, regular)),
    "permutation": (Permutations(), (cycle_type, inverted, involution)),
    "Boolean function": (Booleans(), (parity, levels, monotone)),
    "law": (Laws(), (level_law, half, mixed)),
    "symmetric": (Matrices("symmetric", denominator=1), (singular, hollow, balanced_rows)),
    "semidefinite": (Matrices("semidefinite", denominator=1), (low_rank, laplacian, correlated)),
    "stochastic": (Matrices("stochastic"), (deterministic, absorbing, forgetful)),
    "vector": (Vectors(denominator=1), (cancelling, progression, alternating, lonely)),
    "graph again": (Graphs(), (shape,)),
    "vector again": (Vectors(denominator=1), (cancelling, progression, alternating, lonely)),
}


def thing(rng: random.Random, index: int, name: str) -> Planted:
    """Fails for objects with a property; the kinds in turn, the grid has two or three members of sizes 2 and 3."""
    kind, properties = KINDS[list(KINDS)[index % len(KINDS)]]
    far_from, found = rng.choice(properties)(rng)
    n = whole("n", 2, 3)
    grid: list[dict[str, Any]] = []
    while len(grid) < 3:
        point = {"n": 2 + len(grid) // 2, "X": member(kind, rng, 2 + len(grid) // 2)}
        if far_from(point["X"]) > 0:
            grid.append(point)
    seen = tuple({repr(p["X"]): p["X"] for p in grid}.values())
    conditions = (sympy.Symbol("n", integer=True, positive=True) >= 2,)
    X = Variable("X", "object", seen, thing=kind, size="n")
    way = rng.choice(HIDDEN if far_from(grid[0]["X"]) == 1 else WAYS)
    gap = lambda p, _: float(far_from(p["X"]))
    point = {"n": kind.size(found), "X": found}
    return planted("objects", name, [n, X], gap, point, way, conditions=conditions, grid=grid, box={"n": SIZES})
