"""Papers that installed distributions bring, by the entry points of the group ``theorytools.papers``.

An entry point names a folder that holds ``<paper>/paper.toml``, as a folder ``checks`` does, under the dotted name by
which Python would import it; it needs no ``__init__.py``.  In the ``pyproject.toml`` of a distribution *theirs*::

    [project.entry-points."theorytools.papers"]
    theirs = "theirs_checks"

The folder is found without importing anything of the distribution.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from theorytools.errors import CheckError, TheoryError

GROUP = "theorytools.papers"


@dataclass(frozen=True)
class Source:
    """Where a distribution was installed from.

    Parameters
    ----------
    project : the folder of its ``pyproject.toml``; None where it came from an index or a file.
    editable : whether what is installed are the files of that folder themselves.
    """

    project: Path | None = None
    editable: bool = False


@dataclass(frozen=True)
class Brought:
    """A folder of papers that a distribution brings.

    Parameters
    ----------
    distribution : its name and version.
    folder : holds ``<paper>/paper.toml``.
    source : where it was installed from.
    """

    distribution: str
    folder: Path
    source: Source


def brought() -> tuple[Brought, ...]:
    """Return the folders of papers of all distributions that can be imported now, by the distributions' names."""
    return _looked_up(tuple(sys.path))[0]


def bringing(folder: Path) -> Brought | None:
    """Return what brings the papers of a folder; None for one that no distribution names."""
    return next((one for one in brought() if one.folder == folder.resolve()), None)


def tell_broken() -> None:
    """Say on standard error, once a process and not in its workers, which entry points name no papers."""
    if multiprocessing.parent_process() is None:
        for text in _looked_up(tuple(sys.path))[1]:
            _tell(text)


@cache
def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")


@cache
def _looked_up(path: tuple[str, ...]) -> tuple[tuple[Brought, ...], tuple[str, ...]]:
    """The folders found on a search path, and the error of each entry point that names none."""
    found, broken = dict[Path, Brought](), list[str]()
    points = [(_named(point.dist), point) for point in metadata.entry_points(group=GROUP)]
    for name, point in sorted(points, key=lambda pair: (pair[0], pair[1].name)):
        try:
            source = source_of(point.dist)
            for folder in _folders(name, point.value, source):
                found.setdefault(folder, Brought(name, folder, source))
        except TheoryError as error:
            broken.append(str(error))
    return tuple(found.values()), tuple(broken)


def _named(distribution: metadata.Distribution | None) -> str:
    try:
        return f"{distribution.name} {distribution.version}" if distribution else "a distribution without a name"
    except (KeyError, TypeError):  # its METADATA says neither
        return "a distribution without a name"


def source_of(distribution: metadata.Distribution | None) -> Source:
    """Return where an installed distribution came from, as its ``direct_url.json`` says."""
    try:
        said = json.loads((distribution and distribution.read_text("direct_url.json")) or "{}")
        url = urlsplit(said["url"])
        if url.scheme == "file" and "dir_info" in said:
            return Source(Path(url2pathname(url.path)).resolve(), said["dir_info"].get("editable") is True)
    except (ValueError, LookupError, TypeError, AttributeError):
        pass
    return Source()


def _folders(name: str, module: str, source: Source) -> list[Path]:
    """The folders of papers that an entry point names; ``CheckError`` where there is none.

    What is editable may have no importable name for its folder ``checks``, which the wheel only renames.
    """
    places = list(_places(module))
    places += [source.project / "checks"] if source.project and source.editable and not places else []
    found = [place.resolve() for place in places if any(place.glob("*/paper.toml"))]
    if not found:
        alone = next((place for place in places if (place / "paper.toml").is_file()), None)
        raise CheckError(
            f"{module!r}, where the distribution {name} has its papers",
            required="the importable name of a folder that holds <paper>/paper.toml",
            why=f"{alone} is a paper itself, and location is identity" if alone
            else f"no paper lies in {', '.join(map(str, places))}" if places else "no such folder can be imported",
            advice=f"its other papers are judged meanwhile; pip uninstall {name.partition(' ')[0]}, or mend its "
            f"entry point of {GROUP}",
        )  # fmt: skip
    return found


def _places(module: str) -> Iterator[Path]:
    """Yield the folders of a module's dotted name, without importing it."""
    first, *rest = module.split(".")
    try:
        spec = find_spec(first) if module.replace(".", "_").isidentifier() else None
    except Exception:  # finders of others, such as those of editable installs
        spec = None
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (folder := Path(place).joinpath(*rest)).is_dir():
            yield folder
