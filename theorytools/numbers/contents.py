"""What an object is made of: its numbers with their lengths, whether it can be changed in place, whether two are equal.

Numbers, texts, None, tuples, lists, dictionaries, sets, arrays, and objects with attributes are walked into; anything
else is refused, since nobody could say whether it was changed.
"""

from __future__ import annotations

import copy
import math
import numbers
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
import sympy
from flint import fmpq, fmpz

from theorytools.errors import NumberError
from theorytools.numbers.enclosure import Enclosure
from theorytools.numbers.float_result import FloatResult

_LEAVES = (str, bytes, bool, type(None), Enum, np.bool_, np.str_)
_DEEP = 20
WORD = 64  # bits


@dataclass
class Contents:
    """What was met in an object.

    Attributes
    ----------
    work : products of two 64-bit words that multiplying each of its numbers by one of its own length takes.
    bits : length of its longest number.
    mutable : whether a part of it can be changed in place.
    libraries : the packages whose floats are among its numbers; empty where all are exact.
    """

    work: int = 0
    bits: int = 0
    mutable: bool = False
    libraries: tuple[str, ...] = ()
    floats: bool = False

    def number(self, bits: int) -> None:
        """Count a number of this length."""
        self.bits = max(self.bits, bits)
        self.work += (bits // WORD + 1) ** 2

    def rounded(self, *libraries: str) -> None:
        """Count a float."""
        self.number(WORD)
        self.floats = True
        self.libraries = tuple(sorted({*self.libraries, *libraries}))


def contents(thing: Any) -> Contents:
    """Return what an object is made of.

    Raises
    ------
    NumberError : a number that is not finite, or a part of which nobody could say whether it was changed.

    Examples
    --------
    >>> from fractions import Fraction
    >>> contents((Fraction(1, 3), [2**100])).bits, contents((1, 2)).mutable, contents([0.5]).floats
    (101, False, True)
    """
    found = Contents()
    _walk(thing, found, 0)
    return found


def _walk(thing: Any, found: Contents, depth: int) -> None:
    if isinstance(thing, _LEAVES):
        return
    if isinstance(thing, numbers.Number | fmpq | fmpz | Enclosure | sympy.Basic):
        _number(thing, found)
        return
    if isinstance(thing, np.ndarray):
        _array(thing, found, depth)
        return
    if depth > _DEEP:
        raise NumberError(f"containers nested {_DEEP} deep", required="a state that does not contain itself")
    if not isinstance(thing, tuple | frozenset) and not _frozen(thing):
        found.mutable = True
    for part in _parts(thing):
        _walk(part, found, depth + 1)


def _number(x: Any, found: Contents) -> None:
    if isinstance(x, FloatResult):
        found.rounded(*x.libraries)
    elif isinstance(x, numbers.Integral):
        found.number(int(x).bit_length())
    elif isinstance(x, numbers.Rational):
        found.number(max(int(x.numerator).bit_length(), int(x.denominator).bit_length()))
    elif isinstance(x, fmpq):
        found.number(max(int(x.p).bit_length(), int(x.q).bit_length()))
    elif isinstance(x, fmpz):
        found.number(int(x).bit_length())
    elif isinstance(x, Enclosure | sympy.Basic):
        found.number(WORD)
    elif isinstance(x, numbers.Real):
        if not math.isfinite(x):
            raise NumberError(f"the number {x}", required="finite numbers")
        found.rounded(*["numpy"] * isinstance(x, np.generic))
    else:
        raise NumberError(f"{x!r:.60} of type {type(x).__name__}", required="real numbers")


def _array(array: Any, found: Contents, depth: int) -> None:
    found.mutable = True
    if array.dtype.kind == "O":
        for part in array.flat:
            _walk(part, found, depth + 1)
    elif array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise NumberError("an array with nan or inf", required="finite numbers")
        found.work += array.size
        found.rounded("numpy")
    elif array.dtype.kind in "biuSU":
        found.work += array.size
    else:
        raise NumberError(f"an array of {array.dtype}", required="real numbers")


def _frozen(thing: Any) -> bool:
    return is_dataclass(thing) and getattr(type(thing), "__dataclass_params__").frozen  # noqa: B009


def _written(kind: type) -> bool:
    """Whether a class is written in Python, with every class above it: others keep what no attribute shows."""
    return all(one.__flags__ & 1 << 9 for one in kind.__mro__[:-1])  # heap types, in the words of CPython


def _parts(thing: Any) -> Iterator[Any]:
    """The parts of a container or of an object, those of a dictionary with their keys."""
    if isinstance(thing, Mapping):
        for key, value in thing.items():
            yield from (key, value)
    elif isinstance(thing, tuple | list | set | frozenset):
        yield from thing
    elif is_dataclass(thing) and not isinstance(thing, type):
        yield from (getattr(thing, part.name) for part in fields(thing))
    elif hasattr(thing, "__dict__") and not callable(thing) and _written(type(thing)):
        yield from vars(thing).values()
    else:
        raise NumberError(
            f"a {type(thing).__name__}",
            required="numbers, texts, tuples, lists, dictionaries, sets, arrays, dataclasses",
            why="of anything else nobody can say whether it was changed",
        )  # fmt: skip


def same(a: Any, b: Any) -> bool:
    """Return whether two objects are made of equal numbers in the same way."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return type(a) is type(b) and a.shape == b.shape and all(map(same, a.flat, b.flat))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, Enclosure) or isinstance(b, Enclosure):
        return isinstance(a, Enclosure) and isinstance(b, Enclosure) and a.same(b)
    if type(a) is type(b) and hasattr(a, "__dict__") and not any("__eq__" in vars(k) for k in type(a).__mro__[:-1]):
        return same(vars(a), vars(b))
    return bool(a == b)


def converted(thing: Any, change: Callable[[Any], Any]) -> Any:
    """Return a copy of an object with every number that is neither integer nor truth value changed."""
    if isinstance(thing, (*_LEAVES, numbers.Integral)):
        return thing
    if isinstance(thing, numbers.Number | fmpq | fmpz | sympy.Basic):
        return change(thing)
    if isinstance(thing, np.ndarray):
        if thing.dtype.kind in "biuSU":
            return thing.copy()
        made = np.empty(thing.shape, dtype=object)
        made.reshape(-1)[:] = [converted(x, change) for x in thing.flat]
        return made
    if isinstance(thing, Mapping):
        kept: Any = copy.copy(thing)
        kept.update({key: converted(value, change) for key, value in thing.items()})
        return kept
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return type(thing)(*(converted(x, change) for x in thing))
    if isinstance(thing, tuple | list | set | frozenset):
        return type(thing)(converted(x, change) for x in thing)
    if is_dataclass(thing) and not isinstance(thing, type):
        return replace(thing, **{part.name: converted(getattr(thing, part.name), change) for part in fields(thing)})
    made = copy.copy(thing)
    vars(made).update({name: converted(value, change) for name, value in vars(thing).items()})
    return made
