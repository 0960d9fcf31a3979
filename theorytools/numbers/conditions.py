"""The three-valued truth of relations and Booleans, for values of any kind of formula: proved, refuted, or open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy
from sympy.logic.boolalg import BooleanFalse, BooleanTrue

from theorytools.errors import DomainError
from theorytools.numbers.enclosure import Enclosure

Truth = bool | None
Environment = Mapping[str, Any]
Evaluator = Callable[[Environment], Enclosure]
Decider = Callable[[Environment], Truth]


def decider(condition: Any, compiled: Callable[[Any], Evaluator]) -> Decider:
    """Return the function that maps values of the letters to the truth of the condition.

    Parameters
    ----------
    condition : sympy relation or Boolean.
    compiled : from a formula to the function that encloses it at these values.

    Raises
    ------
    DomainError : for any other condition, Python booleans included.
    """
    rule = _RULES.get(type(condition))
    if rule is None:
        python = isinstance(condition, bool)
        raise DomainError(
            f"the condition {condition} of type {type(condition).__name__}",
            required="<=, <, >=, >, Eq or Ne of expressions, And, Or or Not of those",
            why="Python decides == on sympy objects by their form, before any letter has a value" if python else "",
            advice="Eq(2*q, N) instead of 2*q == N" if python else "write it with these",
        )
    return rule(condition, compiled)


def equal(a: Enclosure, b: Enclosure) -> Truth:
    """Return whether both are one number: True only where each is known exactly."""
    below, above = a.certainly_le(b), b.certainly_le(a)
    if below is False or above is False:
        return False
    return True if below and above else None  # both only where each side is one and the same point


def _compare(relation: Callable[[Enclosure, Enclosure], Truth]) -> Callable[[Any, Any], Decider]:
    def rule(node: Any, compiled: Callable[[Any], Evaluator]) -> Decider:
        left, right = compiled(node.lhs), compiled(node.rhs)
        return lambda env: relation(left(env), right(env))

    return rule


def _not(value: Truth) -> Truth:
    return None if value is None else not value


def _all(values: list[Truth]) -> Truth:
    return False if False in values else None if None in values else True


def _any(values: list[Truth]) -> Truth:
    return True if True in values else None if None in values else False


def _joined(join: Callable[[list[Truth]], Truth]) -> Callable[[Any, Any], Decider]:
    def rule(node: Any, compiled: Callable[[Any], Evaluator]) -> Decider:
        parts = [decider(part, compiled) for part in node.args]
        return lambda env: join([part(env) for part in parts])

    return rule


_RULES: dict[type, Callable[[Any, Any], Decider]] = {
    BooleanTrue: lambda node, compiled: lambda env: True,
    BooleanFalse: lambda node, compiled: lambda env: False,
    sympy.Le: _compare(lambda a, b: a.certainly_le(b)),
    sympy.Lt: _compare(lambda a, b: a.certainly_lt(b)),
    sympy.Ge: _compare(lambda a, b: b.certainly_le(a)),
    sympy.Gt: _compare(lambda a, b: b.certainly_lt(a)),
    sympy.Eq: _compare(equal),
    sympy.Ne: _compare(lambda a, b: _not(equal(a, b))),
    sympy.And: _joined(_all),
    sympy.Or: _joined(_any),
    sympy.Not: _joined(lambda values: _not(values[0])),
}
