"""A check's own functions with some of their expressions replaced, for a variant of the claim.

Only what the claim runs is rewritten: construct, measure, derive, the functions of the file that these call by name,
and its classes that they name.  A name means what it means in the module that was loaded, and nothing where one of
these functions gives it a meaning of its own.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from theorytools.claims.judging.trial.variants import Trial
from theorytools.claims.papers.loading import load_module


@dataclass(frozen=True, eq=False)
class Own:
    """The functions and classes of a check that its claim runs, and what their names stand for; equal to itself."""

    nodes: Sequence[ast.AST]
    names: dict[str, Any]

    @classmethod
    def of(cls, trial: Trial) -> Own:
        """Return those of a claim on trial."""
        classes = {n.name: n for n in trial.tree.body if isinstance(n, ast.ClassDef)}
        used = {n.id for f in trial.functions for n in ast.walk(f) if isinstance(n, ast.Name)}
        nodes = [*trial.functions, *(classes[name] for name in sorted(used & classes.keys()))]
        names = {**vars(builtins), **vars(load_module(trial.entry.path))}
        every = [n for node in nodes for n in ast.walk(node)]
        local = {n.arg for n in every if isinstance(n, ast.arg)}
        local |= {n.id for n in every if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return cls(nodes, {name: value for name, value in names.items() if name not in local})

    def walk(self) -> Iterator[ast.AST]:
        """Every node of their syntax."""
        for node in self.nodes:
            yield from ast.walk(node)

    def means(self, node: ast.AST, known: tuple[Any, ...]) -> bool:
        """Whether a node stands for one of these functions or classes."""
        meant = self.meant(node)  # methods are made anew each time: == and not "is"; arrays have no ==
        return callable(meant) and any(meant == other for other in known)

    @property
    def numeric(self) -> bool:
        """Whether numpy is named, or a generator of the point asked for."""

        def of_numpy(node: ast.AST) -> bool:
            meant = self.meant(node) if isinstance(node, ast.Name) else None
            names = (getattr(meant, "__name__", None), getattr(meant, "__module__", None))
            return any(isinstance(name, str) and name.partition(".")[0] == "numpy" for name in names)

        return any(of_numpy(n) or (isinstance(n, ast.Attribute) and n.attr == "rng") for n in self.walk())

    def meant(self, node: ast.AST) -> Any:
        """What a name, or an attribute of a named module or class, stands for; None of anything else."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.Attribute):
            holder = self.meant(node.value)
            return None if holder is None else getattr(holder, node.attr, None)
        return None


class Rewriter(ast.NodeTransformer):
    """Replaces expressions inside the claim's own functions; ``imports`` are put before the file's first statement."""

    imports = ""

    def __init__(self, own: Own) -> None:
        self.own = own
        self._places = {_place(node) for node in own.nodes}
        self._inside = 0

    def visit(self, node: ast.AST) -> Any:
        """Rewrite what lies inside; a statement of the module itself is only looked through."""
        here = _place(node) in self._places
        self._inside += here
        found = super().visit(node) if self._inside else self.generic_visit(node)
        self._inside -= here
        return found

    def __call__(self, tree: ast.Module) -> ast.Module:
        """Return the rewritten file."""
        tree = self.visit(tree)
        later = next((i for i, n in enumerate(tree.body) if not _first(n)), len(tree.body))
        tree.body[later:later] = ast.parse(self.imports).body
        return tree


def _place(node: ast.AST) -> tuple[str, int, int] | None:
    where = getattr(node, "lineno", None)
    return None if where is None else (type(node).__name__, where, getattr(node, "col_offset", 0))


def _first(node: ast.stmt) -> bool:
    """Whether a statement must stay before any import: the docstring, and imports from the future."""
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def call(function: str, *arguments: ast.expr, at: ast.AST) -> ast.Call:
    """Return the syntax of a call of one of the imported helpers, at the line of what it replaces."""
    made = ast.Call(ast.Name(function, ast.Load()), list(arguments), [])
    return ast.copy_location(made, at)
