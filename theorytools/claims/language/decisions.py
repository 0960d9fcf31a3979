"""Decisions of a step: which of several, which sign, within which ends; each is noted with how near it was.

An exact run and the same run in doubles agree to many digits until one of these comes out otherwise; from there on they
are two runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from theorytools.errors import DomainError

T = TypeVar("T")
_NOTED: ContextVar[list[Decision] | None] = ContextVar("noted", default=None)


@dataclass(frozen=True)
class Decision:
    """One decision: what was asked, what came out, and how far it was from coming out otherwise."""

    what: str
    chosen: Any
    gap: Any


@contextmanager
def noting() -> Iterator[list[Decision]]:
    """Yield the decisions that are taken inside, in their order."""
    noted: list[Decision] = []
    token = _NOTED.set(noted)
    try:
        yield noted
    finally:
        _NOTED.reset(token)


class Decide:
    """What a step decides by comparing numbers, noted for the run in doubles that goes beside the exact one.

    Examples
    --------
    >>> decide.argmin([3, 1, 2]), decide.argmax([1, 1]), decide.sign(-5), decide.clip(7, 0, 1), decide.less(1, 2)
    (1, 0, -1, 1, True)
    """

    def argmin(self, values: Sequence[Any]) -> int:
        """Return the index of the least value, the first of several; the gap is to the runner-up."""
        return self._first("argmin", values, list(values))

    def argmax(self, values: Sequence[Any]) -> int:
        """Return the index of the largest value, the first of several; the gap is to the runner-up."""
        return self._first("argmax", values, [-x for x in values])

    def sign(self, x: Any) -> int:
        """Return 1, 0 or -1; the gap is the absolute value."""
        return _note("sign", int(x > 0) - int(x < 0), abs(x))

    def less(self, a: Any, b: Any) -> bool:
        """Return whether a < b; the gap is their distance."""
        return _note("less", bool(a < b), abs(a - b))

    def clip(self, x: Any, low: Any, high: Any) -> Any:
        """Return x, or the end that it lies beyond; the gap is the distance to the nearer end.

        Raises
        ------
        DomainError : low > high.
        """
        if low > high:
            raise DomainError(f"clip to low = {low}, high = {high}", required="low <= high")
        side = _note("clip", "low" if x < low else "high" if x > high else "inside", min(abs(x - low), abs(x - high)))
        return {"low": low, "high": high, "inside": x}[side]

    def _first(self, what: str, given: Sequence[Any], values: list[Any]) -> int:
        if not values:
            raise DomainError(f"{what} of {given!r:.60}", required="at least one value")
        first = min(range(len(values)), key=lambda k: values[k])
        others = values[:first] + values[first + 1 :]
        return _note(what, first, min(others) - values[first] if others else None)


decide = Decide()


def _note(what: str, chosen: T, gap: Any) -> T:
    if (noted := _NOTED.get()) is not None:
        noted.append(Decision(what, chosen, gap))
    return chosen
