"""Four times as many draws: a maximum over draws is only a lower bound of the maximum, and grows with their number.

The numbers of draws that are typed in the check, the counts of a ``range`` around draws and the sizes asked of a
generator, are multiplied by four and divided by sixteen.  A number that then moves to one side only, at several points
and under several seeds, is an extremum over the draws and no property of what they were drawn from.  Where the object
becomes another one, a statement about that number of vectors, nothing is said.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

from theorytools.claims.judging.remark import Remark
from theorytools.claims.judging.trial.variants import Trial
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Estimate, Evidence
from theorytools.claims.language.grid import Point
from theorytools.meaning import TRAINED

_LEAST = 8  # a smaller number is a dimension, not a number of draws
_TIMES = 4
_MOST = 100_000  # numbers of draws beyond this are left alone: four times as many would take too long
_POINTS, _SALTS, _PLACES = 2, 6, 4
# movements to one side that are told, and none to the other.  Each point and seed gives two movements of one triple:
# of numbers that may come in any order one moves to a given side with probability 1/2, both with 1/6 < 1/4, so that 8
# are to one side with probability at most 2 * 2^-8
_TOLD = 8
DRAWS = frozenset((
    "integers", "random", "normal", "standard_normal", "uniform", "choice", "permutation", "exponential",
    "standard_exponential", "poisson", "binomial", "geometric", "laplace",
))  # fmt: skip


def more_draws(trial: Trial) -> Iterable[Remark]:
    """Say that a measured number is an extremum over the draws."""
    if trial.claim.role in TRAINED:
        return
    for place in list(_places(trial))[:_PLACES]:
        for name, sides in _moves(trial, place).items():
            moved = [side for side in sides if side]
            if len(set(moved)) == 1 and len(moved) >= _TOLD:
                way = "grows" if moved[0] > 0 else "falls"
                yield Remark(
                    "more draws",
                    f"with four times as many draws as {place.value}, or a sixteenth, {name} {way} in "
                    f"{len(moved)} of {len(sides)} cases, never the other way: an extremum over draws is only a bound",
                    trial.line(place), "bound it over all objects, or state it of the draws: the share that exceeds it",
                )  # fmt: skip


def _moves(trial: Trial, place: _Count) -> dict[str, list[int]]:
    """To which side each measured number moves where there are more draws; nothing where the object becomes another."""
    claims = [trial.variant(_changed(place, change)) for change in (_fewer, None, _more)]
    fewer, same, more = claims
    moves: dict[str, list[int]] = {}
    for point in _seeded(trial):
        if fewer is None or same is None or more is None or not _same_shape(fewer, more, point):
            return {}
        numbers = [trial.numbers(claim, point) for claim in (fewer, same, more)]
        for few, many in itertools.pairwise(numbers):
            for name, number in few.measured.items():
                if many.judged and number.evidence is not Evidence.SAMPLED:
                    moves.setdefault(name, []).append(_side(number, many.measured[name]))
    return moves


def _more(count: int) -> int:
    return _TIMES * count


def _fewer(count: int) -> int:
    return max(count // _TIMES**2, 1)  # the extremum of many draws has nearly been reached by a quarter of them


def _changed(place: _Count, change: Callable[[int], int] | None) -> Callable[[ast.Module], ast.Module]:
    """Return what changes a number of draws in a fresh tree of the file."""
    where = (place.lineno, place.col_offset)

    def changed(tree: ast.Module) -> ast.Module:
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and type(node.value) is int and change is not None:
                node.value = change(node.value) if (node.lineno, node.col_offset) == where else node.value
        return tree

    return changed


def _side(few: Estimate, many: Estimate) -> int:
    return int(many.low > few.high) - int(many.high < few.low)


def _seeded(trial: Trial) -> Iterator[Point]:
    """Points of the grid, each under some seeds."""
    points = {
        str(p): p for p in (*trial.points, *(trial.claim.point(dict(q), trial.check) for q in trial.claim.grid[:1]))
    }
    for salt in range(_SALTS):
        for point in list(points.values())[:_POINTS]:
            yield trial.claim.point(dict(point.axes), f"{trial.check}{' more' * salt}")


def _same_shape(claim: Claim, larger: Claim, point: Point) -> bool:
    try:
        return bool(_shape(claim.construct(claim.seen(point))) == _shape(larger.construct(larger.seen(point))))
    except Exception:
        return False


def _shape(thing: Any, depth: int = 0) -> Any:
    if hasattr(thing, "shape"):
        return tuple(thing.shape)
    if isinstance(thing, list | tuple | dict | set) and depth < 4:
        parts = thing.values() if isinstance(thing, dict) else thing
        return len(thing), tuple(_shape(part, depth + 1) for part in list(parts)[:8])
    return type(thing).__name__


def _places(trial: Trial) -> Iterator[_Count]:
    """The numbers of draws that are typed in the functions of the claim."""
    # what is exhibited may be the best of many: only what is measured of it is asked
    functions = trial.reached(trial.claim.measure) if trial.claim.witnessed else trial.functions
    for function in functions:
        if any(_draws(node) for node in ast.walk(function)):
            yield from _counts(function)


class _Count(ast.Constant):
    """An integer that is typed."""

    value: int


def _draws(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in ("rng", "seed", *DRAWS)


def _counts(function: ast.AST) -> Iterator[_Count]:
    for node in ast.walk(function):
        loops = [node.iter] if isinstance(node, ast.For | ast.comprehension) else []
        around = isinstance(node, ast.For) and any(_draws(n) for n in ast.walk(node))
        for call in loops:
            inside = around or not isinstance(node, ast.For)
            if inside and isinstance(call, ast.Call) and getattr(call.func, "id", "") == "range":
                yield from _large(call.args[:1] if len(call.args) == 1 else call.args[1:2])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in DRAWS:
            sizes = [k.value for k in node.keywords if k.arg == "size"] or node.args[:1] * (
                node.func.attr in ("random", "standard_normal", "standard_exponential")
            )
            for size in sizes:
                yield from _large(size.elts if isinstance(size, ast.Tuple) else [size])


def _large(nodes: Iterable[ast.expr]) -> Iterator[_Count]:
    for node in nodes:
        if isinstance(node, ast.Constant) and type(node.value) is int and _LEAST <= node.value <= _MOST:
            yield cast("_Count", node)
