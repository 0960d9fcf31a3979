"""The documentation of a project, built by Sphinx and put into the folder of a site, and where a name stands in it."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from theorytools.closed_folder import ClosedFolder
from theorytools.errors import DomainError, MissingPackageError
from theorytools.files import json_text
from theorytools.optional import installed
from theorytools.reporting.folder import lean

FOLDER = "docs"  # below that of the site
LIST = "docs/pages.json"  # the digests of what was written there, by path
LEFT_OUT = (".map", ".buildinfo", ".doctree", ".pickle")
SAID = 400  # letters of what Sphinx says


@contextmanager
def built(sources: Path, pages: Sequence[str]) -> Iterator[Path]:
    """Build the documentation in a folder that is gone afterwards.

    Parameters
    ----------
    sources : a folder with a ``conf.py`` of Sphinx.
    pages : the paths of the report that it is published with; its ``conf.py`` may ask for them as ``report``.

    Raises
    ------
    DomainError : the folder has no ``conf.py``, or Sphinx does not come to an end.
    MissingPackageError : Sphinx is not installed.
    """
    if not (sources / "conf.py").is_file():
        raise DomainError(
            f"the folder {sources}", required="a folder with a conf.py of Sphinx",
            why="the documentation is built from it", advice="leave --docs out for the report alone",
        )  # fmt: skip
    if not installed("sphinx"):
        raise MissingPackageError(
            "the package sphinx, which is not installed", required="theorytools with the extra docs",
            why="it builds the documentation", advice="pip install 'theorytools[docs]'",
        )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="theorytools-docs-") as place:
        made = Path(place) / "pages"
        told = ["-D", f"report={json.dumps(list(pages))}"]
        command = [sys.executable, "-m", "sphinx", "-q", "-d", f"{place}/doctrees", *told, str(sources), str(made)]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False)
        if done.returncode:
            raise DomainError(
                f"the documentation in {sources}", required="pages that Sphinx can build",
                why=_why(done.stderr), advice=f"python -m sphinx {sources} FOLDER says more",
            )  # fmt: skip
        sys.stderr.write(done.stderr)
        yield made


def _why(said: str) -> str:
    """The error that Sphinx ends with, in one line, without what it says around it."""
    lines = [" ".join(line.split()) for line in said.splitlines() if line.strip()]
    told = [line for line in lines if ("Error:" in line or "error:" in line) and "report this" not in line]
    return (told or lines or ["it said nothing"])[-1][:SAID]


def addresses(made: Path) -> dict[str, str]:
    """Return where names stand, as paths in the site: classes and functions by their last part, pages by their source.

    They are read from the inventory that Sphinx writes for other projects.
    """
    found: dict[str, str] = {}
    try:
        lines = zlib.decompress((made / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode().splitlines()
    except (OSError, ValueError, IndexError, zlib.error):
        return found
    for line in lines:
        name, _, rest = line.partition(" ")
        kind, _, path, *_ = rest.split(" ", 3)
        path = f"{FOLDER}/{path.removesuffix('$') + name if path.endswith('$') else path}"
        if kind == "std:doc":
            found[f"{FOLDER}/{name}.md"] = path.partition("#")[0]
        elif kind in ("py:class", "py:function", "py:data"):
            found.setdefault(name.rpartition(".")[2], path)
    return found


def copied(made: Path, site: Path) -> tuple[int, int]:
    """Put the pages into ``docs`` of a site; return how many files these are, and their bytes.

    Files of an earlier build that are as it wrote them are deleted; everything else is left alone.

    Raises
    ------
    DomainError : a file there is not of an earlier build and has the name of one, or is a link.
    """
    place = ClosedFolder(site)
    found = {path.relative_to(made).as_posix(): path for path in sorted(made.rglob("*")) if path.is_file()}
    files = {f"{FOLDER}/{name}": _content(path) for name, path in found.items() if not name.endswith(LEFT_OUT)}
    before = _listed(place)
    if foreign := next((name for name in files if name not in before and (site / name).exists()), ""):
        raise DomainError(
            f"the folder {site / FOLDER}, whose {foreign.partition('/')[2]} is of no documentation built here",
            required="a folder of such pages, or a new one", advice="name another folder, or move that file away",
        )  # fmt: skip
    digests = {name: hashlib.sha256(text).hexdigest() for name, text in files.items()}
    place.write({LIST: json_text({**before, **digests})})  # before they are there: a build cut off leaves no orphan
    place.write(files)
    for name, known in before.items():
        if name not in digests and place.holds(name, known):
            place.remove(name)
    place.write({LIST: json_text(digests)})
    return len(files), sum(map(len, files.values()))


def _content(path: Path) -> bytes:
    text = path.read_bytes()
    return lean(text.decode()).encode() if path.suffix == ".html" else text


def _listed(place: ClosedFolder) -> dict[str, str]:
    try:
        known = place.json(LIST)
    except (OSError, ValueError, DomainError):
        return {}
    found = known.items() if isinstance(known, dict) else ()
    return {name: str(text) for name, text in found if name.startswith(f"{FOLDER}/") and ".." not in name.split("/")}
