"""Progress of long work: a bar on a terminal, nothing in a pipe; and standard output kept for the answer."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress


@contextmanager
def shown(title: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a callback ``(done, total)`` that moves a bar on standard error, or None where that is no terminal.

    Examples
    --------
    >>> with shown("rows") as progress:
    ...     progress is None  # the output of an example is no terminal
    True
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(title, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


@contextmanager
def talking() -> Iterator[None]:
    """Run checks inside: what they print goes to standard error, so that the answer is all that standard output has.

    Not only Python's stream is turned but file descriptor 1: a solver's banner is written by C code, which knows of no
    ``sys.stdout``.  What C has buffered by the end is flushed while the descriptor is still turned, or it would follow
    the answer when the process ends.
    """
    _flush()
    try:
        kept = os.dup(1)
    except OSError:  # there is no standard output to keep
        with redirect_stdout(sys.stderr):
            yield
        return
    try:
        turn_aside()
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _flush()
        os.dup2(kept, 1)
        os.close(kept)


def turn_aside() -> None:
    """Let file descriptor 1 lead where standard error does, or nowhere."""
    try:
        os.dup2(2, 1)
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)


def _flush() -> None:
    """Write out what Python and C have buffered for standard output."""
    import ctypes

    for stream in (sys.stdout, sys.__stdout__):
        with suppress(OSError, ValueError, AttributeError):  # closed, or nobody reads it: the last write will say so
            stream.flush()  # type: ignore[union-attr]
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL("ucrtbase" if os.name == "nt" else None)
        library.fflush(None)
