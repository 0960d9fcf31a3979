"""A formula of ``work.toml``: letters, numbers, ``+ - * / **``, brackets and a few functions, in doubles."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

_TWO: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: lambda x, y: x + y, ast.Sub: lambda x, y: x - y, ast.Mult: lambda x, y: x * y,
    ast.Div: lambda x, y: x / y, ast.Pow: lambda x, y: x**y,
}  # fmt: skip


def _comb(n: float, k: float) -> float:
    r"""Return :math:`\binom nk` in doubles: of large letters it is far beyond them, and infinite here."""
    if not 0 <= k <= n:
        return 0.0
    return math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1))


LONGEST = 1000  # characters
_NAMED: Mapping[str, Callable[..., float]] = {
    "log2": math.log2, "sqrt": math.sqrt, "ceil": math.ceil, "min": min, "max": max, "comb": _comb,
}  # fmt: skip


@dataclass(frozen=True)
class Formula:
    """A formula in letters, evaluated in doubles; a value beyond them is infinite.

    Parameters
    ----------
    text : the formula as it is written.

    Raises
    ------
    ValueError : a text that is no such formula.

    Examples
    --------
    >>> Formula("8*N**2 + log2(N)")({"N": 4}), Formula("2**n")({"n": 10**6})
    (130.0, inf)
    """

    text: str
    _tree: ast.expr = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            tree = ast.parse(self.text if len(self.text) <= LONGEST else "", mode="eval").body
        except SyntaxError as error:
            raise ValueError(f"{self.text[:80]!r} is no formula") from error
        _admit(tree)
        object.__setattr__(self, "_tree", tree)

    @property
    def letters(self) -> frozenset[str]:
        """The letters that occur."""
        called = {node.func for node in ast.walk(self._tree) if isinstance(node, ast.Call)}
        names = {node for node in ast.walk(self._tree) if isinstance(node, ast.Name)}
        return frozenset(node.id for node in names - called)

    def __call__(self, letters: Mapping[str, Any]) -> float:
        """Return the value at these letters."""
        try:
            value = float(_value(self._tree, letters))
        except OverflowError:
            return math.inf
        return value


def _admit(node: ast.AST) -> None:
    inner: list[ast.expr]
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            inner = []
        case ast.Name():
            inner = []
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _TWO:
            inner = [left, right]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = [operand]
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _NAMED and arguments:
            inner = arguments
        case _:
            raise ValueError(f"{ast.unparse(node)!r} is no part of a formula")
    for one in inner:
        _admit(one)


def _value(node: Any, letters: Mapping[str, Any]) -> float:
    """The value of a formula that was admitted; integers are doubles, so that no power is a million digits long."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.Name(id=name):
            return float(letters[name])
        case ast.BinOp(left=left, op=op, right=right):
            return _TWO[type(op)](_value(left, letters), _value(right, letters))
        case ast.UnaryOp(operand=operand):
            return -_value(operand, letters)
        case _:
            return _NAMED[node.func.id](*(_value(argument, letters) for argument in node.args))
