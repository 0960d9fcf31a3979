"""A check whose own float code runs at 250 bits: literals, ``/``, ``float``, ``math`` and roots make no doubles."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np

from theorytools.claims.judging.trial import precise
from theorytools.claims.judging.trial.entries import RATIONALS, rounded
from theorytools.claims.judging.trial.precise import (
    NUMPY,
    PRECISE_MATH,
    Precise,
    as_double,
    as_fraction,
    as_numpy,
    divided,
    raised,
)
from theorytools.claims.judging.trial.rewritten import Own, Rewriter, call

# named here, so that a verdict is known to depend on what only the changed check calls
HELPERS = {
    "Precise": Precise, "PRECISE_MATH": PRECISE_MATH, "divided": divided, "raised": raised, "as_double": as_double,
    "as_fraction": as_fraction, "as_numpy": as_numpy,
}  # fmt: skip
# of math, what takes and gives integers alone
_WHOLE = frozenset({"comb", "factorial", "gcd", "isqrt", "lcm", "perm", "prod", "floor", "ceil", "trunc"})


class AtBits(Rewriter):
    """Replaces what makes doubles; ``first`` is the line of the first such place, 0 where there is none."""

    imports = f"from {precise.__name__} import {', '.join(f'{name} as _{name}' for name in HELPERS)}"

    def __init__(self, own: Own) -> None:
        super().__init__(own)
        self.first = 0

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """A decimal is meant as it is written; one that a double holds as it stands stays."""
        return self._helped("Precise", ast.Constant(repr(node.value)), at=node) if rounded(node.value) else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Divide, and raise to a power, without doubles; a square or a cube of a float is no place where they begin."""
        name = {ast.Div: "divided", ast.Pow: "raised"}.get(type(node.op))
        small = isinstance(node.right, ast.Constant) and isinstance(node.right.value, int)
        self.generic_visit(node)
        if name is None:
            return node
        if name == "raised" and small:
            return call("_raised", node.left, node.right, at=node)
        return self._helped(name, node.left, node.right, at=node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """``x /= y`` of a plain name is ``x = x / y``."""
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div) or not isinstance(node.target, ast.Name):
            return node
        value = self._helped("divided", ast.Name(node.target.id, ast.Load()), node.value, at=node)
        return ast.copy_location(ast.Assign([node.target], value), node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A name that stands for a function or a constant of ``math``, or for a function of numpy."""
        return self._replaced(node) or node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """The same under the name of its module."""
        return self._replaced(node) or self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """``float`` makes no double, and a constructor of rationals takes numbers of 250 bits."""
        mapped = self.own.means(node.func, (map,)) and bool(node.args)
        inner = node.args[0] if mapped else node.func
        self.generic_visit(node)
        if self.own.means(inner, (float, np.float64)):
            new: ast.expr = self._loaded("as_double", at=inner)
        elif self.own.means(inner, RATIONALS):
            new = call("_as_fraction", inner, at=inner)
        else:
            return node
        if mapped:
            node.args[0] = new
        else:
            node.func = new
        return node

    def _replaced(self, node: Any) -> ast.AST | None:
        meant = self.own.meant(node) if isinstance(node.ctx, ast.Load) else None
        name = getattr(node, "attr", getattr(node, "id", ""))
        constant = isinstance(meant, float) and rounded(meant)  # of math or of numpy
        if hasattr(PRECISE_MATH, name) and (constant or _of_math(meant)):
            return ast.copy_location(ast.Attribute(self._loaded("PRECISE_MATH", at=node), name, ast.Load()), node)
        if name in NUMPY and callable(meant) and getattr(np, name, None) is meant:
            return self._helped("as_numpy", node, at=node)
        return None

    def _helped(self, helper: str, *arguments: ast.expr, at: ast.expr | ast.stmt) -> ast.expr:
        self.first = self.first or at.lineno
        return call(f"_{helper}", *arguments, at=at)

    def _loaded(self, helper: str, *, at: ast.expr) -> ast.expr:
        self.first = self.first or at.lineno
        return ast.copy_location(ast.Name(f"_{helper}", ast.Load()), at)


def _of_math(meant: Any) -> bool:
    name = getattr(meant, "__name__", None)
    return isinstance(name, str) and name not in _WHOLE and getattr(math, name, None) is meant
