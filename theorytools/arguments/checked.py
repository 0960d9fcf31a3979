"""What public callables accept: their annotations, read at the first call; the rest is refused in four parts.

:func:`checked` stands above a public function or class.  Every argument is held against its annotation before the
body runs, and numpy's integers and floats become Python's, so that a result never depends on which of the two was
typed.  The kinds:

* ``int``; :data:`Size` (1 or more), :data:`Count` (0 or more); with a stated limit :data:`Entries` and :data:`Held`
  (sizes that memory must hold, from 1 and from 0), :data:`Terms` and :data:`Steps` (of a loop, from 1 and from 0),
  :data:`Bits` (of precision);
* ``Fraction``: an integer, a fraction, or a finite float, which means its shortest decimal;
* ``float``: any finite number; :data:`Real`: also an enclosure, a symbolic number, or a string of digits such as
  ``'0.1'`` and ``'1/10'``, which means that fraction; :data:`Numbers`: an array of numbers;
* :data:`Formula`: a symbolic expression, letters allowed, or a number; :data:`PositiveFormula`; where letters stand
  for integers :data:`SizeFormula` (1 or more) and :data:`CountFormula` (0 or more);
* :data:`Rows`: a matrix of exact numbers as sequences of one length;
* ``bool``, ``str``, ``Literal``, ``Callable``, classes; arrays without NaN; sequences, element by element.

Truth values are no numbers here: ``True`` where an integer is meant is a slip of the keyboard.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import sys
import types
import typing
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from theorytools.arguments.containers import Array, Class, Dtype, Function, Items, Mapped
from theorytools.arguments.exhausted import exhausted
from theorytools.arguments.kinds import REFUSED, Choice, Digits, Either, Integer, Kind, Number, Plain
from theorytools.arguments.values import Positive, Whole
from theorytools.errors import BudgetError

T = TypeVar("T")

Places = tuple[tuple[int, int | None, float, str, Kind], ...]  # place, range of an integer, name, kind
MOST_KEPT = 256  # combinations of types that one callable remembers
ENTRIES = 10**8  # numbers of one array: 800 MB in doubles

Size = Annotated[int, Integer(1)]
Count = Annotated[int, Integer(0)]
Steps = Annotated[int, Integer(0, 10**6)]
Terms = Annotated[int, Integer(1, 10**6)]
Bits = Annotated[int, Integer(2, 10**6)]
Processes = Annotated[int, Integer(1, 9999)]
Entries = Annotated[int, Integer(1, ENTRIES)]
Held = Annotated[int, Integer(0, ENTRIES)]
Real = Annotated[Any, Either((Number("real"), Digits()))]
Formula = Annotated[Any, Number("formula")]
PositiveFormula = Annotated[Any, Positive()]
SizeFormula = Annotated[Any, Whole(1)]
CountFormula = Annotated[Any, Whole(0)]
Rows = Annotated[Sequence[Sequence[Any]], Items(Items(Either((Number("real"), Digits()))), even=True)]

Numbers = Annotated[Any, Array("")]
Extended = Annotated[float, Number("extended")]
BODY = None  # Annotated[Model, BODY]: the body says in its own words what it needs

_PLAIN: dict[Any, Kind] = {
    int: Integer(), float: Number("float"), bool: Plain("flag"), str: Plain("text"), None: Plain("none"),
    type(None): Plain("none"),
}  # fmt: skip


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
    for name, value in list(vars(target).items()):
        if name.startswith("_") and name not in ("__init__", "__call__"):
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


def ranks(**numbers: int | tuple[int, ...]) -> Callable[[T], T]:
    """Say how many axes the arrays among the arguments of a function or method have; :func:`checked` reads it."""

    def note(function: T) -> T:
        each = {name: rank if isinstance(rank, tuple) else (rank,) for name, rank in numbers.items()}
        typing.cast(Any, function)._ranks = each
        return function

    return note


def _guarded(function: Callable[..., Any], *, bound: bool, owner: type | None = None) -> Callable[..., Any]:
    plan: list[Plan] = []  # filled at the first call, when every name of an annotation exists
    looked_at: dict[tuple[type, ...], Places] = {}  # by the types of the arguments: those whose values matter

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        types_given = tuple(map(type, args))
        places = looked_at.get(types_given)
        if places is None:
            if not plan:
                plan.append(_plan(function, bound, owner))
            places = plan[0].places(types_given, looked_at)
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

    typing.cast(Any, call).unchecked = function
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
    spaces = [vars(sys.modules[c.__module__]) for c in (owner.__mro__ if owner else ()) if c.__module__ in sys.modules]
    spaces.append(vars(sys.modules[function.__module__]))
    positional: list[tuple[str, Kind] | None] = [None] if bound else []
    by_name: dict[str, Kind | None] = {}
    rest, others = None, None
    axes = getattr(function, "_ranks", {})
    for p in list(inspect.signature(function).parameters.values())[int(bound) :]:
        kind = kind_of(p.annotation, spaces)
        if p.name in axes:
            kind = _ranked(kind, axes[p.name])
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


def kind_of(annotation: Any, spaces: list[dict[str, Any]]) -> Kind | None:
    """Return the kind that an annotation names; None where anything is admitted."""
    if isinstance(annotation, str):
        return _from_text(annotation, spaces)
    if annotation in _PLAIN if isinstance(annotation, type | None) else False:
        return _PLAIN[annotation]
    origin, inside = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return typing.cast(Kind | None, inside[1])
    if origin in (typing.Union, types.UnionType):
        kinds = [kind_of(part, spaces) for part in inside]
        return None if None in kinds else Either(tuple(typing.cast(list[Kind], kinds)))
    if origin is typing.Literal:
        return Choice(inside)
    if origin is not None:
        return _generic(origin, inside, spaces)
    if not isinstance(annotation, type) or annotation in (object, inspect.Parameter.empty, Any):
        return None
    return _class(annotation)


def _ranked(kind: Kind | None, ranks: tuple[int, ...]) -> Kind:
    if isinstance(kind, Either):
        return Either(tuple(_ranked(k, ranks) if isinstance(k, Array) else k for k in kind.kinds))
    return dataclasses.replace(kind, ranks=ranks) if isinstance(kind, Array) else Array("", ranks)


def _class(annotation: type) -> Kind | None:
    name = f"{annotation.__module__}.{annotation.__qualname__}"
    if name == "fractions.Fraction":
        return Number("rational")
    if name == "numpy.ndarray":
        return Array("", converts=True)
    if name == "sympy.core.expr.Expr":
        return Number("formula")
    return Class(annotation.__name__, annotation)


def _generic(origin: Any, inside: tuple[Any, ...], spaces: list[dict[str, Any]]) -> Kind | None:
    name = getattr(origin, "__name__", "")
    if name == "ndarray":
        return Array(str(inside[-1]) if inside else "", converts=True)
    if name == "Callable":
        return Function()
    if name in ("dict", "Mapping", "MutableMapping"):
        return Mapped()
    if name == "tuple" and inside and inside[-1] is not Ellipsis:
        return Items(tuple(kind_of(part, spaces) for part in inside))
    if name in ("tuple", "list", "Sequence", "Collection", "set", "frozenset"):
        return Items(kind_of(inside[0], spaces) if inside else None)
    if name in ("Iterable", "Iterator"):
        return Items(kind_of(inside[0], spaces), once=True)
    return Class(name, origin) if isinstance(origin, type) else None


def _from_text(text: str, spaces: list[dict[str, Any]]) -> Kind | None:
    if text == "DTypeLike":
        return Dtype()
    if text == "ArrayLike":
        return Array("")
    if "ArrayLike |" in text or "| ArrayLike" in text:
        return _from_parts(text, spaces)
    for space in spaces:
        try:
            # annotations are this package's own source, not input
            found = eval(text, dict(space))
        except Exception:
            continue
        return kind_of(found, spaces)
    # a name imported for type checkers only, so that a heavy library loads late
    return _from_parts(text, spaces) if "|" in text else _LATE.get(text) or _elsewhere(text, spaces)


def _elsewhere(name: str, spaces: list[dict[str, Any]]) -> Kind | None:
    """What a name means that is imported for type checkers only: its one definition among the loaded modules."""
    loaded = [vars(module) for key, module in list(sys.modules.items()) if key.startswith("theorytools.")]
    found = {id(space[name]): space[name] for space in loaded if name in space}
    return kind_of(next(iter(found.values())), spaces) if len(found) == 1 else None


def _from_parts(text: str, spaces: list[dict[str, Any]]) -> Kind | None:
    kinds = [kind_of(None if part.strip() == "None" else part.strip(), spaces) for part in text.split("|")]
    return None if None in kinds else Either(tuple(typing.cast(list[Kind], kinds)))


_LATE: dict[str, Kind] = {
    name: Class(name.rpartition(".")[2])
    for name in ("torch.Tensor", "torch.dtype", "torch.nn.Module", "sympy.Symbol", "np.random.Generator")
}
