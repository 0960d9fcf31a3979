"""What of the library can be looked up besides papers: its public names, its commands, and the pages of ``docs``.

All of it is read from the sources and kept by their content, so that nothing is imported, and a file is parsed once.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from theorytools.content_cache import Kept, content
from theorytools.files import read_regular
from theorytools.reporting.lookup import Place
from theorytools.reporting.pages.gallery import FRONTS, PACKAGE

DOCUMENTS = PACKAGE.parent / "docs"
COMMANDS = PACKAGE / "cli" / "app.py"
LARGEST = 1_000_000  # bytes of a file
ROOMS = ("constructions", "codes", "blocks", "tasks", "theory", "measures", "statistics", "trained", "training")
BUILT = ("constructions", "codes", "papers")  # rooms whose classes are networks and codes
_OBJECTS = Kept("objects", [__file__])


def object_places() -> list[Place]:
    """Return the public classes and functions: those on a front, and those of the rooms that all papers share."""
    found: dict[str, Place] = {}
    for front in FRONTS:
        package = ".".join(front.parent.relative_to(PACKAGE.parent).parts)
        for node in ast.parse(front.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.level:
                path = front.parent.joinpath(*(node.module or "").split(".")).with_suffix(".py")
                for alias in node.names:
                    found.setdefault(alias.name, _place(path, alias.name, package))
    for path in sorted(path for room in ROOMS for path in (PACKAGE / room).rglob("*.py")):
        for name, (_, _, public) in _said(path).items():
            if public and name not in found:
                found[name] = _place(path, name, ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
    return [found[name] for name in sorted(found, key=lambda one: (one.lower(), one))]


def _place(path: Path, name: str, package: str) -> Place:
    said, made, _ = _said(path).get(name, ("", "", False)) if path.is_file() else ("", "", False)
    built = made == "class" and path.relative_to(PACKAGE).parts[0] in BUILT
    return Place("construction" if built else made or "function", name, said, use=f"from {package} import {name}")


def _said(path: Path) -> dict[str, tuple[str, str, bool]]:
    """What a module defines, by name: the first sentence of its docstring, class or function, and whether it is
    public, which its calls being checked says.
    """
    return cast(dict[str, Any], _OBJECTS.get(content(path), lambda: _read(path)))


def _read(path: Path) -> dict[str, tuple[str, str, bool]]:
    found = {}
    for node in ast.parse(read_regular(path, LARGEST)).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            marks = (getattr(mark, "func", mark) for mark in node.decorator_list)
            public = any(getattr(mark, "id", "") == "checked" for mark in marks)
            kind = "class" if isinstance(node, ast.ClassDef) else "function"
            found[node.name] = plain_sentence(ast.get_docstring(node) or ""), kind, public
    return found


def command_places() -> list[Place]:
    """Return the commands of ``theorytools``, each with its first sentence and the words of its options."""
    found = []
    for node in ast.parse(read_regular(COMMANDS, LARGEST)).body:
        made = _command(node)
        if made is not None:
            said = " ".join((ast.get_docstring(made) or "").split())
            words = [part.value for part in ast.walk(made.args) if isinstance(part, ast.Constant)]
            name = f"theorytools {made.name.rstrip('_')}"
            text = " ".join([said, *(word for word in words if isinstance(word, str))])
            found.append(Place("command", name, plain_sentence(said), "", text, f"{name} --help"))
    return found


def _command(node: ast.stmt) -> ast.FunctionDef | None:
    """The function that a line of the command line makes a command of: its own, or one of a neighbouring module."""
    if isinstance(node, ast.FunctionDef) and any("app.command" in ast.unparse(mark) for mark in node.decorator_list):
        return node
    call = node.value if isinstance(node, ast.Expr) else None
    if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("app.command("):
        module, _, name = ast.unparse(call.args[0]).rpartition(".")
        own = ast.parse(read_regular(COMMANDS.with_name(f"{module}.py"), LARGEST)).body
        return next(one for one in own if isinstance(one, ast.FunctionDef) and one.name == name)
    return None


def document_places() -> list[Place]:
    """Return the pages of ``docs`` by their titles; none where they are not beside the package."""
    found = []
    for path in sorted(path for path in DOCUMENTS.glob("*.md") if path.stem != "index"):
        text = read_regular(path, LARGEST).decode("utf-8")
        prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
        title = next(_headings(text), path.stem)
        first = next((part for part in prose.split("\n\n") if part.strip() and part.lstrip()[0] not in "#`:|<-!"), "")
        name = f"docs/{path.name}"
        found.append(Place("document", name, f"{title}. {plain_sentence(first)}", "", prose, name))
    return found


def _headings(text: str) -> Iterator[str]:
    return (line.lstrip("# ") for line in text.splitlines() if line.startswith("#"))


def plain_sentence(text: str) -> str:
    """Return the first sentence of a text without its marks of Markdown or reStructuredText."""
    first = " ".join(text.strip().partition("\n\n")[0].split())
    first = re.sub(r":math:`([^`]+)`", r"$\1$", first)
    first = re.sub(r":\w+:`~?([^`<]+?)(?: <[^`]*)?`", r"\1", first).replace("`", "").replace("**", "")
    first = re.sub(r"(?<!\w)\*([^*]+)\*(?!\w)", r"\1", first)
    first = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", first)
    return re.split(r"(?<=[.?!])\s", first, maxsplit=1)[0]
