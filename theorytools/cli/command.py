"""A command from its words to its exit code: what a user got wrong is a message, and an interrupt one line."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from theorytools.cli.answers import asked, crashed, failure, interruption, told
from theorytools.cli.app import app
from theorytools.cli.formats import CLOSED_PIPE, INFRASTRUCTURE
from theorytools.cli.terminal import escaping, refuse_hidden
from theorytools.interrupts import came, leaves_with, raised

_PIECE = 1 << 14


def run() -> None:
    """Run the command whose words the process was started with; ``SystemExit`` with its exit code."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller: kept from the first file that is opened
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):  # a terminal without × shows x
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="plain")
    with escaping():
        _run()


def _run() -> None:
    stdout = sys.stdout
    try:
        try:
            refuse_hidden(sys.argv[1:])
            if asked(sys.argv[1:]):
                raise SystemExit(_answered())
            with raised():
                app(prog_name="theorytools")
        finally:
            stdout.flush()  # here and not at exit, where Python could only complain
            if sys.stdout is not stdout:  # typer puts a wrapper there when the reader has gone
                raise BrokenPipeError
    except BrokenPipeError:  # `theorytools list | head`: the outcome was not told, so never 0
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())
        raise SystemExit(CLOSED_PIPE) from None
    except Exception as error:
        if came():  # what a library made of it
            raise
        said = failure(error)
        if said is None:  # Python's own exit code would be 1, which says that a claim is not as expected
            crashed()
            raise SystemExit(INFRASTRUCTURE) from None
        sys.stderr.write(f"{said[1]}\n")
        raise SystemExit(said[0]) from None


def _answered() -> int:
    """Run the command for a program, write the one object that it reads, and return the exit code."""
    stdout = sys.stdout
    leaves_with(_own(stdout), f"{interruption()}\n")
    with raised():
        code, text = told(app)
    leaves_with(-1, "")  # half of this one may be written
    for k in range(0, len(text), _PIECE):  # of one long write Python does not tell that its end was lost
        stdout.write(text[k : k + _PIECE])
    return code


def _own(stream: TextIO) -> int:
    """A descriptor of what standard output is now: while a command runs, 1 leads elsewhere."""
    try:
        return os.dup(stream.fileno())
    except (OSError, ValueError):  # no file
        return os.open(os.devnull, os.O_WRONLY)
