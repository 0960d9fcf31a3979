r"""Values of the letters of an expression, looked up by name."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from typing import Any

from theorytools.algebra.rigorous.enclosure import Enclosure
from theorytools.errors import DomainError

Environment = Mapping[str, Any]
Evaluator = Callable[[Environment], Enclosure]


def environment(env: Environment | None) -> Environment:
    """Return the values by name, none by default; ``DomainError`` for what is no mapping."""
    if env is None:
        return {}
    if type(env) is not dict and not isinstance(env, Mapping):
        raise DomainError(f"env = {env!r:.60}", required="a dictionary of values by the names of the letters")
    return env


def letter(name: str) -> Evaluator:
    """Return the function that looks ``name`` up: an enclosure or an exact number."""

    def value(env: Environment) -> Enclosure:
        try:
            number = env[name]
        except KeyError:
            raise DomainError(
                f"no value for the letter {name}",
                required=f"a value for {name} beside {', '.join(sorted(env)) or 'nothing else'}",
                advice=f"pass {{'{name}': Enclosure(…)}}",
            ) from None
        return number if type(number) is Enclosure else _exact(name, number)

    return value


def _exact(name: str, number: Any) -> Enclosure:
    if isinstance(number, Enclosure):
        return number
    if isinstance(number, numbers.Rational) and not isinstance(number, bool):
        return Enclosure(number)
    raise DomainError(
        f"the value {show(number)} of type {type(number).__name__} for the letter {name}",
        required="an Enclosure, an int or a Fraction",
        why="a float would be taken for its binary value",
        advice="shortest_fraction(x) reads 0.1 as 1/10",
    )


def show(value: Any) -> str:
    """Return a short text for an error message, also of integers that Python refuses to print."""
    try:
        text = str(value)
    except ValueError:  # an integer of more than 4300 digits
        text = "a number too long to print"
    return text if len(text) <= 200 else text[:197] + "..."
