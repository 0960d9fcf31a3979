"""The packages of others that checks import: what of them a verdict depends on.

A package that its project installs with a version counts by this version, as NumPy does.  One that brings papers, that
is editable or that no distribution owns counts by the bytes of its files, and so do those that it imports in turn: an
edit of the code that a paper brings along judges its claims again.  Its checks count by what they import.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from theorytools.claims.papers.syntax import LIBRARY, summary
from theorytools.installed_papers import GROUP, source_of

# whose versions every verdict names, and the library itself, of which what is reached counts
COUNTED = {LIBRARY, "cvxpy", "flint", "numpy", "scipy", "sympy", "torch"}


class Packages:
    """The packages that were asked for, each looked at once.

    Parameters
    ----------
    digest : the digest of a file's content.
    """

    def __init__(self, digest: Callable[[Path], str]) -> None:
        self._digest = digest
        self._seen: dict[str, tuple[str, str, frozenset[str]]] = {}

    def of(self, names: Iterable[str]) -> tuple[list[str], list[str]]:
        """Return a line for each package that is reached: those that count by their files, and those by a version.

        Parameters
        ----------
        names : of the packages, as files import them.
        """
        found, waiting = dict[str, tuple[str, str]](), list(names)
        while waiting:
            name = waiting.pop()
            if name not in found and name not in COUNTED and name not in sys.stdlib_module_names:
                code, version, further = self._look(name)
                found[name] = code, version
                waiting += further
        return sorted(code for code, _ in found.values() if code), sorted(v for _, v in found.values() if v)

    def _look(self, name: str) -> tuple[str, str, frozenset[str]]:
        if name not in self._seen:
            self._seen[name] = self._looked_at(name)
        return self._seen[name]

    def _looked_at(self, name: str) -> tuple[str, str, frozenset[str]]:
        """The line of the package's files, or that of its version, and the packages that its files import."""
        places = _places(name)
        if version := _version(name, places):
            return "", f"{name} {version}", frozenset()
        files = sorted((str(file.relative_to(place.parent)), file) for place in places for file in _files(place))
        lines = "\n".join(f"{place} {self._digest(file)}" for place, file in files)
        further = frozenset(other for _, file in files if file.suffix == ".py" for other in _imported(file))
        return f"{name} {hashlib.sha256(lines.encode()).hexdigest() if files else 'is missing'}", "", further - {name}


def _places(name: str) -> list[Path]:
    """The folders of a package, or the file of a module; none of one that cannot be found, or has no file."""
    try:
        spec = find_spec(name)
    except Exception:  # finders of others, or a module that was put into the table of modules by hand
        spec = None
    if spec is None:
        return []
    if spec.submodule_search_locations is not None:
        return list(map(Path, spec.submodule_search_locations))
    return [Path(spec.origin)] if spec.origin and spec.has_location else []


def _version(name: str, places: Iterable[Path]) -> str:
    """The version of the distribution that installed these places under this name; empty where its files count."""
    try:
        owner = metadata.distribution(name)
    except (metadata.PackageNotFoundError, ValueError):
        return ""
    home = Path(str(owner.locate_file(""))).resolve()
    brings = any(point.group == GROUP for point in owner.entry_points)
    if brings or source_of(owner).editable or owner.read_text("RECORD") is None:
        return ""
    return owner.version if all(place.resolve().is_relative_to(home) for place in places) else ""


def _files(place: Path) -> Iterator[Path]:
    """Yield the files of a package: not what Python made of them, nor papers, whose checks count by themselves."""
    if place.is_file():
        yield place
        return
    for path in place.iterdir() if place.is_dir() else ():
        if path.is_file():
            yield path
        elif path.name != "__pycache__" and not path.name.startswith(".") and not (path / "paper.toml").is_file():
            yield from _files(path)


def _imported(file: Path) -> frozenset[str]:
    try:
        return frozenset(summary(file)["packages"])
    except (SyntaxError, ValueError, OSError):  # a template, a file of another version of Python
        return frozenset()
