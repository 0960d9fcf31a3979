"""Kinds of arguments that hold others: sequences and arrays."""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

from theorytools.arguments.hidden import hidden
from theorytools.arguments.kinds import EXACT, REFUSED, Integer, Kind, Number
from theorytools.errors import BudgetError, DomainError

_SEQUENCES = frozenset({list, tuple})
_REAL = Number("real")


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

    def takes_all(self, values: Collection[Any]) -> bool:
        """Lists and tuples whose items, laid end to end, are all passed on as they are."""
        plain = isinstance(self.kind, Kind) and not self.even and _SEQUENCES.issuperset(map(type, values))
        return plain and cast(Kind, self.kind).takes_all(tuple(chain.from_iterable(values)))

    def take(self, value: Any) -> Any:
        """Return the sequence, with its items in the form that they are passed on."""
        known = type(value) in _SEQUENCES and isinstance(self.kind, Kind) and self.kind.takes_all(value)
        if known and not (self.even and _uneven(value)):
            return value
        if isinstance(value, str | bytes | bytearray | memoryview | Mapping) or not isinstance(value, Iterable):
            return REFUSED
        if hasattr(value, "dtype"):
            return self._of_array(value)
        if hidden(value):  # before a length is asked for: a masked row has none
            return REFUSED
        if self.even and _uneven(value):
            return REFUSED
        if not isinstance(value, Collection):
            return value if self.once else REFUSED
        if isinstance(self.kind, tuple):
            return self._fixed(value, self.kind)
        if self.kind is None or isinstance(value, range):
            return value
        if isinstance(value, tuple | list | set | frozenset):
            return self._each(value, [self.kind] * len(value))
        return self._seen(value, self.kind)

    def refusal(self, name: str, value: Any, where: str) -> DomainError | BudgetError:
        """Return the error of the first item that was refused, where the value is a sequence at all."""
        if isinstance(value, tuple | list) and not (isinstance(self.kind, tuple) and len(value) != len(self.kind)):
            kinds = self.kind if isinstance(self.kind, tuple) else (self.kind,) * len(value)
            for k, (kind, item) in enumerate(zip(kinds, value, strict=True)):
                if kind is not None and kind.take(item) is REFUSED:
                    return kind.refusal(f"{name}[{k}]", item, where)
        return super().refusal(name, value, where)

    def _seen(self, value: Any, kind: Kind) -> Any:
        """A collection of a class of its own, which is passed on as it is where no item is altered."""
        if type(value).__module__.startswith("theorytools"):  # its items are made when asked for, and are the library's
            return value
        items = tuple(map(kind.take, given := tuple(value)))
        if any(item is REFUSED for item in items):
            return REFUSED
        return value if all(item is one for item, one in zip(items, given, strict=True)) else items

    def _fixed(self, value: Any, kinds: tuple[Kind | None, ...]) -> Any:
        if len(value) != len(kinds) or not isinstance(value, tuple | list):
            return REFUSED
        return self._each(value, kinds)

    def _each(self, value: Any, kinds: Sequence[Kind | None]) -> Any:
        items, changed = [], False
        for kind, item in zip(kinds, value, strict=True):
            taken = item if kind is None else kind.take(item)
            if taken is REFUSED:
                return REFUSED
            items.append(taken)
            changed = changed or taken is not item
        return type(value)(items) if changed else value

    def _of_array(self, value: Any) -> Any:
        whole = isinstance(self.kind, Integer)
        array = Array("int" if whole else "").take(value)
        if array is REFUSED or (array.ndim != self.rank and not (self.kind is None and array.ndim)):
            return REFUSED
        if whole and array.dtype.kind == "f":
            return REFUSED
        return REFUSED if isinstance(self.kind, tuple) and len(array) != len(self.kind) else array

    @property
    def rank(self) -> int:
        """How deep the sequences are nested."""
        return 1 + (self.kind.rank if isinstance(self.kind, Items) else 0)


def _uneven(rows: Iterable[Any]) -> bool:
    return len({len(row) if isinstance(row, Collection) else -1 for row in rows}) > 1


def _short(value: Any) -> bool:
    """Whether a tensor has a type of floats that numpy does not have; doubles hold its numbers exactly."""
    return type(value).__module__ == "torch" and str(value.dtype) == "torch.bfloat16"


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

        if type(value) is not np.ndarray and (
            value is None or isinstance(value, bool | str | bytes | bytearray | Mapping) or callable(value)
        ):
            return REFUSED
        if hidden(value):
            return REFUSED
        if type(value) is np.ndarray:
            return value if self._ranked(value) and self._holds(value) else REFUSED
        try:
            array = np.asarray(cast(Any, value).double() if _short(value) else value)
        except Exception:  # the reading of a stranger's object is a stranger's code
            return REFUSED
        if not self._ranked(array) or not self._holds(array):
            return REFUSED
        if not isinstance(value, list | tuple | np.generic):
            kept = not self.converts and type(value).__module__.startswith("theorytools")
            kept = kept or type(value).__module__ == "torch"  # its reader may compute in the tensor's own type
            return array if hasattr(type(value), "__array__") and not kept else value
        if not self.converts or isinstance(value, np.generic):
            return value
        if array.dtype.kind not in "fO" or not array.size:
            return array
        # integers beyond 64 bits among others would become floats
        whole = np.array(value, dtype=object)
        return whole if "object" in self.dtype or EXACT.issuperset(map(type, whole.flat)) else array

    def _ranked(self, array: Any) -> bool:
        return not self.ranks or (array.ndim in self.ranks and (array.size > 0 or array.ndim != 1))

    def refusal(self, name: str, value: Any, where: str) -> DomainError | BudgetError:
        """Return the error that says which of the demands the array fails."""
        import numpy as np

        error = super().refusal(name, value, where)
        if isinstance(value, list | tuple | np.ndarray) or hasattr(type(value), "__array__"):
            error.given = f"{error.given}: {hidden(value) or self._fault(value)}"
        return DomainError(error.given, required=error.required, why=error.why, advice=error.advice)

    def _fault(self, value: Any) -> str:
        import numpy as np

        try:
            array = np.asarray(value)
        except ValueError:
            return "rows of different lengths"
        except Exception as error:  # of a stranger's object
            return f"no array ({type(error).__name__})"
        numeric = array.dtype.kind in "fO" and all(isinstance(x, numbers.Real) for x in array.flat)
        if numeric and any(isinstance(x, float) and not math.isfinite(x) for x in array.flat):
            return "entries that are NaN or infinite, not finite"
        return f"an array of shape {array.shape} and entries of type {array.dtype}"

    def _holds(self, array: Any) -> bool:
        if array.dtype.kind in "iub":
            return True
        if array.dtype.kind == "f":
            import numpy as np

            finite = bool(np.logical_and.reduce(np.isfinite(array), axis=None))
            return finite and ("int" not in self.dtype or (array.size > 0 and bool((array == np.rint(array)).all())))
        if array.dtype.kind == "O":
            items = array.ravel().tolist()
            return _REAL.takes_all(items) or all(_REAL.take(item) is not REFUSED for item in items)
        return False
