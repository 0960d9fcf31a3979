"""Kinds of arguments: what each admits, in which form it passes it on, and how it words a refusal."""

from __future__ import annotations

import math
import numbers
import operator
import re
import reprlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theorytools.errors import BudgetError, DomainError

REFUSED = object()
_EXACT = {int, Fraction}
_DIGITS = re.compile(r"\s*[-+]?(\d+(/\d+)?|(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,4})?)\s*", re.ASCII)
_brief = reprlib.Repr()
_brief.maxstring = _brief.maxother = 60


class Kind:
    """What an argument may be."""

    required = ""

    def take(self, value: Any) -> Any:
        """Return ``value`` in the form that is passed on, or :data:`REFUSED`."""
        raise NotImplementedError

    def admit(self, name: str, value: Any, where: str) -> Any:
        """Return what :meth:`take` returns; ``DomainError`` with the argument's name where it refuses."""
        taken = self.take(value)
        if taken is REFUSED:
            raise self.refusal(name, value, where)
        return taken

    def refusal(self, name: str, value: Any, where: str) -> DomainError | BudgetError:
        """Return the error of an argument that was refused."""
        given = f"{name} = {shown(value)}"
        if not isinstance(value, int | float | str | None):
            given += f", a {type(value).__name__}"
        return DomainError(
            given, required=f"{name}: {self.required}", why=where, advice=f"pass {name} as {self.required}"
        )


def shown(value: Any) -> str:
    """Return a short printed form of any value; one that cannot be printed is named by its type."""
    try:
        return _brief.repr(value).replace("\n", " ")
    except Exception:  # the printing of a stranger's object is a stranger's code
        return f"<{type(value).__name__}>"


@dataclass(frozen=True)
class Integer(Kind):
    """An integer, Python's or numpy's, from ``least`` to ``most``."""

    least: int | None = None
    most: int | None = None

    @property
    def required(self) -> str:  # type: ignore[override]
        """In words."""
        words = "an integer" if self.least is None else f"an integer of at least {self.least}"
        return words if self.most is None else f"{words} and at most {self.most}"

    def take(self, value: Any) -> Any:
        """Return a Python integer."""
        if type(value) is not int:
            if isinstance(value, bool) or not isinstance(value, numbers.Integral):
                return REFUSED
            value = operator.index(value)
        low = self.least is not None and value < self.least
        return REFUSED if low or (self.most is not None and value > self.most) else value

    def refusal(self, name: str, value: Any, where: str) -> DomainError | BudgetError:
        """Return a BudgetError for an integer that is only too large."""
        error = super().refusal(name, value, where)
        if self.most is not None and Integer(self.most).take(value) is not REFUSED:
            return BudgetError(error.given, required=error.required, why=error.why, advice=f"take a smaller {name}")
        return error


@dataclass(frozen=True)
class Number(Kind):
    """A number: ``rational``, ``float``, ``real`` or ``formula``, each wider than the one before, or ``extended``.

    All are finite but ``extended``, which is a float or plus or minus infinity.
    """

    kind: str

    @property
    def required(self) -> str:  # type: ignore[override]
        """In words."""
        return {
            "rational": "a rational number such as Fraction(1, 2)",
            "float": "a finite number",
            "extended": "a number or an infinity",
            "real": "a finite number, exact, enclosed or symbolic without letters",
            "formula": "a symbolic expression or a finite number",
        }[self.kind]

    def take(self, value: Any) -> Any:
        """Return the number; a float becomes a fraction where one is meant, numpy's numbers become Python's."""
        if type(value) in _EXACT:
            return value
        if isinstance(value, bool | str | bytes) or value is None:
            return REFUSED
        symbolic = type(value).__module__.startswith("sympy")
        if isinstance(value, numbers.Integral):
            return value if symbolic else operator.index(value)  # a symbolic integer divides exactly, an int does not
        if isinstance(value, numbers.Rational):
            return value
        if isinstance(value, numbers.Real) and hasattr(value, "as_integer_ratio") and not symbolic:
            return self._float(float(value))
        kinds = {f"{c.__module__.partition('.')[0]}.{c.__name__}" for c in type(value).__mro__}
        if kinds & {"flint.fmpq", "flint.fmpz"}:
            return value
        return self._wider(value, kinds) if symbolic or self.kind in ("real", "formula") else REFUSED

    def _float(self, value: float) -> Any:
        if not math.isfinite(value) and (self.kind != "extended" or math.isnan(value)):
            return REFUSED
        return Fraction(repr(value)) if self.kind == "rational" else value

    def _wider(self, value: Any, kinds: set[str]) -> Any:
        if kinds & {"theorytools.Enclosure", "theorytools.Complex", "flint.arb", "flint.acb"}:
            return value
        if "sympy.Expr" not in kinds:
            return REFUSED
        if value.is_finite is False or value.has(*_infinities()):
            return REFUSED
        return value if self.kind == "formula" or not value.free_symbols else REFUSED


def _infinities() -> tuple[Any, ...]:
    import sympy

    return sympy.nan, sympy.oo, -sympy.oo, sympy.zoo


@dataclass(frozen=True)
class Plain(Kind):
    """A truth value, a string, or None."""

    kind: str

    @property
    def required(self) -> str:  # type: ignore[override]
        """In words."""
        return {"flag": "True or False", "text": "a string", "none": "None"}[self.kind]

    def take(self, value: Any) -> Any:
        """Return the value; numpy's truth values become Python's."""
        if self.kind == "none":
            return value if value is None else REFUSED
        if self.kind == "text":
            return value if isinstance(value, str) else REFUSED
        if isinstance(value, bool):
            return value
        return bool(value) if type(value).__name__ in ("bool_", "bool") else REFUSED


class Digits(Kind):
    """A string that spells a rational number: digits, a decimal point, a fraction, a power of ten."""

    required = "a string such as '0.1' or '1/10'"

    def take(self, value: Any) -> Any:
        """Return the number that was typed, as a fraction."""
        if not isinstance(value, str) or not _DIGITS.fullmatch(value) or re.search(r"/0+\s*$", value):
            return REFUSED
        return Fraction(value)


@dataclass(frozen=True)
class Choice(Kind):
    """One of a few words or numbers."""

    words: tuple[Any, ...]

    @property
    def required(self) -> str:  # type: ignore[override]
        """In words."""
        return "one of " + ", ".join(repr(word) for word in self.words)

    def take(self, value: Any) -> Any:
        """Return the word."""
        if not isinstance(value, bool) and isinstance(value, numbers.Integral):
            value = operator.index(value)
        return next((word for word in self.words if type(word) is type(value) and word == value), REFUSED)


@dataclass(frozen=True)
class Class(Kind):
    """An object of a class, of one that answers a protocol's methods, or (imported late) of a class of that name."""

    name: str
    kind: Any = None

    @property
    def required(self) -> str:  # type: ignore[override]
        """In words."""
        return f"{'an' if self.name[0] in 'AEIOU' else 'a'} {self.name}"

    def take(self, value: Any) -> Any:
        """Return the object."""
        if isinstance(value, type):
            return REFUSED
        if self.kind is None:
            return value if any(c.__name__ == self.name for c in type(value).__mro__) else REFUSED
        if getattr(self.kind, "_is_protocol", False):
            # the names only: isinstance would evaluate the properties of the value
            held = vars(value) if hasattr(value, "__dict__") else {}
            names = (n for n in _protocol_names(self.kind) if not hasattr(type(value), n) and n not in held)
            return REFUSED if any(True for _ in names) else value
        return value if isinstance(value, self.kind) else REFUSED


def _protocol_names(protocol: type) -> list[str]:
    names: dict[str, None] = {}
    for c in protocol.__mro__:
        if getattr(c, "_is_protocol", False):
            public = [n for n in (*vars(c), *getattr(c, "__annotations__", {})) if not n.startswith("_")]
            names.update(dict.fromkeys(public + ["__call__"] * ("__call__" in vars(c))))
    return list(names)


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

    def take(self, value: Any) -> Any:
        """Return the function."""
        return value if callable(value) else REFUSED


class Mapped(Kind):
    """A mapping of names to values."""

    required = "a dictionary"

    def take(self, value: Any) -> Any:
        """Return the mapping."""
        return value if isinstance(value, Mapping) else REFUSED


@dataclass(frozen=True)
class Either(Kind):
    """The first of several kinds that admits the value."""

    kinds: tuple[Kind, ...]

    @property
    def required(self) -> str:  # type: ignore[override]
        """In words."""
        return " or ".join(dict.fromkeys(kind.required for kind in self.kinds))

    def refusal(self, name: str, value: Any, where: str) -> DomainError | BudgetError:
        """Return the error of the only kind there is besides None, which says more, or one that names them all."""
        others = [kind for kind in self.kinds if kind != Plain("none")]
        return others[0].refusal(name, value, where) if len(others) == 1 else super().refusal(name, value, where)

    def take(self, value: Any) -> Any:
        """Return what the first kind returns that admits the value."""
        for kind in self.kinds:
            taken = kind.take(value)
            if taken is not REFUSED:
                return taken
        return REFUSED


@dataclass(frozen=True)
class Items(Kind):
    """A sequence: all items of one kind, or as many as there are kinds; ``once`` admits iterators."""

    kind: Kind | tuple[Kind | None, ...] | None
    once: bool = False
    even: bool = False  # rows of one length

    @property
    def required(self) -> str:  # type: ignore[override]
        """In words."""
        if isinstance(self.kind, tuple):
            parts = ", ".join(kind.required if kind else "anything" for kind in self.kind)
            return f"{len(self.kind)} items: {parts}"
        words = f"a sequence, each item {self.kind.required}" if self.kind else "a sequence"
        return f"{words}, all items of one length" if self.even else words

    def take(self, value: Any) -> Any:
        """Return the sequence, with its items in the form that they are passed on."""
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            return REFUSED
        if hasattr(value, "dtype"):
            return self._of_array(value)
        if self.even and len({len(row) if isinstance(row, Collection) else -1 for row in value}) > 1:
            return REFUSED
        if not isinstance(value, Collection):
            return value if self.once else REFUSED
        if isinstance(self.kind, tuple):
            return self._fixed(value, self.kind)
        if self.kind is None or isinstance(value, range) or not isinstance(value, tuple | list | set | frozenset):
            return value
        if isinstance(self.kind, Number) and set(map(type, value)) <= _EXACT:
            return value
        items = [self.kind.take(item) for item in value]
        if any(item is REFUSED for item in items):
            return REFUSED
        return value if all(a is b for a, b in zip(items, value, strict=True)) else type(value)(items)

    def refusal(self, name: str, value: Any, where: str) -> DomainError | BudgetError:
        """Return the error of the first item that was refused, where the value is a sequence at all."""
        if isinstance(value, tuple | list) and not (isinstance(self.kind, tuple) and len(value) != len(self.kind)):
            kinds = self.kind if isinstance(self.kind, tuple) else (self.kind,) * len(value)
            for k, (kind, item) in enumerate(zip(kinds, value, strict=True)):
                if kind is not None and kind.take(item) is REFUSED:
                    return kind.refusal(f"{name}[{k}]", item, where)
        return super().refusal(name, value, where)

    def _fixed(self, value: Any, kinds: tuple[Kind | None, ...]) -> Any:
        if len(value) != len(kinds) or not isinstance(value, tuple | list):
            return REFUSED
        items = [item if kind is None else kind.take(item) for kind, item in zip(kinds, value, strict=True)]
        if any(item is REFUSED for item in items):
            return REFUSED
        return value if all(a is b for a, b in zip(items, value, strict=True)) else type(value)(items)

    def _of_array(self, value: Any) -> Any:
        if value.ndim != self.rank and not (self.kind is None and value.ndim):
            return REFUSED
        whole = isinstance(self.kind, Integer)
        if Array("int" if whole else "").take(value) is REFUSED or (whole and value.dtype.kind == "f"):
            return REFUSED
        return REFUSED if isinstance(self.kind, tuple) and len(value) != len(self.kind) else value

    @property
    def rank(self) -> int:
        """How deep the sequences are nested."""
        return 1 + (self.kind.rank if isinstance(self.kind, Items) else 0)


@dataclass(frozen=True)
class Array(Kind):
    """An array of finite numbers, of one of the ``ranks`` (numbers of axes) where some are named.

    A list or tuple is made an array where ``converts`` says so: a body annotated with ``NDArray`` reads its shape.
    """

    dtype: str
    ranks: tuple[int, ...] = ()
    converts: bool = False

    @property
    def required(self) -> str:  # type: ignore[override]
        """In words."""
        words = "an array of integers that fit 64 bits" if "int" in self.dtype else "an array of finite numbers"
        axes = " or ".join(map(str, self.ranks))
        return f"{words} with {axes} {'axis' if axes == '1' else 'axes'}" if axes else words

    def take(self, value: Any) -> Any:
        """Return the value, or its array: its reader chooses the type."""
        import numpy as np

        if value is None or isinstance(value, bool | str | bytes | Mapping) or callable(value):
            return REFUSED
        if type(value).__module__.startswith("torch"):
            return value
        try:
            array = np.asarray(value)
        except ValueError:
            return REFUSED
        if self.ranks and (array.ndim not in self.ranks or (array.size == 0 and array.ndim == 1)):
            return REFUSED
        if not self._holds(array):
            return REFUSED
        if not self.converts or not isinstance(value, list | tuple):
            return value
        # integers beyond 64 bits among others would become floats
        exact = "object" in self.dtype or set(map(type, np.array(value, dtype=object).flat)) <= _EXACT
        return np.array(value, dtype=object) if exact and array.dtype.kind in "fO" and array.size else array

    def refusal(self, name: str, value: Any, where: str) -> DomainError | BudgetError:
        """Return the error that says which of the demands the array fails."""
        import numpy as np

        error = super().refusal(name, value, where)
        if isinstance(value, list | tuple | np.ndarray):
            error.given = f"{error.given}: {self._fault(value)}"
        return DomainError(error.given, required=error.required, why=error.why, advice=error.advice)

    def _fault(self, value: Any) -> str:
        import numpy as np

        try:
            array = np.asarray(value)
        except ValueError:
            return "rows of different lengths"
        numeric = array.dtype.kind in "fO" and all(isinstance(x, numbers.Real) for x in array.flat)
        if numeric and any(isinstance(x, float) and not math.isfinite(x) for x in array.flat):
            return "entries that are NaN or infinite, not finite"
        return f"an array of shape {array.shape} and entries of type {array.dtype}"

    def _holds(self, array: Any) -> bool:
        import numpy as np

        if array.dtype.kind == "f":
            finite = bool(np.isfinite(array).all())
            return finite and ("int" not in self.dtype or (array.size > 0 and bool((array == np.rint(array)).all())))
        if array.dtype.kind == "O":
            if set(map(type, array.flat)) <= _EXACT:
                return True
            real = Number("real")
            return all(real.take(item) is not REFUSED for item in array.flat)
        return array.dtype.kind in "iub"
