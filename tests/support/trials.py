"""Trials for the tests of the engines: importable by name in a worker, and light."""

import os
import signal
import time

from theorytools.training.trials.trial import Result


def square(spec):
    return {"square": spec["i"] ** 2, "threads": os.environ.get("OMP_NUM_THREADS")}


def cases(spec):
    """One of each thing that can happen."""
    i = spec["i"]
    if i == 1:
        return Result({"samples": 10}, "censored", "the budget ended", {"device": "cpu"})
    if i == 2:
        raise ValueError("no such width")
    if i == 3:
        return {"loss": float("nan")}
    if i == 4:
        return 4
    return {"i": i}


def deadly(spec):
    """Trial 3 kills its worker; trial 1 kills it once, and leaves its number."""
    if spec["i"] == 3 or (spec["i"] == 1 and not os.path.exists(spec["mark"])):
        if spec["i"] == 1:
            with open(spec["mark"], "x", encoding="ascii") as mark:
                mark.write(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return {"i": spec["i"]}


def group(specs):
    """Answers the last first; kills its worker at ``die``, raises at ``fail``, asks itself at ``odd``."""
    for spec in reversed(specs):
        if spec.get("what") == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if spec.get("what") == "fail":
            raise ValueError("the stack is too high")
        if spec.get("what") == "odd":
            yield {"i": -1}, {"i": -1}
        if spec.get("what") != "silent":
            yield spec, {"i": spec["i"]}


def slow(spec):
    time.sleep(spec.get("seconds", 60))
    return {}


def pid(_):
    return os.getpid()


def unreadable():
    class Local(Exception):
        pass

    raise Local("only here")
