r"""Everything a verdict depends on, as one digest: a stored verdict with today's digest is today's verdict.

The digest covers the bytes of the check and of the checks it imports, of the library's modules that these import (at
once, by way of others, or through a lazy package), of the engine that judges, of data files and records beside the
check, the versions of Python and of the packages that compute, and the processor's vector instructions.
"""

from __future__ import annotations

import ast
import hashlib
import platform
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from theorytools.claims.judging.sealed import versions
from theorytools.claims.language.grid import canonical
from theorytools.claims.papers import syntax
from theorytools.claims.papers.syntax import Entry, imported_files, imports_of, plain, statements, summary
from theorytools.kept import Kept, content
from theorytools.places import paper_folder, record_file, record_files

PACKAGE = Path(__file__).resolve().parents[2]
ENGINE = ("theorytools.claims.judging.judge", "theorytools.claims.papers.loading", "theorytools.claims.judging.record")
FLAGS = ("sse4_1", "avx", "avx2", "fma", "avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512_bf16", "amx_tile",
         "neon", "asimd", "sve")  # fmt: skip
# what these import by a computed name is followed by tables and by place, or is no module of the library
NAMED_BY_TABLES = ("__init__.py", "loading.py", "optional.py")
ABOVE = (
    "reporting",
    "cli",
    "pytest_plugin.py",
    "__main__.py",
)  # rooms that show what was judged: nothing below imports them
Imports = list[tuple[str, tuple[str, ...]]]
_IMPORTS = Kept("imports", [__file__, syntax.__file__])
_TREES = Kept("trees", [__file__])


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
        self._codes: dict[Path, str] = {}
        self._near: dict[Path, frozenset[Path]] = {}
        self._lines: dict[Path, str] = {}
        self._next: dict[Path, tuple[Path, ...]] = {}
        self._checks: dict[Path, frozenset[Path]] = {}

    def digest(self, path: Path) -> str:
        """Return the SHA-256 of a file's bytes."""
        if path not in self._digests:
            self._digests[path] = content(path)
        return self._digests[path]

    def code(self, path: Path) -> str:
        """Return the digest of what a Python file does, without comments, layout and docstrings that no code reads."""
        if path not in self._codes:
            self._codes[path] = _TREES.get(self.digest(path), lambda: _code(ast.parse(path.read_text("utf-8"))))
        return self._codes[path]

    def of(self, path: Path) -> Imports:
        """Return the modules of the library that a file imports, each with the names it takes from it."""
        if not _inside(path):
            return [(module, tuple(names)) for module, names in summary(path)["library"]]
        named = path.name in NAMED_BY_TABLES
        found = _IMPORTS.get(f"{self.digest(path)}{' by tables' * named}", lambda: _library_imports(path, named))
        return [(module, tuple(names)) for module, names in found]

    def near(self, path: Path) -> frozenset[Path]:
        """Return the library's files that a file imports itself."""
        if path not in self._near:
            self._near[path] = frozenset(file for module, names in self.of(path) for file in _files(module, names))
        return self._near[path]

    def checks(self, path: Path) -> frozenset[Path]:
        """Return a check file with the files of checks that it imports, at once or by way of others."""
        if path not in self._checks:
            self._checks[path] = frozenset(imported_files(path, self._next))
        return self._checks[path]

    def check_files(self, path: Path) -> str:
        """Return the digest of a check and of the files of checks that it imports."""
        return self.digest_of(self.checks(path))

    def digest_of(self, files: Iterable[Path]) -> str:
        """Return the digest of what files of checks do."""
        lines = sorted(f"{_place(file)} {self.code(file)}" for file in files)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def line(self, file: Path) -> str:
        """Return the place of a library's file within the package, and its digest."""
        if file not in self._lines:
            self._lines[file] = f"{file.relative_to(PACKAGE).as_posix()} {self.code(file)}\n"
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


def _inside(path: Path) -> bool:
    return path.is_relative_to(PACKAGE) and "_checks" not in path.parts


def _library_imports(path: Path, named: bool) -> list[list[Any]]:
    source = path.read_text(encoding="utf-8")
    computed = not named and ("import_module" in source or "__import__" in source)
    return imports_of(ast.parse(source), computed=computed)[1]


def _code(tree: ast.Module) -> str:
    """The digest of a syntax tree; of docstrings it has the first paragraphs that code reads.

    Whoever is :func:`~theorytools.arguments.checked.checked` names itself by that paragraph when it refuses, and what a
    claim constructs is shown with the first line of its class's.
    """
    named: set[int] = set()  # what refuses by its docstring: classes and functions that are checked, and their methods
    for node in [tree, *statements(tree.body)]:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and _is_checked(node):
            named |= {id(node), *map(id, node.body)}
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            doc = ast.get_docstring(node)
            if doc is not None:
                first = " ".join(doc.split("\n\n")[0].split())
                read = isinstance(node, ast.ClassDef) or id(node) in named
                node.body = [*([ast.Expr(ast.Constant(first))] if read else []), *node.body[1:]]
    return hashlib.sha256(repr(plain(tree)).encode()).hexdigest()


def _is_checked(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    parts = (part for one in node.decorator_list for part in ast.walk(one))
    return any(isinstance(part, ast.Name) and part.id == "checked" for part in parts)


def _place(file: Path) -> str:
    """The place of a file of checks, from the folder of its paper."""
    folder = paper_folder(file)
    return f"{folder.name}/{file.relative_to(folder).as_posix()}"


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
        return frozenset(f for f in PACKAGE.rglob("*.py") if f.relative_to(PACKAGE).parts[0] not in ABOVE)
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
    digest.update(table.digest_of(checks).encode())
    digest.update(summary(entry.path)["doc"].encode())  # the verdict shows it
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
