"""Exit codes, and where a command's own words go."""

from __future__ import annotations

import contextlib
import sys

USAGE, INFRASTRUCTURE, UNEXPECTED, UNDECIDED, CLOSED_PIPE = 2, 4, 1, 3, 141
EXIT_CODES = (
    "Exit codes, the first that applies: 2 usage (also a point outside the hypotheses, unless another claim is not as "
    "expected), 4 infrastructure (a check that cannot load, an unwritable folder), 1 not as expected, 3 undecided "
    "(also one of several points), 0 all as expected; "
    "130 interrupted, 141 nobody reads the output."
)


def talking(as_json: bool) -> contextlib.AbstractContextManager[object]:
    """Return a context for running checks, whose own prints must not mix with JSON on standard output."""
    return contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext()
