"""What is being judged, since when and where: told of a claim that takes long, and asked before one is given up.

A loop without an end in a check tells nothing by itself.  A thread beside it looks at the frames of the one that
judges: the innermost point, the control, and the line of the check.  Nothing that is judged knows of it.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from theorytools.claims.language.control import Control
from theorytools.claims.language.grid import Point
from theorytools.claims.papers.catalogue import Entry
from theorytools.claims.papers.location import relative

FIRST, EVERY = 10.0, 60.0  # seconds after which it is told where a claim is, and from then on
LOADING = 60.0  # seconds that a check may take to be imported, with what it imports
LOOKS = 5  # how often in the time of a limit
_ENGINE = Path(__file__).parent


def whereabouts(entry: Entry, thread: int) -> str:
    """Return where a thread is that judges a claim: ``at N=3, in measure (checks/tiny/loops.py, line 21)``.

    Parameters
    ----------
    entry : the claim.
    thread : the number of the thread; what is not known of it is left out.
    """
    frames = list(_frames(sys._current_frames().get(thread)))  # the innermost first
    point = next((value for frame in frames if isinstance(value := _local(frame, "point"), Point)), None)
    spoiled = (frame for frame in frames if frame.f_code.co_name == "run_control")  # judge keeps the last one's name
    control = next((value for frame in spoiled if isinstance(value := _local(frame, "control"), Control)), None)
    own = next((frame for frame in frames if Path(frame.f_code.co_filename).is_relative_to(entry.root)), None)
    line = "" if own is None else f"{relative(Path(own.f_code.co_filename))}, line {own.f_lineno}"
    beside = any(frame.f_code.co_name == "_beside" for frame in frames)
    parts = [
        "in the search beside its grid" if beside else "",
        f"at {point}" if point is not None and str(point) else "",
        f"with the control '{control.name}'" if control is not None else "",
        "" if own is None else f"in {own.f_code.co_name.strip('<>')} ({line})",
    ]
    return ", ".join(part for part in parts if part)


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _local(frame: FrameType, name: str) -> Any:
    """A local of a frame of the engine; a check's own names are its own."""
    return frame.f_locals.get(name) if Path(frame.f_code.co_filename).parent == _ENGINE else None


def _call(entry: Entry, thread: int) -> FrameType | None:
    """The call that takes its time: that which judges the innermost point, else the outermost of the check's file."""
    frames = list(_frames(sys._current_frames().get(thread)))
    judging = (frame for frame in frames if isinstance(_local(frame, "point"), Point))
    own = (frame for frame in reversed(frames) if Path(frame.f_code.co_filename).is_relative_to(entry.root))
    return next(judging, None) or next(own, None)


class Watch:
    """Context manager around the judging of one claim in this thread.

    Parameters
    ----------
    entry : the claim.
    told : called from another thread with (seconds, where) after ``first`` seconds, and then every ``EVERY``.
    late : called once with where it is when one point has taken longer than ``limit``; nothing is told afterwards.
    limit : seconds that a point may take, of the grid or of the search beside it; None for any time.  To be imported a
        check has ``LOADING`` seconds where that is more.
    alive : called again and again while a limit is watched, so that silence means that nothing of Python runs.
    first : seconds.
    """

    def __init__(
        self, entry: Entry, told: Callable[[float, str], None], late: Callable[[str], None] | None = None,
        limit: float | None = None, alive: Callable[[], None] | None = None, first: float = FIRST,
    ) -> None:  # fmt: skip
        self.entry, self.told, self.late, self.limit = entry, told, late, limit
        self.alive, self.first = alive, first
        self._thread, self._ended = threading.get_ident(), threading.Event()
        self._call: FrameType | None = None
        self._since = 0.0
        self._watcher = threading.Thread(target=self._watching, daemon=True)

    def __enter__(self) -> Watch:
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._watcher.join()
        self._call = None

    def _watching(self) -> None:
        begun = time.monotonic()
        due, pause = begun + self.first, FIRST if self.limit is None else self.limit / LOOKS
        while not self._ended.wait(max(0.01, min(pause, due - time.monotonic()))):
            now = time.monotonic()
            if self.limit is not None and self._late(now, self.limit):
                if self.late is not None:
                    self.late(whereabouts(self.entry, self._thread))
                return
            if now >= due:
                self.told(now - begun, whereabouts(self.entry, self._thread))
                due += EVERY

    def _late(self, now: float, limit: float) -> bool:
        """Whether one call has been seen for longer than the limit."""
        if self.alive is not None:
            self.alive()
        call = _call(self.entry, self._thread)
        if call is not self._call or call is None:
            self._call, self._since = call, now
            return False
        return now - self._since >= (limit if _local(call, "point") is not None else max(limit, LOADING))
