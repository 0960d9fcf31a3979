r"""Three-valued truth of symbolic conditions: proved, refuted, or open at this precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from theorytools.arguments.checked import Precision, checked
from theorytools.numbers.balls import at_precision
from theorytools.numbers.conditions import Environment, Truth, decider
from theorytools.numbers.formulas import environment, evaluator


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
    return decider(condition, evaluator)(environment(env))


@checked
def decide(
    condition: Any, env: Mapping[str, Any] | Callable[[], Mapping[str, Any]], *, bits: Precision = 4096
) -> Truth:
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
