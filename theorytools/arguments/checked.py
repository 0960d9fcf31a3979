"""Guards of public callables: arguments held against their annotations, read at the first call; refused in four parts.

:func:`checked` stands above a public function or class.  Every argument is held against its annotation before the
body runs, and numpy's integers and floats become Python's, so that a result never depends on which of the two was
typed.  The kinds:

* ``int``, :data:`PositiveInt`, :data:`NonNegativeInt`; a :data:`Precision` in bits, from 2; up to which size memory
  holds an argument, or a loop is run, stands above the function in :func:`at_most`;
* ``Fraction``: an integer, a fraction, or a finite float, which means its shortest decimal;
* ``float``: any finite number; :data:`Real`: also an enclosure, a symbolic number, or a string of digits such as
  ``'0.1'`` and ``'1/10'``, which means that fraction; :data:`Numbers`: an array of numbers;
* :data:`Formula`: a symbolic expression, letters allowed, or a number; :data:`PositiveFormula`; where letters stand
  for integers :data:`SizeFormula` (1 or more) and :data:`CountFormula` (0 or more);
* :data:`Rows`: a matrix of exact numbers as sequences of one length;
* ``bool``, ``str``, ``Literal``, ``Callable``, classes; arrays without NaN; sequences, element by element.

Truth values are no numbers here: ``True`` where an integer is meant is a slip of the keyboard.

Two libraries that check annotations were tried in its place.  beartype 0.23 looks at one element of a sequence, drawn
at random: NaN among ten floats passed in 902 of 1000 calls, and its setting for all elements changes nothing yet.  It
takes ``True`` for an integer and NaN for a float, refuses numpy's integers and an integer where a fraction is meant,
evaluates the properties of a protocol, and names the argument only within a sentence.  It is faster, 0.4 µs against
0.9 µs for three arguments.  pydantic 2.14 looks at every element and converts, but copies each sequence, names an
argument by its place, and takes 1.5 µs; each kind below would be a function of ours inside it.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import types
import typing
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from theorytools.arguments.annotations import kinds_of
from theorytools.arguments.containers import Array, Items
from theorytools.arguments.exhausted import exhausted
from theorytools.arguments.kinds import REFUSED, Digits, Either, Integer, Kind, Number, Plain
from theorytools.arguments.letters import Positive, Whole
from theorytools.errors import BudgetError

T = TypeVar("T")

Places = tuple[tuple[int, int | None, float, str, Kind], ...]  # place, range of an integer, name, kind
MOST_KEPT = 256  # combinations of types that one callable remembers
ENTRIES = 10**8  # numbers of one array: 800 MB in doubles
STEPS = 10**6  # of a loop

PositiveInt = Annotated[int, Integer(1)]
NonNegativeInt = Annotated[int, Integer(0)]
Precision = Annotated[int, Integer(2, 10**6)]  # in bits
Real = Annotated[Any, Either((Number("real"), Digits()))]
Formula = Annotated[Any, Number("formula")]
PositiveFormula = Annotated[Any, Positive()]
SizeFormula = Annotated[Any, Whole(1)]
CountFormula = Annotated[Any, Whole(0)]
Rows = Annotated[Sequence[Sequence[Any]], Items(Items(Either((Number("real"), Digits()))), even=True)]

Numbers = Annotated[Any, Array("")]
Extended = Annotated[float, Number("extended")]
BODY = None  # Annotated[Model, BODY]: the body says in its own words what it needs

# Checks that have a record name these: an annotation counts in the fingerprint of a check.  Nothing else uses them.
Size = Annotated[int, Integer(1)]
Count = Annotated[int, Integer(0)]
Steps = Annotated[int, Integer(0, STEPS)]
Entries = Annotated[int, Integer(1, ENTRIES)]


def checked(target: T) -> T:
    """Hold the arguments of a function, or of a class's constructor and public methods, against their annotations.

    Raises
    ------
    DomainError : by the decorated callable, for an argument of another type, a number that is not finite or not in
        its range; the message names the argument.
    BudgetError : for a size beyond what memory holds, Python prints or follows.

    Code of this package that calls one of them more often than its checks are worth calls its body, :func:`unchecked`.
    """
    if not isinstance(target, type):
        return typing.cast(T, _guarded(typing.cast(Callable[..., Any], target), bound=False))
    fields = getattr(target, "__dataclass_fields__", {})
    for name, value in list(vars(target).items()):
        if name.startswith("_") and name not in ("__init__", "__call__"):
            continue
        if name in fields and fields[name].default is value:  # a function as the default of a field is no method
            continue
        if isinstance(value, classmethod | staticmethod):
            inner = _guarded(value.__func__, bound=isinstance(value, classmethod), owner=target)
            setattr(target, name, type(value)(inner))
        elif isinstance(value, types.FunctionType):
            setattr(target, name, _guarded(value, bound=True, owner=target))
    return target


def unchecked(target: T) -> T:
    """Return the body of a checked function, for calls whose arguments are known to fit."""
    return typing.cast(T, getattr(target, "unchecked", target))


def plan_of(target: Any) -> Plan:
    """Return how the arguments of a checked function are read."""
    return typing.cast(Plan, target.plan())


def ranks(**numbers: int | tuple[int, ...]) -> Callable[[T], T]:
    """Say how many axes the arrays among the arguments of a function or method have; :func:`checked` reads it."""

    def note(function: T) -> T:
        each = {name: rank if isinstance(rank, tuple) else (rank,) for name, rank in numbers.items()}
        typing.cast(Any, function)._ranks = each
        return function

    return note


def at_most(**largest: int) -> Callable[[T], T]:
    """Say up to which value integers among the arguments of a function, or of a class's constructor, are held or run.

    One that is larger is a :class:`~theorytools.errors.BudgetError`: :data:`ENTRIES` of an array, :data:`STEPS` of a
    loop.  It stands below :func:`checked`, which reads it.
    """

    def note(target: T) -> T:
        typing.cast(Any, target)._most = largest
        return target

    return note


def _guarded(function: Callable[..., Any], *, bound: bool, owner: type | None = None) -> Callable[..., Any]:
    plan: list[Plan] = []  # filled at the first call, when every name of an annotation exists

    def read() -> Plan:
        if not plan:
            plan.append(_plan(function, bound, owner))
        return plan[0]

    looked_at: dict[tuple[type, ...], Places] = {}  # by the types of the arguments: those whose values matter

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        types_given = tuple(map(type, args))
        places = looked_at.get(types_given)
        if places is None:
            places = read().places(types_given, looked_at)
        for k, low, high, name, kind in places:
            value = args[k]
            if low is not None and low <= value <= high:
                continue
            taken = kind.take(value)
            if taken is not value:
                if taken is REFUSED:
                    raise kind.refusal(name, value, plan[0].where)
                args = (*args[:k], taken, *args[k + 1 :])
        if kwargs:
            plan[0].admit(kwargs)
        try:
            return function(*args, **kwargs)
        except (MemoryError, RuntimeError, ValueError, OverflowError) as error:
            found = exhausted(error)
            if found is None:
                raise
            raise BudgetError(found.given, required=found.required, why=plan[0].where, advice=found.advice) from None

    typing.cast(Any, call).unchecked, typing.cast(Any, call).plan = function, read
    return call


@dataclasses.dataclass(frozen=True)
class Plan:
    """Where a callable is described; kinds by place, of further arguments, by name, and of other names."""

    where: str
    positional: tuple[tuple[str, Kind] | None, ...]
    rest: tuple[str, Kind] | None
    by_name: dict[str, Kind | None]
    others: Kind | None

    def places(self, given: tuple[type, ...], looked_at: dict[tuple[type, ...], Places]) -> Places:
        """Return each argument that its type does not settle, an integer with its range, and keep what was found."""
        entries = self.positional + (self.rest,) * (len(given) - len(self.positional))
        known = [(k, *entry) for k, entry in enumerate(entries[: len(given)]) if entry is not None]
        places = tuple(
            (k, *_range(given[k], kind), name, kind) for k, name, kind in known if not kind.settled_type(given[k])
        )
        if len(given) <= len(self.positional) and len(looked_at) < MOST_KEPT:
            looked_at[given] = places
        return places

    def admit(self, named: dict[str, Any]) -> None:
        """Put each of the arguments by name in the form in which it is passed on, or refuse it."""
        for name, value in named.items():
            kind = self.by_name.get(name, self.others)
            if kind is not None and not kind.settled_type(type(value)):
                named[name] = kind.admit(name, value, self.where)


def _range(given: type, kind: Kind) -> tuple[int, float] | tuple[None, float]:
    """Where every Python integer is passed on as it is; None for another type."""
    if given is not int or not isinstance(kind, Integer) or kind.least is None:
        return None, math.inf
    return kind.least, math.inf if kind.most is None else kind.most


def _plan(function: Callable[..., Any], bound: bool, owner: type | None) -> Plan:
    positional: list[tuple[str, Kind] | None] = [None] if bound else []
    by_name: dict[str, Kind | None] = {}
    rest, others = None, None
    kinds = _narrowed(function, owner, kinds_of(function, owner))
    for p in list(inspect.signature(function).parameters.values())[int(bound) :]:
        kind = kinds.get(p.name)
        if p.default is None and kind is not None and kind.take(None) is REFUSED:
            kind = Either((kind, Plain("none")))
        if p.kind is p.VAR_POSITIONAL:
            rest = None if kind is None else (p.name, kind)
        elif p.kind is p.VAR_KEYWORD:
            others = kind
        else:
            by_name[p.name] = kind
            if p.kind is not p.KEYWORD_ONLY:
                positional.append(None if kind is None else (p.name, kind))
    doc = inspect.getdoc(owner if owner and function.__name__ == "__init__" else function) or ""
    name = function.__qualname__.removesuffix(".__init__")
    first = doc.split("\n\n")[0].replace("\n", " ").strip()
    return Plan(f"{name}: {first}" if first else name, tuple(positional), rest, by_name, others)


def _narrowed(
    function: Callable[..., Any], owner: type | None, kinds: dict[str, Kind | None]
) -> dict[str, Kind | None]:
    """The kinds with the numbers of axes and the largest integers that stand above the function, or its class."""
    for name, axes in getattr(function, "_ranks", {}).items():
        kinds[name] = _ranked(kinds[name], axes)
    for name, most in getattr(function, "_most", {}).items():
        kinds[name] = _at_most(kinds[name], most)
    if owner is not None and function.__name__ == "__init__":  # a field that is inherited keeps its limit
        inherited = {name: most for c in reversed(owner.__mro__) for name, most in vars(c).get("_most", {}).items()}
        if unknown := vars(owner).get("_most", {}).keys() - kinds.keys():
            raise TypeError(f"{owner.__qualname__} has no {', '.join(sorted(unknown))} to limit")
        kinds |= {name: _at_most(kinds[name], most) for name, most in inherited.items() if name in kinds}
    return kinds


def _ranked(kind: Kind | None, ranks: tuple[int, ...]) -> Kind:
    if isinstance(kind, Either):
        return Either(tuple(_ranked(k, ranks) if isinstance(k, Array) else k for k in kind.kinds))
    return dataclasses.replace(kind, ranks=ranks) if isinstance(kind, Array) else Array("", ranks)


def _at_most(kind: Kind | None, most: int) -> Kind:
    if isinstance(kind, Either) and any(isinstance(k, Integer) for k in kind.kinds):
        return Either(tuple(_at_most(k, most) if isinstance(k, Integer) else k for k in kind.kinds))
    if not isinstance(kind, Integer):
        raise TypeError("only an integer has a largest value")
    return dataclasses.replace(kind, most=most)
