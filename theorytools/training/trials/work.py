"""What a worker does: find the runner, run it, and turn whatever happens into texts for the driver."""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theorytools.claims.papers.loading import load_module
from theorytools.errors import DomainError, TheoryError
from theorytools.optional import missing
from theorytools.training.trials.provenance import provenance
from theorytools.training.trials.trial import FAILED, Result, canonical, trial_key

Runner = str | Callable[..., Any]


class WorkerLost(TheoryError):
    """The process that ran this work died, as often as is allowed."""


@dataclass(frozen=True)
class Answer:
    """One trial's result on its way to the driver; all plain values, checked where they were made."""

    key: str
    result: Result
    provenance: Mapping[str, Any]
    seconds: float


def resolve(run: Runner) -> Callable[..., Any]:
    """Return the function that ``"package.module:function"`` or ``"path/to/sweep.py:function"`` names, or itself.

    Raises
    ------
    DomainError : if the text names no function, or the module cannot be imported.
    """
    if callable(run):
        return run
    why = "a worker imports the runner by its name"
    if not isinstance(run, str) or not re.fullmatch(r"[\w.]+:[\w.]+|.+\.py:\w+", run):
        raise DomainError(f"the runner {run!r}", required="a function, or 'package.module:function'", why=why)
    module, _, name = run.rpartition(":")
    try:
        found: Any = load_module(Path(module)) if module.endswith(".py") else importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        if (clear := missing(error)) is not None:
            raise clear from None
        raise DomainError(
            f"the runner {run!r} ({error})", required="a function in a module on the path", why=why,
            advice="look for a typo; start the program where the module can be imported",
        ) from error  # fmt: skip
    if not callable(found):
        raise DomainError(f"the runner {run!r}, which is no function", required="a function", why=why)
    return found


def perform(run: Runner, specs: Sequence[Mapping[str, Any]], grouped: bool) -> Iterator[Answer]:
    """Yield an answer for every trial of one submission, each as soon as the runner gives it.

    A single trial is ``run(spec) -> result``; a group is ``run(specs)``, which yields pairs ``(spec, result)`` in any
    order.  An exception of the runner fails the trials that have no result yet; a pair of a trial that was not asked
    for, or that came before, fails them too.
    """
    open_trials = {trial_key(spec): spec for spec in specs}
    began = time.perf_counter()
    try:
        function = resolve(run)
        pairs: Iterable[tuple[Mapping[str, Any], Any]] = (
            function(list(specs)) if grouped else ((spec, function(spec)) for spec in specs)
        )
        for spec, given in pairs:
            key, result = trial_key(spec), _checked(given)
            if key not in open_trials:
                raise DomainError(
                    f"a result for {canonical(spec)}",
                    required="one of the trials of this group without a result",
                    why="a group's runner answers what it was asked, once",
                )
            del open_trials[key]
            now = time.perf_counter()
            yield Answer(key, result, provenance(), now - began)
            began = now
        reason = "the runner ended without a result for it"
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
    for key in open_trials:
        yield Answer(key, Result(status=FAILED, reason=reason), provenance(), time.perf_counter() - began)


def performed(run: Runner, specs: Sequence[Mapping[str, Any]], grouped: bool) -> list[Answer]:
    """All answers at once, for engines that return one value."""
    return list(perform(run, specs, grouped))


def _checked(given: Any) -> Result:
    if not isinstance(given, Result | Mapping):
        raise DomainError(
            f"a result of type {type(given).__name__}",
            required="a mapping of names to values, or a Result",
            why="results become columns",
        )
    result = given if isinstance(given, Result) else Result(given)
    canonical(result.value)
    canonical(result.provenance)
    return result
