"""Anchors graded: which single changes of the measurement do its rows and its anchors not see.

The check is compiled again with one expression of ``measure``, or of a function that it calls, changed as slips change
it.  A change after which every row stays true and no anchor fails names the anchor that is missing.  There is no score:
the share of changes that survive tells a true check from a wrong one no better than chance; a survivor says what the
inputs cannot tell apart.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

from theorytools.claims.judging.anchored import anchor_values, wrong
from theorytools.claims.judging.trial.variants import Trial
from theorytools.claims.language.anchor import Anchor
from theorytools.claims.language.claim import Claim

_MOST = 60  # changes that are tried
_SWAPPED = {"max": "min", "min": "max", "sum": "max", "any": "all", "all": "any", "log2": "log", "log": "log2"}
_OPERATORS: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(), ast.Sub: ast.Add(), ast.FloorDiv: ast.Mult(), ast.Div: ast.Mult(), ast.Mult: ast.Add(),
}  # fmt: skip
_RELATIONS: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.LtE(), ast.LtE: ast.Lt(), ast.Gt: ast.GtE(), ast.GtE: ast.Gt(), ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
}  # fmt: skip


@dataclass(frozen=True)
class Change:
    """One change of a measurement, where it stands, and what sees it: ``rows``, ``anchors``, or nothing.

    ``moved`` says whether it moved a number at any of the points.
    """

    line: str
    before: str
    after: str
    seen: str
    moved: bool

    def __str__(self) -> str:
        changed = f"{self.line}: `{self.before}` to `{self.after}`"
        if self.seen:
            return f"{changed} is seen by the {self.seen}"
        rows = "leaves every row true" if self.moved else "moves no number at any point"
        return f"{changed} {rows} and fails no anchor: add an anchor that tells them apart"


def graded(trial: Trial) -> list[Change]:
    """Return the changes of the measurement of a claim, each with what sees it.

    Parameters
    ----------
    trial : the claim; its functions are those of its own check file.
    """
    nodes = [inner for function in trial.reached(trial.claim.measure) for inner in ast.walk(function)]
    found: list[Change] = []
    for node in nodes:
        for after in _changes(node):
            if len(found) == _MOST:
                return found
            before = ast.unparse(node)
            claim = trial.variant(_put(node, after))
            if claim is not None:
                found.append(Change(trial.line(node), before, ast.unparse(after), *_seen(trial, claim)))
    return found


def _changes(node: ast.AST) -> Iterator[ast.expr]:
    """What one expression becomes by a slip."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in _SWAPPED and (isinstance(node.func, ast.Name) or name in ("max", "min", "log2")):
            other = copy.deepcopy(node)
            if isinstance(other.func, ast.Attribute):
                other.func.attr = _SWAPPED[name]
            elif isinstance(other.func, ast.Name):
                other.func.id = _SWAPPED[name]
            yield other
        if name in ("max", "min") and len(node.args) == 1 and isinstance(node.func, ast.Name):
            first = ast.Call(ast.Name("iter", ast.Load()), [copy.deepcopy(node.args[0])], [])
            yield ast.Call(ast.Name("next", ast.Load()), [first], [])
        if name == "abs" and node.args:
            yield copy.deepcopy(node.args[0])
    elif isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Pow):
            yield copy.deepcopy(node.left)
        elif type(node.op) in _OPERATORS:
            yield ast.BinOp(copy.deepcopy(node.left), _OPERATORS[type(node.op)], copy.deepcopy(node.right))
        if isinstance(node.right, ast.Constant):
            yield copy.deepcopy(node.left)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _RELATIONS:
        yield ast.Compare(copy.deepcopy(node.left), [_RELATIONS[type(node.ops[0])]], copy.deepcopy(node.comparators))
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield ast.Constant(node.value + 1)


class _Put(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.expr) -> None:
        self.place, self.new = _place(old), new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if _place(node) == self.place else self.generic_visit(node)


def _place(node: ast.AST) -> tuple[str, int, int, int, int]:
    ends = (getattr(node, name, -1) or -1 for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"))
    return (type(node).__name__, *ends)  # type: ignore[return-value]


def _put(old: ast.AST, new: ast.expr):  # type: ignore[no-untyped-def]
    return lambda tree: _Put(old, copy.deepcopy(new)).visit(tree)


def _seen(trial: Trial, claim: Claim) -> tuple[str, bool]:
    """What sees a change, rows at the points or anchors, and whether a number moved."""
    found = [(trial.honest(point), trial.numbers(claim, point)) for point in trial.points]
    moved = any(before.moved(after) for before, after in found)
    if any(not after.judged or False in after.truths.values() for _, after in found):
        return "rows", moved
    return ("anchors" if any(_fails(trial, claim, anchor) for anchor in claim.anchors) else ""), moved


def _fails(trial: Trial, claim: Claim, anchor: Anchor) -> bool:
    try:
        values = anchor_values(claim, anchor, claim.point({**claim.grid[0], **anchor.at}, trial.check))
    except Exception:
        return True
    return any(wrong(anchor, name, found, known) for name, (found, known) in values.items())
