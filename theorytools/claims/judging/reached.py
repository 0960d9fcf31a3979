"""Which definitions a claim reaches: from its check and from the engine, by names, through imports.

A definition reaches what it names, what its file does whenever it is loaded, and what the files do that this one
imports at once.  A module that is used as a value, a star, and an import or a look-up by a computed name reach
everything that they might mean.  What a class does is reached as a whole, so whoever makes an object reaches its
methods; and code that runs is named by code that runs, or stands at the top of a file that is loaded.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import compress
from pathlib import Path
from typing import Any

from theorytools.claims.judging.definitions import definitions
from theorytools.claims.papers import syntax
from theorytools.claims.papers.fingerprint import plain
from theorytools.claims.papers.location import check_folder, imported
from theorytools.claims.papers.syntax import LIBRARY, imported_files
from theorytools.content_cache import Kept
from theorytools.places import paper_folder

PACKAGE = Path(__file__).resolve().parents[2]
# rooms that show what was judged: nothing below imports them
ABOVE = ("reporting", "cli", "pytest_plugin.py", "__main__.py")
# computed names that are followed otherwise, or are no modules of the library
FOLLOWED = {
    "claims/judging/description.py": "letters of the notation by the names of axes, which are followed",
    "claims/judging/run.py": "torch",
    "claims/judging/trial/lints.py": "letters of the notation, which is followed",
    "constructions/twin.py": "a text that names a module and a name in it, which is followed where it stands",
    "measures/anchors.py": "modules beside it, for tests",
    "claims/judging/trial/variants.py": "the check, changed, which imports what it imports",
    "claims/papers/loading.py": "the check",
    "numbers/__init__.py": "a table of names, which is followed",
    "optional.py": "packages of others",
    "training/trials/provenance.py": "torch",
}
TABLES = ("_LATER", "_NAMES", "__all__")  # which definition a name of a package means is followed name by name
_DEFINITIONS = Kept(
    "definitions", [__file__, definitions.__code__.co_filename, syntax.__file__, plain.__code__.co_filename]
)
Node = tuple[Any, ...]


def inside(path: Path) -> bool:
    """Whether a file is one of the library, and no check."""
    return path.is_relative_to(PACKAGE) and "_checks" not in path.parts


def place_of(file: Path) -> str:
    """Return the place of a file within the package, or of a file of checks from the folder of its paper."""
    if inside(file):
        return file.relative_to(PACKAGE).as_posix()
    folder = paper_folder(file)
    return f"{folder.name}/{file.relative_to(folder).as_posix()}"


@cache
def lazy_names(package: Path) -> dict[str, str]:
    """Return the names of a lazy package and the submodules that hold them: of its stub, or of its own syntax tree."""
    if (stub := package / "__init__.pyi").is_file():
        nodes = ast.parse(stub.read_text(encoding="utf-8")).body
        return {a.name: n.module or "" for n in nodes if isinstance(n, ast.ImportFrom) for a in n.names}
    for node in ast.walk(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in TABLES[:2]:
            return dict(ast.literal_eval(node.value))
    return {}


class Reached:
    """The graph of definitions, as far as it was asked for.

    Parameters
    ----------
    digest : the digest of a file's content; every file is taken as it was at the first look.
    """

    def __init__(self, digest: Callable[[Path], str]) -> None:
        self._digest = digest
        self._files: dict[Path, dict[str, Any]] = {}
        self._masks: dict[Node, int] = {}
        self._bits: dict[str, int] = {}
        self._resolved: dict[tuple[Any, ...], Node | None] = {}
        self._places: dict[Path, tuple[bool, str, Path | None]] = {}
        self.lines: list[str] = []

    def file(self, path: Path) -> dict[str, Any]:
        """Return the definitions of a file, as :func:`~theorytools.claims.judging.definitions.definitions` does."""
        if path not in self._files:
            found = _DEFINITIONS.get(self._digest(path), lambda: definitions(path.read_text(encoding="utf-8")))
            self._files[path] = found
        return self._files[path]

    def of(self, roots: Iterable[Node]) -> list[str]:
        """Return what is reached from these, a line each: the place of a definition and its digest, or of a name."""
        mask = 0
        for root in roots:
            self._reach(root)
            mask |= self._masks[root]
        return list(compress(self.lines, map("1".__eq__, bin(mask)[:1:-1])))

    def _reach(self, root: Node) -> None:
        """Find what a node reaches, as bits: Tarjan's strongly connected components, without recursion."""
        index: dict[Node, int] = {}
        low: dict[Node, int] = {}
        near: dict[Node, list[Node]] = {}
        path: list[Node] = []
        work: list[tuple[Node, Iterator[Node]]] = []

        def enter(node: Node) -> None:
            index[node] = low[node] = len(index)
            near[node] = list(dict.fromkeys(self._edges(node)))
            path.append(node)
            work.append((node, iter(near[node])))

        if root not in self._masks:
            enter(root)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other in self._masks:
                    continue
                if other not in index:
                    enter(other)
                    break
                low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    self._close(path, index[node], index, near)

    def _close(self, path: list[Node], first: int, index: dict[Node, int], near: dict[Node, list[Node]]) -> None:
        """Take the last component off the path, from the node of that index on: all of it reaches the same."""
        mask, members = 0, list[Node]()
        while not members or index[members[-1]] != first:
            members.append(path.pop())
            mask |= self._bit(members[-1])
            for other in near[members[-1]]:
                mask |= self._masks.get(other, 0)
        self._masks |= dict.fromkeys(members, mask)

    def _bit(self, node: Node) -> int:
        """The bit of the line of a node; loading a file, or the whole of one, has none."""
        line = self._line(*node)
        if not line:
            return 0
        if line not in self._bits:
            self._bits[line] = len(self.lines)
            self.lines.append(line)
        return 1 << self._bits[line]

    def _line(self, kind: str, path: Path, name: Any = None) -> str:
        if kind not in ("part", "bound", "lazy"):
            return ""
        place = self._where(path)[1]
        if kind == "part":
            return f"{place} {self.file(path)['parts'][name][0]}"
        if kind == "bound":
            return f"{place} {name} = {self.file(path)['bound'][name]}"
        return f"{place} {name} in {lazy_names(path.parent)[name]}"

    def _edges(self, node: Node) -> Iterator[Node]:
        """What a node reaches at once: ``part``, ``bound`` and ``lazy`` are names, ``load`` and ``whole`` files."""
        kind, path, *rest = node
        if kind == "all":
            yield from (("whole", file) for file in sorted(path.rglob("*.py")) if _below(file))
        elif kind == "load":
            yield from self._of_load(path)
        else:
            yield ("load", path)
        if kind == "part":
            yield from self._of_part(path, rest[0])
        elif kind == "bound":
            yield from self._of_target(self._resolve(path, self.file(path)["bound"][rest[0]]), whole=False)
        elif kind == "lazy":
            yield from self.named(_lazy_file(path.parent, rest[0]), rest[0])
        elif kind == "whole":
            yield from (("part", path, k) for k in range(len(self.file(path)["parts"])))
            yield from (("bound", path, name) for name in self.file(path)["bound"])

    def named(self, path: Path, name: str) -> Iterator[Node]:
        """Yield what a name of a file means; the whole file where it does not say."""
        said = self.file(path)
        if name in said["names"] or name in said["bound"]:
            yield from self._of_name(path, name)
        elif path.name == "__init__.py" and name in lazy_names(path.parent):
            yield ("lazy", path, name)
            yield from (("part", path, k) for k in said["names"].get("__getattr__", ()))
        elif path.name == "__init__.py" and (inner := _file_of(path.parent / name)):
            yield ("whole", inner)
        elif "__getattr__" in said["names"]:
            yield from (("part", path, k) for k in said["names"]["__getattr__"])
        else:
            yield ("whole", path)

    def _of_name(self, path: Path, name: str) -> Iterator[Node]:
        """What a name that a file binds means: its own definitions, and what it imports under it."""
        said = self.file(path)
        if not (path.name == "__init__.py" and name in TABLES):
            yield from (("part", path, k) for k in said["names"].get(name, ()))
        if name in said["bound"]:
            yield ("bound", path, name)
            yield from self._of_target(self._resolve(path, said["bound"][name]), whole=True)

    def _of_part(self, path: Path, number: int) -> Iterator[Node]:
        said = self.file(path)
        _, used, words, inner, dynamic, _ = said["parts"][number]
        for name in used:
            head, _, attribute = name.partition(".")
            target = self._resolve(path, said["bound"][head]) if attribute else None
            if target and target[0] == "module":
                yield ("bound", path, head)
                yield from (("part", path, k) for k in said["names"].get(head, ()))
                yield from self.named(target[1], attribute)
            else:
                yield from self._of_name(path, head)
        for target in inner:
            yield from self._of_target(self._resolve(path, target), whole=True)
        if "*" in said["bound"]:
            yield from self._of_target(self._resolve(path, said["bound"]["*"]), whole=True)
        own, place, notation = self._where(path)
        if notation is not None:
            letters = self.file(notation)["names"]
            yield from (("part", notation, k) for word in words for k in letters.get(word, ()))
        if dynamic and not (own and place in FOLLOWED):
            yield ("all", PACKAGE)
            yield from (("whole", file) for file in (() if own else imported_files(path)))

    def _where(self, path: Path) -> tuple[bool, str, Path | None]:
        """Whether a file is the library's, its place, and the notation of its paper."""
        if path not in self._places:
            own = inside(path)
            notation = None if own else check_folder(path, "") / "notation.py"
            self._places[path] = own, place_of(path), notation if notation and notation.is_file() else None
        return self._places[path]

    def _of_load(self, path: Path) -> Iterator[Node]:
        """What happens when a file is loaded: the packages above it, what it imports at once, and what it does."""
        said = self.file(path)
        if inside(path):
            above = (folder / "__init__.py" for folder in path.parents if folder.is_relative_to(PACKAGE))
            yield from (("load", file) for file in above if file != path and file.is_file())
        for target in said["eager"]:
            found = self._resolve(path, target)
            if found is not None:
                yield ("load", found[1])
            if (
                found
                and found[0] == "name"
                and found[1].name == "__init__.py"
                and found[2] in lazy_names(found[1].parent)
            ):
                yield ("load", _lazy_file(found[1].parent, found[2]))
        yield from (("part", path, k) for k, part in enumerate(said["parts"]) if part[5])

    def _of_target(self, target: Node | None, *, whole: bool) -> Iterator[Node]:
        """What an import means; of a module that is used as a value, everything."""
        if target is None:
            return
        if target[0] == "name":
            yield from self.named(target[1], target[2])
        else:
            yield ("whole" if whole or target[0] == "star" else "load", target[1])

    def _resolve(self, path: Path, target: list[Any]) -> Node | None:
        """What an import of a file means: a module, a name of one, or a star; None for a package of others."""
        key = (path if target[0] else None, *target)  # an absolute import means the same everywhere
        if key not in self._resolved:
            self._resolved[key] = self._looked_up(path, *target)
        return self._resolved[key]

    def _looked_up(self, path: Path, level: int, module: str, name: str) -> Node | None:
        if level:
            for file, taken in imported(path, level, module, (name,)):
                if file.is_file():
                    return ("name", file, name) if taken != "*" else ("star" if name == "*" else "module", file)
            return None
        parts = module.split(".")
        found = _file_of(PACKAGE.joinpath(*parts[1:])) if parts[0] == LIBRARY else None
        if found is None:
            return None
        if name in ("", "*"):
            return ("star" if name else "module", found)
        said, file = self.file(found), found
        inner = _file_of(file.parent / name) if file.name == "__init__.py" else None
        if inner and name not in said["names"] and name not in said["bound"] and name not in lazy_names(file.parent):
            return ("module", inner)
        return ("name", file, name)


def _file_of(place: Path) -> Path | None:
    """The file of a module or of a package."""
    files = (place.with_name(f"{place.name}.py"), place / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def _lazy_file(package: Path, name: str) -> Path:
    place = package.joinpath(*lazy_names(package)[name].split("."))
    return _file_of(place) or package / "__init__.py"


def _below(file: Path) -> bool:
    return inside(file) and file.relative_to(PACKAGE).parts[0] not in ABOVE
