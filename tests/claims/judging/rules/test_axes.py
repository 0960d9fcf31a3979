"""Where a search looks: the values of one axis in their order, the ends and edges of hypotheses, what moves along."""

from fractions import Fraction
from itertools import islice, pairwise, product

import pytest
from hypothesis import strategies as st
from properties import examples
from sympy import And, Eq, Ne, Rational, ceiling, sqrt
from tiny import M, N, tiny, value, x

from theorytools import DomainError, grid, letter, points
from theorytools.claims.judging.user_points import Axis, along, axis_choices, ends, joint_edges, move

y, z = letter("y", "a number"), letter("z", "a number")
half = Fraction(1, 2)


def integers(low=None, high=None, values=(1,)):
    return Axis("N", (), True, *(None if e is None else Fraction(e) for e in (low, high)), tuple(map(Fraction, values)))


def rationals(low=None, high=None, values=(1,)):
    return Axis(
        "y", (), False, *(None if e is None else Fraction(e) for e in (low, high)), tuple(map(Fraction, values))
    )


# -- ends --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("requires", "low", "high"),
    [
        ([], None, None), ([y >= 3], 3, None), ([y > 4], 4, None), ([y <= 9], None, 9), ([y < 9], None, 9),
        ([Rational(1, 2) <= y], half, None), ([y >= 3, y >= 5, y > 4], 5, None),
        ([y <= 9, y < 7, y <= 8], None, 7), ([Eq(y, 5)], 5, 5), ([Ne(y, 5)], None, None), ([y <= sqrt(2)], None, None),
        ([y**2 <= 4], None, None), ([y <= z], None, None), ([And(y >= 3, y <= 4)], None, None),
        ([y >= 3, y <= z], 3, None),
    ],
)  # fmt: skip
def test_the_ends_of_a_letter_are_those_of_its_own_hypotheses(requires, low, high):
    claim = tiny(grid=points("N y z", (2, 5, 6)), requires=requires)
    assert ends(claim, y) == (low, high)
    assert ends(claim, None) == (None, None)


def test_a_positive_integer_begins_at_one_and_a_hypothesis_may_raise_that():
    assert ends(tiny(), N) == (1, None)
    assert ends(tiny(requires=[N >= 4]), N) == (4, None)
    assert Axis.of(tiny(requires=[N >= 4], grid=grid(N=[9, 4])), "N") == integers(4, None, (4, 9))
    words = Axis.of(tiny(grid=grid(N=[2], kind=["b", "a", "b"])), "kind")
    assert (words.words, list(words.small), words.integral) == (("a", "b"), ["a", "b"], False)
    free = tiny(grid=points("N k j", (2, 3, half), (2, 4, 1)))  # letters that no formula has: as their values are
    assert (Axis.of(free, "k").integral, Axis.of(free, "j").integral) == (True, False)


@pytest.mark.parametrize(
    ("axis", "least"),
    [
        (integers(5), 5),
        (integers(Fraction(5, 2)), 3),
        (rationals(Fraction(5, 2)), Fraction(5, 2)),
        (integers(), 1),
        (integers(values=(-4, 2)), -4),
        (integers(values=(0, 2)), 0),
        (integers(values=(3,)), 1),
        (rationals(values=(half,)), 0),
        (rationals(values=(-half, 2)), -half),
    ],
)
def test_the_least_number_is_the_end_or_else_natural(axis, least):
    assert axis.least == least
    assert axis.inside(Fraction(least))
    assert not axis.inside(Fraction(least) - Fraction(1, 100))


def test_inside_and_nearest_include_both_ends():
    axis = integers(2, 9)
    assert [n for n in range(12) if axis.inside(Fraction(n))] == list(range(2, 10))
    assert [axis.nearest(n) for n in (0, 2, 5, 9, 12)] == [2, 2, 5, 9, 9]
    assert integers(2).nearest(10**9) == 10**9
    assert integers(2).nearest(1) == 2
    assert axis.nearest("word") == "word"


# -- small values ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("axis", "small"),
    [
        (integers(-2, 3), [0, 1, -1, 2, -2, 3]),
        (integers(-3, 2), [0, 1, -1, 2, -2, -3]),
        (integers(-5, -3), [-3, -4, -5]),
        (integers(3, 6), [3, 4, 5, 6]),
        (integers(0, 2), [0, 1, 2]),
        (integers(-2, 0), [0, -1, -2]),
        (integers(Fraction(5, 2), Fraction(9, 2)), [3, 4]),
        (integers(4, 4), [4]),
    ],
)
def test_integers_come_by_size_a_positive_one_before_its_twin(axis, small):
    assert list(axis.small) == small


def test_unbounded_integers_are_listed_up_to_a_limit():
    assert list(integers(3).small) == list(range(3, 3 + 4096))
    assert list(integers(3, 10**6).small) == list(range(3, 3 + 4096))


def test_fractions_come_by_denominator_those_of_the_grid_and_the_ends_too():
    unit = rationals(0, 1, values=(half,)).small
    assert unit[:7] == [0, 1, half, Fraction(1, 3), Fraction(2, 3), Fraction(1, 4), Fraction(3, 4)]
    assert set(unit) == {Fraction(p, q) for q in range(1, 17) for p in range(q + 1)}
    odd = rationals(0, 1, values=(Fraction(1, 100), half)).small
    assert set(odd) - set(unit) == {Fraction(p, 100) for p in range(101)} - set(unit)
    assert Fraction(1, 37) in rationals(Fraction(1, 37), 1).small
    wide = [v for v in rationals(0, values=(50,)).small if v == int(v)]
    assert wide == list(range(101))  # twice the grid
    assert [v for v in rationals(0, values=(5,)).small if v == int(v)] == list(range(17))
    assert [v for v in rationals(0, values=(500,)).small if v == int(v)] == list(range(128))


# -- edges and growth --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("axis", "edges"),
    [
        (integers(2, 9), [2, 3, 9, 8]),
        (integers(2), [2, 3]),
        (integers(5, 5), [5]),
        (integers(5, 6), [5, 6]),
        (integers(Fraction(5, 2), Fraction(9, 2)), [3, 4]),
        (integers(), []),
        (rationals(0, 1), [0, Fraction(1, 16), Fraction(1, 2**20), 1, Fraction(15, 16), 1 - Fraction(1, 2**20)]),
        (rationals(0, Fraction(1, 32)), [0, Fraction(1, 2**20), Fraction(1, 32), Fraction(1, 32) - Fraction(1, 2**20)]),
    ],
)
def test_edges_are_the_ends_and_their_neighbours(axis, edges):
    assert axis.edges() == edges


@pytest.mark.parametrize(
    ("axis", "grown"),
    [
        (integers(values=(1, 2, 4)), [6, 9, 14, 21, 32]),
        (integers(high=21, values=(4,)), [6, 9, 14, 21]),
        (integers(high=20, values=(4,)), [6, 9, 14]),
        (integers(values=(-7,)), [3, 5, 8, 12, 18]),
        (integers(low=10, values=(2,)), [12, 18, 27]),
        (integers(values=(1,)), [3, 5]),
        (rationals(0, values=(4,)), [6, Fraction(1, 64), 9, Fraction(1, 256), 14]),
        (rationals(3, values=(4,)), [6, 3 + Fraction(1, 64), 9, 3 + Fraction(1, 256)]),
    ],
)
def test_growth_is_by_half_and_of_fractions_also_towards_the_end(axis, grown):
    assert list(islice(axis.grown(), len(grown))) == grown


def test_growth_ends():
    every = list(integers(values=(4,)).grown())
    assert 10**12 <= every[-1] < Fraction(3, 2) * 10**12 + 1
    assert all(b == -(-3 * a // 2) for a, b in pairwise(every))
    assert list(integers(high=21, values=(4,)).grown()) == [6, 9, 14, 21]
    shrunk = [v for v in rationals(0, values=(4,)).grown() if v < 1]
    assert shrunk == [Fraction(1, 4**k) for k in range(3, 20)]
    assert 4 ** -(len(shrunk) + 3) < 1e-12 < shrunk[-1]


# -- edges of hypotheses on several letters ----------------------------------------------------------------------------
SEVERAL = {
    M <= 2 * N: lambda n, m: m <= 2 * n, M**2 < N + 3: lambda n, m: m**2 < n + 3, N + M >= 9: lambda n, m: n + m >= 9,
    N * M <= 40: lambda n, m: n * m <= 40, Ne(N, M) & (M <= N): lambda n, m: m < n,
}  # fmt: skip


@pytest.mark.parametrize("condition", SEVERAL, ids=str)
@pytest.mark.parametrize("base", [{"N": 5, "M": 3}, {"N": 1, "M": 1}, {"N": 17, "M": 30}])
def test_the_two_neighbours_between_which_a_hypothesis_changes(condition, base):
    claim = tiny(grid=points("N M", (5, 3)), requires=[condition])
    found = list(joint_edges(claim, {name: Axis.of(claim, name) for name in "NM"}, base))

    def holds(point):
        return SEVERAL[condition](point["N"], point["M"])

    for first, second in zip(found[::2], found[1::2], strict=True):
        (moved,) = [name for name in base if first[name] != second[name]]
        assert abs(first[moved] - second[moved]) == 1
        assert (holds(first), holds(second)) == (True, False)
        assert {**first, moved: 0} == {**base, moved: 0}
    for name in base:  # none is left out: along each letter as many changes as among the first hundred values
        line = [holds({**base, name: k}) for k in range(1, 200)]
        changes = [k for k in range(1, 199) if line[k - 1] != line[k]]
        if len(changes) == 1:
            assert {**base, name: changes[0]} in found
            assert {**base, name: changes[0] + 1} in found


def test_a_linear_edge_between_fractions_is_met_exactly_and_another_left_out():
    claim = tiny(grid=points("N y z", (2, half, half)), requires=[2 * y + z <= 3, y**2 + z <= 9, y <= 5])
    axes = {name: Axis.of(claim, name) for name in "Nyz"}
    base = {"N": 2, "y": half, "z": Fraction(1, 3)}
    assert list(joint_edges(claim, axes, base)) == [
        {**base, "y": Fraction(4, 3)}, {**base, "z": 2}, {**base, "z": Fraction(35, 4)},
    ]  # fmt: skip
    lets = tiny(asserts=[value <= x], grid=points("N M", (2, 4)), lets={x: N + M}, requires=[x <= 9])
    edges = list(joint_edges(lets, {name: Axis.of(lets, name) for name in "NM"}, {"N": 2, "M": 4}))
    assert edges == [{"N": 2, "M": 7}, {"N": 2, "M": 8}, {"N": 5, "M": 4}, {"N": 6, "M": 4}]


def test_a_high_end_is_tried_and_never_passed():
    claim = tiny(grid=points("N M", (2, 1)), requires=[N <= 6, M <= N])
    found = list(joint_edges(claim, {name: Axis.of(claim, name) for name in "NM"}, {"N": 2, "M": 6}))
    assert {"N": 6, "M": 6} in found
    assert {"N": 5, "M": 6} in found
    assert max(p["N"] for p in found) == 6
    words = tiny(grid=points("N M kind", (2, 1, "a")), requires=[M <= N])
    axes = {name: Axis.of(words, name) for name in ("N", "M", "kind")}
    assert list(joint_edges(words, axes, {"N": 2, "M": 1, "kind": "a"}))


# -- a user's values ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("given", "values"),
    [("2,3", [2, 3]), ("a", ["a"]), ("1/2,b", [half, "b"]), ([2, 2.5], [2, Fraction(5, 2)]), ((2,), [2]),
     (range(2, 4), [2, 3]), (7, [7]), (0, [0]), (0.1, [Fraction(1, 10)]), (Rational(1, 3), [Fraction(1, 3)])],
)  # fmt: skip
def test_one_value_a_list_or_a_text_with_commas(given, values):
    assert axis_choices("N", given) == values


@pytest.mark.parametrize(
    ("given", "named"),
    [([], "[]"), ((), "()"), (True, "True"), ([2, True], "True"), ([None], "None"), (None, "None"),
     (float("nan"), "nan"), ({2: 3}, "{2: 3}"), (range(0), "range(0, 0)")],
)  # fmt: skip
def test_what_is_no_value_is_named_with_what_is_one(given, named):
    with pytest.raises(DomainError) as caught:
        axis_choices("N", given)
    assert caught.value.given == f"N = {named}"
    assert caught.value.required == "a finite number or a word of the axis, or a list"
    assert "--at N=64,128" in caught.value.advice


def test_a_word_and_a_number_do_not_stand_for_each_other():
    claim = tiny(grid=grid(N=[2, 3], kind=["b", "a"]))
    for at, required, why in [
        ({"kind": "c"}, "one of a, b", "the axis kind"), ({"kind": 3}, "one of a, b", "the axis kind"),
        ({"N": "a"}, "a number", "the axis N"), ({"value": 3}, "an axis of t.c: N, kind", "no letter of this claim"),
    ]:  # fmt: skip
        with pytest.raises(DomainError) as caught:
            move(claim, "t.c", at)
        assert caught.value.required == required
        assert why in caught.value.why
    tied = tiny(asserts=[value <= x], lets={x: N + 1})
    with pytest.raises(DomainError) as caught:
        move(tied, "t.c", {"x": 3})
    assert caught.value.why == "it follows from the axes"
    moved = move(claim, "t.c", {"kind": "a", "N": [5, 6, 5]})
    assert moved == [{"N": 5, "kind": "a"}, {"N": 6, "kind": "a"}]
    assert move(claim, "t.c", {"N": 5}) == [{"N": 5, "kind": "b"}, {"N": 5, "kind": "a"}]


# -- what an equation ties ---------------------------------------------------------------------------------------------
def tied(*requires, axes="N M y", at=(2, 4, 6), **changed):
    return tiny(grid=points(axes, at), requires=list(requires), **changed)


@pytest.mark.parametrize(
    ("requires", "point", "given", "moved"),
    [
        ([Eq(M, 2 * N)], {"N": 5, "M": 4}, {"N"}, {"N": 5, "M": 10}),
        ([Eq(M, 2 * N)], {"N": 5, "M": 8}, {"M"}, {"N": 4, "M": 8}),
        ([Eq(M, 2 * N)], {"N": 5, "M": 4}, {"N", "M"}, {"N": 5, "M": 4}),
        ([Eq(M, 2 * N)], {"N": 5, "M": 4}, set(), {"N": 5, "M": 4}),
        ([And(Eq(M, 2 * N), N >= 2)], {"N": 5, "M": 4}, {"N"}, {"N": 5, "M": 10}),
        ([Eq(M, 2 * N), Eq(y, M + 1)], {"N": 5, "M": 4, "y": 6}, {"N"}, {"N": 5, "M": 10, "y": 11}),
        ([Eq(M, ceiling(N / 2))], {"N": 5, "M": 4}, {"M"}, {"N": 5, "M": 4}),  # several N have that half
        ([Eq(M, ceiling(N / 2))], {"N": 5, "M": 4}, {"N"}, {"N": 5, "M": 3}),
        ([Eq(y**2, 4 * N)], {"N": 9, "M": 4, "y": 6}, {"N"}, {"N": 9, "M": 4, "y": 6}),  # two roots
        ([Eq(y, sqrt(N))], {"N": 2, "M": 4, "y": 6}, {"N"}, {"N": 2, "M": 4, "y": 6}),  # no rational one
        ([Eq(y, N + M)], {"N": 2, "M": 4, "y": 1}, {"N"}, {"N": 2, "M": 4, "y": 6}),  # alone on its side
        ([Eq(z, N * y)], {"N": 3, "z": 4, "y": 1}, {"N", "z"}, {"N": 3, "z": 4, "y": Fraction(4, 3)}),
        ([Eq(M, N * y)], {"N": 3, "M": 4, "y": Fraction(1, 2)}, {"N", "y"}, {"N": 3, "M": 4, "y": half}),  # no integer
        ([M <= 2 * N], {"N": 5, "M": 4}, {"N"}, {"N": 5, "M": 4}),
    ],
)  # fmt: skip
def test_an_axis_moves_along_where_one_value_follows(requires, point, given, moved):
    names = list(point)
    claim = tiny(grid=points(" ".join(names), (2, 4, 6)[: len(names)]), requires=requires)
    assert along(claim, dict(point), given) == moved


def test_an_equation_with_a_letter_that_is_derived_or_a_let_moves_only_axes():
    through = tiny(asserts=[value <= x], grid=points("N M", (2, 4)), lets={x: 2 * N}, requires=[Eq(M, x)])
    assert along(through, {"N": 5, "M": 4}, {"N"}) == {"N": 5, "M": 10}
    derived = tiny(
        asserts=[value <= N], grid=points("N M", (2, 4)), requires=[Eq(M, x)], derived=[x],
        derive=lambda thing, p: {x: 4},
    )  # fmt: skip
    assert along(derived, {"N": 5, "M": 4}, {"N"}) == {"N": 5, "M": 4}


few = st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True)


@examples(25, few, few)
def test_given_axes_make_the_product_with_the_rest_of_the_grid(first, second):
    claim = tiny(grid=grid(N=[2, 3], M=[5, 7]))
    assert move(claim, "t.c", {"N": first, "M": second}) == [{"N": a, "M": b} for a, b in product(first, second)]
    assert move(claim, "t.c", {"M": second}) == [{"N": n, "M": b} for b in second for n in (2, 3)]
