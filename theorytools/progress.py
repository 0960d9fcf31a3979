"""Progress of long work: a bar on a terminal, nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


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
