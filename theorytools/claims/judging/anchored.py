"""Anchors and second routes: what a measurement gives is compared with what is known, before it is believed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from theorytools.claims.judging.point import Judgement, measured
from theorytools.claims.language.anchor import Anchor
from theorytools.claims.language.bound import recipe
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Evidence
from theorytools.claims.language.grid import Point
from theorytools.claims.language.ladder import Ladder
from theorytools.claims.language.quantity import Quantity
from theorytools.errors import CheckError

_CLIMBS = 3  # steps of each side: 64, 128, 256 bits


def hold_anchors(claim: Claim, check: str) -> None:
    """Measure the anchors of a claim.

    Raises
    ------
    CheckError : a measured value that is not the known one, or an exact number where the known one is irrational.
    """
    for anchor in claim.anchors:
        point = claim.point({**claim.grid[0], **anchor.at}, check)
        try:
            values = anchor_values(claim, anchor, point)
        except CheckError:
            raise
        except Exception as error:
            raise CheckError(
                f"claim {claim.label!r}: the anchor {anchor.name!r} was not measured: {type(error).__name__}: {error}",
                required="an object as construct returns it", why="measure is judged on it first",
                advice="give the letters that measure reads as at={…}",
            ) from error  # fmt: skip
        for name, (found, known) in values.items():
            if wrong(anchor, name, found, known):
                raise CheckError(
                    f"claim {claim.label!r}: {name} of the anchor {anchor.name!r} is measured as {found.best}",
                    required=f"{anchor.known[name]}, which is known{': ' + anchor.source if anchor.source else ''}",
                    why="a measurement that is wrong where the value is known says nothing elsewhere",
                    advice="mend measure, or the known value",
                )


def anchor_values(claim: Claim, anchor: Anchor, point: Point) -> dict[str, tuple[Ladder, Ladder]]:
    """Return measured and known values of an anchor, by the names of its quantities."""
    thing = anchor.thing(point) if callable(anchor.thing) else anchor.thing
    bench = Judgement(claim, claim.row_alpha(), user=True, brief=True)
    ladders = measured(bench, claim.measure(thing, point), list(anchor.values))
    letters = {name: value for name, value in point.axes.items() if not isinstance(value, str)}
    return {
        q.name: (ladders[q], Ladder(recipe(anchor.known[q.name], letters), 0.0, claim.budget)) for q in anchor.values
    }


def wrong(anchor: Anchor, name: str, found: Ladder, known: Ladder) -> bool:
    """Whether a measured value is not the known one: decidedly another, or exact where the known one is irrational."""
    other = differ(found, known)
    return other or (anchor.known[name].is_rational is False and found.best.evidence is Evidence.EXACT)


def differ(found: Ladder, known: Ladder) -> bool:
    """Whether two ladders are decidedly of different numbers."""
    for rung in range(_CLIMBS):
        found.at(rung), known.at(rung)
        a, b = found.best, known.best
        if a.high < b.low or a.low > b.high:
            return True
    return False


def compare_routes(claim: Claim, thing: Any, point: Point, ladders: Mapping[Quantity, Ladder]) -> bool:
    """Compare measured values with those of the claim's second route at this point; whether there were some.

    Raises
    ------
    CheckError : the two routes give different numbers.
    """
    given = claim.second(thing, point) if claim.second is not None else None
    if given is None:
        return False
    bench = Judgement(claim, claim.row_alpha(), user=True, brief=True)
    for quantity, ladder in measured(bench, given, list(given)).items():
        if quantity in ladders and differ(ladder, ladders[quantity].again()):
            raise CheckError(
                f"claim {claim.label!r} at {point}: {quantity.name} is {ladders[quantity].best} by measure and "
                f"{ladder.best} by the second route",
                required="one number by both", why="a closed form is believed where an enumeration gives the same",
                advice="mend the wrong one",
            )  # fmt: skip
    return True
