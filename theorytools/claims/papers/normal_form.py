r"""A printed formula in normal form: a relation and a right side, ``"<= O(d_e**3*(log(d_e/eps)/eps)**2)"``.

The right side is arithmetic in letters with the functions named here.  One that a paper states up to a constant stands
in ``O``, ``Omega`` or ``Theta``, up to powers of logarithms in ``SoftO``, ``SoftOmega`` or ``SoftTheta``, and one of
which only a polynomial growth is said in ``Poly``.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sympy

SIGNS = {"<=": r"\le", ">=": r"\ge", "==": "=", "<": "<", ">": ">"}
FUNCTIONS = ("log", "sqrt", "exp", "Min", "Max", "floor", "ceiling", "gamma", "factorial", "binomial", "Abs")
CONSTANTS = ("pi", "E")
# with which relation an order is written, and how
ORDERS = {
    "O": ("<=", r"O"), "Omega": (">=", r"\Omega"), "Theta": ("==", r"\Theta"), "SoftO": ("<=", r"\tilde{O}"),
    "SoftOmega": (">=", r"\tilde{\Omega}"), "SoftTheta": ("==", r"\tilde{\Theta}"), "Poly": ("<=", r"\mathrm{poly}"),
}  # fmt: skip
LONGEST, LARGEST, POWERS = 400, 10**12, 256  # characters; an integer; the product of those that are raised or called
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """A formula taken apart: its relation, its order (empty for an exact one) its right sides, several in a Poly."""

    relation: str
    order: str
    sides: tuple[str, ...]

    def expressions(self) -> tuple[sympy.Expr, ...]:
        """Return the right sides as sympy expressions in positive symbols."""
        return tuple(_expression(ast.parse(side, mode="eval").body, {}) for side in self.sides)

    def expression(self, letters: Mapping[str, Any]) -> sympy.Expr:
        """Return the right side with these symbols or expressions for its letters; the others are positive symbols."""
        return _expression(ast.parse(self.sides[0], mode="eval").body, letters)

    def latex(self, names: Mapping[str, str]) -> str:
        r"""Return relation and right side in LaTeX, ``\le O\left(\sqrt{N}\right)``; ``names`` are letters in LaTeX."""
        import sympy

        own = {s: names[s.name] for side in self.expressions() for s in side.free_symbols if s.name in names}
        shown = ", ".join(sympy.latex(side, symbol_names=own) for side in self.expressions())
        return f"{SIGNS[self.relation]} " + (rf"{ORDERS[self.order][1]}\left({shown}\right)" if self.order else shown)


def shape(text: str) -> Shape:
    """Return a formula taken apart.

    Raises
    ------
    ValueError : in words, what is wrong with it.
    """
    sign = next((sign for sign in SIGNS if text.strip().startswith(sign)), "")
    if not sign:
        raise ValueError(f"it begins with none of {', '.join(SIGNS)}")
    right = text.strip()[len(sign) :].strip()
    try:
        tree = ast.parse(right if len(right) <= LONGEST else "", mode="eval").body
    except (SyntaxError, ValueError) as error:
        at = getattr(error, "offset", None)
        raise ValueError(f"the right side does not parse{f' at sign {at}' if at else ''}: {right!r}") from None
    order, sides = "", [tree]
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id in ORDERS:
        order, sides = tree.func.id, tree.args
        if ORDERS[order][0] != sign:
            raise ValueError(f"{order} is written with {ORDERS[order][0]}")
        if tree.keywords or not sides or (len(sides) > 1 and order != "Poly"):
            raise ValueError(f"{order} takes one expression")
    for side in sides:
        _refuse(side)
    _refuse_large(tree)
    return Shape(sign, order, tuple(ast.unparse(side) for side in sides))


def _refuse(node: ast.AST) -> None:
    """Refuse whatever is not arithmetic in letters."""
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        _refuse(node.left)
        _refuse(node.right)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        _refuse(node.operand)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id not in FUNCTIONS:
            raise ValueError(f"no function {node.func.id!r}; there are {', '.join(FUNCTIONS)}")
        for part in node.args:
            _refuse(part)
    elif isinstance(node, ast.Constant) and type(node.value) is float:
        raise ValueError(f"{node.value} is a binary fraction; write a fraction of integers")
    elif not isinstance(node, ast.Name) and not (isinstance(node, ast.Constant) and type(node.value) is int):
        raise ValueError(f"{ast.unparse(node)!r} is no arithmetic in letters")


def _refuse_large(tree: ast.AST) -> None:
    """Refuse numbers that are written down in a line and take millions of digits: sympy evaluates ``9**9**9**9``."""
    product = 1
    for node in ast.walk(tree):
        raised = [node.right] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) else []
        for part in node.args if isinstance(node, ast.Call) else raised:
            inner = list(ast.walk(part))
            if not any(isinstance(one, ast.Name) for one in inner):
                product *= math.prod(max(k, 1) for one in inner if isinstance(k := getattr(one, "value", 0), int))
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value >= LARGEST:
            raise ValueError(f"an integer of {LARGEST} or more")
    if product > POWERS:
        raise ValueError(f"powers of numbers, or functions of them, beyond {POWERS} together")


def _expression(node: ast.expr, letters: Mapping[str, Any]) -> Any:
    import sympy

    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_expression(node.left, letters), _expression(node.right, letters))
    if isinstance(node, ast.UnaryOp):
        return -_expression(node.operand, letters)
    if isinstance(node, ast.Call):
        return getattr(sympy, ast.unparse(node.func))(*(_expression(part, letters) for part in node.args))
    if isinstance(node, ast.Name):
        if node.id in letters:
            return letters[node.id]
        return getattr(sympy, node.id) if node.id in CONSTANTS else sympy.Symbol(node.id, positive=True)
    return sympy.Integer(ast.literal_eval(node))
