"""Where records lie: beside the checks that read them, and for installed checks in the user's own folder.

A record that a user makes of the library's checks, or of those that another distribution brings, lies at
``checks/<paper>/records/...`` of the user, never inside an installed package; there it stands before the one that came
along.  In a clone both are one folder.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from theorytools.errors import FolderError
from theorytools.installed_papers import brought

PACKAGE = Path(__file__).resolve().parent
LIBRARY = (PACKAGE / "_checks", PACKAGE.parent / "checks")


NO_STATEMENTS = ("records", "sweeps")  # folders of a paper that hold no claims


def paper_folder(path: Path) -> Path:
    """Return the folder of the paper to which a file of checks or a sweep belongs: at most one level up."""
    inside = not (path.parent / "paper.toml").is_file() and (path.parent.parent / "paper.toml").is_file()
    return path.parent.parent if inside and path.parent.name != "records" else path.parent


def installed(path: Path) -> bool:
    """Whether a path lies in an installed package, which another installation replaces."""
    place = path.resolve()
    if not {"site-packages", "dist-packages", "_checks"}.isdisjoint(place.parts):
        return True
    return any(place.is_relative_to(one.folder) for one in brought() if not one.source.editable)


def own_checks(start: Path | None = None) -> Path:
    """Return the user's checks: the nearest folder ``checks`` with a paper or a record, else ``checks`` right here."""
    here = (start or Path.cwd()).resolve()
    for place in (folder / "checks" for folder in (here, *here.parents)):
        if not installed(place) and (any(place.glob("*/paper.toml")) or any(place.glob("*/records"))):
            return place
    return here / "checks"


def _own(folder: Path) -> Path:
    """The user's folder of the paper whose checks lie in ``folder``: another one where these are the library's."""
    library = folder.resolve().parent in LIBRARY or installed(folder)
    return own_checks() / folder.name if library else folder


def record_target(folder: Path, name: str) -> Path:
    """Return where a record of the checks in ``folder`` is written, ``name`` being its path below ``records``."""
    return _own(folder) / "records" / name


def record_file(folder: Path, name: str) -> Path:
    """Return where a record is read: the user's where there is one, else the place beside the checks."""
    target = record_target(folder, name)
    return target if target.is_file() else folder / "records" / name


def record_files(folder: Path, inner: str = ".") -> list[Path]:
    """Return the records of the checks in ``folder``, by name; the user's stand before those of the library."""
    found = {path.name: path for place in (folder, _own(folder)) for path in (place / "records" / inner).glob("*.json")}
    return [found[name] for name in sorted(found)]


_reading: list[dict[str, dict[str, str]]] = []


@contextlib.contextmanager
def reading() -> Iterator[dict[str, dict[str, str]]]:
    """Collect what is noted inside: by the record's name, when and from which commit it was made."""
    _reading.append({})
    try:
        yield _reading[-1]
    finally:
        _reading.pop()


def note(name: str, provenance: Mapping[str, Any]) -> None:
    """Say that a record of trained models was read, to whoever is :func:`reading`."""
    for noted in _reading:
        noted[name] = {key: str(provenance.get(key, "")) for key in ("created", "commit")}


def named_for_records(checks: Path) -> Path:
    """Return a folder of checks that the user names for records; ``FolderError`` inside an installed package."""
    if installed(checks):
        raise FolderError(
            f"a record in {checks}, inside an installed package",
            required="a folder of your own",
            why="the next installation would replace it without a word",
            advice=f"without --checks it goes to {own_checks()}, where it stands before the installed one",
        )
    return checks
