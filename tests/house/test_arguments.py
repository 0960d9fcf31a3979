"""Arguments are read by their annotations: each name is found, each element looked at, each number is Python's."""

import ast
import importlib
import inspect
import math
import subprocess
import sys
import types
import typing
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import fuzzing
import numpy as np
import pytest
import typing_extensions
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from source_tree import MODULES

import theorytools
from theorytools.arguments.annotations import kind_of
from theorytools.arguments.checked import NonNegativeInt, PositiveInt, Real, at_most, checked, plan_of
from theorytools.errors import BudgetError, DomainError

HEAD = """
from __future__ import annotations
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any
from theorytools.arguments.checked import checked
"""


@pytest.fixture
def module():
    """Make a module of a text, under a name of its own."""
    made = []

    def make(text, **names):
        one = types.ModuleType(f"made_for_arguments_{len(made)}")
        made.append(sys.modules.setdefault(one.__name__, one))
        vars(one).update(names)
        exec(compile(HEAD + text, one.__name__, "exec"), vars(one))
        return one

    yield make
    for one in made:
        del sys.modules[one.__name__]


def guarded():
    """Every checked function and method of the library and beside the statements, by module and name."""
    modules = [importlib.import_module(name) for name in MODULES if not name.endswith("__main__")]
    values = [v for m in modules for v in vars(m).values() if getattr(v, "__module__", "") == m.__name__]
    for value in values + list(fuzzing.definitions().values()):
        for inner in list(vars(value).values()) if inspect.isclass(value) else [value]:
            function = getattr(inner, "__func__", inner)
            if hasattr(function, "plan"):
                yield f"{function.__module__}.{function.__qualname__}", function


def admits_anything(annotation):
    """Whether the text of an annotation says so: Any by itself or in a union, a letter for a type, the body's words."""
    parts = [ast.unparse(part) for part in ast.walk(ast.parse(annotation))]
    return bool({"Any", "T", "BODY"} & set(parts))


def test_every_annotation_is_found_and_none_becomes_anything():
    found = dict(guarded())
    assert len(found) > 900
    loose = {}
    for name, function in found.items():
        plan = plan_of(function)
        for argument, kind in plan.by_name.items():
            text = str(inspect.signature(function).parameters[argument].annotation)
            if kind is None and argument not in ("self", "cls") and not admits_anything(text):
                loose[f"{name}({argument})"] = text
    assert loose == {}


def test_a_class_is_the_one_of_its_module_whatever_else_is_loaded(module):
    first = module("class Twin: pass\n@checked\ndef take(x: Twin) -> Any: return x")
    second = module("class Twin: pass\n@checked\ndef take(x: Twin) -> Any: return x")
    for one, other in ((first, second), (second, first)):
        mine = one.Twin()
        assert one.take(mine) is mine
        with pytest.raises(DomainError, match="x: a Twin"):
            one.take(other.Twin())


def test_a_name_that_is_not_found_is_an_error_of_the_first_call(module):
    theorytools.Bound  # noqa: B018  a class of that name is loaded, which says nothing of this module
    made = module(
        "if TYPE_CHECKING:\n    from theorytools import Bound\nran = []\n"
        "@checked\ndef take(x: Bound | None = None) -> None: ran.append(x)"
    )
    for _ in range(2):
        with pytest.raises(NameError, match="Bound"):
            made.take()
    assert made.ran == []


def test_what_comes_back_may_be_named_for_type_checkers_only(module):
    made = module("if TYPE_CHECKING:\n    from elsewhere import Late\n@checked\ndef give(n: int) -> Late: return n")
    assert made.give(np.int64(3)) == 3


@pytest.mark.parametrize("text", ["def take(x): pass", "def take(x: Annotated[int, 'a note']): pass"])
def test_an_argument_of_which_nothing_is_said_is_an_error(module, text):
    made = module("@checked\n" + text)
    with pytest.raises(TypeError, match=r"annotation|no kind"):
        made.take(1)


@pytest.mark.parametrize("annotation", ["a text", type[int], 3], ids=repr)
def test_a_type_that_no_kind_stands_for_is_an_error(annotation):
    with pytest.raises(TypeError, match="no kind of argument"):
        kind_of(annotation)


def test_a_field_is_read_in_the_module_that_declares_it(module):
    first = module("class Part: pass\n@dataclass\nclass Base:\n    unit: Part")
    second = module("class Part: pass\n@checked\n@dataclass\nclass Child(Base):\n    own: Part", Base=first.Base)
    assert second.Child(first.Part(), second.Part())
    with pytest.raises(DomainError, match="unit: a Part"):
        second.Child(second.Part(), second.Part())
    with pytest.raises(DomainError, match="own: a Part"):
        second.Child(first.Part(), first.Part())


def test_a_function_as_the_default_of_a_field_is_no_method():
    @checked
    @dataclass
    class Rule:
        value: Real = 0
        rank: types.FunctionType = lambda spec: spec

    assert Rule().rank("word") == "word"


def test_a_class_of_torch_is_known_by_its_name_and_torch_stays_out():
    text = HEAD + (
        "import sys\n@checked\ndef take(x: torch.Tensor | None = None): return x\n"
        "class Tensor: pass\n"
        "assert take() is None\n"
        "try: take(Tensor())\nexcept ValueError as error: assert 'x: a Tensor' in str(error)\n"
        "else: raise AssertionError\n"
        "assert 'torch' not in sys.modules\nimport torch\nassert take(torch.ones(1)) is not None\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# -- values --------------------------------------------------------------------------------------------------------
@checked
def integer(n: int) -> object:
    return n


@checked
def fraction(x: Fraction) -> object:
    return x


@checked
def floats(xs: list[float]) -> object:
    return xs


@checked
def rows(xs: list[tuple[int, float]], /, *more: float, **named: int) -> object:
    return xs, more, named


@given(st.integers(-(2**63), 2**63 - 1))
def test_an_integer_of_numpy_becomes_pythons(n):
    assert type(integer(np.int64(n))) is int
    assert integer(np.int64(n)) == integer(n=np.int64(n)) == n
    assert type(fraction(np.int64(n))) is int


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_where_a_fraction_is_meant_is_its_shortest_decimal(x):
    for value in (x, np.float64(x)):
        assert fraction(value) == fraction(x=value) == Fraction(repr(x))
        assert type(fraction(value)) is Fraction


def test_one_tenth_is_one_tenth():
    assert fraction(0.1) == Fraction(1, 10) != Fraction(0.1)


@given(st.lists(st.floats(-1, 1), max_size=300), st.data())
def test_no_element_is_left_unseen(xs, data):
    """Libraries that draw one element to look at let most of these through."""
    bad = data.draw(st.sampled_from([math.nan, math.inf, "x", True, None]))
    place = data.draw(st.integers(0, len(xs)))
    assert floats(xs) is xs
    with pytest.raises(DomainError) as caught:
        floats([*xs[:place], bad, *xs[place:]])
    assert caught.value.given.startswith(f"xs[{place}] = ")


def test_an_element_is_named_however_deep_and_in_whatever_way_it_was_passed():
    assert rows([(np.int64(1), np.float64(0.5))], np.float64(2), k=np.int64(3)) == ([(1, 0.5)], (2.0,), {"k": 3})
    for call, said in (
        (lambda: rows([(1, 0.5), (1.5, 0.5)]), "xs[1][0] = 1.5"),
        (lambda: rows([], 1.0, math.nan), "more = nan"),
        (lambda: rows([], k=True), "k = True"),
        (lambda: integer(n=2.0), "n = 2.0"),
        (lambda: integer(True), "n = True"),
    ):
        with pytest.raises(DomainError) as caught:
            call()
        assert caught.value.given == said
        assert caught.value.required.startswith(said.partition(" = ")[0])
        assert caught.value.why
        assert caught.value.advice


# -- sizes ---------------------------------------------------------------------------------------------------------
@checked
@at_most(n=9, m=5)
def sizes(n: PositiveInt, m: NonNegativeInt | None = None) -> object:
    return n, m


@pytest.mark.parametrize("kind", [int, np.int64])
def test_a_size_is_refused_below_its_range_and_too_much_above(kind):
    assert sizes(kind(1)) == (1, None)
    assert sizes(kind(9), kind(0)) == sizes(n=kind(9), m=kind(0)) == (9, 0)
    assert sizes(1, m=kind(5)) == (1, 5)
    for call in (lambda: sizes(kind(0)), lambda: sizes(kind(-3)), lambda: sizes(1, kind(-1)), lambda: sizes(n=kind(0))):
        with pytest.raises(DomainError) as caught:
            call()
        assert not isinstance(caught.value, BudgetError)
    for call in (lambda: sizes(kind(10)), lambda: sizes(1, kind(6)), lambda: sizes(1, m=kind(6))):
        with pytest.raises(BudgetError, match="at most"):
            call()


def test_a_limit_of_a_class_is_one_of_its_constructor_and_of_those_below():
    @checked
    @at_most(n=9)
    @dataclass(frozen=True)
    class Held:
        n: PositiveInt

        def grown(self, n: PositiveInt) -> int:
            return self.n + n

    @checked
    @dataclass(frozen=True)
    class Wider(Held):
        m: PositiveInt = 1

    assert Held(9).grown(10) == 19
    assert Wider(9, 10).m == 10
    for kind in (Held, Wider):
        with pytest.raises(BudgetError):
            kind(10)


def test_a_limit_of_what_is_no_integer_or_no_argument_is_an_error():
    @checked
    @at_most(x=3)
    def real(x: Real) -> None: ...

    @checked
    @at_most(n=3)
    @dataclass
    class Other:
        m: int

    @checked
    @at_most(k=3)
    def missing(n: int) -> None: ...

    for call, error in ((lambda: real(1), TypeError), (lambda: Other(1), TypeError), (lambda: missing(1), KeyError)):
        with pytest.raises(error):
            call()


def test_an_alias_of_a_statement_is_what_it_stands_for():
    """``type NDArray[T] = …``, as numpy 2.5 has it from Python 3.12 on."""
    scalar = typing.TypeVar("scalar", bound=np.generic)
    array = typing_extensions.TypeAliasType(
        "array", np.ndarray[tuple[Any, ...], np.dtype[scalar]], type_params=(scalar,)
    )
    assert kind_of(array[np.float64]) == kind_of(NDArray[np.float64])
    assert kind_of(typing_extensions.TypeAliasType("whole", int)) == kind_of(int)
