"""Kinds of arguments: what each admits, in which form it passes it on, and how it words a refusal."""

from __future__ import annotations

import math
import numbers
import operator
import re
import reprlib
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from theorytools.errors import BudgetError, DomainError

REFUSED = object()
EXACT = frozenset({int, Fraction})
PLAIN = frozenset({int, Fraction, bool, str, type(None)})
_INTEGERS, _FLOATS = frozenset({int}), frozenset({float})
_DIGITS = re.compile(r"\s*[-+]?(\d+(/\d+)?|(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,4})?)\s*", re.ASCII)
_MOST_DIGITS = 4300  # of a number that Python reads
_brief = reprlib.Repr()
_brief.maxstring = _brief.maxother = 60
_ENCLOSURES = frozenset({"theorytools.Enclosure", "theorytools.Complex", "flint.arb", "flint.acb"})


class Kind:
    """What an argument may be."""

    required = ""

    def take(self, value: Any) -> Any:
        """Return ``value`` in the form that is passed on, or :data:`REFUSED`."""
        raise NotImplementedError

    def settles(self, kind: type) -> bool:
        """Whether every value of exactly that type is passed on as it is, so that its type alone need be looked at."""
        return False

    def alters(self, kind: type) -> bool:
        """Whether some value of exactly that type may be passed on in another form."""
        return kind not in PLAIN

    @cached_property
    def settled(self) -> dict[type, bool]:
        """What :meth:`settles` said of the types met so far."""
        return {}

    def settled_type(self, kind: type) -> bool:
        """Return what :meth:`settles` says, once asked for each type."""
        known = self.settled.get(kind)
        if known is None:
            known = self.settled[kind] = self.settles(kind)
        return known

    def takes_all(self, values: Collection[Any]) -> bool:
        """Whether a quick look shows that every one of the values is passed on as it is."""
        return all(map(self.settled_type, set(map(type, values))))

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


def whole(value: Any) -> Any:
    """Return an integer of any library as Python's; :data:`REFUSED` for a truth value or a time, integral to numpy."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        return REFUSED
    try:
        return operator.index(value)
    except TypeError:
        return REFUSED


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

    def settles(self, kind: type) -> bool:
        """Python's integers, where none is too small or too large."""
        return kind is int and self.least is None and self.most is None

    def takes_all(self, values: Collection[Any]) -> bool:
        """Python's integers of which the least and the largest are in range."""
        if not values or not _INTEGERS.issuperset(map(type, values)):
            return not values
        if self.least is not None and min(values) < self.least:
            return False
        return self.most is None or max(values) <= self.most

    def take(self, value: Any) -> Any:
        """Return a Python integer."""
        if type(value) is not int:
            value = whole(value)
            if value is REFUSED:
                return REFUSED
        if self.least is not None and value < self.least:
            return REFUSED
        return REFUSED if self.most is not None and value > self.most else value

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

    def settles(self, kind: type) -> bool:
        """Exact numbers, and enclosures where they are meant."""
        return kind in EXACT or (self.kind in ("real", "formula") and not _ENCLOSURES.isdisjoint(names_of(kind)))

    def takes_all(self, values: Collection[Any]) -> bool:
        """Exact numbers, or finite floats."""
        if EXACT.issuperset(map(type, values)):
            return True
        if self.kind != "rational" and _FLOATS.issuperset(map(type, values)):
            return all(map(math.isfinite, values))
        return super().takes_all(values)

    def take(self, value: Any) -> Any:
        """Return the number; a float becomes a fraction where one is meant, numpy's numbers become Python's."""
        if type(value) in EXACT:
            return value
        if type(value) is float:
            return self._float(value)
        if isinstance(value, bool | str | bytes) or value is None:
            return REFUSED
        symbolic = type(value).__module__.startswith("sympy")
        if isinstance(value, numbers.Integral):
            return value if symbolic else whole(value)  # a symbolic integer divides exactly, an int does not
        if isinstance(value, numbers.Rational):
            return value
        if isinstance(value, numbers.Real) and hasattr(value, "as_integer_ratio") and not symbolic:
            return self._float(float(value))
        kinds = names_of(type(value))  # type: ignore[arg-type]  # a class is hashable
        if kinds & {"flint.fmpq", "flint.fmpz"}:
            return value
        return self._wider(value, kinds) if symbolic or self.kind in ("real", "formula") else REFUSED

    def _float(self, value: float) -> Any:
        if not math.isfinite(value) and (self.kind != "extended" or math.isnan(value)):
            return REFUSED
        return value if self.kind in ("float", "extended") else Fraction(repr(value))  # its shortest decimal

    def _wider(self, value: Any, kinds: frozenset[str]) -> Any:
        if kinds & _ENCLOSURES:
            return value
        if "sympy.Expr" not in kinds:
            return REFUSED
        if value.is_finite is False or value.has(*_infinities()):
            return REFUSED
        return value if self.kind == "formula" or not value.free_symbols else REFUSED


@lru_cache(maxsize=1024)
def names_of(kind: type) -> frozenset[str]:
    """Return the names of a class and its bases, each behind its library's: a class may be met before it is loaded."""
    return frozenset(f"{c.__module__.partition('.')[0]}.{c.__name__}" for c in kind.__mro__)


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

    def settles(self, kind: type) -> bool:
        """Python's truth values, strings, None."""
        return kind is {"flag": bool, "text": str, "none": type(None)}[self.kind]

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

    def alters(self, kind: type) -> bool:
        """Every string."""
        return issubclass(kind, str)

    def take(self, value: Any) -> Any:
        """Return the number that was typed, as a fraction."""
        if not isinstance(value, str) or len(value) > _MOST_DIGITS:
            return REFUSED
        if not _DIGITS.fullmatch(value) or re.search(r"/0+\s*$", value):
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
        if isinstance(value, numbers.Integral) and not isinstance(value, bool):
            value = whole(value)
        return next((word for word in self.words if type(word) is type(value) and word == value), REFUSED)


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

    def settles(self, kind: type) -> bool:
        """A type that one of the kinds settles, and none before it alters."""
        for each in self.kinds:
            if each.settles(kind):
                return True
            if each.alters(kind):
                return False
        return False

    def alters(self, kind: type) -> bool:
        """A type that one of the kinds may alter."""
        return any(each.alters(kind) for each in self.kinds)

    def takes_all(self, values: Collection[Any]) -> bool:
        """Values that the first kind takes, or of types that are settled."""
        return self.kinds[0].takes_all(values) or super().takes_all(values)

    def take(self, value: Any) -> Any:
        """Return what the first kind returns that admits the value."""
        for kind in self.kinds:
            taken = kind.take(value)
            if taken is not REFUSED:
                return taken
        return REFUSED
