"""The command line: ``theorytools list | show | verify | falsify | report | new | doctor``."""

from __future__ import annotations

import sys

USAGE, INFRASTRUCTURE, UNEXPECTED, UNDECIDED = 2, 4, 1, 3
EXIT_CODES = (
    "Exit codes, the first that applies: 2 usage (also a point outside the hypotheses), 4 infrastructure "
    "(a check that cannot load, an unwritable folder), 1 not as expected, 3 undecided, 0 all as expected; "
    "130 interrupted."
)


def main() -> None:
    """Run the command line; a user's mistake is a message, never a traceback."""
    from theorytools.cli.app import app
    from theorytools.errors import CheckError, DomainError, TheoryError

    try:
        app(prog_name="theorytools")
    except DomainError as error:
        _fail(str(error), USAGE)
    except CheckError as error:
        _fail(str(error), INFRASTRUCTURE)
    except TheoryError as error:
        _fail(str(error), INFRASTRUCTURE)
    except BrokenPipeError:
        sys.stderr.close()
        raise SystemExit(0) from None


def _fail(text: str, code: int) -> None:
    sys.stderr.write(text + "\n")
    raise SystemExit(code)
