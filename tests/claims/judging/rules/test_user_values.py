"""A user's values: one, a list or a text of one letter, and what moves along with it."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import strategies as st
from properties import examples
from sympy import And, Eq, Rational, ceiling, sqrt
from tiny import M, N, tiny, value, x

from theorytools import DomainError, grid, letter, points
from theorytools.claims.judging.user_points import along, axis_choices, move

y, z = letter("y", "a number"), letter("z", "a number")
half = Fraction(1, 2)


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
