"""Kinds of arguments that are objects: of a class, of a protocol, a type of numbers, a function, a mapping."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from theorytools.arguments.hidden import hidden
from theorytools.arguments.kinds import REFUSED, Kind, names_of

Reader = Callable[[Any], Any]  # makes an object of an array, or returns None
READERS: dict[Any, tuple[Reader, str]] = {}  # by class, with what the arrays are in words


def reads_arrays(kind: Any, words: str) -> Callable[[Reader], Reader]:
    """Register a function that makes an object of a class of an array: one is then admitted where the class is."""

    def note(read: Reader) -> Reader:
        READERS[kind] = (read, words)
        return read

    return note


@dataclass(frozen=True)
class Class(Kind):
    """An object of a class, or of one that answers a protocol's methods."""

    name: str
    kind: Any

    @property
    def required(self) -> str:  # type: ignore[override]
        """In words."""
        own = _one(self.name)
        return f"{own}, or {READERS[self.kind][1]}" if self._reader else own

    def settles(self, kind: type) -> bool:
        """A class that has the class among its bases, or every name of the protocol."""
        if issubclass(kind, type):
            return False
        if getattr(self.kind, "_is_protocol", False):
            return all(_has(kind, name) for name in _protocol_names(self.kind))
        return self.kind in kind.__mro__

    def alters(self, kind: type) -> bool:
        """An array, where the class is read from one."""
        return self._reader is not None and not self.settles(kind)

    @property
    def _reader(self) -> Reader | None:
        return READERS[self.kind][0] if self.kind in READERS else None

    def take(self, value: Any) -> Any:
        """Return the object, or the one that an array stands for."""
        taken = self._object(value)
        if taken is REFUSED and self._reader is not None and not isinstance(value, type):
            made = None if hidden(value) else self._reader(value)
            return REFUSED if made is None else made
        return taken

    def _object(self, value: Any) -> Any:
        if isinstance(value, type):
            return REFUSED
        if getattr(self.kind, "_is_protocol", False):
            # the names only: isinstance would evaluate the properties of the value
            held = vars(value) if hasattr(value, "__dict__") else {}
            names = (n for n in _protocol_names(self.kind) if not _has(type(value), n) and n not in held)
            return REFUSED if any(True for _ in names) else value
        return value if isinstance(value, self.kind) else REFUSED


@dataclass(frozen=True)
class Late(Kind):
    """An object of a class of a library that loads late, known by its name such as ``torch.Tensor``."""

    name: str

    @property
    def required(self) -> str:  # type: ignore[override]
        """In words."""
        return _one(self.name.rpartition(".")[2])

    def settles(self, kind: type) -> bool:
        """A class that has the class among its bases; a tensor is looked at, for some hold no numbers."""
        return self.name != "torch.Tensor" and self._named(kind)

    def take(self, value: Any) -> Any:
        """Return the object."""
        return value if self._named(type(value)) and not hidden(value, learns=True) else REFUSED

    def _named(self, kind: type) -> bool:
        return not issubclass(kind, type) and self.name in names_of(kind)  # type: ignore[arg-type]  # it is hashable


def _one(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _has(kind: type, name: str) -> bool:
    """Whether objects of a class have a method; every class can be called itself, which says nothing of its objects."""
    return any(name in vars(c) for c in kind.__mro__) if name == "__call__" else hasattr(kind, name)


@lru_cache(maxsize=256)
def _protocol_names(protocol: type) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for c in protocol.__mro__:
        if getattr(c, "_is_protocol", False):
            public = [n for n in (*vars(c), *getattr(c, "__annotations__", {})) if not n.startswith("_")]
            names.update(dict.fromkeys(public + ["__call__"] * ("__call__" in vars(c))))
    return tuple(names)


class Dtype(Kind):
    """A type of an array's entries."""

    required = "a type of numpy, such as np.float64"

    def take(self, value: Any) -> Any:
        """Return the type as it was given."""
        import numpy as np

        try:
            return REFUSED if value is None else (np.dtype(value), value)[1]
        except TypeError:
            return REFUSED


class Function(Kind):
    """Something that can be called."""

    required = "a function"

    def settles(self, kind: type) -> bool:
        """A function that was defined."""
        return kind is types.FunctionType

    def alters(self, kind: type) -> bool:
        """No function."""
        return False

    def take(self, value: Any) -> Any:
        """Return the function."""
        return value if callable(value) else REFUSED


class Mapped(Kind):
    """A mapping of names to values."""

    required = "a dictionary"

    def settles(self, kind: type) -> bool:
        """A dictionary."""
        return issubclass(kind, dict)

    def alters(self, kind: type) -> bool:
        """No mapping."""
        return False

    def take(self, value: Any) -> Any:
        """Return the mapping."""
        return value if isinstance(value, Mapping) else REFUSED
