"""The right sides of the papers' statements, for use outside their checks: the very expressions that are asserted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from theorytools.arguments.checked import BODY, checked
from theorytools.claims.language.bound import Bound
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import load
from theorytools.errors import DomainError


@checked
def bound_of(
    id: Annotated[str, BODY], quantity: Annotated[str, BODY] = "", *, checks: str | Path | None = None
) -> Bound:
    r"""Return the right side that a claim asserts, as a function of the paper's letters.

    It is the expression of the check itself, so that what is imported is what is judged.

    Parameters
    ----------
    id : the claim's id, ``"qstr.lemma_11"``.
    quantity : the name of the left side, where the claim asserts several relations: ``"leakage"``.
    checks : a folder of checks; the library's own unless given.

    Returns
    -------
    Bound
        ``bound.letters`` names its letters, ``bound(N=64, …)`` is its value in doubles, ``bound.enclosure(…)`` a
        rigorous one, ``bound.latex()`` the formula.

    Raises
    ------
    DomainError
        For an unknown id or quantity, for one of several right sides, and for the slope of a curve, which has a value
        on a window of sizes only.

    Examples
    --------
    >>> from theorytools import bound_of
    >>> bound = bound_of("qstr.lemma_11", "leakage")
    >>> bound.letters
    ('N', 'beta', 'rho')
    >>> round(bound(N=64, beta=20, rho=0.5), 6)
    0.002852
    """
    for word, what in ((id, "id"), (quantity, "quantity")):
        if not isinstance(word, str):
            raise DomainError(
                f"the {what} {word!r} of type {type(word).__name__}", required="a text",
                why="claims and quantities are known by name", advice='bound_of("qstr.lemma_11", "leakage")',
            )  # fmt: skip
    entry = Catalogue(find_roots(checks)).one(id)
    claim = load(entry)
    sides = [a for a in claim.assertions if quantity in ("", a.quantity.name)]
    if len({side.expr for side in sides}) != 1:
        known = dict.fromkeys(a.quantity.name for a in claim.assertions)
        raise DomainError(
            f"the quantity {quantity!r} of {entry.id}", required="a quantity with one right side",
            why=f"it has {len(sides)} right sides there", advice=f"one of {', '.join(known)}",
        )  # fmt: skip
    if sides[0].sloped:
        raise DomainError(
            f"'{sides[0].name}' of {entry.id}",
            required="a right side with a value at a point",
            why="it is a slope, taken on the window of sizes that was measured",
        )
    return Bound(sides[0].expr)
