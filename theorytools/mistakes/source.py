"""A file of checks as its writer sees it: claims with their fields, functions, and the expressions of a line."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from theorytools.claims.papers.syntax import LARGEST, called
from theorytools.files import read_regular

# the parts of a claim that may be given by their place
ORDER = ("label", "asserts", "grid", "construct", "measure", "controls")


class Source:
    """A file of checks, parsed.

    Parameters
    ----------
    path : the file.

    Raises
    ------
    SyntaxError, ValueError, OSError : a file that cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        text = read_regular(path, LARGEST).decode("utf-8")
        self.lines, self.tree = text.splitlines(), ast.parse(text)
        self.nodes = list(ast.walk(self.tree))

    def line(self, number: int) -> str:
        """Return a line of the file without the spaces around it; empty beyond its end."""
        return self.lines[number - 1].strip() if 1 <= number <= len(self.lines) else ""

    def at(self, line: int, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        """Yield the expressions of these kinds that a line is a part of, the shortest first."""
        found = [n for n in self.nodes if isinstance(n, kinds) and _covers(n, line)]
        yield from sorted(found, key=lambda n: (n.end_lineno - n.lineno, n.end_col_offset - n.col_offset))  # type: ignore[attr-defined]

    def claim(self, name: str) -> ast.Call | None:
        """Return the call that makes the claim of this name: of several the last one, which is what a reader gets."""
        for node in reversed(self.tree.body):
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            call = getattr(node, "value", None)
            if (
                getattr(target, "id", "") == name
                and isinstance(call, ast.Call)
                and called(call) in ("Claim", "replace")
            ):
                return call
        return None

    def field(self, name: str, part: str) -> ast.expr | None:
        """Return what is given for a part of a claim, or of the claim that it is a variant of."""
        call, seen = self.claim(name), set[int]()
        while call is not None and id(call) not in seen:
            seen.add(id(call))
            if (given := keyword(call, part)) is not None:
                return given
            if called(call) == "Claim":
                place = ORDER.index(part) if part in ORDER else len(call.args)
                return call.args[place] if place < len(call.args) else None
            origin = call.args[0] if call.args else None
            same = isinstance(origin, ast.Name) and origin.id == name
            call = self._first(name) if same else self.claim(getattr(origin, "id", ""))
        return None

    def _first(self, name: str) -> ast.Call | None:
        """The first claim of a name that is bound twice."""
        calls = (n.value for n in self.tree.body if isinstance(n, ast.Assign)
                 and getattr(n.targets[0], "id", "") == name and isinstance(n.value, ast.Call))  # fmt: skip
        return next((call for call in calls if called(call) == "Claim"), None)

    def controls(self, name: str) -> list[ast.Call]:
        """Return the calls that make the controls of a claim."""
        given = self.field(name, "controls")
        return [n for n in ast.walk(given) if isinstance(n, ast.Call) and called(n) == "Control"] if given else []

    def function(self, node: ast.AST | None) -> ast.FunctionDef | ast.Lambda | None:
        """Return the function that an expression is or names; None for one that is computed or comes from elsewhere."""
        if isinstance(node, ast.Lambda):
            return node
        name = getattr(node, "id", None)
        for found in self.tree.body:
            if isinstance(found, ast.FunctionDef) and found.name == name:
                return found
            made = found.value if isinstance(found, ast.Assign) else None
            if isinstance(made, ast.Lambda) and getattr(found.targets[0], "id", None) == name:  # type: ignore
                return made
        return None

    def within(self, line: int) -> ast.FunctionDef | None:
        """Return the function of the file that a line stands in."""
        return next((n for n in self.tree.body if isinstance(n, ast.FunctionDef) and _covers(n, line)), None)

    def imported(self, module: str) -> dict[str, str]:
        """Return the names that are imported from a module, or as one: each with what it is there."""
        found: dict[str, str] = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                found |= {a.asname or a.name: "" for a in node.names if a.name.split(".")[0] == module}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[-1 if node.level else 0] == module:
                found |= {a.asname or a.name: a.name for a in node.names}
        return found


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """Return the value of a keyword of a call."""
    return next((k.value for k in call.keywords if k.arg == name), None)


def returned(function: ast.FunctionDef | ast.Lambda) -> list[ast.expr]:
    """Return the expressions that a function returns, none for one that ends without a return."""
    if isinstance(function, ast.Lambda):
        return [function.body]
    inner = {id(n) for f in ast.walk(function) if isinstance(f, ast.FunctionDef | ast.Lambda) and f is not function
             for n in ast.walk(f)}  # fmt: skip
    return [n.value for n in ast.walk(function)
            if isinstance(n, ast.Return) and n.value is not None and id(n) not in inner]  # fmt: skip


def _covers(node: ast.AST, line: int) -> bool:
    first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    return first is not None and last is not None and first <= line <= last
