"""Progress of long work: a bar on a terminal and in a notebook, a line now and then; and standard output kept for the
answer.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any

QUIET = 2.0  # seconds of work that need no word
EACH = {"notebook": 0.5, "terminal": 0.25, "elsewhere": 60.0}  # seconds between two words


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
def watched(title: str, unit: str = "", *, limit: float | None = None) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback ``(done, total)``; work that takes longer than ``QUIET`` seconds is told while it goes on.

    A terminal has a bar on standard error and a notebook one below the cell, both taken away at the end; elsewhere a
    line a minute goes to standard error.

    Parameters
    ----------
    title : of the work.
    unit : what is counted.
    limit : the seconds after which it ends by itself: then these are shown, and nothing need be called.

    Examples
    --------
    >>> with watched("rows") as step:
    ...     step(1, 2)  # too short to be told
    """
    told = _Told(title, unit, limit)
    over = threading.Event()
    teller = threading.Thread(target=_tell, args=(told, over), daemon=True, name=f"progress of {title}")
    teller.start()
    try:
        yield told.step
    finally:
        over.set()
        teller.join()


class _Told:
    """How far some work is, and since when it goes on."""

    def __init__(self, title: str, unit: str, limit: float | None) -> None:
        self.title, self.unit, self.limit = title, unit, limit
        self.done, self.total, self.begun = 0, 0, time.monotonic()

    def step(self, done: int, total: int) -> None:
        self.done, self.total = done, total

    @property
    def share(self) -> float | None:
        """The part that is done; None where nobody knows."""
        if self.limit:
            return min((time.monotonic() - self.begun) / self.limit, 1.0)
        return self.done / self.total if self.total else None

    def __str__(self) -> str:
        passed = f"{time.monotonic() - self.begun:.0f}"
        count = f", {self.done} of {self.total} {self.unit}".rstrip() if self.total else ""
        return (
            f"{self.title}{count}, {passed} of {self.limit:.0f} s" if self.limit else f"{self.title}{count}, {passed} s"
        )


def _bundle(told: _Told | None) -> dict[str, str]:
    """What a notebook shows of it: an element of HTML that needs no script, and the line; nothing when it is over."""
    from html import escape

    if told is None:
        return {"text/html": "", "text/plain": ""}
    share = "" if told.share is None else f' value="{told.share:.3f}"'
    return {"text/html": f"<progress{share}></progress> {escape(str(told))}", "text/plain": str(told)}


def _shell() -> Any:
    """The shell of IPython that runs a cell now; None elsewhere.  It is asked for where IPython puts it for a cell."""
    import builtins

    return getattr(builtins, "get_ipython", lambda: None)()


def _place() -> str:
    """Where the words go: a notebook, a terminal, or a stream that somebody may read later."""
    if getattr(_shell(), "kernel", None) is not None:
        return "notebook"
    return "terminal" if sys.stderr is not None and sys.stderr.isatty() else "elsewhere"


def _tell(told: _Told, over: threading.Event) -> None:
    """Tell what goes on until it is over; the first word comes late, so that short work is quiet."""
    place = _place()
    if over.wait(QUIET if place != "elsewhere" else EACH[place]):
        return
    with {"notebook": _below_the_cell, "terminal": _on_a_terminal, "elsewhere": _in_a_stream}[place](told) as tell:
        while True:
            tell()
            if over.wait(EACH[place]):
                return


@contextmanager
def _below_the_cell(told: _Told) -> Iterator[Callable[[], None]]:
    publish, name = _shell().display_pub.publish, f"{told.title} {id(told)}"
    publish(_bundle(told), transient={"display_id": name})
    try:
        yield lambda: publish(_bundle(told), transient={"display_id": name}, update=True)
    finally:
        publish(_bundle(None), transient={"display_id": name}, update=True)


@contextmanager
def _on_a_terminal(told: _Told) -> Iterator[Callable[[], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(str(told), total=None)

        def tell() -> None:
            share = told.share
            bars.update(task, description=str(told), completed=share or 0.0, total=None if share is None else 1.0)

        yield tell


@contextmanager
def _in_a_stream(told: _Told) -> Iterator[Callable[[], None]]:
    def tell() -> None:
        with suppress(OSError, ValueError, AttributeError):  # closed, or there is none
            sys.stderr.write(f"{told}\n")
            sys.stderr.flush()

    yield tell


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
