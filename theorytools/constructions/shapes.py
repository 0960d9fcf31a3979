"""What the constructions ask of places and arrays, beyond their types: a place that exists, a shape that fits."""

from __future__ import annotations

import numbers
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorytools.errors import DomainError


def in_range(name: str, value: int, size: int, what: str = "position") -> int:
    """Return a place from 0 to ``size - 1``; ``DomainError`` for any other, negative ones included."""
    if not 0 <= value < size:
        raise DomainError(
            f"{name} = {value}", required=f"0 <= {name} <= {size - 1}", why=f"there are {size} places of a {what}",
            advice=f"count from the first {what}, which is 0",
        )  # fmt: skip
    return value


def shaped(name: str, array: Any, *shape: int | str) -> None:
    """Refuse an array of another shape; a letter stands for any length, ``...`` in front for any axes before."""
    given, free = np.shape(array), shape[:1] == ("...",)
    wanted = shape[1:] if free else shape
    last = given[len(given) - len(wanted) :] if free else given
    fits = len(last) == len(wanted) and all(isinstance(b, str) or a == b for a, b in zip(last, wanted, strict=True))
    if not fits:
        words = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
        raise DomainError(
            f"{name} of shape {given}", required=f"{name} of shape ({words})",
            why="the weights are made for these sizes", advice="one row for each prompt, token or unit",
        )  # fmt: skip


def indices(name: str, T: Any, size: int, *shape: int | str) -> NDArray[Any]:
    """Return an array of places from 0 to ``size - 1`` of a shape; any other array is refused."""
    array = np.asarray(T)
    shaped(name, array, *shape)
    if array.dtype.kind not in "iu" or (array.size and not 0 <= array.min() <= array.max() < size):
        ends = f" from {array.min()} to {array.max()}" if array.size and array.dtype.kind in "iuf" else ""
        raise DomainError(
            f"{name} of {array.dtype}{ends}", required=f"integers from 0 to {size - 1}", why="they name places",
            advice="the first place is 0",
        )  # fmt: skip
    return array


def rows_of(name: str, rows: Any, length: int | None = None, *, count: int | None = None) -> None:
    """Refuse rows of different lengths, or of another than ``length``, or another number of them than ``count``."""
    if count is not None and len(rows) != count:
        raise DomainError(f"{len(rows)} rows of {name}", required=f"{count} rows", why="one for each place")
    lengths = sorted({len(row) if isinstance(row, (list, Collection)) else -1 for row in rows})
    if len(lengths) > 1 or (length is not None and lengths not in ([], [length])):
        wanted = "one length" if length is None else f"length {length}"
        raise DomainError(
            f"{name} with rows of lengths {lengths}", required=f"rows of {wanted}", why="they are rows of one matrix",
            advice="give every row the same number of entries",
        )  # fmt: skip


def rationals(name: str, values: Any) -> list[Any]:
    """Return the entries of a sequence of integers and fractions; floats and anything else are refused."""
    sequence = isinstance(values, Collection) and not isinstance(values, Mapping | str | bytes)
    entries = list(values) if sequence else []
    if not sequence or not all(isinstance(x, numbers.Rational) and not isinstance(x, bool) for x in entries):
        raise DomainError(
            f"{name} = {str(values)[:60]}", required="integers or fractions, in a row", why="the results are rational",
            advice="compute them from exact inputs; a weight that is a double by definition is Fraction(w)",
        )  # fmt: skip
    return entries


def exact_array(name: str, values: Any, *shape: int | str) -> NDArray[Any]:
    """Return integers and fractions of a shape as an object array; floats and any other shape are refused."""
    array = np.asarray(values, dtype=object)
    shaped(name, array, *shape)
    entries = rationals(name, array.ravel().tolist())
    out = np.empty(len(entries), dtype=object)
    out[:] = [int(x) if isinstance(x, numbers.Integral) else x for x in entries]
    return out.reshape(array.shape)


def checked_numbers(name: str, values: Any, *shape: int | str) -> NDArray[np.float64]:
    """Return finite numbers of a shape in doubles; anything else is refused."""
    given = np.asarray(values)
    array = given.astype(np.float64) if given.dtype.kind in "iuf" else np.full(given.shape, np.nan)
    shaped(name, array, *shape)
    if not np.isfinite(array).all():
        raise DomainError(f"{name} of {given.dtype}", required="finite numbers", why="they are multiplied by weights")
    return array


def has_axes(point: Any, *names: str) -> None:
    """Refuse anything but a point of a grid with these axes, integers of at least 1."""
    values = {name: getattr(point, name, None) for name in names}
    if any(isinstance(x, bool) or not isinstance(x, numbers.Integral) or x < 1 for x in values.values()):
        raise DomainError(
            f"the point {str(point)[:60]}", required=f"integers {', '.join(names)} of at least 1",
            why="an object is drawn for these sizes", advice="a point of a grid with these axes",
        )  # fmt: skip
