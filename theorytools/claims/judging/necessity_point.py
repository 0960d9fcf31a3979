"""A point that was worked out by hand, tried outside a hypothesis: it counts only as it is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from theorytools.claims.judging.falsify import falsify
from theorytools.claims.judging.necessity import EVALUATIONS, Cell
from theorytools.claims.judging.weaken import Hypothesis
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Evidence
from theorytools.claims.language.grid import axis_value
from theorytools.errors import CheckError


def examine_point(claim: Claim, id: str, cell: Cell, at: Mapping[str, str]) -> Cell:
    """Return a cell after a point was tried, within one notch or beyond it, where it had no violation before.

    Raises
    ------
    CheckError : the point is none of the claim, or it does not violate the claim there with the evidence that counts.
    """
    if cell.state == "needed":
        return cell
    if set(at) != set(claim.grid.axes):
        raise CheckError(
            f"a note of {id} with the point {dict(at)}", required=f"values of {', '.join(claim.grid.axes)}"
        )
    hypothesis = next(one for one in Hypothesis.of(claim) if one.text == cell.hypothesis)
    point = {name: axis_value(at[name], name) for name in claim.grid.axes}
    for notch in (True, False):
        place = hypothesis.beyond(claim, notch=notch)
        if place is None:
            continue
        place = replace(place, search=None)
        found = falsify(place, id, evaluations=EVALUATIONS, judged=True, beyond=[point], least=Evidence.SAMPLED)
        if found.row is not None:
            return replace(cell, state="needed", why="", notch=notch, violation=found)
    raise CheckError(
        f"the note that {id} is violated at {dict(at)} without '{cell.hypothesis}'", required="a violation there",
        why="the point was judged, and it is none", advice="take the note out",
    )  # fmt: skip
