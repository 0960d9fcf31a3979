"""Kinds of objects: every move stays within the kind, shrinking ends, JSON gives back what went in."""

import itertools
import json
import math
import os
import random
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from source_tree import ROOT

from theorytools.errors import DomainError
from theorytools.search.kinds import (
    Boolean,
    Booleans,
    Graph,
    Graphs,
    Laws,
    Matrices,
    Permutations,
    Sequences,
    Vectors,
    Words,
)
from theorytools.search.kinds.entries import Entries

KINDS = [
    Vectors(), Vectors(low=0, high=1, denominator=4), Vectors(low=Fraction(7, 2), denominator=1),
    Vectors(values=(-1, 1)), Vectors(low=Fraction(1, 3), high=Fraction(1, 2)), Vectors(high=-3),
    Sequences((0, 1)), Sequences(low=-2, high=2, longest=6),
    Matrices(), Matrices("symmetric", values=(1, 0)), Matrices("symmetric", low=0), Matrices("definite"),
    Matrices("definite", denominator=1), Matrices("semidefinite"), Matrices("stochastic"),
    Graphs(), Permutations(), Laws(), Laws(positive=True), Booleans(), Words("ab"), Words("xyz"),
]  # fmt: skip
EACH = pytest.mark.parametrize("kind", KINDS, ids=repr)
FREE = {repr(kind) for kind in KINDS if not getattr(kind, "sized", True)}  # kinds whose size is no letter


def member(kind, x):
    """Whether this is a member: what JSON gives back, which is validated, is the same, and of the same types."""
    again = kind.unpack(json.loads(json.dumps(kind.pack(x))))
    return again == x and hash(again) == hash(x) and repr(again) == repr(x)


def drawn(kind, n, seed):
    return kind.draw(random.Random(seed), n)


@EACH
def test_what_comes_first_is_of_the_kind_and_comes_once(kind):
    for n in (1, 2, 3, 4, 7):
        found = list(itertools.islice(kind.first(n), 60))
        assert found
        assert len(set(found)) == len(found)
        assert all(member(kind, x) for x in found)
        assert repr(kind) in FREE or {kind.size(x) for x in found} == {n}


@EACH
@settings(max_examples=15, deadline=None)
@given(n=st.integers(1, 5), seed=st.integers(0, 10**6))
def test_every_move_stays_within_the_kind(kind, n, seed):
    rng = random.Random(seed)
    x = kind.draw(rng, n)
    assert member(kind, x)
    assert repr(kind) in FREE or kind.size(x) == n
    beside = kind.near(rng, x)
    assert member(kind, beside)
    assert repr(kind) in FREE or kind.size(beside) == n
    for y in itertools.islice(kind.simpler(x), 6):
        assert member(kind, y)
        assert y != x
        assert repr(kind) in FREE or kind.size(y) == n
    for y in itertools.islice(kind.smaller(x), 6):
        assert member(kind, y)
        assert kind.size(y) == kind.size(x) - 1


@EACH
@settings(max_examples=3, deadline=None)
@given(n=st.integers(1, 3), seed=st.integers(0, 10**6))
def test_a_chain_of_simpler_members_ends(kind, n, seed):
    """Down the first, the last and the middle candidates, which nothing but the order of simplicity bounds."""
    for place in (0, -1, None):
        x, seen = drawn(kind, n, seed), set()
        while left := list(itertools.islice(kind.simpler(x), 25)):
            assert x not in seen
            assert len(seen) < 3000
            seen.add(x)
            x = left[len(left) // 2 if place is None else place]


@EACH
def test_the_simplest_members_have_no_simpler_ones_and_others_have(kind):
    for n in (1, 2, 3):
        x = drawn(kind, n, 5)
        while (y := next(kind.simpler(x), None)) is not None:
            x = y
        assert not list(kind.simpler(x))
    assert any(list(kind.simpler(drawn(kind, 4, seed))) for seed in range(20))


@EACH
def test_draws_differ_and_repeat(kind):
    """Of forty draws a fifth are distinct where there are as many; an equal generator draws equal members."""
    found = [drawn(kind, 3, seed) for seed in range(40)]
    there = list(itertools.islice(kind.first(3), 40))
    assert len(set(found)) >= min(8, len(there) // 2)
    assert found == [drawn(kind, 3, seed) for seed in range(40)]


@EACH
def test_a_size_that_there_is_not_is_refused(kind):
    for n in (-1, 2.0, True, None):
        if repr(kind) not in FREE:
            with pytest.raises(DomainError, match="size"):
                kind.draw(random.Random(0), n)
            with pytest.raises(DomainError, match="size"):
                next(kind.first(n))


# -- what comes first ------------------------------------------------------------------------------------------------
def test_structured_members_come_first():
    five = list(Graphs().first(5))
    assert [graph.degrees for graph in five[:4]] == [(1, 2, 2, 2, 1), (2,) * 5, (4, 1, 1, 1, 1), (4,) * 5]
    assert next(Permutations().first(3)) == (0, 1, 2)
    assert next(Laws().first(3)) == (Fraction(1, 3),) * 3
    assert next(Matrices().first(2)) == ((1, 0), (0, 1))
    assert next(Booleans().first(2)).table == (0, 0, 0, 0)
    assert list(itertools.islice(Words("ab").first(3), 4)) == ["aaa", "bbb", "aba", "abb"]
    assert {(1, 1, 1), (0, 0, 1), (0, 1, 2), (0, 1, 0)} <= set(itertools.islice(Vectors().first(3), 40))
    assert next(Vectors(values=(-1, 1)).first(2)) == (-1, -1)


def test_each_graph_of_five_vertices_comes_once_up_to_isomorphism():
    """1, 2, 4, 11, 34 classes (Harary, Palmer 1973); told apart by the least adjacency matrix of all orders."""
    for n, count in enumerate((1, 2, 4, 11, 34), 1):
        found = list(Graphs().first(n))
        orders = list(itertools.permutations(range(n)))
        forms = {min(tuple(g.adjacency[u][v] for u in p for v in p) for p in orders) for g in found}
        assert len(found) == len(forms) == count


@pytest.mark.parametrize(("kind", "n", "count"), [
    (Permutations(), 5, 120), (Booleans(), 3, 256), (Words("abc"), 4, 81), (Sequences((0, 1)), 6, 64),
    (Vectors(values=(-1, 1)), 5, 32), (Matrices("symmetric", values=(0, 1)), 3, 64), (Laws(), 1, 1),
    (Sequences((0, 1), longest=3), 0, 15), (Vectors(low=0, high=1, denominator=2), 3, 27),
])  # fmt: skip
def test_finite_kinds_are_listed_to_their_end(kind, n, count):
    found = list(kind.first(n))
    assert len(found) == len(set(found)) == count


def test_every_law_of_a_small_denominator_is_met():
    """The laws of denominator 4 on three outcomes: 15 compositions, 6 of which reduce to 2 and 3 of these to 1."""
    found = list(itertools.islice(Laws().first(3), 1 + 3 + 3 + 6 + 9))
    denominators = [math.lcm(*(p.denominator for p in law)) for law in found[1:]]
    assert [denominators.count(d) for d in (1, 2, 3, 4)] == [3, 3, 6, 9]


def test_small_numbers_come_first():
    first = list(itertools.islice(Entries().simplest(), 9))
    assert first == [0, 1, -1, 2, -2, Fraction(1, 2), Fraction(-1, 2), 3, -3]
    assert list(Entries(0, 1, 4).simplest()) == [
        0,
        1,
        *(Fraction(*q) for q in ((1, 2), (1, 3), (2, 3), (1, 4), (3, 4))),
    ]
    assert next(Entries(low=10**30, denominator=1).simplest()) == 10**30
    assert [type(v) for v in itertools.islice(Entries(denominator=1).simplest(), 2)] == [int, int]
    assert isinstance(next(Entries().simplest()), Fraction)


@given(low=st.fractions(-5, 5, max_denominator=6), width=st.fractions(0, 3, max_denominator=6))
@settings(max_examples=40, deadline=None)
def test_the_entries_of_a_range_are_all_listed_in_their_order(low, width):
    entries = Entries(low, low + width)
    found = list(entries.simplest())
    there = {Fraction(p, q) for q in range(1, 13) for p in range(math.ceil(low * q), math.floor((low + width) * q) + 1)}
    assert set(found) == there
    assert len(found) == len(there)
    ranks = [entries.order(v)[:2] for v in found]
    assert ranks == sorted(ranks)


# -- members ---------------------------------------------------------------------------------------------------------
def test_a_graph_knows_its_shape():
    graph = Graph(5, [(3, 1), (1, 3), (0, 1)])
    assert graph == Graph(5, ((0, 1), (1, 3)))
    assert (graph.neighbours(1), graph.degree(3), graph.components) == ((0, 3), 1, ((0, 1, 3), (2,), (4,)))
    assert not graph.connected
    assert graph.complement().connected
    assert graph.complement().complement() == graph
    assert sum(map(sum, graph.adjacency)) == 2 * len(graph.edges)


@given(code=st.integers(0, 2**16 - 1), place=st.integers(0, 3), bit=st.integers(0, 1))
@settings(max_examples=25, deadline=None)
def test_a_restricted_function_has_the_values_of_the_whole(code, place, bit):
    f = Boolean(tuple(code >> k & 1 for k in range(16)))
    g = f.restricted(place, bit)
    for rest in itertools.product((0, 1), repeat=3):
        assert g(*rest) == f(*rest[:place], bit, *rest[place:])
    assert f.relevant == tuple(k for k in range(4) if f.restricted(k, 0) != f.restricted(k, 1))


@given(st.lists(st.fractions(-3, 3, max_denominator=3), min_size=6, max_size=6))
@settings(max_examples=25, deadline=None)
def test_definite_matrices_are_told_by_their_minors(entries):
    """All principal minors: positive, or not negative, by sympy's determinant of the symmetric 3 x 3 matrix."""
    import sympy

    a, b, c, d, e, f = entries
    x = ((a, b, c), (b, d, e), (c, e, f))
    minors = {s: sympy.Matrix([[sympy.Rational(x[i][j]) for j in s] for i in s]).det()
              for k in (1, 2, 3) for s in itertools.combinations(range(3), k)}  # fmt: skip
    assert Matrices("semidefinite").admits(x) == all(value >= 0 for value in minors.values())
    assert Matrices("definite").admits(x) == all(value > 0 for value in minors.values())


def test_a_drawn_tree_or_clique_is_met():
    """Structure beside noise: among sixty graphs of seven vertices some are forests, some regular, some bipartite."""
    found = [drawn(Graphs(), 7, seed) for seed in range(60)]
    assert sum(g.connected for g in found) > 10
    assert sum(len(g.edges) == 7 - len(g.components) for g in found) > 3
    laws = [drawn(Laws(), 4, seed) for seed in range(60)]
    assert sum(min(law) == 0 for law in laws) > 10
    assert sum(len(set(law)) < 4 for law in laws) > 10


# -- JSON and refusals -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("kind", "data"), [
    (Vectors(), [0.5]), (Vectors(), [True]), (Vectors(), "12"), (Vectors(), []), (Vectors(), ["1/0"]),
    (Vectors(), ["nan"]), (Vectors(), [float("nan")]), (Vectors(), ["1e3"]), (Vectors(), ["0x1"]), (Vectors(), [None]),
    (Vectors(low=0), [-1]), (Vectors(denominator=1), ["1/2"]), (Vectors(values=(0, 1)), [2]),
    (Sequences((0, 1)), [2]), (Matrices(), [[1, 2]]), (Matrices(), [[1], [2]]), (Matrices(), [1]), (Matrices(), []),
    (Matrices("symmetric"), [[0, 1], [2, 0]]), (Matrices("definite"), [[0]]), (Matrices("definite"), [[1, 1], [1, 1]]),
    (Matrices("definite"), [[2, 1], [0, 2]]), (Matrices("semidefinite"), [[0, 1], [1, 1]]),
    (Matrices("stochastic"), [[1, 0], ["1/2", "1/3"]]), (Matrices("stochastic"), [[2, -1], [0, 1]]),
    (Graphs(), [[0, 1]]), (Graphs(), {"vertices": 2, "edges": [[0, 2]]}), 
    (Graphs(), {"vertices": 2, "edges": [[1, 1]]}),
    (Graphs(), {"vertices": 2, "edges": [[0, 1], [1, 0]]}), (Graphs(), {"vertices": 0, "edges": []}),
    (Graphs(), {"vertices": 2.0, "edges": []}), (Graphs(), {"vertices": 2, "edges": [[0, True]]}),
    (Graphs(), {"vertices": 2, "edges": [[0]]}), (Graphs(), {"vertices": 2, "edges": 3}), (Graphs(), {"vertices": 2}),
    (Permutations(), [0, 0]), (Permutations(), [1, 2]), (Permutations(), [0, True]), (Permutations(), [0.0, 1.0]),
    (Permutations(), []), (Laws(), ["1/2", "1/3"]), (Laws(), [2, -1]), (Laws(), [0.5, 0.5]), (Laws(), []),
    (Laws(positive=True), [1, 0]), (Booleans(), "012"), (Booleans(), "011"), (Booleans(), ""), (Booleans(), [0, 1]),
    (Words("ab"), "abc"), (Words("ab"), ["a"]), (Words("ab"), 3),
])  # fmt: skip
def test_what_is_no_member_is_refused(kind, data):
    with pytest.raises(DomainError) as error:
        kind.unpack(data)
    assert error.value.given
    assert error.value.required


@pytest.mark.parametrize("made", [
    lambda: Vectors(low=1, high=0), lambda: Vectors(low=0.5), lambda: Vectors(denominator=0),
    lambda: Vectors(denominator=2.5), lambda: Vectors(values=(1, 1)), lambda: Vectors(low=0, values=(-1,)),
    lambda: Vectors(low=Fraction(1, 3), high=Fraction(1, 3), denominator=2), lambda: Vectors(values=(True, 0)),
    lambda: Sequences(longest=0), lambda: Sequences(longest="5"), lambda: Matrices("hermitian"),
    lambda: Matrices("definite", low=0), lambda: Matrices("stochastic", denominator=1), lambda: Words("a"),
    lambda: Words("aa"), lambda: Words('"a'), lambda: Words(["a", "b"]), lambda: Graph(2, [(0, 2)]), lambda: Graph(-1),
    lambda: Graph(2, [(0,)]), lambda: Boolean((0, 1, 1)), lambda: Boolean((0, 2)), lambda: Boolean((0, True)),
    lambda: Boolean((0, 1))(2), lambda: Boolean((0, 1))(0, 1), lambda: next(Booleans().first(17)),
])  # fmt: skip
def test_what_is_no_kind_and_no_object_is_refused(made):
    with pytest.raises(DomainError) as error:
        made()
    assert error.value.required


def test_a_denominator_bounds_what_is_proposed_not_what_is_meant():
    assert Vectors(denominator=3).unpack(["1/7"]) == (Fraction(1, 7),)
    kind = Vectors(denominator=3)
    assert max(v.denominator for x in itertools.islice(kind.first(2), 200) for v in x) == 3  # what is listed
    found = [v for seed in range(60) for v in drawn(kind, 4, seed)]  # what is drawn goes to its square: to ninths
    assert max(v.denominator for v in found) == 9


# -- any machine -----------------------------------------------------------------------------------------------------
PROGRAM = """
import itertools, random
from theorytools.search.kinds import *
kinds = [Vectors(), Sequences((0, 1), longest=5), Matrices(), Matrices("definite"), Matrices("stochastic"), Graphs(),
         Permutations(), Laws(), Booleans(), Words("abc")]
for kind in kinds:
    rng = random.Random(7)
    x = kind.draw(rng, 4)
    moves = [kind.near(rng, x) for _ in range(9)], list(itertools.islice(kind.simpler(x), 9)), list(kind.smaller(x))
    print(list(itertools.islice(kind.first(4), 60)), x, moves)
"""


def test_the_hash_seed_decides_nothing():
    said = set()
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True)
        said.add(done.stdout)
    assert len(said) == 1
    assert "Graph" in said.pop()


def test_graphs_of_blocks_are_drawn_too():
    """Where vertices are alike in a few ways only, a conjecture may fail where independent edges never get."""

    def kinds_of_vertices(graph):
        around = [set(graph.neighbours(v)) for v in range(graph.vertices)]
        classes = []
        for v in range(graph.vertices):
            if not any(around[u] - {v} == around[v] - {u} for u in classes):
                classes.append(v)
        return len(classes)

    def triangle(graph):
        return any(set(graph.neighbours(u)) & set(graph.neighbours(v)) for u, v in graph.edges)

    rng = random.Random(1)
    drawn = [Graphs().draw(rng, 13) for _ in range(2000)]
    joined = {(kinds_of_vertices(graph), len(graph.edges)) for graph in drawn if graph.connected and triangle(graph)}
    assert len([pair for pair in joined if 2 <= pair[0] <= 4]) > 45


# -- larger members, and graphs of parts -------------------------------------------------------------------------------
GROWING = [kind for kind in KINDS if hasattr(kind, "larger")]


@pytest.mark.parametrize("kind", GROWING, ids=repr)
def test_a_larger_member_has_one_size_more_and_is_of_the_kind(kind):
    for seed in range(12):
        rng = random.Random(seed)
        x = kind.draw(rng, 1 + seed % 4)
        y = kind.larger(rng, x)
        assert member(kind, y)
        assert kind.size(y) == kind.size(x) + 1


def test_named_graphs_begin_with_four_and_have_independent_vertices_joined_to_two_cliques_early():
    """Of seven and two triangles no invariant of few parts is as far from another."""
    kind, rest = Graphs(), range(7, 13)
    parts = [(u, v) for u in range(7) for v in rest] + [*itertools.combinations(rest[:3], 2)]
    wanted = Graph(13, [*parts, *itertools.combinations(rest[3:], 2)])
    found = list(itertools.islice(kind.first(13), 60))
    assert [len(graph.edges) for graph in found[:4]] == [12, 13, 12, 78]
    assert wanted in found
    cycles = [(u, (u + 1) % 5) for u in range(5)]
    joined = [*cycles, *((u + 5, v + 5) for u, v in cycles), *((u, v) for u in range(5) for v in range(5, 10))]
    assert Graph(10, joined) in list(itertools.islice(kind.first(10), 30))


def test_moves_of_a_graph_keep_its_degrees_at_times_and_exchange_twins():
    cubic = Graph(8, [(v, (v + j) % 8) for v in range(8) for j in (1, 4)])
    near = [Graphs().near(random.Random(seed), cubic) for seed in range(80)]
    assert sum(set(graph.degrees) == {3} and graph != cubic for graph in near) > 5
    star = Graph(6, [(0, v) for v in range(1, 6)])
    full = [Graphs().near(random.Random(seed), star) for seed in range(200)]
    assert any(len(graph.edges) == 15 for graph in full)  # all leaves are twins: the edges between them in one move


def test_entries_in_general_position_are_drawn_too():
    found = [drawn(Vectors(low=0, high=1), 3, seed) for seed in range(200)]
    assert sum(len(set(x)) == 3 and all(v.denominator > 12 for v in x) for x in found) > 20


def test_all_entries_are_made_simpler_at_once():
    kind = Vectors(low=0, denominator=1)
    assert (2, 3, 0, 1, 1) in list(kind.simpler((69, 70, 2, 8, 8)))
    assert (34, 35, 1, 4, 4) in list(kind.simpler((69, 70, 2, 8, 8)))
