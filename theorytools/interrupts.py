"""An interrupt of a command, at any moment: exit code 130 and one line, and what was decided is kept.

Python's own answer, ``KeyboardInterrupt`` wherever the program is, fails in two ways: raised before ``main`` runs it is
a traceback, and raised within an import it is lost, or comes out as another error, for half the modules of a numerical
library are made by C code and by callbacks that nothing may leave.  So a command leaves at once, in the handler itself,
while it starts, while it imports and after its end; ``KeyboardInterrupt`` is raised only where a command does its work,
which catches it to close what is open and to say what is kept.  Verdicts and trials are stored as they are decided, so
that nothing is lost where a command leaves at once.  The first hundredths of a second, before any line of this package,
are Python's own.

:func:`watch` is called when the command line is imported, and does something only in a process that *is* the command.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

EXIT_CODE = 130
LINE = "interrupted\n"
_SCRIPTS = ("theorytools", "theorytools.exe", "theorytools-script.py")
_IMPORTING = "<frozen importlib._bootstrap>"


class _State:
    """Whether an interrupt came, is raised where it comes, and was told; and the answer to a program that asked."""

    came = raised = told = False
    answer: tuple[int, bytes] | None = None


def is_command() -> bool:
    """Whether this process was started as ``theorytools`` or ``python -m theorytools``."""
    first = sys.argv[0] if getattr(sys, "argv", None) else ""
    if first == "-m":  # the package is being imported on the way to its main module
        return "theorytools" in sys.orig_argv[1:]
    folder, name = os.path.split(first)
    return name in _SCRIPTS or (name == "__main__.py" and os.path.basename(folder) == "theorytools")


def watch() -> None:
    """From here on an interrupt of the command ends it at once; one that the caller had switched off stays so."""
    if not is_command():
        return
    import signal

    with suppress(ValueError):  # not the main thread
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _handle)
            sys.unraisablehook = _lost


def begin() -> None:
    """A command begins: nothing was told yet of an interrupt.  Tests run several in one process."""
    _State.told = False


@contextmanager
def raised() -> Iterator[None]:
    """Inside, a command does its work: an interrupt is raised, but within an import."""
    before, _State.raised = _State.raised, True
    try:
        yield
    finally:
        _State.raised = before


@contextmanager
def unheard() -> Iterator[None]:
    """Processes that start inside never hear an interrupt of their own; one that comes meanwhile waits."""
    import signal

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_parent() -> None:
    """In a process of a pool: end when the process that started it has ended, however it did."""
    from multiprocessing import parent_process
    from threading import Thread

    def waiting() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=waiting, daemon=True).start()


def came() -> bool:
    """Whether the command was interrupted, also where a library made another error of it."""
    return _State.came


def tell(line: str) -> None:
    """Write the one line of an interrupted command; a second one is not written."""
    if not _State.told:
        _State.told = True
        with suppress(OSError, ValueError):
            sys.stderr.write(line)
            sys.stderr.flush()


def leaves_with(stream: int, text: str) -> None:
    """Say what is written to a file descriptor where the command leaves at once: a program reads one object."""
    _State.answer = (stream, text.encode()) if text else None


def _handle(signum: int, frame: Any) -> None:
    _State.came = True
    if not _State.raised or _importing(frame):
        _leave()
    raise KeyboardInterrupt


def _importing(frame: Any) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTING:
            return True
        frame = frame.f_back
    return False


def _lost(error: Any) -> None:
    """An interrupt that was raised where nothing can be raised, such as in the callback of a weak reference."""
    if issubclass(error.exc_type, KeyboardInterrupt):
        _leave()
    sys.__unraisablehook__(error)


def _leave() -> None:
    """End the process and those that it started; nothing is closed and nothing more of Python runs."""
    processes = sys.modules.get("multiprocessing.process")
    for child in list(getattr(processes, "_children", ())):  # one that has only begun would print that it is alone
        with suppress(Exception):
            child.kill()
    if not _State.told:
        with suppress(OSError):
            os.write(2, LINE.encode())
    if _State.answer is not None:
        with suppress(OSError):
            os.write(*_State.answer)
    os._exit(EXIT_CODE)
