"""Which spaces were walked to their end while a claim was judged: what makes "all, by enumeration" more than a word."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_WALKED: ContextVar[list[str] | None] = ContextVar("walked", default=None)


@contextmanager
def walks() -> Iterator[list[str]]:
    """Yield the names of the spaces that are walked to their end inside, each member met once."""
    told: list[str] = []
    token = _WALKED.set(told)
    try:
        yield told
    finally:
        _WALKED.reset(token)


def tell_walked(name: str) -> None:
    """Say that a space of a known number of members was walked to its end."""
    if (told := _WALKED.get()) is not None:
        told.append(name)
