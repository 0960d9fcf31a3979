"""Arguments with a range of their own: exact integers and rationals, or an error that says what to try."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from theorytools.arguments.amounts import amount
from theorytools.arguments.hidden import hidden
from theorytools.arguments.kinds import REFUSED, shown, whole
from theorytools.errors import BudgetError, DomainError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def checked_integer(name: str, value: Any, *, least: int, why: str) -> int:
    """Return ``value`` as a Python integer of at least ``least``."""
    required = f"an integer {name} >= {least}"
    number: int = whole(value)
    if number is REFUSED:
        raise DomainError(f"{name} = {shown(value)}", required=required, why=why, advice=f"pass {name} as an int")
    if number < least:
        raise DomainError(f"{name} = {number}", required=required, why=why, advice=f"take {name} = {least} or more")
    return number


def checked_rational(name: str, value: Any, inside: Callable[[Fraction], bool], *, required: str, why: str) -> Fraction:
    """Return ``value`` as a Fraction for which ``inside`` holds; a float means its shortest decimal."""
    exact = _fraction(value)
    if exact is None or not inside(exact):
        required = f"a rational number with {required}"
        advice = f"pass {name} as a Fraction, for example Fraction(1, 2)"
        given = f"{name} = {shown(value)}" if exact is None else f"{name} = {exact}"
        raise DomainError(given, required=required, why=why, advice=advice)
    return exact


def _fraction(value: Any) -> Fraction | None:
    if isinstance(value, float):
        return Fraction(repr(float(value))) if math.isfinite(value) else None
    if isinstance(value, numbers.Rational) and not isinstance(value, bool):
        return Fraction(value)
    return None


def quotient_safe(x: Any) -> Any:
    """Return an integer as a fraction, whose quotients stay exact, and any other number as it is."""
    return Fraction(x) if isinstance(x, int) else x


def checked_array(value: Any, *, required: str, why: str, advice: str) -> NDArray[Any]:
    """Return ``value`` as an array; rows of different lengths are refused."""
    import numpy as np

    try:
        lost = hidden(value)
        if not lost:
            return np.asarray(value)
        given = f"an array with {lost}"
    except ValueError as error:
        given = f"rows that form no array ({error})"
    except Exception as error:  # the reading of a stranger's object is a stranger's code
        given = f"what forms no array ({type(error).__name__}: {error})"
    raise DomainError(given, required=required, why=why, advice=advice)


def checked_entries(name: str, value: Any, inside: Callable[[Any], bool], *, required: str, why: str) -> None:
    """Refuse a number, or an array with one, outside a range; an enclosure may straddle its end, so it passes."""
    import numpy as np

    for x in np.asarray(value, dtype=object).flat:
        if not hasattr(x, "certainly_lt") and not inside(x):
            raise DomainError(f"{name} = {x}", required=required, why=why)


def within_budget(what: str, count: int, limit: int, *, why: str, advice: str) -> None:
    """Refuse an exhaustive computation of ``count`` steps when that exceeds ``limit``."""
    if count > limit:
        raise BudgetError(f"{amount(count)} {what}", required=f"at most {limit} {what}", why=why, advice=advice)
