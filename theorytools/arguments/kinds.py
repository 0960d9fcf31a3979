"""Kinds of arguments: what each admits, in which form it passes it on, and how it words a refusal."""

from __future__ import annotations

import math
import numbers
import operator
import re
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theorytools.errors import BudgetError, DomainError

REFUSED = object()
EXACT = {int, Fraction}
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
        if type(value) in EXACT:
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
