r"""Everything a verdict depends on, as one digest: a stored verdict with today's digest is today's verdict.

The digest covers the bytes of the check and of the checks it imports, of the library's modules that these import (at
once, by way of others, or through a lazy package), of the engine that judges, of data files and records beside the
check, of the packages that a paper brings along, the versions of Python and of the packages that compute, and the
processor's vector instructions.
"""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from pathlib import Path
from typing import Any

from theorytools.claims.judging import definitions, reached
from theorytools.claims.judging.packages import Packages
from theorytools.claims.judging.reached import ABOVE, PACKAGE, Node, Reached, lazy_names, place_of
from theorytools.claims.judging.versions import versions
from theorytools.claims.papers import counted, location, syntax, work
from theorytools.claims.papers.fingerprint import fingerprint
from theorytools.claims.papers.location import installed_roots
from theorytools.claims.papers.syntax import Entry, imported_files, summary
from theorytools.content_cache import Kept, content
from theorytools.files import canonical
from theorytools.places import record_file, record_files

# whatever the check imports: how one claim is judged, and what is kept of it
ENGINE = (("claims/judging/run.py", "_judged"), ("claims/judging/content_digest.py", "sealed"))
_CODE = Kept("inputs", [
    __file__, reached.__file__, definitions.__file__, syntax.__file__, fingerprint.__code__.co_filename,
    location.__file__,
])  # fmt: skip
FLAGS = ("sse4_1", "avx", "avx2", "fma", "avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512_bf16", "amx_tile",
         "neon", "asimd", "sve")  # fmt: skip


@cache
def features() -> tuple[str, ...]:
    """Return the processor's kind and those of its instructions that libraries for floats choose by."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    listed = next((line for line in lines if line.lower().startswith(("flags", "features"))), "")
    return (platform.machine(), *sorted(set(listed.partition(":")[2].split()) & set(FLAGS)))


class ImportTable:
    """What Python files import and say: each is read once, so that all digests of a run are of the same files."""

    def __init__(self) -> None:
        self._digests: dict[Path, str] = {}
        self._next: dict[Path, tuple[Path, ...]] = {}
        self._checks: dict[Path, frozenset[Path]] = {}
        self._near: dict[Path, frozenset[Path]] = {}
        self._prints: dict[Path, str] = {}
        self._worlds: dict[Path, str] = {}
        self._data: dict[tuple[Path, bool], list[str]] = {}
        self._others: dict[tuple[Path, bool], tuple[list[str], list[str]]] = {}
        self.reached = Reached(self.digest)
        self._packages = Packages(self.digest)

    def digest(self, path: Path) -> str:
        """Return the SHA-256 of a file's bytes."""
        if path not in self._digests:
            self._digests[path] = content(path)
        return self._digests[path]

    def near(self, path: Path) -> frozenset[Path]:
        """Return the library's files that a file of checks imports itself."""
        if path not in self._near:
            taken = summary(path)["library"]
            self._near[path] = frozenset(file for module, names in taken for file in _files(module, tuple(names)))
        return self._near[path]

    def fingerprint(self, path: Path) -> str:
        """Return the digest of what a check does, which its committed record and its notes hold."""
        if path not in self._prints:
            self._prints[path] = fingerprint(path, known=self._next)
        return self._prints[path]

    def checks(self, path: Path) -> frozenset[Path]:
        """Return a check file with the files of checks that it imports, at once or by way of others."""
        if path not in self._checks:
            self._checks[path] = frozenset(imported_files(path, self._next))
        return self._checks[path]

    def engine(self) -> list[Node]:
        """Return where the graph of definitions begins, whatever the check is."""
        return [node for file, name in ENGINE for node in self.reached.named(PACKAGE / file, name)]

    def world(self, root: Path) -> str:
        """Return the digest of all code that a check of a folder can reach; it decides what is reached."""
        if root not in self._worlds:
            roots = dict.fromkeys((PACKAGE, root, *installed_roots()))
            found = {file for place in roots for kind in ("*.py", "*.pyi") for file in place.rglob(kind)}
            lines = [f"{file.relative_to(root.parent) if file.is_relative_to(root) else file} {self.digest(file)}"
                     for file in found]  # fmt: skip
            self._worlds[root] = hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()
        return self._worlds[root]

    def data(self, folder: Path, trains: bool) -> list[str]:
        """Return a line for each table of a paper, its description, its work, and its sweeps where they are read."""
        if (folder, trains) not in self._data:
            budgets = (file for name in (work.FILE, counted.COUNTED) if (file := folder / name).is_file())
            files = {*folder.glob("*.csv"), folder / "paper.toml", *budgets}
            files |= {*record_files(folder, "sweeps")} if trains else set()
            self._data[folder, trains] = sorted(f"{f.parent.name}/{f.name} {self.digest(f)}" for f in files)
        return self._data[folder, trains]

    def sweep_files(self, folder: Path) -> frozenset[Path]:
        """Return the files of a paper's sweeps, and the files of checks that these import."""
        return frozenset(file for path in folder.glob("sweeps/[!_]*.py") for file in self.checks(path))

    def packages(self, entry: Entry, *, trains: bool) -> tuple[list[str], list[str]]:
        """Return a line for each package of others that a check or a sweep it reads imports: of code, of versions."""
        if (entry.path, trains) not in self._others:
            files = self.checks(entry.path) | (self.sweep_files(entry.folder) if trains else frozenset())
            names = {name for file in files for name in summary(file)["packages"]}
            self._others[entry.path, trains] = self._packages.of(names)
        return self._others[entry.path, trains]

    def check_files(self, path: Path) -> str:
        """Return the digest of what a check and the files of checks that it imports do."""
        lines = sorted(f"{place_of(file)} {canonical(self.reached.file(file))}" for file in self.checks(path))
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@cache
def _files(module: str, names: tuple[str, ...]) -> frozenset[Path]:
    """The files that ``from module import names`` reads."""
    place = PACKAGE.joinpath(*module.split(".")[1:])
    if names == ("**",):
        return frozenset(f for f in PACKAGE.rglob("*.py") if f.relative_to(PACKAGE).parts[0] not in ABOVE)
    if place.with_suffix(".py").is_file():
        return frozenset([place.with_suffix(".py")])
    found, table = {place / "__init__.py"}, lazy_names(place)
    for name in names:
        inner = table.get(name, name)
        if name == "*":
            found |= set(place.rglob("*.py"))
        elif (file := place.joinpath(*inner.split(".")).with_suffix(".py")).is_file():
            found.add(file)
        elif (folder := place.joinpath(*inner.split("."))).is_dir():
            found |= set(folder.rglob("*.py"))
    return frozenset(file for file in found if file.is_file() and "_checks" not in file.parts)


@cache
def _surroundings() -> str:
    return canonical([{k: v for k, v in versions().items() if k != "theorytools"}, features()])


def inputs_digest(entry: Entry, table: ImportTable | None = None, *, record: bool) -> str:
    """Return the digest of everything that the verdict of an entry depends on.

    Parameters
    ----------
    entry : the claim.
    table : what files import, where many digests are made.
    record : whether the verdict is read from the claim's own record; that of a run does not depend on it.
    """
    table = table or ImportTable()
    parts = [code_digest(entry, table, record=record), _surroundings()]
    versioned = table.packages(entry, trains=_code(entry, table)[1])[1]
    return hashlib.sha256(canonical([*parts, *versioned]).encode()).hexdigest()


def code_digest(entry: Entry, table: ImportTable | None = None, *, record: bool) -> str:
    """Return the digest of the code and data alone that the verdict of an entry depends on: equal on every machine.

    Parameters are those of :func:`inputs_digest`.
    """
    table = table or ImportTable()
    code, trains = _code(entry, table)
    own = record_file(entry.folder, f"{entry.id}.json") if record else None
    near = [*table.data(entry.folder, trains), table.digest(own) if own is not None and own.is_file() else ""]
    parts = [entry.id, record, code, near, summary(entry.path)["doc"]]  # which the verdict shows
    return hashlib.sha256(canonical([*parts, *table.packages(entry, trains=trains)[0]]).encode()).hexdigest()


def _code(entry: Entry, table: ImportTable) -> list[Any]:
    """The digest of the definitions that a verdict depends on, and whether records of training are among its data."""
    place = entry.path.relative_to(entry.root).as_posix()
    key = hashlib.sha256(canonical([table.world(entry.root), entry.id, place]).encode()).hexdigest()

    def made() -> list[Any]:
        lines, trains = reached_by(entry, table)
        return [hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest(), trains]

    return list(_CODE.get(key, made))


def reached_by(entry: Entry, table: ImportTable) -> tuple[list[str], bool]:
    """Return a line for each definition that a verdict depends on, and whether records of training are among its data.

    Parameters
    ----------
    entry : the claim.
    table : of the files that are looked at.
    """
    engine = table.engine()
    lines = table.reached.of([("whole", entry.path), *engine])
    if not any(line.startswith("training/") for line in lines):
        return lines, False
    sweeps = table.sweep_files(entry.folder)
    # a record is compared with the sweep as it stands
    return table.reached.of([("whole", entry.path), *engine, *(("whole", file) for file in sorted(sweeps))]), True
