"""Import a check file under a private package name made from its folder.

Relative imports (``from .notation import N``) work without ``__init__.py``, two folders called ``checks`` never
meet, and ``sys.path`` stays as it is.
"""

from __future__ import annotations

import hashlib
import importlib
import linecache
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from theorytools.claims.catalogue import Entry, read_entries
from theorytools.errors import CheckError, TheoryError

if TYPE_CHECKING:
    from theorytools.claims.claim import Claim


def package_of(root: Path) -> str:
    """Return the private package name of a checks folder."""
    return "_theory_" + hashlib.sha256(str(root.resolve()).encode()).hexdigest()[:12]


def _namespace(name: str, folder: Path) -> None:
    if name not in sys.modules:
        module = ModuleType(name)
        module.__path__ = [str(folder)]
        sys.modules[name] = module


def load_module(path: Path) -> ModuleType:
    """Import the check file, raising ``CheckError`` (never a traceback) for whatever is wrong in it."""
    path = path.resolve()
    package = package_of(path.parent.parent)
    _namespace(package, path.parent.parent)
    _namespace(f"{package}.{path.parent.name}", path.parent)
    try:
        return importlib.import_module(f"{package}.{path.parent.name}.{path.stem}")
    except TheoryError:
        raise
    except Exception as error:
        raise broken(path, error) from error


def broken(path: Path, error: BaseException) -> CheckError:
    """Return the error of a check file that raised, with the line of the user's code."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).parent == path.parent]
    where = (
        f", line {frames[-1].lineno}: {linecache.getline(frames[-1].filename, frames[-1].lineno or 0).strip()}"
        if frames
        else ""
    )
    if isinstance(error, SyntaxError):
        where = f", line {error.lineno}"
    return CheckError(
        f"{path.name}{where}",
        required="a check file that loads and runs",
        why=f"{type(error).__name__}: {error}",
        advice="mend that line; theorytools verify runs the other checks meanwhile",
    )


def load(entry: Entry) -> Claim:
    """Return the claim of a catalogue entry.

    Raises
    ------
    CheckError
        If the file does not load, or its claims are not the ones its syntax tree shows (claims made in loops
        cannot be listed without running them and are refused).
    """
    from theorytools.claims.claim import Claim

    if entry.error:
        raise CheckError(f"{entry.path.name}: {entry.error}", required="a file that Python can parse")
    module = load_module(entry.path)
    made = {name for name, value in vars(module).items() if isinstance(value, Claim) and _here(module, name)}
    listed = {e.name for e in read_entries(entry.path)}
    if made - listed:
        raise CheckError(
            f"{entry.path.name} makes claims {sorted(made - listed)}", required="top-level name = Claim(…) only",
            why="claims are listed from the syntax tree, without running the file",
        )  # fmt: skip
    claim = getattr(module, entry.name)
    if not isinstance(claim, Claim):
        raise CheckError(f"{entry.path.name}: {entry.name} is a {type(claim).__name__}", required="a Claim")
    return claim


def _here(module: ModuleType, name: str) -> bool:
    """Whether the name was bound here rather than imported from another check."""
    value = getattr(module, name)
    others = (
        m for n, m in sys.modules.items() if n.startswith("_theory_") and m is not module and m is not None
    )
    return not any(getattr(m, name, None) is value for m in others)
