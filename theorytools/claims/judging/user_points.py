"""A user's points: the grid with some axes replaced, the others moved along where a hypothesis ties them."""

from __future__ import annotations

import itertools
import math
import numbers
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import sympy

from theorytools.claims.language.bound import expression
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.grid import Grid, Value, axis_value
from theorytools.claims.language.object_letters import fitted
from theorytools.errors import DomainError, did_you_mean


def move(claim: Claim, id: str, at: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the grid with the given axes replaced by each of their values, every point once.

    An axis that was not given moves along where an equation among the hypotheses fixes it by those that were.

    Raises
    ------
    DomainError
        For a letter that is no axis of the claim, a value that is none, or a word where a number belongs (and the
        reverse).
    """
    choices = {name: _checked(claim, id, name, given) for name, given in at.items()}
    combined = [dict(zip(choices, row, strict=True)) for row in itertools.product(*choices.values())]
    rows = [along(claim, {**point, **exact}, set(at)) for exact in combined for point in claim.grid]
    return list(Grid(fitted(rows, claim.things.values(), at, claim.such_that, claim.definitions)))


def choices(claim: Claim, name: str, given: Any) -> list[Value]:
    """Return the exact values given for one axis of a claim: objects of its kind, or as :func:`axis_choices` does."""
    return claim.things[name].things(given) if name in claim.things else axis_choices(name, given)


def share(claim: Claim, at: Mapping[str, Any], points: int) -> float:
    """Return the part of the work of one value that each of its points may take: a value is judged at many points."""
    return min(1.0, math.prod(len(choices(claim, name, value)) for name, value in at.items()) / points)


def axis_choices(name: str, given: Any) -> list[Value]:
    """Return the exact values given for one axis: one value, a list of them, or a text with commas.

    Raises
    ------
    DomainError
        For an empty list, and for None, NaN, infinities, truth values and whatever else is no number or word.
    """
    if isinstance(given, str):
        values: list[Any] = given.split(",")
    elif isinstance(given, list | tuple | range) or (hasattr(given, "tolist") and getattr(given, "ndim", 0) == 1):
        values = list(given)
    else:
        values = [given]
    kinds = str | numbers.Number | sympy.Basic
    wrong = [v for v in values if not isinstance(v, kinds) or isinstance(v, bool) or v != v]
    if wrong or not values:
        raise DomainError(
            f"{name} = {wrong[0] if wrong else given!r}", required="a finite number or a word of the axis, or a list",
            why="a point has one exact value for every axis", advice=f"{name}=[64, 128], or --at {name}=64,128",
        )  # fmt: skip
    return [axis_value(value, name) for value in values]


def _checked(claim: Claim, id: str, name: str, given: Any) -> list[Value]:
    if name not in claim.grid.axes:
        hint = "it follows from the axes" if name in claim.all_letters() else "no letter of this claim"
        raise DomainError(
            f"{name} = {given}", required=f"an axis of {id}: {', '.join(claim.grid.axes)}", why=hint,
            advice=did_you_mean(name, claim.grid.axes, f"theorytools show {id}"),
        )  # fmt: skip
    values = choices(claim, name, given)
    if name in claim.things:
        return values
    words = list(dict.fromkeys(sorted(str(p[name]) for p in claim.grid if isinstance(p[name], str))))
    for value in values:
        if value not in words if isinstance(value, str) else words:
            raise DomainError(
                f"{name} = {value}", required=f"one of {', '.join(words)}" if words else "a number",
                why=f"the axis {name} of {id}", advice=f"theorytools show {id} lists the points of its grid",
            )  # fmt: skip
    return values


def along(claim: Claim, point: dict[str, Value], given: set[str]) -> dict[str, Value]:
    """Move the axes that the equations among the hypotheses fix, each by those given or moved before."""
    fixed, moved = set(given), dict(point)
    for equation in _equations(claim):
        letters = [symbol for symbol in equation.free_symbols if isinstance(moved.get(symbol.name), int | Fraction)]
        free = [symbol for symbol in letters if symbol.name not in fixed]
        alone = [side for side in equation.args if side in free]
        if len(letters) < len(equation.free_symbols) or len(letters) == len(free) or not (alone or len(free) == 1):
            continue
        unknown = alone[0] if alone else free[0]
        known = {symbol: expression(moved[symbol.name]) for symbol in letters if symbol != unknown}
        try:
            solutions = sympy.solve(equation.lhs.xreplace(known) - equation.rhs.xreplace(known), unknown)
        except NotImplementedError:  # N in r = ceiling(N/2): no single N follows, so it stays where it is
            continue
        if len(solutions) == 1 and solutions[0].is_Rational:
            moved[unknown.name] = axis_value(solutions[0], unknown.name)
            fixed.add(unknown.name)
    return moved


def _equations(claim: Claim) -> Iterator[sympy.Eq]:
    """The equations among the hypotheses, in axes only."""
    for condition in claim.requires:
        for part in sympy.And.make_args(condition):
            if isinstance(part, sympy.Eq):
                yield part.xreplace({symbol: claim.definitions[symbol.name] for symbol in claim.lets})
