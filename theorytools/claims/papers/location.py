"""Where a check lies says what it is: its paper, the stem of its ids, and the files that its relative imports mean.

A statement has one file, ``checks/<paper>/<statement>.py``, or a folder with what else is said of it and what only it
needs: ``lemma_11/lemma_11.py`` has the stem ``lemma_11``, ``lemma_11/temperature.py`` ``lemma_11_temperature``, and a
name that begins with ``_`` is no check.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from theorytools.installed_papers import brought
from theorytools.places import NO_STATEMENTS, paper_folder


def stem_of(path: Path) -> str:
    """Return the stem of the ids of a file's claims."""
    return _stem_in(paper_folder(path), path)


def _stem_in(folder: Path, path: Path) -> str:
    return path.stem if folder == path.parent else joined(path.parent.name, path.stem)


def joined(folder: str, name: str) -> str:
    """Return the stem of ``folder/name.py``: that of the flat file in its place."""
    if name.startswith("_"):
        return name
    return folder if name == folder else f"{folder}_{name}"


def may_hold_claims(path: Path) -> bool:
    """Whether the name of this file is one that a check can have."""
    return path.suffix == ".py" and not path.name.startswith("_") and path.name not in ("notation.py", "conftest.py")


def check_paths(folder: Path) -> list[tuple[str, Path]]:
    """Return the files of a paper that can hold claims, each after its stem, in the order of the stems."""
    inner = (f for f in folder.iterdir() if f.name[:1].isalpha() and f.name not in NO_STATEMENTS and f.is_dir())
    found = [path for place in (folder, *inner) for path in place.glob("*.py") if may_hold_claims(path)]
    return sorted((_stem_in(folder, path), path) for path in found)


def meant(file: Path, level: int, module: str) -> tuple[str, tuple[str, ...]]:
    """Return what a relative import names: the paper, empty for the file's own, and the parts below it."""
    own = paper_folder(file)
    above = [own.name] if file.parent == own else [own.name, file.parent.name]
    parts = [*above[: max(len(above) - level + 1, 0)], *filter(None, module.split("."))]
    beyond = level > len(above) + 1 or not parts
    paper, *rest = ["", *parts] if beyond else parts
    return ("" if paper == own.name else paper), tuple(rest)


def imported(file: Path, level: int, module: str, names: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    """Yield the files of checks that ``from ..module import names`` reads, each with the name taken, ``*`` for all."""
    place, inside = _place(file, level, module)
    if inside:
        yield from ((place / f"{name.split('.')[0]}.py", "*") for name in names)
    else:
        yield from ((place.with_name(f"{place.name}.py"), name) for name in names)


def names_files(file: Path, level: int, module: str) -> bool:
    """Whether the names that ``from ..module import names`` takes are files: the module is a folder."""
    return _place(file, level, module)[1]


def _place(file: Path, level: int, module: str) -> tuple[Path, bool]:
    """The folder or file that a relative import names, without suffix, and whether it is a folder."""
    paper, parts = meant(file, level, module)
    place = check_folder(file, paper).joinpath(*parts)
    return place, not parts or (not place.with_name(f"{place.name}.py").is_file() and place.is_dir())


def check_folder(file: Path, paper: str) -> Path:
    """Return the folder that a file means by a paper: its own (empty), one beside it, or one that is installed."""
    own = paper_folder(file)
    if not paper:
        return own
    places = [root / paper for root in (own.parent, *installed_roots())]
    return next((place for place in places if (place / "paper.toml").is_file()), places[0])


@cache
def library_root() -> Path | None:
    """Return the folder of the checks that come with the library: the wheel's copy, or that of the source tree."""
    package = Path(__file__).resolve().parents[2]
    places = (package / "_checks", package.parent / "checks")
    return next((place for place in places if any(place.glob("*/paper.toml"))), None)


def installed_roots() -> tuple[Path, ...]:
    """Return the folders of papers that are there wherever one works: the library's, then those of distributions."""
    library = library_root()
    own = () if library is None else (library,)
    return (*own, *(one.folder for one in brought() if one.folder not in own))


def relative(path: Path) -> str:
    """Return the path from the folder above the checks, with forward slashes."""
    return os.path.relpath(path, paper_folder(path).parents[1]).replace(os.sep, "/")
