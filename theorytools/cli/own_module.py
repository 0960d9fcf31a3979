"""A module of somebody's own, by a name on the command line: ``your_file.py:name`` or ``package.module:name``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from theorytools.errors import DomainError, FolderError, TheoryError
from theorytools.optional import require
from theorytools.trained.checkpoint import read_checkpoint


def imported(target: str, weights: Path | None = None) -> tuple[Any, dict[str, Any]]:
    """Return the module that a name stands for, ``your_file.py:name`` or ``package.module:name``; the file is executed.

    Parameters
    ----------
    target : the name is that of a ``torch.nn.Module``, or of what returns one when it is called without arguments.
    weights : a checkpoint that is loaded into it.

    Returns
    -------
    tuple : the module, and the tensors ``omega`` and ``u`` of the checkpoint.

    Raises
    ------
    DomainError : a name that is not there or stands for something else, weights of another module.
    FolderError : no such file.
    """
    place, _, name = target.rpartition(":")
    found = getattr(_source(place), name, None)
    if found is None:
        raise DomainError(f"{target}, without {name!r}", required="the name of a module or of what makes one",
                          why="it is looked up in that file")  # fmt: skip
    torch = require("torch")
    made = found if isinstance(found, torch.nn.Module) else found() if callable(found) else found
    if not isinstance(made, torch.nn.Module):
        raise DomainError(f"{target}, a {type(made).__name__}", required="a torch.nn.Module, or what returns one",
                          why="its operators are read, and it is run")  # fmt: skip
    held = {} if weights is None else read_checkpoint(weights)
    beside: dict[str, Any] = {
        key: held.pop(key) for key in ("omega", "u") if key in held and key not in made.state_dict()
    }
    if weights is not None:
        try:
            made.load_state_dict(held)
        except RuntimeError as error:  # of names and shapes, a line each
            raise DomainError(
                f"{weights.name} for {target}: {' '.join(str(error).split())[:300]}",
                required="the tensors of this module", why="they are loaded by name",
            ) from None  # fmt: skip
    return made.eval(), beside


def _source(place: str) -> Any:
    """The Python module of a file or of a dotted name."""
    try:
        if not place.endswith(".py"):
            return importlib.import_module(place)
        file = Path(place)
        if not file.is_file():
            raise FolderError(f"{place}, which is no file", required="your_file.py:name", why="it makes the module")
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None
        assert spec.loader is not None
        found = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(file.parent.resolve()))
        try:
            spec.loader.exec_module(found)
        finally:
            sys.path.pop(0)
        return found
    except TheoryError:
        raise
    except Exception as error:  # whatever a stranger's file raises while it is executed
        raise DomainError(f"{place}, which fails: {type(error).__name__}: {str(error).partition(chr(10))[0]:.200}",
                          required="your_file.py:name or package.module:name",
                          why="the file is executed to make the module") from None  # fmt: skip
