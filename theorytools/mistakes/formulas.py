"""Mistakes in formulas: comparisons that Python makes itself, functions of numbers, floats, unknown names."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from theorytools.errors import nearest
from theorytools.mistakes.seen import Seen, Told
from theorytools.mistakes.source import Source

NUMERIC = ("math", "cmath", "numpy", "scipy", "torch")  # packages whose functions take numbers
# their functions by the names that sympy has for them
_SYMPY = {
    "ceil": "ceiling", "comb": "binomial", "fabs": "Abs", "abs": "Abs", "maximum": "Max", "minimum": "Min",
    "power": "Pow", "lgamma": "loggamma", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "log1p": "log",
}  # fmt: skip
_BASES = {"log2": 2, "log10": 10}
_CHOICES = {"max": "Max", "min": "Min"}
_LETTERS = re.compile(r"'(?:Letter|Symbol|Add|Mul|Pow|Integer|Rational)'")


def rules() -> tuple[Any, ...]:
    """Return the rules for formulas, in the order in which they are tried."""
    return (truth_of_assertion, truth_of_letters, numeric_function, float_in_bound, operator, letter_as_number,
            unknown_name, bound_as_text)  # fmt: skip


def code(node: ast.AST) -> str:
    """Return the code of an expression."""
    return ast.unparse(node)


def split(node: ast.AST) -> list[str]:
    """Return the parts of a chained comparison, or of what is joined by ``and``, as code."""
    if isinstance(node, ast.BoolOp):
        return [part for value in node.values for part in split(value)]
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return [code(ast.Compare(a, [op], [b])) for a, op, b in zip(sides, node.ops, sides[1:], strict=False)]
    return [code(node)]


def _here(seen: Seen, *kinds: type[ast.AST]) -> Iterator[Any]:
    return seen.source.at(seen.line, *kinds) if seen.line else iter(())


def truth_of_assertion(seen: Seen) -> Told | None:
    """``0 <= total <= 1``, ``a and b``, ``not a``, ``if a``: Python asks whether a statement is true."""
    if "is a statement, not a truth value" not in seen.why:
        return None
    required = "statements one by one: Python asked whether one is true, before anything is measured"
    for node in _here(seen, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.IfExp, ast.If):
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            return Told(node, "`or` asks for a truth value", "implies(premise, conclusion), or smallest(a, b) <= bound",
                        required)  # fmt: skip
        if isinstance(node, ast.BoolOp) or (isinstance(node, ast.Compare) and len(node.ops) > 1):
            how = "`and` asks for a truth value" if isinstance(node, ast.BoolOp) else "a chain is an `and` for Python"
            return Told(node, how, f"asserts=[{', '.join(split(node))}]", required)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return Told(node, "`not` asks for a truth value", "turn the relation round: > in place of <=", required)
        if isinstance(node, ast.IfExp | ast.If):
            return Told(node, "`if` asks for a truth value", "implies(premise, conclusion)", required)
    return None


def truth_of_letters(seen: Seen) -> Told | None:
    """``max(N, 2)``, ``a if N > 1 else b``, ``N <= 4 and N > 1``: Python asks whether a relation of letters is true."""
    if "truth value of Relational" not in seen.why:
        return None
    required = "a formula in letters, which have no value yet"
    for node in _here(seen, ast.Call, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.IfExp, ast.If):
        if isinstance(node, ast.Call) and (name := getattr(node.func, "id", "")) in _CHOICES:
            write = f"{_CHOICES[name]}({', '.join(map(code, node.args))}), with from sympy import {_CHOICES[name]}"
            return Told(node, f"{name} of Python compares numbers", write, required)
        if isinstance(node, ast.IfExp):
            write = f"Piecewise(({code(node.body)}, {code(node.test)}), ({code(node.orelse)}, True))"
            return Told(node, "`if` asks for a truth value", f"{write}, with from sympy import Piecewise", required)
        if isinstance(node, ast.BoolOp):
            word = "Or" if isinstance(node.op, ast.Or) else "And"
            write = (
                f"{word}({', '.join(part for v in node.values for part in split(v))}), with from sympy import {word}"
            )
            return Told(node, f"`{word.lower()}` of Python asks for a truth value", write, required)
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            write = f"{', '.join(split(node))}, one after the other"
            return Told(node, "a chain is an `and` for Python", write, required)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            write = f"Not({code(node.operand)}), with from sympy import Not, or the relation turned round"
            return Told(node, "`not` asks for a truth value", write, required)
        if isinstance(node, ast.If):
            return Told(node, "`if` asks for a truth value", "Piecewise((a, condition), (b, True)) of sympy", required)
    return None


def numeric_calls(source: Source, calls: Iterator[Any]) -> Iterator[tuple[ast.Call, str, str]]:
    """Yield the calls of functions of numbers, each with the package and the function's name in it."""
    taken = {name: (package, inner) for package in NUMERIC for name, inner in source.imported(package).items()}
    for call in calls:
        head: ast.expr = call.func
        name = ""
        while isinstance(head, ast.Attribute):
            name, head = name or head.attr, head.value
        if isinstance(head, ast.Name) and head.id in taken:
            package, inner = taken[head.id]
            yield call, package, name or inner
        elif isinstance(head, ast.Name) and not name and head.id in ("float", "int", "round"):
            yield call, "", head.id


def numeric_function(seen: Seen) -> Told | None:
    """``math.log(N)``, ``np.sqrt(N)``, ``float(N)`` in a formula of letters."""
    said = ("expression to float", "which has no callable", "must be Tensor, not", "must be real number, not",
            "symbols to int", "expression to int", "truncate symbols", "supported for the input types",
            "cannot be converted to", "non-numpy", "loop of ufunc")  # fmt: skip
    if seen.kind not in ("TypeError", "AttributeError") or not any(text in seen.text for text in said):
        return None
    found = next(numeric_calls(seen.source, _here(seen, ast.Call)), None)
    if found is None:
        return None
    call, package, name = found
    inner = ", ".join(map(code, call.args))
    whole = f"{code(call.func)} takes numbers, and a formula in letters has none yet"
    if seen.source.within(call.lineno):  # a letter where its value at the point is meant
        return letter_of_point(seen, call) or Told(call, whole, "p.N is the number at the point p; N is the letter")
    if not package:
        return Told(call, whole, f"{inner}, without {name}", "a formula in letters")
    if name in _BASES:
        return Told(call, whole, f"log({inner}, {_BASES[name]}), with from sympy import log", "a formula in letters")
    known = _SYMPY.get(name, name)
    inner = f"1 + {inner}" if name == "log1p" else inner
    return Told(call, whole, f"{known}({inner}), with from sympy import {known}", "a formula in letters")


def float_in_bound(seen: Seen) -> Told | None:
    """``1/2`` and ``0.1`` in a formula: the first float that the line has."""
    if "a float in " not in seen.given:
        return None
    for node in _here(seen, ast.BinOp, ast.Constant, ast.Call):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and _whole(node.left) and _whole(node.right):
            write = f"Rational({code(node.left)}, {code(node.right)}), with from sympy import Rational"
            return Told(node, f"{code(node)} is a float for Python: a binary fraction near it", write)
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            write = f"Rational('{code(node)}'), with from sympy import Rational"
            return Told(node, f"{code(node)} is a float: a binary fraction near it", write)
    for call, package, name in numeric_calls(seen.source, _here(seen, ast.Call)):
        known = _SYMPY.get(name, name)
        if package:
            write = f"{known}({', '.join(map(code, call.args))}), with from sympy import {known}"
            return Told(call, f"{code(call)} is a float", write)
    return None


def _whole(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def operator(seen: Seen) -> Told | None:
    """``N ^ 2`` and ``a & b`` of statements."""
    if seen.kind != "TypeError" or "unsupported operand type(s) for" not in seen.text:
        return None
    for node in _here(seen, ast.BinOp):
        if isinstance(node.op, ast.BitXor):
            write = f"{code(node.left)}**{code(node.right)}"
            return Told(node, "^ is no power in Python", write, "a formula in letters")
        if isinstance(node.op, ast.BitAnd) and "Assertion" in seen.text:
            write = f"asserts=[{code(node.left)}, {code(node.right)}]"
            return Told(node, "& joins conditions on letters; a claim asserts all statements of its list", write,
                        "statements one by one")  # fmt: skip
        if isinstance(node.op, ast.BitOr) and "Assertion" in seen.text:
            return Told(node, "| joins conditions on letters", "implies(premise, conclusion)", "statements one by one")
    return None


def letter_of_point(seen: Seen, node: ast.AST) -> Told | None:
    """A letter of the notation in a function of the point."""
    letters = set(seen.source.imported("notation"))
    name = next((n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in letters), None)
    function = seen.source.within(getattr(node, "lineno", 0))
    if name is None or function is None:
        return None
    point = function.args.args[-1].arg if function.args.args and function.args.args[-1].arg == "p" else "p"
    return Told(node, f"{name} is a letter, which has no value", f"{point}.{name}, the number at the point {point}",
                "a number")  # fmt: skip


def letter_as_number(seen: Seen) -> Told | None:
    """``range(N)`` and ``[0] * N`` with a letter in place of a number."""
    if seen.kind != "TypeError" or not _LETTERS.search(seen.text):
        return None
    for node in _here(seen, ast.Call, ast.BinOp, ast.Subscript):
        if told := letter_of_point(seen, node):
            return told
    for node in _here(seen, ast.Call):
        if getattr(node.func, "id", "") in ("sum", "range") and seen.line and not seen.source.within(seen.line):
            return Told(node, "range takes numbers, and a letter has none yet",
                        "Sum(1 / k, (k, 1, N)), with from sympy import Sum, Symbol and k = Symbol('k', integer=True)",
                        "a formula in letters")  # fmt: skip
    return None


def unknown_name(seen: Seen) -> Told | None:
    """A name that is bound nowhere."""
    found = re.match(r"name '(\w+)' is not defined", seen.text) if seen.kind == "NameError" else None
    if found is None or seen.line is None:
        return None
    name, source = found[1], seen.source
    near = next((n for n in _here(seen, ast.Name) if n.id == name), seen.line)
    if name == "p" and source.within(seen.line) is None:
        return Told(near, "p is the point that construct and measure are given; a formula is said once for all points",
                    "the letter itself, such as N in place of p.N", "a formula in letters")  # fmt: skip
    if home := home_of(name):
        return Told(near, f"{name} is not imported", home)
    if name in notation(source.path):
        return Told(near, f"{name} is a letter of notation.py that is not imported", f"from .notation import {name}")
    bound = {n.id for n in source.nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound |= {n.arg for n in source.nodes if isinstance(n, ast.arg)} | set(notation(source.path))
    bound |= {n.name for n in source.nodes if isinstance(n, ast.FunctionDef)}
    close = nearest(name, bound, cutoff=0.6)
    if close:
        return Told(near, f"no line binds {name}", f"did you mean {close[0]}?")
    return Told(near, f"no line binds {name}", letter_line(name) if len(name) < 3 else f"bind {name}, or import it")


def home_of(name: str) -> str:
    """Return the line that imports a name that checks use; empty for any other name."""
    if name in public():
        return f"from theorytools import {name}"
    if name in ("Fraction",):
        return f"from fractions import {name}"
    if name in ("math", "np", "numpy", "torch"):
        return "import numpy as np" if name == "np" else f"import {name}"
    import sympy

    known = name in vars(sympy) and not name.startswith("_") and len(name) > 2 and name not in vars(builtins)
    return f"from sympy import {name}" if known else ""


@cache
def public() -> frozenset[str]:
    """Return the public names of the library."""
    from theorytools.claims.judging.reached import PACKAGE, lazy_names

    return frozenset(lazy_names(PACKAGE))


def notation(path: Path) -> dict[str, int]:
    """Return the letters of a file's paper, each with its line in ``notation.py``; none where it cannot be read."""
    from theorytools.places import paper_folder

    try:
        tree = ast.parse((paper_folder(path) / "notation.py").read_text(encoding="utf-8"))
    except (SyntaxError, ValueError, OSError):
        return {}
    return {
        t.id: n.lineno for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)
    }


def letter_line(name: str) -> str:
    """Return how a letter comes to a paper's notation."""
    return f'{name} = letter("{name}", "what it stands for") in notation.py, and from .notation import {name}'


def bound_as_text(seen: Seen) -> Told | None:
    """``total <= "1 + log(N)"``, and a whole statement as a text."""
    if "of type str" not in seen.given or "bound of" not in seen.given:
        return None
    for node in _here(seen, ast.Compare):
        for side in node.comparators:
            if isinstance(side, ast.Constant) and isinstance(side.value, str):
                write = f"{code(node.left)} <= {side.value}"
                return Told(node, "a text is no formula", f"{write}, without quotes", "a formula in letters")
    return None
