"""The constructions of the library: which a user can import, what their docstrings show, where they are a witness.

All of it is read from the sources, so that a report imports none of them.
"""

from __future__ import annotations

import ast
import builtins
import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from theorytools.reporting.leaves import Leaf

PACKAGE = Path(__file__).resolve().parents[2]
FRONTS = (PACKAGE / "__init__.pyi", *sorted(PACKAGE.glob("papers/*/__init__.pyi")))
PICTURES = "_pictures"  # where they stand in a report; how one is made: theorytools.reporting.shapes


@dataclass(frozen=True)
class Exhibit:
    """One construction: its first sentence, import line, example and picture, and where it is a witness."""

    name: str
    said: str
    line: str
    example: str
    picture: tuple[str, str]
    places: tuple[tuple[str, str], ...]


@cache
def _public() -> Mapping[str, tuple[str, str]]:
    """The public names of the library and of its papers' rooms: the package of each and the module that holds it."""
    found: dict[str, tuple[str, str]] = {}
    for stub in FRONTS:
        package = ".".join(stub.parent.relative_to(PACKAGE.parent).parts)
        for node in ast.parse(stub.read_text(encoding="utf-8")).body:
            for alias in node.names if isinstance(node, ast.ImportFrom) else ():
                found[alias.name] = package, f"{package}.{getattr(node, 'module', '')}"
    return found


@cache
def import_line(name: str) -> str:
    """Return what a construction's example imports, its own line included; empty for one that belongs to its check."""
    if name not in _public():
        return ""
    tree, code = _module(name), ast.parse(example(name))
    bound = {node.id for node in ast.walk(code) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {alias.asname or alias.name for node in ast.walk(code) if isinstance(node, ast.Import | ast.ImportFrom)
              for alias in node.names}  # fmt: skip
    used = {node.id for node in ast.walk(code) if isinstance(node, ast.Name)} - bound - set(dir(builtins))
    ours = sorted({name, *(used & _public().keys())}, key=lambda one: (one != name, one))
    lines = [line for one in sorted(used - _public().keys()) if (line := _taken_from(tree, one, _public()[name][1]))]
    packages = dict.fromkeys(_public()[one][0] for one in reversed(ours))  # that of the construction comes last
    taken = [(package, [one for one in ours if _public()[one][0] == package]) for package in packages]
    return "\n".join([*sorted(lines), *(f"from {package} import {', '.join(names)}" for package, names in taken)])


def _taken_from(tree: ast.Module, name: str, module: str) -> str:
    """The line by which the module of a construction has a name: its own import of it, or an import from it."""
    for node in tree.body:
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            if (alias.asname or alias.name) == name:
                as_name = f" as {name}" if alias.asname else ""
                source = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
                return f"{source}import {alias.name}{as_name}"
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names = [name_of for target in targets for part in getattr(target, "elts", [target])
                 if (name_of := getattr(part, "id", ""))]  # fmt: skip
        if name in (getattr(node, "name", ""), *names):
            return f"from {module} import {name}"
    return ""


@cache
def _module(name: str) -> ast.Module:
    file = PACKAGE.parent.joinpath(*_public()[name][1].split(".")).with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def example(name: str) -> str:
    """Return the statements of the example in a public construction's docstring, without their output."""
    if name not in _public():
        return ""
    for node in _module(name).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            lines = re.findall(r"^\s*(?:>>>|\.\.\.) (.*)$", ast.get_docstring(node) or "", re.M)
            return "\n".join(line for line in lines if not re.match(r"from theorytools(\.papers\.\w+)? import", line))
    return ""


@cache
def drawn() -> Mapping[str, str]:
    """Return the pictures beside the fronts of the library and of its papers' rooms, by name of the construction."""
    return {name: svg for front in FRONTS for name, svg in pictures_in(front.parent).items()}


def pictures_in(folder: Path) -> dict[str, str]:
    """Return the pictures that a folder has in ``pictures``, by name of the construction."""
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted((folder / "pictures").glob("*.svg"))}


def picture(name: str, paper: Mapping[str, Any]) -> tuple[str, str]:
    """Return the path of a construction's picture in a report and what it shows in words; empty where it has none.

    That of a paper's own folder goes before one of the same name of the library.
    """
    own = paper.get("pictures") or {}
    if name not in own and name not in drawn():
        return "", ""
    title = re.search(r"<title>(.*?)</title>", own.get(name) or drawn()[name])
    path = f"{PICTURES}/{paper['key']}/{name}.svg" if name in own else f"{PICTURES}/{name}.svg"
    return path, html.unescape(title[1]) if title else name


def pictures(leaves: Sequence[Leaf]) -> dict[str, str]:
    """Return the pictures of the constructions of these statements, by their path in a report."""
    found = {}
    for leaf in leaves:
        for name, _ in built(leaf.verdicts):
            if path := picture(name, leaf.paper)[0]:
                found[path] = (leaf.paper.get("pictures") or {}).get(name) or drawn()[name]
    return found


def built(verdicts: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield name and first sentence of each construction of these verdicts, once."""
    seen = set()
    for verdict in verdicts:
        made = verdict.get("construction") or {}
        name = str(made.get("name") or "")
        if re.fullmatch(r"[A-Z]\w+", name) and name not in seen:
            seen.add(name)
            yield name, str(made.get("summary") or "")


def exhibits(leaves: Sequence[Leaf], labels: Mapping[str, str]) -> list[Exhibit]:
    """Return every construction with its statements, those that can be imported first; ``labels`` by path of page."""
    said: dict[str, str] = {}
    places: dict[str, list[tuple[str, str]]] = {}
    shown: dict[str, tuple[str, str]] = {}
    for leaf in leaves:
        for name, summary in built(leaf.verdicts):
            said.setdefault(name, summary)
            shown.setdefault(name, picture(name, leaf.paper))
            places.setdefault(name, []).append((labels[leaf.path], leaf.path if leaf.shown else ""))
    made = [
        Exhibit(name, said[name], import_line(name), example(name), shown[name], tuple(places[name])) for name in said
    ]
    return sorted(made, key=lambda one: (not one.line, one.name.lower()))
