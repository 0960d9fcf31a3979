"""Relations of two numbers that are known as intervals: what these prove, refute, or leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from theorytools.claims.language.estimate import Estimate

Relation = Literal["<=", ">=", "==", "<", ">", "!="]
UPPER, LOWER = ("<=", "<"), (">=", ">")  # what bounds from above, and from below
CONTRARY = {"<": ">=", ">": "<=", "!=": "=="}  # a strict relation is refuted where its contrary is proved
SIGNS = {"<=": r"\le", ">=": r"\ge", "==": "=", "<": "<", ">": ">", "!=": r"\ne"}


def trivial_end(trivial: Sequence[Any], relation: str) -> Any:
    """Return the end of a trivial range that a bound of this relation is held against; None where there is none."""
    return trivial[1] if relation in UPPER else trivial[0] if relation in LOWER else None


def related(relation: str, measured: Estimate, bounds: Sequence[Estimate]) -> bool | None:
    """Return whether the intervals prove the relation or refute it, None where they leave it open.

    A strict relation is the contrary of a closed one: two exact numbers that are equal refute it, and two intervals
    that only touch leave it open.
    """
    if relation in CONTRARY:
        closed = related(CONTRARY[relation], measured, bounds)
        return None if closed is None else not closed
    below = _at_most(measured, bounds[-1])  # measured <= upper side
    above = _at_most(bounds[0], measured)  # lower side <= measured
    if relation == "<=":
        return below
    if relation == ">=":
        return above
    if below is False or above is False:
        return False
    return True if below and above else None


def _at_most(a: Estimate, b: Estimate) -> bool | None:
    if a.high <= b.low:
        return True
    return False if a.low > b.high else None
