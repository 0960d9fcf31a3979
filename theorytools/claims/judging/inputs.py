r"""Everything a verdict depends on, as one digest: a stored verdict with today's digest is today's verdict.

The digest covers the bytes of the check and of the checks it imports, of the library's modules that these import (at
once, by way of others, or through a lazy package), of the engine that judges, of data files and records beside the
check, the versions of Python and of the packages that compute, and the processor's vector instructions.
"""

from __future__ import annotations

import ast
import hashlib
import json
import platform
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from theorytools.claims.judging.sealed import versions
from theorytools.claims.language.grid import canonical
from theorytools.claims.papers.location import imported
from theorytools.claims.papers.syntax import Entry
from theorytools.files import write_json
from theorytools.places import paper_folder, record_file, record_files

PACKAGE = Path(__file__).resolve().parents[2]
ENGINE = ("theorytools.claims.judging.judge", "theorytools.claims.papers.loading", "theorytools.claims.judging.record")
FLAGS = ("sse4_1", "avx", "avx2", "fma", "avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512_bf16", "amx_tile",
         "neon", "asimd", "sve")  # fmt: skip
CHECK = ":"
# what these import by a computed name is followed by tables and by place, or is no module of the library
NAMED_BY_TABLES = ("__init__.py", "loading.py", "optional.py")
Imports = list[tuple[str, tuple[str, ...]]]
_PARSED: dict[str, Imports] = {}  # by the digest of their content: tables of one process parse no file twice


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
    """What Python files import, by the digest of their content, so that no file is parsed twice.

    Parameters
    ----------
    known : what an earlier run found: content digest to imports.
    """

    def __init__(self, known: Mapping[str, Imports] | None = None) -> None:
        self.known: dict[str, Imports] = {k: [(m, tuple(n)) for m, n in v] for k, v in (known or {}).items()}
        self.grown = False
        self._digests: dict[Path, str] = {}
        self._near: dict[Path, frozenset[Path]] = {}
        self._lines: dict[Path, str] = {}

    @classmethod
    def kept(cls, path: Path) -> ImportTable:
        """Return what the file holds, or an empty table where there is none that can be read."""
        try:
            table = json.loads(path.read_text(encoding="utf-8"))
            return cls(table["imports"]) if table["reader"] == _reader() else cls()
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return cls()

    def keep(self, path: Path) -> None:
        """Write the table where it has grown."""
        if self.grown:
            imports = {k: [[m, list(n)] for m, n in v] for k, v in self.known.items()}
            write_json(path, {"reader": _reader(), "imports": imports})

    def digest(self, path: Path) -> str:
        """Return the SHA-256 of a file's bytes."""
        if path not in self._digests:
            self._digests[path] = hashlib.sha256(path.read_bytes()).hexdigest()
        return self._digests[path]

    def of(self, path: Path) -> Imports:
        """Return the modules of the library that a file imports, each with the names it takes from it."""
        key = self.digest(path)
        if key not in self.known:
            if key not in _PARSED:
                _PARSED[key] = list(_imports(ast.parse(path.read_text(encoding="utf-8")), path))
            self.known[key] = _PARSED[key]
            self.grown = True
        return self.known[key]

    def near(self, path: Path) -> frozenset[Path]:
        """Return the library's files that a file imports itself."""
        if path not in self._near:
            found = self.of(path)
            self._near[path] = frozenset(f for m, names in found if m[:1] != CHECK for f in _files(m, names))
        return self._near[path]

    def checks(self, path: Path) -> frozenset[Path]:
        """Return a check file with the files of checks that it imports, at once or by way of others."""
        found, waiting = set[Path](), [path]
        while waiting:
            file = waiting.pop()
            if file not in found and file.is_file():
                found.add(file)
                taken = ((m[1:].rpartition(CHECK), names) for m, names in self.of(file) if m[:1] == CHECK)
                waiting += [
                    path for (level, _, module), names in taken for path, _ in imported(file, int(level), module, names)
                ]
        return frozenset(found)

    def check_files(self, path: Path) -> str:
        """Return the digest of the bytes of a check and of the files of checks that it imports."""
        return self.bytes_of(self.checks(path))

    def bytes_of(self, files: Iterable[Path]) -> str:
        """Return the digest of the bytes of files of checks."""
        lines = sorted(f"{_place(file)} {self.digest(file)}" for file in files)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def line(self, file: Path) -> str:
        """Return the place of a library's file within the package, and its digest."""
        if file not in self._lines:
            self._lines[file] = f"{file.relative_to(PACKAGE).as_posix()} {self.digest(file)}\n"
        return self._lines[file]

    def closure(self, paths: Iterable[Path]) -> frozenset[Path]:
        """Return the library's files that these need, at once or by way of others."""
        found: set[Path] = set()
        waiting = [file for path in paths for file in self.near(path)]
        while waiting:
            file = waiting.pop()
            if file not in found:
                found.add(file)
                waiting += self.near(file) - found
        return frozenset(found)


@cache
def _reader() -> str:
    """The digest of this module: what another version of it found counts for nothing."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


def _imports(tree: ast.Module, path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what a tree imports, in functions too: modules of the library, ``*`` where a part cannot be told, and
    relative ones of checks as ``:level:module``.
    """
    inside, named = path.is_relative_to(PACKAGE) and "_checks" not in path.parts, path.name in NAMED_BY_TABLES
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((a.name, ("*",)) for a in node.names if a.name.split(".")[0] == "theorytools")
        elif isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == "theorytools":
            yield node.module or "", tuple(a.name for a in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level and not inside:
            yield f"{CHECK}{node.level}{CHECK}{node.module or ''}", tuple(a.name for a in node.names)
        elif isinstance(node, ast.Call) and _dynamic(node) and not (inside and named):
            yield "theorytools", ("**",)


def _place(file: Path) -> str:
    """The place of a file of checks, from the folder of its paper."""
    folder = paper_folder(file)
    return f"{folder.name}/{file.relative_to(folder).as_posix()}"


def _dynamic(node: ast.Call) -> bool:
    """Whether a call imports a module whose name is not known here."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in ("import_module", "__import__")


@cache
def _table(package: Path) -> dict[str, str]:
    """The names of a lazy package and the submodules that hold them: of its stub, or of its own syntax tree."""
    if (stub := package / "__init__.pyi").is_file():
        nodes = ast.parse(stub.read_text(encoding="utf-8")).body
        return {a.name: n.module or "" for n in nodes if isinstance(n, ast.ImportFrom) for a in n.names}
    for node in ast.walk(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("_NAMES", "_LATER"):
            return dict(ast.literal_eval(node.value))
    return {}


@cache
def _files(module: str, names: tuple[str, ...]) -> frozenset[Path]:
    """The files that ``from module import names`` reads."""
    place = PACKAGE.joinpath(*module.split(".")[1:])
    if names == ("**",):
        return frozenset(PACKAGE.rglob("*.py"))
    if place.with_suffix(".py").is_file():
        return frozenset([place.with_suffix(".py")])
    found, table = {place / "__init__.py"}, _table(place)
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
def _engine() -> tuple[Path, ...]:
    """The modules that judge whatever the check imports."""
    return tuple(PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in ENGINE)


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
    return hashlib.sha256(f"{code_digest(entry, table, record=record)} {_surroundings()}".encode()).hexdigest()


def code_digest(entry: Entry, table: ImportTable | None = None, *, record: bool) -> str:
    """Return the digest of the code and data alone that the verdict of an entry depends on: equal on every machine.

    Parameters are those of :func:`inputs_digest`.
    """
    table = table or ImportTable()
    checks = table.checks(entry.path)
    if any(_trains(file) for file in table.closure(checks)):  # a record is compared with the sweep as it stands
        checks = checks.union(*(table.checks(path) for path in entry.folder.glob("sweeps/[!_]*.py")))
    library = table.closure([*checks, *_engine()]) | set(_engine())
    digest = hashlib.sha256(canonical([entry.id, record]).encode())
    near = {f"{file.parent.name}/{file.name} {table.digest(file)}\n" for file in _data(entry, library, record)}
    digest.update("".join([*sorted(table.line(file) for file in library), *sorted(near)]).encode())
    digest.update(table.bytes_of(checks).encode())
    return digest.hexdigest()


def _trains(file: Path) -> bool:
    return PACKAGE / "training" in file.parents


def _data(entry: Entry, library: frozenset[Path], record: bool) -> Iterator[Path]:
    """The paper's tables and description, the claim's own record, and every sweep's where it can read one."""
    folder = entry.folder
    yield from folder.glob("*.csv")
    yield folder / "paper.toml"
    own = record_file(folder, f"{entry.id}.json")
    if record and own.is_file():
        yield own
    if any(map(_trains, library)):
        yield from record_files(folder, "sweeps")
