"""False statements of the kinds that papers make are refuted within so many points, their true twins never."""

from fractions import Fraction as F
from itertools import islice
from math import comb
from random import Random

import pytest
from sympy import Rational, log, primefactors

from theorytools import Claim, Control, Quantity, enclosed, grid, letter, points
from theorytools.claims.judging.falsify import bring, falsify
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure
from theorytools.search.admitted import Admitted
from theorytools.search.kinds.graphs import Graphs
from theorytools.search.kinds.laws import Laws
from theorytools.search.kinds.vectors import Vectors

n = letter("n", "a size", integer=True, positive=True)
k = letter("k", "a smaller size", integer=True, positive=True)
c = letter("c", "a constant", positive=True)
b = letter("b", "a decay")
x = letter("x", "a number")
first, second = Quantity("first", "f", "a left side"), Quantity("second", "g", "a right side")
FALSE, TRUE = 400, 200  # points within which a violation is found; points that leave a true one alone


def said(asserts, measure, axes, *, requires=(), scope="points", **more):
    left = {q: 10**12 if a.relation in ("<=", "<") else -(10**12) for a in asserts for q in a.quantity.parts[:1]}
    spoiled = Control("spoiled", breaks=asserts[0], measure=lambda thing, p: {**measure(thing, p), **left})
    letters = {"every letter": "points"} if scope == "points" else scope
    return Claim(
        "A statement", asserts=asserts, grid=axes, requires=list(requires), measure=measure, controls=[spoiled],
        construct=lambda p: None, role="statement", scope=letters, source="derived here: a statement", **more,
    )  # fmt: skip


def adam(thing, p, bare=False):
    v, seen = F(0), [F(0)]
    for t, g in enumerate(p.g, 1):
        v = p.b * v + (1 - p.b) * g * g
        seen.append(t * v / (1 - p.b**t) if not bare else sum(x * x for x in p.g[:t]))
    return {first: seen[-1], second: seen[-2]}


def prime(thing, p):
    return {first: max(primefactors(comb(p.n, p.k)), default=1)}


def spread(thing, p):
    u = [1, -1] + [0] * (p.n - 2)
    mean = sum(s * y for s, y in zip(p.s, u, strict=True))
    return {first: sum((s * (y - mean)) ** 2 for s, y in zip(p.s, u, strict=True)) / 2}


def harmonic(thing, p):
    return {first: sum(F(1, i) for i in range(1, p.n + 1))}


def excess(thing, p):
    """What a simulated robustness exceeds a harmonic number by."""
    return {first: enclosed(lambda: Enclosure(F(38, 100)) * Enclosure(p.n).log())}


def stable(thing, p):
    """The independence number of a graph, and its number of vertices less that of edges of a largest matching."""
    near = p.G.around
    free = [0]
    for v in range(p.n):
        free += [s | 1 << v for s in free if not any(s >> u & 1 for u in near[v])]
    return {first: max(s.bit_count() for s in free), second: sum(F(1, d + 1) for d in p.G.degrees)}


def variance(thing, p):
    mean = sum(p.v) / F(p.n)
    return {first: sum((y - mean) ** 2 for y in p.v) / F(p.n)}


def relu(thing, p):
    return {first: 1 - 4 * max(p.x + F(1, 2), 0) - max(p.x + F(1, 10), 0)}


def descent(thing, p):
    """Gradient descent of step b on two parabolas of curvature 1 and 2, ten steps: the last error and the first."""
    return {first: max(abs(1 - p.b) ** 10, abs(1 - 2 * p.b) ** 10), second: F(1)}


pairs = {"v": (Vectors(0, 1), n)}
some_c = {"some c": "exhibited", "every n": "points"}
law = {"s": (Laws(positive=True), n)}
graph = {"objects": {"G": (Graphs(), n)}, "such_that": {"G is connected": lambda p: p.G.connected}}
gradients = {"g": (Vectors(-1, 1), n, [(1, 1), (1, 1, 1)])}
decays = grid(n=[2, 3], b=["1/2", "9/10"])

# a name: what is false, and its true twin
PAIRS = {
    "monotone accumulator": (
        said([first >= second], adam, decays, requires=[n >= 2, b >= 0, b < 1], objects=gradients),
        said([first >= second], lambda thing, p: adam(thing, p, bare=True), decays, requires=[n >= 2, b >= 0, b < 1],
             objects=gradients),
    ),
    "inner quantifier": (
        said([first > k], prime, points("n k", (10, 2), (12, 3)), requires=[2 * k <= n + 2]),
        said([first > k], prime, points("n k", (10, 2), (12, 3)), requires=[2 * k <= n]),  # Sylvester and Schur
    ),
    "strictness": (
        said([first < Rational(1, 4)], spread, grid(n=[3]), requires=[n >= 2], objects=law),
        said([first <= Rational(1, 4)], spread, grid(n=[3]), requires=[n >= 2], objects=law),
    ),
    "edge of the box": (
        said([first <= Rational(1, 20)], relu, grid(x=[0, "1/4"]), requires=[x >= -1, x <= 1]),
        said([first <= 1], relu, grid(x=[0, "1/4"]), requires=[x >= -1, x <= 1]),
    ),
    "constant for a logarithm": (
        said([first <= c], excess, grid(c=[2], n=[4, 16, 64]), scope=some_c),
        said([first <= c * log(n)], excess, grid(c=[1], n=[4, 16, 64]), scope=some_c),
    ),
    "some constant": (
        said([first <= c * log(n + 1)], harmonic, grid(c=[1], n=[10, 40]), scope=some_c, requires=[n <= 50]),
        said([first <= c * (1 + log(n))], harmonic, grid(c=[1], n=[1, 10, 40]), scope=some_c, requires=[n <= 50]),
    ),
    "extreme of a law": (  # the variance of numbers in [0, 1] is at most 1/4, attained by halves
        said([first <= Rational(6, 25)], variance, grid(n=[3, 5]), requires=[n >= 2], objects=pairs),
        said([first <= Rational(1, 4)], variance, grid(n=[3, 5]), requires=[n >= 2], objects=pairs),
    ),
    "graphs": (  # Caro and Wei
        said([first <= second + 1], stable, grid(n=[3, 4]), requires=[n >= 2], **graph),
        said([first >= second], stable, grid(n=[3, 4]), requires=[n >= 2], **graph),
    ),
    "step size": (
        said([first <= second], descent, grid(b=["1/4", "1/2"]), requires=[b > 0, b < 2]),
        said([first <= second], descent, grid(b=["1/4", "1/2"]), requires=[b > 0, b <= 1]),
    ),
}  # fmt: skip


def search(claim, name, most):
    """This file has powers, so sizes would end near the grid; an excess is of numbers, whatever their size."""
    far = {"n": 10**6} if claim.measure.__name__ == "excess" else {}
    return falsify(claim, f"foreign.{name.replace(' ', '_')}", evaluations=most, judged=True, furthest=far)


@pytest.mark.parametrize("name", PAIRS)
def test_a_false_statement_is_refuted_and_its_twin_is_not(name):
    false, true = PAIRS[name]
    found = search(false, name, FALSE)
    assert found.row is not None
    assert found.row.truth is False
    assert search(true, name, TRUE).row is None


def test_many_objects_are_counted_in_what_was_searched_and_few_are_named():
    assert (
        f"{len(search(PAIRS['graphs'][1], 'graphs', TRUE).region['G']['words'])} objects G"
        in search(PAIRS["graphs"][1], "graphs", TRUE).searched
    )
    assert search(PAIRS["step size"][1], "step size", 20).searched[0].startswith("b in ")


def test_a_constant_that_some_binds_is_never_moved_not_even_by_a_point_that_is_brought():
    claim = PAIRS["some constant"][1]
    found = search(claim, "some constant", TRUE)
    assert found.region["c"] == {"low": "1", "high": "1"}
    with pytest.raises(DomainError, match="some binds"):
        bring(claim, "foreign.some_constant", {"c": F(1, 16), "n": 1})


def test_proposals_of_an_object_keep_to_its_own_predicate():
    inner = said(
        [first <= Rational(1, 4)], variance, grid(n=[3, 4]), requires=[n >= 2],
        objects={"v": (Vectors(0, 1), n, [(F(1, 2),) * 3, (F(1, 2),) * 4])},
        such_that={"0 < v < 1": lambda p: all(0 < y < 1 for y in p.v)},
    )  # fmt: skip
    found = search(inner, "inside", 100)
    assert found.judged == 100
    assert found.outside == 0


def test_what_is_admitted_is_listed_and_made_smaller_within_the_predicate():
    kind = Admitted(Vectors(0, 1), lambda v: 0 not in v)
    assert next(kind.first(2)) == (1, 1)
    assert all(0 not in v for v in [*kind.smaller((F(1, 2), 1)), *kind.simpler((F(1, 2), 1))])
    assert list(Admitted(Vectors(0, 1), lambda v: False).first(2)) == []


def test_two_measured_sides_are_climbed_in_proportion_to_both():
    """Within a thousandth of 37/53 the sides part; the margin leads there, the sign of the difference does not."""

    def bowl(thing, p):
        return {first: F(2), second: 2 + (p.x - F(37, 53)) ** 2 - F(1, 10**6)}

    claim = said([first <= second], bowl, grid(x=[0, 1]), requires=[x >= -8, x <= 8])
    found = search(claim, "bowl", FALSE)
    assert found.row is not None
    assert abs(F(found.row.point["x"]) - F(37, 53)) < F(1, 1000)


def test_a_predicate_of_entries_narrows_what_is_listed_and_drawn():
    kind = Admitted(Vectors(), lambda v: all(0 < y < 1 for y in v))
    assert next(kind.first(3)) == (F(1, 2),) * 3
    assert len(list(islice(kind.first(3), 100))) == 100
    drawn = [kind.draw(Random(seed), 3) for seed in range(40)]
    assert all(0 < y < 1 for v in drawn for y in v)
    assert len(set(drawn)) > 30
    assert Admitted(Vectors(), lambda v: sum(v) == 1)._narrowed(2) == Vectors()  # of constant ones alone it holds once


def test_where_draws_meet_no_member_a_walk_begins_at_one_that_is_listed():
    kind = Admitted(Graphs(), lambda G: set(G.degrees) == {3})
    found = {kind.draw(Random(seed), 8) for seed in range(30)}
    assert all(set(G.degrees) == {3} for G in found)
    assert len(found) > 5


def test_a_point_that_somebody_brings_is_judged_whatever_it_takes_with_its_object_as_a_text():
    def often(thing, p):
        """At four entries more calls than a search lets a point make."""
        return [variance(thing, p) for _ in range(4000 if p.n == 4 else 1)].pop()

    claim = said(
        [first <= Rational(1, 5)], often, grid(n=[3]), requires=[n >= 2],
        objects={"v": (Vectors(0, 1), n, [(0, 0, 0)])}, such_that={"none below 0": lambda p: min(p.v) >= 0},
    )  # fmt: skip
    found = bring(claim, "foreign.brought", {"n": 4, "v": "[0,0,1,1]"})
    assert found.row is not None
    assert found.row.point["n"] == "2"
