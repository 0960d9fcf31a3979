r"""Small sizes doubled, where the work of a check can be read off it: what is false from 17 on is met.

A step beyond the grid is one more where a size is small, since the work may be an exponential of it.  A check that
computes by itself, without powers of a size, subsets or words, and without what the library constructs, does not hide
one.  There each integer letter is doubled, three times and to 64 at least, as long as the calls that its measurement
makes have grown no faster than the fourth power of the size and stay few.  Calls are counted, no time is looked at.
"""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from theorytools.claims.judging.point import outside
from theorytools.claims.judging.region import Axis, along
from theorytools.claims.judging.trial.bench import Numbers, Trial
from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.estimate import Evidence
from theorytools.claims.language.grid import Point, Value, axis_value

_TIMES, _LEAST = 8, 64  # a size is doubled to eight times the grid's largest, and to this at least
_CALLS = 50_000  # calls that a point may be expected to make
_POWER = 4
# what makes an exponential, or a factorial, of a size
_MANY = frozenset((
    "product", "permutations", "combinations", "combinations_with_replacement", "factorial", "comb", "pow", "power",
    "float_power", "exp2", "ldexp", "words", "subsets", "sign_vectors", "meshgrid", "indices", "left_shift",
))  # fmt: skip
_NEAR = ("numbers", "claims", "statistics", "measures", "errors")  # rooms of the library that hide no construction


def farther(trial: Trial) -> Row | None:
    """Return a row that is false at a size beyond the steps of the search, or None."""
    if trial.claim.fixed or not _readable(trial):
        return None
    for name in trial.claim.grid.axes:
        for numbers in _doubled(trial, name):
            if (row := next(filter(_violates, numbers.rows), None)) is not None:
                return row
    return None


def _violates(row: Row) -> bool:
    return row.truth is False and row.evidence >= Evidence.ENCLOSED  # what is drawn has no error probability left


def _doubled(trial: Trial, name: str) -> Iterator[Numbers]:
    """What is measured at the points at which a letter is doubled."""
    axis = Axis.of(trial.claim, name)
    listed = {getattr(letter, "name", letter) for letter in (*trial.claim.listed, *trial.claim.witnesses)}
    if axis.words or not axis.integral or name in listed or len(axis.values) < 2 or axis.values[-1] < 2:
        return
    top = axis.values[-1]
    base = next(dict(p) for p in trial.claim.grid if p[name] == top)
    small: dict[str, Value] = {**base, name: axis_value(axis.values[-2], name)}
    before, _ = _counted(trial, trial.claim.point(along(trial.claim, small, {name}), trial.check))
    calls, numbers = _counted(trial, trial.claim.point(base, trial.check))
    size, least = Fraction(top), Fraction(axis.values[-2])
    furthest = max(_TIMES * size, Fraction(_LEAST))
    while 2 * size <= furthest and numbers.judged:
        power = math.log(calls / before) / math.log(size / least) if calls > before > 0 else 1.0
        if power >= _POWER or calls * 2 ** (power + 1) > _CALLS:
            return
        least, size, before = size, 2 * size, calls
        point = trial.claim.point(along(trial.claim, {**base, name: axis_value(size, name)}, {name}), trial.check)
        if not axis.inside(Fraction(size)) or outside(trial.claim, point) is not None:
            return
        calls, numbers = _counted(trial, point)
        yield numbers


def _counted(trial: Trial, point: Point) -> tuple[int, Numbers]:
    """What is measured at a point, and how many calls of Python and C it made."""
    made = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        numbers = trial.numbers(trial.claim, point)
    finally:
        sys.setprofile(before)
    return made, numbers


def _readable(trial: Trial) -> bool:
    """Whether the check computes by itself, and by nothing that is an exponential of a size."""
    if trial.claim.tier != "seconds" or any(
        trial.node(f) is None for f in (trial.claim.construct, trial.claim.measure)
    ):
        return False
    for line in trial.tree.body:
        if isinstance(line, ast.ImportFrom):
            parts = (line.module or "").split(".")
            of_paper = line.level > 1 or (line.level == 1 and parts != ["notation"])
            if of_paper or (parts[0] == "theorytools" and len(parts) > 1 and parts[1] not in _NEAR):
                return False
    for node in (inner for function in trial.functions for inner in ast.walk(function)):
        power = (
            isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and not isinstance(node.right, ast.Constant)
        )
        shift = isinstance(node, ast.BinOp) and isinstance(node.op, ast.LShift)
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        if power or shift or name in _MANY:
            return False
    return True
