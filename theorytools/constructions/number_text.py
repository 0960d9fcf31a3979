r"""Exact numbers as text, and back by a grammar of which nothing is executed.

An integer or a fraction is written in lowest terms, ``-7/3``, a double in hexadecimal, ``0x1.8p+1``.  A number of sympy
is written as sympy prints it, ``23*log(2)``, and read by

.. math:: e\to\text{digits}\mid\texttt{pi}\mid\texttt{E}\mid\texttt{-}e\mid e\texttt{+}e\mid e\texttt{-}e\mid
          e\texttt{*}e\mid e\texttt{/}e\mid e\texttt{**}e\mid\texttt{log}(e)\mid\texttt{exp}(e)\mid\texttt{sqrt}(e).

An integer, a fraction and a double have one text each; others are refused.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy

from theorytools.errors import DomainError

LONGEST = 4000  # letters of one number: Python prints integers up to 4300 digits
_WHOLE, _RATIO = re.compile(r"-?[0-9]+"), re.compile(r"-?[0-9]+/[0-9]+")
_TOKENS = re.compile(r"(?:[0-9]+|pi|E|log|exp|sqrt|[-+*/() ])+")
_BITS = 2**16  # of a rational power that is multiplied out
_LARGEST = 10**6  # of an exponent: what is beyond has no digits that anyone prints
_NAMES = {"pi": sympy.pi, "E": sympy.E}
_CALLS: dict[str, Callable[[Any], Any]] = {"log": sympy.log, "sqrt": sympy.sqrt}
_SIGNS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
_WHY = "a number in a file is text, and nothing of it is executed"


def written(value: int | Fraction | float | sympy.Expr) -> str:
    """Return the text of an exact number.

    Raises
    ------
    DomainError : a number of sympy that the grammar does not have, or one that is too long.
    """
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, int | Fraction):
        if max(abs(value.numerator), value.denominator).bit_length() > 3 * LONGEST:  # 3 bits are less than a digit
            raise DomainError("a number of thousands of digits", required=f"at most {LONGEST} of them", why=_WHY)
        return str(value)
    text = str(value)
    try:
        same = symbolic(text) == value
    except DomainError:
        same = False
    if not same:
        raise DomainError(
            f"the number {text:.80}", required="sums, products, powers, log, exp and sqrt of whole numbers, pi and E",
            why=_WHY, advice="write it with these, or give a Fraction",
        )  # fmt: skip
    return text


def whole(text: Any) -> int:
    """Return the integer of a text; ``DomainError`` for any other text."""
    if isinstance(text, str) and len(text) <= LONGEST and _WHOLE.fullmatch(text) and str(int(text)) == text:
        return int(text)
    raise _refused(text, "a whole number such as '-12'")


def ratio(text: Any) -> Fraction:
    """Return the fraction of a text in lowest terms; ``DomainError`` for any other text."""
    if isinstance(text, str) and len(text) <= 2 * LONGEST and (_RATIO.fullmatch(text) or _WHOLE.fullmatch(text)):
        parts = text.split("/")
        if all(len(part) <= LONGEST for part in parts) and not (len(parts) > 1 and int(parts[1]) == 0):
            found = Fraction(*map(int, parts))
            if str(found) == text:
                return found
    raise _refused(text, "a fraction in lowest terms such as '7/3'")


def double(text: Any) -> float:
    """Return the finite double of a hexadecimal text; ``DomainError`` for any other text."""
    try:
        found = float.fromhex(text)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if math.isfinite(found) and found.hex() == text:
        return found
    raise _refused(text, "a finite double in hexadecimal such as '0x1.8000000000000p+1'")


def symbolic(text: Any) -> sympy.Expr:
    """Return the number of sympy that a text of the grammar means; ``DomainError`` for any other text."""
    required = "a number such as '23*log(2)': + - * / ** log exp sqrt of whole numbers, pi and E"
    if not isinstance(text, str) or len(text) > LONGEST or not _TOKENS.fullmatch(text):
        raise _refused(text, required)
    try:
        found = _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError, MemoryError):
        raise _refused(text, required) from None
    if not found.is_real:  # a pole, the root of a negative number; sympy's own order of terms is free
        raise _refused(text, required)
    return found


def _value(node: ast.expr) -> sympy.Expr:
    """The number of one node of the grammar; ``ValueError`` for any other node."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return sympy.Integer(node.value)
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _NAMES[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return _power(_value(node.left), _value(node.right))
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        return _SIGNS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1 and not node.keywords:
        if node.func.id == "exp":
            return _power(sympy.E, _value(node.args[0]))
        if node.func.id in _CALLS:
            return _CALLS[node.func.id](_value(node.args[0]))
    raise ValueError(type(node).__name__)


def _power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
    """A power whose digits can be had: no exponent is a tower, and no power of a fraction fills the memory."""
    if any(isinstance(part, sympy.Pow | sympy.exp) and part.exp.is_Rational is not True
           for part in sympy.preorder_traversal(exponent)):  # fmt: skip
        raise ValueError("a power in an exponent")
    size = abs(float(exponent))
    bits = max(abs(base.p), base.q).bit_length() if base.is_Rational else 1
    if not size * bits <= (_BITS if base.is_Rational else _LARGEST):
        raise ValueError("a power too long to write")
    return base**exponent


def _refused(text: Any, required: str) -> DomainError:
    return DomainError(f"the text {text!r:.80}", required=required, why=_WHY)
