r"""Claims as far as the syntax tree tells: listed, and recognised when they change, without running a check.

``checks/<paper>/<stem>.py`` is a check when a ``paper.toml`` stands beside it and its syntax tree makes a claim; so is
one in the folder of a statement (:mod:`theorytools.claims.papers.location`).  The claim bound to the name ``claim``
has the id ``<paper>.<stem>``; another one ``<paper>.<stem>.<name>``.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from theorytools.claims.papers.location import (
    check_folder,
    imported,
    joined,
    may_hold_claims,
    meant,
    names_files,
    stem_of,
)
from theorytools.files import kept_while_unchanged
from theorytools.kept import Kept, content
from theorytools.places import paper_folder

LIBRARY = "theorytools"
# what a claim says of itself in words: nothing is computed from it
WORDS = ("label", "note", "role", "scope", "source", "statement")
STATED = ("role", "scope", "source")
COMPUTED = ("__import__", "import_module")  # what imports by a name that is computed
_SUMMARIES = Kept("checks", [__file__])
_PRINTS = Kept("fingerprints", [__file__, Path(__file__).with_name("location.py")])


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
    SyntaxError, ValueError, OSError : a file that cannot be read.
    """
    return cast(Mapping[str, Any], _SUMMARIES.get(content(path), lambda: _read(path.read_text("utf-8"), str(path))))


def _read(source: str, name: str) -> dict[str, Any]:
    tree = ast.parse(source, filename=name)
    made = [found for node in tree.body if (found := _claim_call(node)) is not None]
    listed, hidden = {id(call) for _, call in made}, ""
    calls = source.count("Claim(")  # no more than are listed: then none is hidden
    for node in () if calls <= sum(_called(call) == "Claim" for _, call in made) else ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) == "Claim" and id(node) not in listed and not hidden:
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
        elif isinstance(node, ast.Call) and _called(node) in COMPUTED:
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
        elif isinstance(node, ast.Call) and _called(node) in COMPUTED and node.args:
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
    wanted = ("role", "source") if _called(call) == "replace" else STATED
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
    labelled = _called(call) == "replace" and any(k.arg == "label" for k in call.keywords)
    return (target.id, call) if _called(call) == "Claim" or labelled else None


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _label(call: ast.Call) -> str:
    first = call.args[0] if call.args else None
    return _constant(call, "label") or (str(first.value) if isinstance(first, ast.Constant) else "")


def _constant(call: ast.Call, name: str) -> str:
    given = next((k.value for k in call.keywords if k.arg == name), None)
    return str(given.value) if isinstance(given, ast.Constant) else ""


def fingerprint(path: Path, extra: Sequence[str] = (), known: dict[Path, tuple[Path, ...]] | None = None) -> str:
    """Return the SHA-256 of a check's syntax tree and of the other files of checks that it imports.

    Comments, layout, docstrings and what a claim says of itself in words (its label, note, statement, role, scope and
    source) do not count, nor does the version of Python, nor letters of the notation that none of these files imports:
    a new letter leaves records as they are.  Nor does where the folders lie, or whether a
    check has a folder of its statement: files go by their stems, imports by the files that they mean, in any order, and
    what is taken from the library by its name alone (the digest of a verdict's inputs covers what the library says).

    Parameters
    ----------
    path : the check.
    extra : further texts that count.
    known : as :func:`imported_files` has it, where the digests of many checks are asked for.
    """
    files, own = imported_files(path, known), paper_folder(path)
    homes = {file: paper_folder(file) for file in files}
    lines = [f"{h == own} {h.name}/{file.relative_to(h).as_posix()} {content(file)}" for file, h in homes.items()]
    key = hashlib.sha256("\n".join([path.relative_to(own).as_posix(), *sorted(lines), *extra]).encode())
    return cast(str, _PRINTS.get(key.hexdigest(), lambda: _fingerprint(files, own, extra)))


def _fingerprint(files: Iterable[Path], own: Path, extra: Sequence[str]) -> str:
    digest, shapes = hashlib.sha256(), {file: _shape_of(file) for file in files}
    letters = {(check_folder(file, paper), name) for file, shape in shapes.items() for paper, name in shape.letters}
    homes = {file: paper_folder(file) for file in shapes}
    for file in sorted(shapes, key=lambda f: (homes[f] != own, homes[f].name, f"{stem_of(f)}.py")):
        every = file.name != "notation.py" or (homes[file], "*") in letters
        body = [text for name, text in shapes[file].body if every or name is None or (homes[file], name) in letters]
        tree = f"['Module', ['body', [{', '.join(body)}]]]" if body else "['Module']"
        shown = f"{stem_of(file)}.py" if homes[file] == own else f"{homes[file].name}/{stem_of(file)}.py"
        digest.update(f"{shown} {tree}\n".encode())
    for text in extra:
        digest.update(text.encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class _Shape:
    """A file as fingerprints see it.

    Parameters
    ----------
    letters : the names it imports from a paper's notation, each after the paper; ``*`` for the notation as a whole.
    body : its statements without docstrings as text, each with the one name that it binds, or None.
    """

    letters: tuple[tuple[str, str], ...]
    body: tuple[tuple[str | None, str], ...]


@kept_while_unchanged
def _shape_of(path: Path) -> _Shape:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    taken = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            taken.append((node.level, node.module or "", tuple(alias.name for alias in node.names)))
            _flatten(node, path)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == LIBRARY:
            node.module = LIBRARY
    named = [(meant(path, level, module), names) for level, module, names in taken]
    return _Shape(
        tuple((paper, name) for (paper, parts), names in named if parts == ("notation",) for name in names)
        + tuple((paper, "*") for (paper, parts), names in named if not parts and "notation" in names),
        tuple(_statements(_without_words(tree).body)),
    )


def _statements(body: Sequence[ast.stmt]) -> Iterator[tuple[str | None, str]]:
    """The imports of a file as one sorted list, then its other statements, each with the one name that it binds."""
    taken = sorted({line for node in body for line in _imported_names(node)})
    if taken:
        yield None, f"['imports', {taken}]"
    yield from ((_target(node), str(plain(node))) for node in body if not isinstance(node, ast.Import | ast.ImportFrom))


def _imported_names(node: ast.stmt) -> Iterator[str]:
    """The names that an import statement binds, each with where it comes from."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        module = f"{'.' * node.level}{node.module or ''}" if isinstance(node, ast.ImportFrom) else ""
        yield from (f"{module} {alias.name} {alias.asname or ''}".strip() for alias in node.names)


def _flatten(node: ast.ImportFrom, path: Path) -> None:
    """Word a relative import as it would be worded if every check were a file of its paper's folder."""
    paper, parts = meant(path, node.level, node.module or "")
    if len(parts) == 1 and names_files(path, node.level, node.module or ""):  # from . import x, in a folder
        for alias in node.names:
            called, alias.name = alias.asname or alias.name, joined(parts[0], alias.name)
            alias.asname = None if called == alias.name else called
        parts = ()
    stem = joined(*parts) if len(parts) == 2 else ".".join(parts)
    node.level, node.module = 1 + bool(paper), ".".join(filter(None, [paper, stem])) or None


def _target(node: ast.stmt) -> str | None:
    """The one name a plain assignment binds, or None."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return None


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


def _without_words(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in ("Claim", "replace"):
            node.keywords = [keyword for keyword in node.keywords if keyword.arg not in WORDS]
            if _called(node) == "Claim":
                node.args = node.args[1:]
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:]
    return tree


def plain(node: Any) -> Any:
    """Nested lists of a syntax tree; empty fields left out, since versions of Python differ in those."""
    if isinstance(node, ast.JoinedStr):  # Python 3.12 ends {x:>{w}} with an empty text where 3.11 and 3.13 have none
        node = ast.JoinedStr([v for v in node.values if not (isinstance(v, ast.Constant) and v.value == "")])
    if isinstance(node, ast.AST):
        fields = [[name, plain(value)] for name, value in ast.iter_fields(node) if value is not None and value != []]
        return [type(node).__name__, *fields]
    return [plain(item) for item in node] if isinstance(node, list) else repr(node)
