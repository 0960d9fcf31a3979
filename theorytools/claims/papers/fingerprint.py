"""Fingerprints of checks: what a check computes, so that a record or a verdict knows when it is of another one.

The digest is of syntax trees: layout, comments and words do not change it, nor does where a file lies.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from theorytools.claims.papers.location import (
    check_folder,
    joined,
    meant,
    names_files,
    stem_of,
)
from theorytools.claims.papers.syntax import LIBRARY, called, imported_files
from theorytools.content_cache import Kept, content
from theorytools.files import kept_while_unchanged
from theorytools.places import paper_folder

# what a claim says of itself in words: nothing is computed from it
WORDS = ("label", "note", "role", "scope", "source", "statement")
_PRINTS = Kept("fingerprints", [__file__, *map(Path(__file__).with_name, ("syntax.py", "location.py"))])


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


def _without_words(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node) in ("Claim", "replace"):
            node.keywords = [keyword for keyword in node.keywords if keyword.arg not in WORDS]
            if called(node) == "Claim":
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
