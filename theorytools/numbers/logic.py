r"""Three-valued truth of symbolic conditions: proved, refuted, or open at this precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy
from sympy.logic.boolalg import BooleanFalse, BooleanTrue

from theorytools.arguments.checked import Bits, checked
from theorytools.errors import DomainError
from theorytools.numbers.balls import at_precision
from theorytools.numbers.enclosure import Enclosure
from theorytools.numbers.formulas import Environment, environment, evaluator

Truth = bool | None


def truth(condition: Any, env: Environment | None = None) -> Truth:
    """Return whether the condition holds at these letters: True or False when proved, None when open.

    Parameters
    ----------
    condition : sympy relation or Boolean
        ``<=``, ``<``, ``>=``, ``>``, ``Eq``, ``Ne`` of expressions, and ``And``, ``Or``, ``Not`` of those.
        An expression that is undefined at these letters leaves its relation open.
    env : mapping
        Values of the letters by name: enclosures or exact numbers.

    Raises
    ------
    DomainError
        For any other condition, Python booleans included: ``2*q == N`` compares structure, not numbers.
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
    return rule(condition, environment(env))


@checked
def decide(condition: Any, env: Mapping[str, Any] | Callable[[], Mapping[str, Any]], *, bits: Bits = 4096) -> Truth:
    """Return the truth of the condition, refining the precision until it is decided or ``bits`` are spent.

    Parameters
    ----------
    condition : sympy relation or Boolean
        See :func:`truth`.
    env : mapping, or callable returning one
        Values by name.  A value is an exact number, an enclosure, or a callable without arguments; callables
        are evaluated anew at each of 64, 128, … bits.
    bits : int
        The largest precision tried.
    """
    precision = min(64, bits)
    while True:
        answer = at_precision(precision, lambda: truth(condition, _values(env)))
        if answer is not None or precision >= bits:
            return answer
        precision = min(2 * precision, bits)


def _values(env: Mapping[str, Any] | Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    given = env() if callable(env) else env
    return {name: value() if callable(value) else value for name, value in given.items()}


def _compare(relation: Callable[[Enclosure, Enclosure], Truth]) -> Callable[[Any, Environment], Truth]:
    return lambda node, env: relation(evaluator(node.lhs)(env), evaluator(node.rhs)(env))


def _equal(a: Enclosure, b: Enclosure) -> Truth:
    below, above = a.certainly_le(b), b.certainly_le(a)
    if below is False or above is False:
        return False
    return True if below and above else None  # both only where each side is one and the same point


def _not(value: Truth) -> Truth:
    return None if value is None else not value


def _all(values: list[Truth]) -> Truth:
    return False if False in values else None if None in values else True


def _any(values: list[Truth]) -> Truth:
    return True if True in values else None if None in values else False


def _parts(node: Any, env: Environment) -> list[Truth]:
    return [truth(part, env) for part in node.args]


_RULES: dict[type, Callable[[Any, Environment], Truth]] = {
    BooleanTrue: lambda node, env: True,
    BooleanFalse: lambda node, env: False,
    sympy.Le: _compare(lambda a, b: a.certainly_le(b)),
    sympy.Lt: _compare(lambda a, b: a.certainly_lt(b)),
    sympy.Ge: _compare(lambda a, b: b.certainly_le(a)),
    sympy.Gt: _compare(lambda a, b: b.certainly_lt(a)),
    sympy.Eq: _compare(_equal),
    sympy.Ne: _compare(lambda a, b: _not(_equal(a, b))),
    sympy.And: lambda node, env: _all(_parts(node, env)),
    sympy.Or: lambda node, env: _any(_parts(node, env)),
    sympy.Not: lambda node, env: _not(truth(node.args[0], env)),
}
