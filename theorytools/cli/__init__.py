"""The command line: ``theorytools list | show | verify | falsify | necessity | report | sweep | new | doctor``."""

from __future__ import annotations

import codecs
import os
import sys

from theorytools.cli.formats import CLOSED_PIPE, INFRASTRUCTURE

_PIECE = 1 << 14
_PLAIN = {"×": "x", "…": "...", "–": "-", "—": "-", "≤": "<=", "≥": ">=", "≠": "!=", "−": "-", "±": "+-", "∞": "inf"}


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Write what a terminal's encoding lacks in signs that it has."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_PLAIN.get(sign, "?") for sign in error.object[error.start : error.end]), error.end


codecs.register_error("plain", _plain)


def main() -> None:
    """Run the command line; a user's mistake is a message, never a traceback, and no text of others moves a cursor."""
    from theorytools.cli.terminal import escaping

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller: kept from the first file that is opened
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):  # a terminal without × shows x
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="plain")
    with escaping():
        _run()


def _run() -> None:
    from theorytools.cli.answers import asked, crashed, failure, told
    from theorytools.cli.app import app
    from theorytools.cli.terminal import refuse_hidden

    stdout = sys.stdout
    try:
        try:
            refuse_hidden(sys.argv[1:])
            if asked(sys.argv[1:]):
                code, text = told(app)
                for k in range(0, len(text), _PIECE):  # of one long write Python does not tell that its end was lost
                    stdout.write(text[k : k + _PIECE])
                raise SystemExit(code)
            app(prog_name="theorytools")
        finally:
            stdout.flush()  # here and not at exit, where Python could only complain
            if sys.stdout is not stdout:  # typer puts a wrapper there when the reader has gone
                raise BrokenPipeError
    except BrokenPipeError:  # `theorytools list | head`: the outcome was not told, so never 0
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())
        raise SystemExit(CLOSED_PIPE) from None
    except Exception as error:
        said = failure(error)
        if said is None:  # Python's own exit code would be 1, which says that a claim is not as expected
            crashed()
            raise SystemExit(INFRASTRUCTURE) from None
        sys.stderr.write(f"{said[1]}\n")
        raise SystemExit(said[0]) from None
