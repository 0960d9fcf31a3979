"""Arrays of a check in other arithmetic: integers that cannot wrap around, floats of half the bits."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from theorytools.claims.judging.trial.entries import rounded
from theorytools.claims.judging.trial.rewritten import Own, Rewriter, call

ENTRIES = 200_000  # of an array that is copied entry by entry

Arithmetic = Callable[[Any], Any]


def whole(value: Any) -> Any:
    """Return an integer array, or a number of one, in Python integers; anything else as it is."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.size <= ENTRIES:
        return value.astype(object)
    return int(value) if isinstance(value, np.integer) else value


def single(value: Any) -> Any:
    """Return an array of doubles in single precision where some entry of it was made by rounding."""
    if not isinstance(value, np.ndarray) or value.dtype != np.float64 or value.size > ENTRIES:
        return value
    fits = np.abs(value) < np.finfo(np.float32).max
    return value.astype(np.float32) if fits.all() and any(map(rounded, value.flat)) else value


def within(thing: Any, change: Arithmetic) -> Any:
    """Return a thing with every array inside it changed: in dataclasses, lists, tuples and dicts, and itself.

    What holds no array that changes is returned as it is, so that ``is`` tells whether anything did.
    """
    if isinstance(thing, np.ndarray):
        return change(thing)
    if isinstance(thing, dict):
        made: Any = {key: within(value, change) for key, value in thing.items()}
        return made if any(made[key] is not thing[key] for key in thing) else thing
    if type(thing) in (list, tuple):
        parts = [within(value, change) for value in thing]
        return type(thing)(parts) if any(a is not b for a, b in zip(parts, thing, strict=True)) else thing
    if is_dataclass(thing) and not isinstance(thing, type):
        changed = {f.name: within(getattr(thing, f.name), change) for f in fields(thing) if hasattr(thing, f.name)}
        if all(value is getattr(thing, name) for name, value in changed.items()):
            return thing
        other = copy.copy(thing)
        for name, value in changed.items():
            object.__setattr__(other, name, value)
        return other
    return thing


def computed_whole(function: Any, *arguments: Any, **named: Any) -> Any:
    """Return what a function gives in Python integers; where it takes none, what it gives otherwise."""
    if not _numpy(function):
        return whole(function(*arguments, **named))
    kind = named.get("dtype")
    asked = {**named, "dtype": object} if kind is not None and np.dtype(kind).kind in "iu" else named
    try:
        return whole(function(*(whole(_array(a)) for a in arguments), **asked))
    except TypeError:
        return whole(function(*arguments, **named))


def computed_single(function: Any, *arguments: Any, **named: Any) -> Any:
    """Return what a function gives, arrays of it in single precision."""
    return single(function(*arguments, **named))


def _numpy(function: Any) -> bool:
    """Whether a function is one of numpy, or a method of an array."""
    if isinstance(function, np.ufunc) or isinstance(getattr(function, "__self__", None), np.ndarray):
        return True
    return str(getattr(function, "__module__", "")).partition(".")[0] == "numpy"


def _array(value: Any) -> Any:
    """A sequence of integers as an array of Python integers: numpy would make machine integers of it."""
    if isinstance(value, list | tuple | range) and value and all(isinstance(x, int | np.integer) for x in value):
        return np.array(list(map(int, value)), dtype=object)
    return value


# named here, so that a verdict is known to depend on what only the changed check calls
HELPERS: dict[Arithmetic, Callable[..., Any]] = {whole: computed_whole, single: computed_single}


class Computed(Rewriter):
    """The check with the result of every call in other arithmetic.

    Parameters
    ----------
    own : its functions.
    change : the arithmetic, :func:`whole` or :func:`single`.
    """

    def __init__(self, own: Own, change: Arithmetic) -> None:
        super().__init__(own)
        self.imports = f"from {__name__} import {HELPERS[change].__name__} as _computed"

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Hand the function and its arguments to the helper; ``super()`` needs its own frame."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("super", "locals", "vars"):
            return node
        made = call("_computed", node.func, *node.args, at=node)
        made.keywords = node.keywords
        return made
