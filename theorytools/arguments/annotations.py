"""What an annotation means: its names looked up where it is written, its type read as a kind of argument.

Names are found by :func:`typing.get_type_hints`, those of a field in the module of the class that declares it.  A name
that is not there is a ``NameError`` and a type that no kind stands for a ``TypeError``, both at the first call: an
annotation that could not be read would admit everything.  Four names mean the same in every module, whatever is
loaded: ``ArrayLike`` and ``DTypeLike``, which numpy spells out as long unions; ``np``, which some modules import for
type checkers only; and ``torch``, which loads late, so that its classes are known by their names.  A module whose
import would make a circle says :class:`~theorytools.arguments.objects.Late` itself.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Annotated, Any, TypeVar

from theorytools.arguments.containers import Array, Items
from theorytools.arguments.kinds import Choice, Either, Integer, Kind, Number, Plain
from theorytools.arguments.objects import Class, Dtype, Function, Late, Mapped

_PLAIN: dict[Any, Kind] = {
    int: Integer(), float: Number("float"), bool: Plain("flag"), str: Plain("text"), type(None): Plain("none"),
}  # fmt: skip
_NUMBERS = {"fractions.Fraction": Number("rational"), "sympy.core.expr.Expr": Number("formula")}


class _Numpy:
    def __getattr__(self, name: str) -> Any:
        import numpy as np

        return getattr(np, name)


def _late(name: str) -> Any:
    return Annotated[Any, Late(name)]


_NAMES = {
    "ArrayLike": Annotated[Any, Array("")],
    "DTypeLike": Annotated[Any, Dtype()],
    "np": _Numpy(),
    "torch": SimpleNamespace(
        Tensor=_late("torch.Tensor"), dtype=_late("torch.dtype"), nn=SimpleNamespace(Module=_late("torch.Module"))
    ),
}


def kinds_of(function: Callable[..., Any], owner: type | None) -> dict[str, Kind | None]:
    """Return the kind of each argument of a function by its name; None where anything is admitted.

    Parameters
    ----------
    function : a function, or a method of ``owner``; one that a dataclass made has the annotations of its fields.
    owner : the class whose method it is.

    Raises
    ------
    NameError : for a name of an annotation that its module does not have.
    TypeError : for a type that no kind stands for, or an argument without an annotation.
    """
    names = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    hints = _hints(function, owner, names)
    for name in names:
        if name not in hints:
            raise TypeError(f"{function.__qualname__}: {name} has no annotation")
    return {name: kind_of(hints[name]) for name in names}


def _hints(function: Callable[..., Any], owner: type | None, names: Sequence[str]) -> dict[str, Any]:
    """The types of the arguments, not of the result, which may be of a module that loads late."""
    inner = inspect.unwrap(function)
    if owner is not None and function.__name__ == "__init__" and inner.__code__.co_filename == "<string>":
        return typing.get_type_hints(owner, localns=_NAMES, include_extras=True)
    taken = {name: note for name, note in inner.__annotations__.items() if name in names}
    return typing.get_type_hints(SimpleNamespace(__annotations__=taken), inner.__globals__, _NAMES, include_extras=True)


def kind_of(annotation: Any) -> Kind | None:
    """Return the kind that a type names; None where anything is admitted."""
    if annotation in (Any, object) or isinstance(annotation, TypeVar):
        return None
    origin, inside = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return _noted(annotation, inside[1])
    if origin in (typing.Union, types.UnionType):
        kinds = [kind_of(part) for part in inside]
        return None if None in kinds else Either(tuple(typing.cast(list[Kind], kinds)))
    if origin is typing.Literal:
        return Choice(inside)
    if hasattr(origin, "__value__"):  # what a statement ``type X[T] = …`` names, as numpy 2.5 does NDArray
        return kind_of(origin.__value__[inside])
    if hasattr(annotation, "__value__"):
        return kind_of(annotation.__value__)
    if origin is not None:
        return _generic(origin, inside)
    if not isinstance(annotation, type):
        raise TypeError(f"no kind of argument stands for the annotation {annotation!r}")
    return _PLAIN[annotation] if annotation in _PLAIN else _class(annotation)


def _noted(annotation: Any, note: Any) -> Kind | None:
    if note is not None and not isinstance(note, Kind):
        raise TypeError(f"the note of {annotation!r} is no kind of argument")
    return note


def _class(annotation: type) -> Kind:
    name = f"{annotation.__module__}.{annotation.__qualname__}"
    if name == "numpy.ndarray":
        return Array("", converts=True)
    return _NUMBERS[name] if name in _NUMBERS else Class(annotation.__name__, annotation)


def _generic(origin: Any, inside: tuple[Any, ...]) -> Kind:
    name = getattr(origin, "__name__", "")
    if name == "ndarray":
        return Array(str(inside[-1]), converts=True)
    if name == "Callable":
        return Function()
    if name in ("dict", "Mapping", "MutableMapping"):
        return Mapped()
    if name == "tuple" and inside and inside[-1] is not Ellipsis:
        return Items(tuple(map(kind_of, inside)))
    if name in ("tuple", "list", "Sequence", "Collection", "set", "frozenset"):
        return Items(kind_of(inside[0]))
    if name in ("Iterable", "Iterator"):
        return Items(kind_of(inside[0]), once=True)
    if not isinstance(origin, type) or origin is type:
        raise TypeError(f"no kind of argument stands for {origin!r}")
    return Class(name, origin)
