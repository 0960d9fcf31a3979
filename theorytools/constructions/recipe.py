r"""What a network is made of, as plain data: its class by the public name, its arguments exactly, its arrays beside it.

A construction is a frozen dataclass, so it is its class and its fields.  A field is written as

.. code-block:: text

    null, true, false                                     themselves
    {"int": "-12"}  {"fraction": "7/3"}  {"float": "0x1.8p+1"}  {"sympy": "23*log(2)"}  {"text": "equality"}
    {"tuple": […]}  {"list": […]}  {"set": […]}  {"range": [first, end, step]}  {"type": "int64"}
    {"array": "argument:0"}                               an array of floats or integers, by its name in the file
    {"objects": [shape, […]]}                             an array of exact numbers
    {"make": "theorytools.SignCode", "with": {…}}         what has a class: a code, a head, a task, a network

Reading it calls constructors, with their refusals, and nothing else.  Which ones is closed: the networks on the fronts
of the package and of its papers, the codes, tasks and parts in :data:`PARTS`, and classes that the reader hands over.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from theorytools.arguments.checked import STEPS
from theorytools.codes.subcode import SelectedCode
from theorytools.constructions.network import Network
from theorytools.constructions.number_text import double, ratio, symbolic, whole, written
from theorytools.constructions.twin import twin
from theorytools.errors import DomainError, TheoryError

Plain = dict[str, Any]
Arrays = dict[str, NDArray[Any]]

ARGUMENT = "argument:"  # how the name of an array begins, which no name in a module does
DEEPEST = 24  # of objects within objects
ROWS = "theorytools.codes.subcode.subcode"
# what networks are made of, besides networks; each has a constructor that checks what it is given
PARTS = (
    "theorytools.SignCode", "theorytools.LinearCode", "theorytools.BCHCode", "theorytools.EquiangularCode",
    "theorytools.GramCode", "theorytools.Encodings", "theorytools.LineUnits", ROWS,
    "theorytools.papers.qstr.tasks.few_heads.FewTokens",
    "theorytools.papers.sep.tasks.dyck.BoundedDyck",
    "theorytools.papers.sep.tasks.nearest_neighbour.NearestTask",
)  # fmt: skip
_TYPES = ("bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
          "float16", "float32", "float64")  # fmt: skip
_MANY: Mapping[str, Callable[[Any], Any]] = {"tuple": tuple, "list": list, "set": frozenset}
_WHY = "a network is made anew by its constructor, from data alone"


# -- names -------------------------------------------------------------------------------------------------------------
@cache
def fronts() -> tuple[str, ...]:
    """Return the names of the packages whose public networks are known: the flat front and those of the papers."""
    package = Path(__file__).resolve().parents[1]
    return ("theorytools", *sorted(f"theorytools.papers.{stub.parent.name}"
                                   for stub in package.glob("papers/*/__init__.pyi")))  # fmt: skip


def name_of(kind: type) -> str:
    """Return the dotted name of a class as it is reached from a front; where it is defined if no front has it."""
    for front in fronts():
        if kind.__name__ in twin(f"{front}:__all__") and twin(f"{front}:{kind.__name__}") is kind:
            return f"{front}.{kind.__name__}"
    return f"{kind.__module__}.{kind.__qualname__}"


def maker(name: Any, known: Sequence[type] = ()) -> Callable[..., Any]:
    """Return the class, or the function, that a name of the registry means.

    Parameters
    ----------
    name : a dotted name.
    known : further classes, by where they are defined.

    Raises
    ------
    DomainError : any other name; nothing is imported for it.
    """
    for kind in known:
        if name == f"{kind.__module__}.{kind.__qualname__}":
            return kind
    if isinstance(name, str):
        front, _, last = name.rpartition(".")
        if name in PARTS:
            return twin(f"{front}:{last}")
        if front in fronts() and last in twin(f"{front}:__all__"):
            kind = twin(f"{front}:{last}")
            if isinstance(kind, type) and issubclass(kind, Network) and dataclasses.is_dataclass(kind):
                return kind
    raise DomainError(
        f"the construction {name!r:.100}", required="one of the networks, codes and tasks of theorytools",
        why="a file names what is made, and nothing outside this list is looked up",
        advice="a class of your own is known where it is given: load(path, known=[YourNetwork])",
    )  # fmt: skip


# -- written -----------------------------------------------------------------------------------------------------------
def recipe(net: Any) -> tuple[Plain, Arrays]:
    """Return what a network is made of, and its arrays by name; it was read back, and is the same.

    Raises
    ------
    DomainError : a network that is no dataclass, a spoiled twin of one, or an argument that is no data.
    """
    plain, arrays = _written(net)
    again = _written(made(plain, arrays, known=_kinds(net)))
    if again[0] != plain or any(_bits(again[1][name]) != _bits(array) for name, array in arrays.items()):
        raise DomainError(
            f"{type(net).__name__} with other arguments than its constructor leaves", why=_WHY,
            required="a network as it is made", advice="save the network itself, not a spoiled twin",
        )  # fmt: skip
    return plain, arrays


def _written(net: Any) -> tuple[Plain, Arrays]:
    arrays: Arrays = {}
    return _object(type(net).__name__, net, arrays), arrays


def _bits(array: NDArray[Any]) -> tuple[Any, ...]:
    return array.dtype.name, array.shape, array.tobytes()


def _kinds(net: Any) -> list[type]:
    """The classes of a network and of all that it is made of: those of others are known to whoever writes them."""
    found = [type(net)]
    for value in (
        _fields(net).values() if dataclasses.is_dataclass(net) else net if isinstance(net, tuple | list) else ()
    ):
        found += _kinds(value) if dataclasses.is_dataclass(value) or isinstance(value, tuple | list) else []
    return found


def _fields(net: Any) -> dict[str, Any]:
    return {field.name: getattr(net, field.name) for field in dataclasses.fields(net) if field.init}


def _object(where: str, value: Any, arrays: Arrays) -> Plain:
    if isinstance(value, type) or not dataclasses.is_dataclass(value):
        raise DomainError(
            f"{where} of type {type(value).__name__}", required="a dataclass, whose fields are its arguments", why=_WHY,
            advice="@dataclass(frozen=True) on the class, or save(net.module(), path), which keeps the tensors",
        )  # fmt: skip
    if replaced := getattr(value, "__dict__", {}).get("_changed"):
        raise DomainError(
            f"{where}, a twin with {', '.join(replaced)} replaced", required="a network as it is made",
            why=_WHY, advice="save the honest network, and spoil it again after loading",
        )  # fmt: skip
    if isinstance(value, SelectedCode):  # its constructor takes rows on trust; the function chooses them
        name, fields = ROWS, {"code": value.base, "rows": value.rows}
    else:
        name, fields = name_of(type(value)), _fields(value)
    return {"make": name, "with": {key: _value(f"{where}.{key}", part, arrays) for key, part in fields.items()}}


def _value(where: str, value: Any, arrays: Arrays) -> Any:
    """One argument as plain data; ``DomainError`` names the one that is none."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, np.bool_ | np.integer | np.floating):
        return _value(where, value.item(), arrays)
    for kind, key in ((int, "int"), (Fraction, "fraction"), (float, "float"), (sympy.Expr, "sympy")):
        if isinstance(value, kind):
            return {key: written(value)}
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, range):
        return {"range": [value.start, value.stop, value.step]}
    if isinstance(value, tuple | list | set | frozenset):
        many = sorted(value) if isinstance(value, set | frozenset) else value
        key = "set" if many is not value else "tuple" if isinstance(value, tuple) else "list"
        return {key: [_value(f"{where}[{k}]", part, arrays) for k, part in enumerate(many)]}
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return {"type": np.dtype(value).name}
    if isinstance(value, np.ndarray):
        return _array(where, value, arrays)
    if dataclasses.is_dataclass(value):
        return _object(where, value, arrays)
    raise DomainError(
        f"{where}, a {type(value).__name__}", required="numbers, texts, arrays, and codes, heads and tasks", why=_WHY,
        advice="a function is no data: name it where the construction has names"
        if callable(value) else "an argument of another kind",
    )  # fmt: skip


def _array(where: str, value: NDArray[Any], arrays: Arrays) -> Plain:
    if value.dtype == object:
        return {"objects": [list(value.shape), [_value(where, x, arrays) for x in value.flat]]}
    if value.dtype.name not in _TYPES:
        raise DomainError(
            f"{where} of type {value.dtype}", required="floats of up to 64 bits, integers or truth values", why=_WHY
        )
    name = f"{ARGUMENT}{len(arrays)}"
    arrays[name] = np.array(value, dtype=value.dtype.newbyteorder("="), order="C")
    return {"array": name}


def argument(where: str, value: Any) -> Any:
    """Return one argument as plain data; ``DomainError`` for an array and for what is no data."""
    arrays: Arrays = {}
    plain = _value(where, value, arrays)
    if arrays:
        raise DomainError(f"{where}, an array", required="numbers and texts", why="it stands in the text of a file")
    return plain


# -- read --------------------------------------------------------------------------------------------------------------
def made(plain: Any, arrays: Mapping[str, NDArray[Any]], known: Sequence[type] = ()) -> Any:
    """Return the network of a recipe.

    Parameters
    ----------
    plain : the recipe, as JSON has it.
    arrays : its arrays by name; each is an argument once.
    known : further classes that it may name.

    Raises
    ------
    DomainError : what is no recipe, a name outside the registry, arguments that the constructor refuses.
    """
    reader = _Reader(arrays, known)
    net = reader.made(plain, 0)
    if not isinstance(net, Network):
        raise DomainError(f"a {type(net).__name__}", required="a network", why="codes and tasks are parts of one")
    if left := sorted(set(arrays) - reader.used):
        raise DomainError(f"arrays that no argument names: {', '.join(left)[:100]}", required="each once", why=_WHY)
    return net


def read_argument(plain: Any) -> Any:
    """Return the argument that :func:`argument` wrote; ``DomainError`` for any other data."""
    return _Reader({}, ()).value(plain, 0)


class _Reader:
    """Makes arguments of plain data; each kind of data is read by the method of its name."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], known: Sequence[type]) -> None:
        self.arrays, self.known, self.used = arrays, known, set[str]()

    def made(self, plain: Any, depth: int) -> Any:
        if not isinstance(plain, dict) or set(plain) != {"make", "with"} or not isinstance(plain["with"], dict):
            raise _no_recipe(plain, "{'make': name, 'with': arguments by name}")
        make = maker(plain["make"], self.known)
        arguments = {name: self.value(part, depth + 1) for name, part in plain["with"].items()}
        try:
            return make(**arguments)
        except TheoryError:
            raise
        except Exception as error:  # constructors unpack what they are given; what they raise names what was wrong
            raise DomainError(
                f"{plain['make']} of {', '.join(arguments) or 'nothing'}: {type(error).__name__}: {error!s:.200}",
                required="the arguments that its constructor takes", why=_WHY,
            ) from None  # fmt: skip

    def value(self, plain: Any, depth: int) -> Any:
        if plain is None or isinstance(plain, bool):
            return plain
        if depth > DEEPEST:
            raise _no_recipe(plain, f"at most {DEEPEST} objects within one another")
        if isinstance(plain, dict) and "make" in plain:
            return self.made(plain, depth)
        if isinstance(plain, dict) and len(plain) == 1:
            key, content = next(iter(plain.items()))
            if key in _SIMPLE:
                return _SIMPLE[key](content)
            if key in _MANY and isinstance(content, list):
                return _MANY[key](self.value(part, depth + 1) for part in content)
            if key in ("array", "objects"):
                return getattr(self, key)(content, depth)
        raise _no_recipe(plain, f"one of {', '.join((*_SIMPLE, *_MANY, 'array', 'objects', 'make'))}")

    def array(self, name: Any, _: int) -> NDArray[Any]:
        if not isinstance(name, str) or name not in self.arrays or name in self.used:
            raise _no_recipe(name, "the name of an array of the file, once")
        self.used.add(name)
        return self.arrays[name]

    def objects(self, content: Any, depth: int) -> NDArray[Any]:
        shape: Any = content[0] if isinstance(content, list) and len(content) == 2 else None
        entries: Any = content[1] if shape is not None else None
        fits = isinstance(shape, list) and isinstance(entries, list) and all(type(n) is int and n >= 0 for n in shape)
        if not fits or len(shape) > 8 or math.prod(shape) != len(entries):
            raise _no_recipe(content, "[shape, as many entries]")
        found: NDArray[Any] = np.empty(len(entries), dtype=object)
        for k, part in enumerate(entries):
            found[k] = self.value(part, depth + 1)
        return found.reshape(shape)


def _text(content: Any) -> str:
    if not isinstance(content, str):
        raise _no_recipe(content, "a text")
    return content


def _range(content: Any) -> range:
    fits = isinstance(content, list) and len(content) == 3 and all(type(n) is int and abs(n) < STEPS for n in content)
    if not fits or not content[2]:  # a longer one would be gone through, item by item, by what checks arguments
        raise _no_recipe(content, f"[first, end, step], moduli below {STEPS}")
    return range(*content)


def _type(content: Any) -> Any:
    if content not in _TYPES:
        raise _no_recipe(content, f"one of {', '.join(_TYPES)}")
    return np.dtype(content).type


_SIMPLE: Mapping[str, Callable[[Any], Any]] = {
    "int": whole, "fraction": ratio, "float": double, "sympy": symbolic, "text": _text, "range": _range, "type": _type,
}  # fmt: skip


def _no_recipe(plain: Any, required: str) -> DomainError:
    return DomainError(f"the argument {plain!r:.100}", required=required, why=_WHY)
