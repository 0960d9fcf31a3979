"""The worker of a ``ProcessPool``: takes one piece of work at a time, gives back messages."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from multiprocessing import connection, parent_process
from types import GeneratorType
from typing import Any

READY, BEGUN, ITEM, DONE, ERROR = "ready", "begun", "item", "done", "error"


def serve(pipe: connection.Connection) -> None:
    """Run what comes through the pipe until it closes; die with the driver, also in the middle of a trial.

    An interruption from the keyboard goes to the driver, which ends its workers.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with_the_driver, daemon=True).start()
    try:
        pipe.send((READY, 0, None))
        while True:
            number, packed = pipe.recv()
            pipe.send((BEGUN, number, None))
            _answer(pipe, number, packed)
    except (EOFError, OSError):
        return


def _die_with_the_driver() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _answer(pipe: connection.Connection, number: int, packed: bytes) -> None:
    try:
        function, args, kwargs = pickle.loads(packed)
        value = function(*args, **kwargs)
        if isinstance(value, GeneratorType):
            for item in value:
                pipe.send((ITEM, number, item))
            value = None
        message: tuple[str, int, Any] = (DONE, number, value)
        text = pickle.dumps(message)
    except OSError:
        raise
    except Exception as error:
        text = _packed_error(number, error)
    pipe.send_bytes(text)


def _packed_error(number: int, error: Exception) -> bytes:
    """The error itself if it survives the journey, else what it says."""
    try:
        text = pickle.dumps((ERROR, number, error))
        pickle.loads(text)
    except Exception:
        text = pickle.dumps((ERROR, number, RuntimeError(f"{type(error).__name__}: {error}")))
    return text
