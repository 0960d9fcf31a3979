"""Each part of the examination of a claim refuses by itself; grids, letters, assertions and machines at their edges."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from refusals import refuses
from sympy import And, Ge, Gt, Integer, Not, Or, Rational, Symbol, airyai, exp, false, log, oo, sqrt, true
from tiny import M, N, tiny, value, x

from theorytools import Budget, CheckError, Control, DomainError, Estimate, Evidence, Quantity
from theorytools.claims.language.assertion import Assertion
from theorytools.claims.language.claim import (
    _examine_control,
    _examine_controls,
    _examine_formulas,
    _examine_letters,
    _examine_meaning,
    _examine_names,
    _examine_shape,
    _examine_table,
    _numbers,
    _relations,
    examine,
)
from theorytools.claims.language.grid import Grid, Point, axis_text, axis_value, grid, points
from theorytools.claims.language.machine import machine
from theorytools.claims.language.relation import related
from theorytools.claims.language.seeds import seed_sequence
from theorytools.claims.language.slope import LogLogSlope
from theorytools.claims.language.symbol import Letter, letter
from theorytools.errors import UndecidedError
from theorytools.files import canonical
from theorytools.numbers import End

other = Quantity("other", "w")
good = Control("one more", breaks=value, construct=lambda p: p.N + 1)
repair = Control("allowed", asserts=[value <= N + 1])


def changed(**parts):
    """A claim with parts that were put in after it was examined."""
    claim = tiny()
    vars(claim).pop("_letters", None)  # what its letters were
    for name, part in parts.items():
        object.__setattr__(claim, name, part)
    return claim


def refusing(part, *cases):
    """Each claim is refused by this part of the examination, and by the whole."""
    for parts, words in cases:
        claim = changed(**parts)
        refuses(CheckError, (lambda claim=claim: part(claim), words), lambda claim=claim: examine(claim))


def test_the_shape_of_a_claim():
    _examine_shape(tiny())
    lists = ("controls", "requires", "derived", "uses", "tabulated", "listed")
    refusing(_examine_shape, *(({name: wrong}, f"{name} = ") for name in lists for wrong in ("N", None, {N})))
    refusing(
        _examine_shape,
        ({"label": ""}, "an empty label"),
        ({"label": " "}, "an empty label"),
        ({"label": 3}, "an empty label"),
        ({"asserts": []}, "asserts"),
        ({"asserts": [value <= N, N <= 3]}, "asserts"),
        ({"asserts": 3}, "asserts"),
        ({"budget": 3}, "budget"),
        ({"note": 3}, "note"),
        ({"lets": [M]}, "lets"),
        ({"asserts": [value <= N, value <= N]}, "two assertions"),
        ({"grid": []}, "grid"),
        ({"grid": Grid([])}, "grid"),
        ({"asserts": [value <= N, Quantity("value", "u") >= 0]}, "two quantities"),
        ({"tier": "days"}, "tier"),
        ({"expect": "FAILS"}, "expect"),
        ({"uses": ["lemma"]}, "uses"),
        ({"uses": ["a.b", 3]}, "uses"),
        ({"construct": 3}, "not callable"),
        ({"measure": 3}, "not callable"),
    )
    for fine in (
        {"uses": ("a.b", "a.c")},
        {"asserts": value <= N},
        {"tier": "hours"},
        {"expect": "REFUTED"},
        {"note": "n"},
    ):
        _examine_shape(changed(**fine))


def test_the_meaning_of_a_claim():
    refusing(
        _examine_meaning,
        ({"expect": "UNDECIDED"}, "expect"),
        ({"role": "anything"}, "role"),
        ({"scope": {"N": "points"}}, "claim"),
        ({"source": "somewhere"}, "claim"),
        ({"scope": {"every N": "nothing"}}, "claim"),
    )
    _examine_meaning(changed(expect="UNDECIDED", role="prediction"))
    _examine_meaning(changed(role="statement", scope={"every N": "points"}, source="derived here: Lemma 1"))


def test_the_letters_of_a_claim():
    derive = {"derive": lambda thing, p: {x: 1}, "derived": [x]}
    refusing(
        _examine_letters,
        ({"lets": {N: x + 0}}, "defined twice"),
        ({"lets": {x: N}, **derive}, "defined twice"),
        ({**derive, "derived": [N]}, "defined twice"),
        ({"lets": {x: 0.5 * N}}, "a float"),
        ({"lets": {x: oo}}, "finite"),
        ({"lets": {x: M}}, "the let x uses M"),
        ({"asserts": [value <= M]}, "the letter M has no value"),
        ({"requires": [M >= 2]}, "the letter M has no value"),
        ({"derived": [x]}, "derive without"),
        ({"derive": derive["derive"]}, "derive without"),
    )
    _examine_letters(changed(**derive, asserts=[value <= x]))
    _examine_letters(changed(lets={x: N + 1}, asserts=[value <= x]))
    assert _numbers(tiny(grid=grid(N=[2], kind=["a"], M=[3]))) == {"N", "M"}
    refusing(_examine_table, ({"listed": ["M"]}, "listed = M"), ({"tabulated": [M]}, "tabulated = M"))
    _examine_table(changed(listed=["N"], tabulated=[N]))


def test_the_hypotheses_of_a_claim_are_relations():
    for wrong in (True, False, false, N, "N >= 2", None, And(N >= 2, Symbol("p")), Not(Symbol("p"))):
        with pytest.raises(CheckError):
            _relations("L", wrong)
    assert _relations("L", true) == []
    assert len(_relations("L", And(N >= 2, Or(N <= 9, M <= 3)))) == 3
    assert _relations("L", Not(And(N >= 2, M <= 3), evaluate=False))
    _examine_names("L", [value <= 1, value <= 2])
    refuses(CheckError, lambda: _examine_names("L", [value <= 1, replace(value <= 2, label="value <= 1")]))


def test_the_formulas_of_a_claim_have_rigorous_values():
    refusing(
        _examine_formulas,
        ({"asserts": [value <= airyai(N)]}, "airyai"),
        ({"asserts": [value.equals(N, within=airyai(N))]}, "airyai"),
        ({"asserts": [replace(value <= N, tie=airyai(N))]}, "airyai"),
        ({"lets": {x: airyai(N)}}, "airyai"),
        ({"asserts": [replace(value, trivial=(0, airyai(N))) <= N]}, "airyai"),
        ({"requires": [airyai(N) >= N]}, "airyai"),
        ({"controls": [replace(good, asserts=[value <= airyai(N)])]}, "airyai"),
        ({"controls": [replace(good, where=airyai(N) >= N)]}, "airyai"),
        ({"asserts": [value <= N, other <= letter("N", "another")]}, "two letters"),
        ({"derived": [letter("N", "another")]}, "two letters"),
        ({"asserts": [value <= Symbol("N", positive=True)]}, "the symbol N"),
    )
    _examine_formulas(changed(asserts=[value <= Symbol("N", real=True)], controls=[good]))
    _examine_formulas(changed(asserts=[value.slope(N, N * log(N))]))


def test_the_controls_of_a_claim():
    refusing(
        _examine_controls,
        ({"controls": []}, "controls = "),
        ({"controls": [good, "another"]}, "controls = "),
        ({"controls": ["another", good]}, "controls = "),
        ({"controls": [good, replace(good)]}, "two controls"),
        ({"expect": "REFUTED"}, "without a repair"),
        ({"controls": [repair]}, "only repairs"),
        ({"controls": [Control("nothing", breaks=value)]}, "spoils nothing"),
        ({"controls": [replace(good, breaks=other)]}, "breaks 'other'"),
        ({"controls": [replace(good, breaks=[value, "w"])]}, "breaks 'w'"),
        ({"controls": [replace(good, asserts=[])]}, "asserts"),
        ({"controls": [replace(good, where=M >= 2)]}, "uses"),
        ({"controls": [replace(good, asserts=[value <= M])]}, "uses"),
        ({"controls": [good, replace(repair, asserts=[])]}, "asserts"),
    )
    for fine in ([good], [good, repair], [replace(good, breaks="value"), replace(repair, where=N >= 3)]):
        _examine_controls(changed(controls=fine))
    _examine_controls(changed(controls=[repair], expect="REFUTED"))
    _examine_controls(changed(controls=[repair, good], expect="REFUTED"))
    refuses(CheckError, lambda: _examine_control(tiny(), Control("empty", asserts=())))
    one = Control("c", breaks=[value <= N, "other", other])
    assert (one.repair, repair.repair, len(one.targets), len(good.targets)) == (False, True, 3, 1)
    assert [one.must_break(a) for a in (value <= N, value <= 2, other >= 7)] == [True, False, True]
    assert [good.must_break(a) for a in (value >= 9, other >= 9)] == [True, False]
    for wrong in (True, False, N + 1, 3):
        with pytest.raises(DomainError, match="a condition"):
            Control("c", where=wrong)


# -- grids and points --------------------------------------------------------------------------------------------------
def test_grids_products_and_values():
    assert list(grid(N=[2, 3], k=["a", "b"])) == [{"N": n, "k": k} for n in (2, 3) for k in "ab"]
    assert list(points("N, M", (2, 3), (4, 5))) == list(points("N M", (2, 3), (4, 5)))
    both = grid(N=[2, 3]) + grid(N=[3, 4])
    assert ([p["N"] for p in both], len(both), both.axes, repr(both)) == ([2, 3, 4], 3, ("N",), "Grid(3 points over N)")
    assert Grid([{"N": 1, "M": 2}, {"M": 2, "N": 1}]).points == [{"N": 1, "M": 2}]
    assert (Grid([]).axes, both[1], both[-1]) == ((), {"N": 3}, {"N": 4})
    refuses(
        DomainError,
        (lambda: grid(N="23"), "axis N"),
        (lambda: grid(N=3), "axis N"),
        (lambda: points("N M", (2,)), "the point"),
        (lambda: points("N", (2, 3)), "the point"),
        (lambda: Grid([{"N": 1}, {"M": 1}]), "different axes"),
        lambda: axis_value(float("nan")),
        lambda: axis_value(float("inf")),
        lambda: axis_value(True),
        lambda: axis_value("a b"),
        lambda: axis_value(None),
    )
    assert [axis_value(v) for v in (2, 2.0, "2", "4/2", Fraction(4, 2), np.int64(2), Integer(2))] == [2] * 7
    assert [axis_value(v) for v in (0.1, "0.1", "1e-1", Rational(1, 10))] == [Fraction(1, 10)] * 4
    assert type(axis_value("4/2")) is int
    assert [axis_text(v) for v in (2, Fraction(1, 3), "odd")] == ["2", "1/3", "odd"]
    assert canonical({"b": 1, "a": [1.5]}) == '{"a":[1.5],"b":1}'
    refuses(ValueError, lambda: canonical(float("nan")))


def test_points_have_exact_letters_and_keyed_seeds():
    point = Point(
        "a.b",
        {"N": 4, "y": Fraction(1, 2), "k": "odd"},
        {"r": sqrt(N), "s": sqrt(2 * N), "h": N / 8, "u": 1 / log(N - 3)},
    )
    assert (point.N, point.y, point.k, point.r, point.h, point.s) == (
        4,
        Fraction(1, 2),
        "odd",
        2,
        Fraction(1, 2),
        2 * sqrt(2),
    )
    assert (type(point.r), type(point.h)) == (int, Fraction)
    refuses(UndecidedError, (lambda: point.u, "the letter u"))
    refuses(AttributeError, (lambda: point.z, "it has N, y, k, r, s, h, u"), lambda: point._private)
    assert (str(point), point.text()) == ("N=4, y=1/2, k=odd", {"N": "4", "y": "1/2", "k": "odd"})
    draws = [point.rng("a").integers(0, 10**9) for _ in range(2)]
    assert draws[0] == draws[1] != point.rng("b").integers(0, 10**9)
    assert point.seed("a").entropy == seed_sequence("a.b", {"k": "odd", "N": 4, "y": Fraction(1, 2)}, "a").entropy
    assert point.seed("a").entropy != seed_sequence("a.c", point.axes, "a").entropy


# -- letters -----------------------------------------------------------------------------------------------------------
def test_letters_say_where_they_live():
    made = [
        letter("a", "m", integer=True, positive=True),
        letter("a", "m", integer=True, nonnegative=True),
        letter("a", "m", integer=True),
        letter("a", "m", positive=True),
        letter("a", "m", nonnegative=True),
        letter("a", "m"),
    ]
    zero = Integer(0)
    assert [one.domain for one in made] == [
        [Ge(made[0], 1, evaluate=False)],
        [Ge(made[1], zero, evaluate=False)],
        [],
        [Gt(made[3], zero, evaluate=False)],
        [Ge(made[4], zero, evaluate=False)],
        [],
    ]
    assert [one.domain_latex for one in made] == [
        r"a\in \{1,2,\dots\}",
        r"a\in \{0,1,2,\dots\}",
        r"a\in \mathbb{Z}",
        "a > 0",
        r"a \ge 0",
        r"a \in \mathbb{R}",
    ]
    assert len(set(made)) == 6
    assert letter("a", "m") == letter("a", "m") != letter("a", "other")
    assert letter("a", "m", latex=r"\alpha") != letter("a", "m")
    assert isinstance(made[0], Letter)
    assert all(one.is_real for one in made)
    refuses(
        DomainError,
        (lambda: letter("2a", "m"), "the letter name"),
        (lambda: letter("", "m"), "the letter name"),
        (lambda: letter("a", "m", negative=True), "the assumptions"),
        (lambda: letter("a", "m", positive=False), "the assumptions"),
        (lambda: letter("a", "m", integer=True, even=True), "the assumptions"),
    )


# -- assertions --------------------------------------------------------------------------------------------------------
def between(low, high):
    return Estimate(End(Fraction(low)), End(Fraction(high)), Evidence.ENCLOSED)


def test_relations_of_intervals_at_the_ends_where_they_touch():
    for relation, measured, bound, truth in [
        ("<=", (1, 2), (2, 3), True),
        ("<=", (2, 3), (1, 2), None),
        ("<=", (3, 4), (1, 2), False),
        ("<=", (2, 2), (2, 2), True),
        (">=", (2, 3), (1, 2), True),
        (">=", (1, 2), (2, 3), None),
        (">=", (1, 2), (3, 4), False),
        (">=", (2, 2), (2, 2), True),
    ]:
        assert related(relation, between(*measured), [between(*bound)]) is truth
    sides = [between(1, 2), between(5, 6)]
    for measured, truth in [
        ((2, 5), True),
        ((2, 6), None),
        ((1, 5), None),
        ((6, 7), None),
        ((7, 8), False),
        ((0, 1), None),
        ((-1, 0), False),
    ]:
        assert related("==", between(*measured), sides) is truth


def test_assertions_about_slopes_bind_their_letter_and_need_a_window():
    steep = value.slope(N, x * N**2)
    assert steep.sloped
    assert steep.expr.free_symbols == {x}
    assert steep.name == "slope of value <= slope of N**2*x in N"
    assert not (value <= N).sloped
    assert (value <= N).on(between(1, 2)) == (value <= N)
    taken = steep.on(replace(between(1, 2), work={"window": [2, 4, 8]}))
    assert taken.name == steep.name
    assert abs(taken.expr.subs(x, 5).evalf() - 2) < 1e-12
    refuses(CheckError, (lambda: steep.on(between(1, 2)), "without a window"))
    refuses(
        DomainError,
        (lambda: value.slope(3, N), "a Symbol"),
        (lambda: value.slope(N, N, within=1), "'=='"),
        (lambda: Assertion(value, "=<", N), "one of"),
        lambda: LogLogSlope(N, N).over([2]),
    )
    assert value.slope(N, N, "==", within=Rational(1, 4)).sides()[1] - value.slope(N, N, "==").expr == Rational(1, 4)
    assert LogLogSlope(Integer(3), N).over([2, 4]) == 0
    assert "slope" in steep.latex()
    assert value.equals(N).sides() == [N]
    assert (value <= exp(N)).latex() == r"v \le e^{N}"


def test_a_machine_names_itself_and_the_packages_asked_for():
    found = machine("numpy", "sympy")
    assert set(found) == {"machine", "processor", "numpy", "sympy"}
    assert found["numpy"] == np.__version__
    assert all(found.values())
    assert set(machine()) == {"machine", "processor"}
    refuses(DomainError, (lambda: machine("no-such-package"), "the package"))
    assert (Budget().bits, Budget().samples, Budget().alpha) == (4096, 10**6, 1e-6)
