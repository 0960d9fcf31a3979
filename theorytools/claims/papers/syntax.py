"""Claims as far as the syntax tree tells: listed, with what their files import, without running a check.

``checks/<paper>/<stem>.py`` is a check when a ``paper.toml`` stands beside it and its syntax tree makes a claim; so is
one in the folder of a statement (:mod:`theorytools.claims.papers.location`).  The claim bound to the name ``claim``
has the id ``<paper>.<stem>``; another one ``<paper>.<stem>.<name>``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from theorytools.claims.papers.location import (
    imported,
    may_hold_claims,
    stem_of,
)
from theorytools.content_cache import Kept, content
from theorytools.files import read_regular
from theorytools.places import paper_folder

LIBRARY = "theorytools"
LARGEST = 1_000_000  # bytes of a file of checks; the longest of the library has 25 000
DEEPEST = 150  # nodes of a syntax tree above one another; of a sum each term is one
STATED = ("role", "scope", "source")
COMPUTED = ("__import__", "import_module")  # what imports by a name that is computed
_SUMMARIES = Kept("checks", [__file__])


@dataclass(frozen=True)
class Entry:
    """One claim in a check file.

    ``error`` says why the file cannot be listed; ``silent`` names what its call should state of its meaning and does
    not: a variant made by ``replace`` may share the scope of the other claim, not its role and source.  ``role`` is
    empty where the call does not spell it out; ``refutes`` says that it spells out that it expects to be refuted.
    """

    id: str
    paper: str
    stem: str
    name: str
    label: str
    path: Path
    error: str = ""
    silent: tuple[str, ...] = ()
    role: str = ""
    refutes: bool = False

    @property
    def folder(self) -> Path:
        """The folder of its paper."""
        return paper_folder(self.path)

    @property
    def root(self) -> Path:
        """The folder of all papers."""
        return self.folder.parent


def is_check(path: Path) -> bool:
    """Whether this file holds claims: a ``paper.toml`` beside it and a claim in its syntax tree."""
    return may_hold_claims(path) and (paper_folder(path) / "paper.toml").is_file() and bool(read_entries(path))


def read_entries(path: Path) -> list[Entry]:
    """Return the claims of one file from its syntax tree; an unchanged file is not read again.

    A file that cannot be parsed is one broken entry, and so is one that makes claims where they cannot be listed
    (in a loop, a function or a container), for they would never be run.
    """
    return list(_entries(path))


def _entries(path: Path) -> list[Entry]:
    paper, stem = paper_folder(path).name, stem_of(path)

    def broken(text: str) -> list[Entry]:
        return [Entry(f"{paper}.{stem}", paper, stem, "claim", stem, path, error=text)]

    try:
        said = summary(path)
    except (SyntaxError, ValueError, OSError) as error:
        line = f" (line {error.lineno})" if isinstance(error, SyntaxError) else ""
        return broken(f"{getattr(error, 'msg', None) or error}{line}")
    if said["hidden"]:
        return broken(said["hidden"])
    return [
        Entry(f"{paper}.{stem}" if name == "claim" else f"{paper}.{stem}.{name}", paper, stem, name, label, path,
              silent=tuple(silent), role=role, refutes=expect == "REFUTED")
        for name, label, silent, role, expect in said["claims"]
    ]  # fmt: skip


def summary(path: Path) -> Mapping[str, Any]:
    """Return what a file of checks says, from one parse, kept by its content.

    Returns
    -------
    Mapping : ``claims``, each by name, label, silent fields, role and what it expects; ``hidden``, why they cannot be
        listed; ``doc``; ``imports`` of other checks by level, module and names; ``library``, those of the library by
        module and names, with ``**`` for one whose name is computed; ``packages``, the first names of all others.

    Raises
    ------
    SyntaxError, ValueError, OSError : a file that cannot be read, that has more than 1 MB, or nests more than 150 deep.
    """
    return cast(Mapping[str, Any], _SUMMARIES.get(content(path), lambda: _read(_text(path), str(path))))


def _text(path: Path) -> str:
    return read_regular(path, LARGEST).decode("utf-8")


def _read(source: str, name: str) -> dict[str, Any]:
    try:
        tree = ast.parse(source, filename=name)
    except (RecursionError, MemoryError):  # which of them, and where, differs between versions of Python
        raise ValueError("nested too deeply") from None
    _refuse_deep(tree)
    made = [found for node in tree.body if (found := _claim_call(node)) is not None]
    listed, hidden = {id(call) for _, call in made}, ""
    calls = source.count("Claim(")  # no more than are listed: then none is hidden
    for node in () if calls <= sum(called(call) == "Claim" for _, call in made) else ast.walk(tree):
        if isinstance(node, ast.Call) and called(node) == "Claim" and id(node) not in listed and not hidden:
            hidden = f"a claim that is not a top-level name = Claim(…) (line {node.lineno})"
    computed = any(word in source for word in COMPUTED)
    taken, library = imports_of(tree, computed=computed)
    return {
        "claims": [
            [name, _label(call), list(_silent(call)), *(_constant(call, word) for word in ("role", "expect"))]
            for name, call in made
        ],
        "hidden": hidden, "doc": ast.get_docstring(tree) or "", "imports": taken, "library": library,
        "packages": sorted(_packages(tree, computed=computed)),
    }  # fmt: skip


def _refuse_deep(tree: ast.Module) -> None:
    """Refuse a tree in which whatever goes through it by recursion would not come back; ``ValueError``."""
    level, depth = list[ast.AST]([tree]), 0
    while level:
        level, depth = [inner for node in level for inner in ast.iter_child_nodes(node)], depth + 1
        if depth > DEEPEST:
            raise ValueError(f"nested more than {DEEPEST} deep")


def imports_of(tree: ast.Module, *, computed: bool) -> tuple[list[list[Any]], list[list[Any]]]:
    """Return what a tree imports, in functions too: relative imports, and modules of the library.

    Parameters
    ----------
    tree : of a whole file.
    computed : whether the text may import a module whose name is computed.
    """
    taken, library = [], []
    for node in ast.walk(tree) if computed else statements(tree.body):
        if isinstance(node, ast.Import):
            library += [[a.name, ["*"]] for a in node.names if a.name.split(".")[0] == LIBRARY]
        elif isinstance(node, ast.ImportFrom) and node.level:
            taken.append([node.level, node.module or "", [alias.name for alias in node.names]])
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == LIBRARY:
            library.append([node.module or "", [alias.name for alias in node.names]])
        elif isinstance(node, ast.Call) and called(node) in COMPUTED:
            library.append([LIBRARY, ["**"]])
    return taken, library


def _packages(tree: ast.Module, *, computed: bool) -> set[str]:
    """The first names of what a tree imports besides the library, by constant texts too where it computes names."""
    found = set[str]()
    for node in ast.walk(tree) if computed else statements(tree.body):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.Call) and called(node) in COMPUTED and node.args:
            name = getattr(node.args[0], "value", None)
            found |= {name.split(".")[0]} if isinstance(name, str) else set()
    return found - {LIBRARY, "__future__", ""}


def statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the statements of a body and all those inside them."""
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, part, None)
            if isinstance(inner, list):
                yield from statements(inner)


def _silent(call: ast.Call) -> tuple[str, ...]:
    given = {keyword.arg for keyword in call.keywords}
    if None in given:  # **shared: the claim itself is asked
        return ()
    wanted = ("role", "source") if called(call) == "replace" else STATED
    return tuple(name for name in wanted if name not in given)


def _claim_call(node: ast.stmt) -> tuple[str, ast.Call] | None:
    """A top-level ``name = Claim(…)`` or ``name = replace(other, label=…)``, annotated or not."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, call = node.targets[0], node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        target, call = node.target, node.value
    else:
        return None
    if not isinstance(target, ast.Name) or not isinstance(call, ast.Call):
        return None
    labelled = called(call) == "replace" and any(k.arg == "label" for k in call.keywords)
    return (target.id, call) if called(call) == "Claim" or labelled else None


def called(call: ast.Call) -> str:
    """Return the last name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _label(call: ast.Call) -> str:
    first = call.args[0] if call.args else None
    return _constant(call, "label") or (str(first.value) if isinstance(first, ast.Constant) else "")


def _constant(call: ast.Call, name: str) -> str:
    given = next((k.value for k in call.keywords if k.arg == name), None)
    return str(given.value) if isinstance(given, ast.Constant) else ""


def imported_files(path: Path, known: dict[Path, tuple[Path, ...]] | None = None) -> tuple[Path, ...]:
    """Return the check file and the files of checks that it imports, of its paper, of others, of the library's.

    Parameters
    ----------
    path : the file.
    known : of each file the ones that it imports itself, where they have been looked up; what is found is added.
    """
    known = {} if known is None else known
    found, waiting = dict[Path, None](), [path] if path.is_file() else []
    while waiting:
        file = waiting.pop()
        if file not in known:
            known[file] = tuple(_near(file))
        if file not in found:
            found[file] = None
            waiting += known[file]
    return tuple(found)


def _near(file: Path) -> Iterator[Path]:
    """The files of checks that a file imports itself, as far as they are there."""
    for level, module, names in summary(file)["imports"]:
        yield from (path for path, _ in imported(file, level, module, tuple(names)) if path.is_file())
