"""A salt that changes every seed of a run, and a record of the seeds that were asked for.

Without a salt the seeds are those of the check's name, its point and a role; with one they are others, as if the check
had another name.  So a statement over drawn objects is judged again on draws that nobody has seen.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import CodeType
from typing import Any

CHECKS = "_theory_"  # how the names of the modules of check files begin
_SALT: ContextVar[str] = ContextVar("salt", default="")
_ASKED: ContextVar[tuple[set[str], ...]] = ContextVar("asked", default=())
# what keeps the values of functions of check files that asked for a seed, themselves or by what they called, found when
# they do: looking through all checks that a process has loaded took longer than most points
_CACHES: set[Any] = set()
_MET: set[frozenset[CodeType | str]] = set()  # who asked, called by whom


def salt() -> str:
    """Return the salt in force, empty without one."""
    return _SALT.get()


@contextmanager
def salted(text: str) -> Iterator[None]:
    """Let every seed that is asked for inside depend on this text; the empty one leaves the seeds as they are.

    What a check keeps of its draws (``functools.cache``) is forgotten before and after, so that no draw of one salt
    is taken for one of another.
    """
    _forget()
    before = _SALT.set(text)
    try:
        yield
    finally:
        _SALT.reset(before)
        _forget()


@contextmanager
def asked() -> Iterator[set[str]]:
    """Collect the roles for which a seed is asked inside; what stands outside collects them, too."""
    roles: set[str] = set()
    before = _ASKED.set((*_ASKED.get(), roles))
    try:
        yield roles
    finally:
        _ASKED.reset(before)


def note(role: str) -> None:
    """Tell whoever collects that a seed was asked for this role, and keep which caches of checks then hold draws."""
    for roles in _ASKED.get():
        roles.add(role)
    frame, codes, places = sys._getframe(1), [], {}
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith(CHECKS):
            codes.append(frame.f_code)
            places[name] = frame.f_globals
        frame = frame.f_back  # type: ignore[assignment]  # of the outermost it is None
    met = frozenset((*codes, *places))
    if met not in _MET:
        _MET.add(met)
        for place in places.values():
            _CACHES.update(value for value in place.values() if _wrapped(value) in codes)


def _wrapped(value: Any) -> CodeType | None:
    """The code of the function whose values are kept, None of what keeps none."""
    if not callable(getattr(value, "cache_clear", None)):
        return None
    return getattr(getattr(value, "__wrapped__", None), "__code__", None)


def _forget() -> None:
    """Clear what functions of check files keep that asked for seeds."""
    for function in _CACHES:
        function.cache_clear()
