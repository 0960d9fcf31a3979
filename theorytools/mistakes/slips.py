"""Slips that Python accepts: a file with one of them is judged, and what it says is not what its writer meant."""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Iterator

from theorytools.claims.papers.syntax import Entry, called
from theorytools.mistakes.formulas import code
from theorytools.mistakes.source import Source

_EXACT = ("Rational", "Fraction")


def slips(entry: Entry) -> list[str]:
    """Return what the file of a claim says without meaning it, a line each; none for a file that cannot be read.

    Parameters
    ----------
    entry : the claim; a file with several is looked at as a whole.
    """
    try:
        source = Source(entry.path)
    except (SyntaxError, ValueError, OSError):
        return []
    found = [*_numbers(source), *_text(source)]
    return [f"{source.path.name}, line {line}: {text}" for line, text in sorted(found)]


def _numbers(source: Source) -> Iterator[tuple[int, str]]:
    """Exact numbers that are made of floats, and quotients of integers that Python rounds down."""
    for node in source.nodes:
        first = node.args[0] if isinstance(node, ast.Call) and node.args else None
        if isinstance(node, ast.Call) and called(node) in _EXACT and len(node.args) == 1:
            name = called(node)
            if isinstance(first, ast.Constant) and isinstance(first.value, float) and first.value % 1:
                yield node.lineno, f"{code(node)} is the binary fraction next to {code(first)}: {name}('{code(first)}')"
            elif isinstance(first, ast.BinOp) and isinstance(first.op, ast.Div) and _whole(first):
                a, b = code(first.left), code(first.right)
                yield node.lineno, f"{code(node)} is the binary fraction next to {a}/{b}: {name}({a}, {b})"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv) and _whole(node):
            a, b = code(node.left), code(node.right)
            yield node.lineno, f"{code(node)} is rounded down by Python: Rational({a}, {b}) is the quotient"


def _whole(node: ast.BinOp) -> bool:
    """Whether both sides are integers that are written out."""
    return all(isinstance(side, ast.Constant) and isinstance(side.value, int) for side in (node.left, node.right))


def _text(source: Source) -> Iterator[tuple[int, str]]:
    r"""A statement that is not said in words, and TeX in a docstring without its r, where \f is one sign."""
    doc = ast.get_docstring(source.tree, clean=False)
    if not doc:
        yield 1, "no docstring: pages have no sentence for this statement; its first line says it in words"
        return
    hidden = next((k for k, sign in enumerate(doc) if sign != "\n" and unicodedata.category(sign) == "Cc"), None)
    if hidden is not None:
        written = repr(doc[hidden])[1:-1]
        yield 1, f'{written} in the docstring is one sign for Python: begin it with r""", as TeX asks for'
