"""Beside the search: a point worked out by hand, the object of a control that lies outside a hypothesis, and all points
where few are left outside it.

Either counts only as it is judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import sympy

from theorytools.claims.judging.falsify import falsify
from theorytools.claims.judging.necessity import Cell
from theorytools.claims.judging.point import Judgement, measure_point
from theorytools.claims.judging.weaker_hypotheses import Hypothesis, spoiled
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.estimate import Evidence
from theorytools.errors import CheckError, TheoryError

_MOST = 128  # points that are all judged where no more are left outside


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
    point = {name: claim.value(name, at[name]) for name in claim.grid.axes}
    for notch in (True, False):
        place = hypothesis.beyond(claim, notch=notch)
        if place is None:
            continue
        place = replace(place, search=None)
        found = falsify(place, id, evaluations=1, judged=True, first=[point], least=Evidence.SAMPLED, elsewhere=True)
        if found.row is not None and found.track == "first":  # and not at a point that the search chose instead
            return replace(cell, state="needed", why="", notch=notch, violation=found)
    raise CheckError(
        f"the note that {id} is violated at {dict(at)} without '{cell.hypothesis}'", required="a violation there",
        why="the point was judged, and it is none", advice="take the note out",
    )  # fmt: skip


def examine_control(claim: Claim, id: str, cell: Cell, name: str) -> Cell:
    """Return a cell after the object of a control was judged on the grid, by the letters that are derived from it.

    It counts where the hypothesis fails for that object and all others hold: then the control spoils nothing else that
    the statement asks for.

    Raises
    ------
    CheckError : the claim has no such control, or its object violates the claim nowhere outside the hypothesis.
    """
    hypothesis = next(one for one in Hypothesis.of(claim) if one.text == cell.hypothesis)
    for notch in (True, False):
        place = hypothesis.beyond(claim, notch=notch)
        if place is None:
            continue
        place = replace(spoiled(place, name), search=None, listed=[*claim.grid.axes])  # no simpler point is looked for
        found = falsify(place, id, evaluations=len(claim.grid), least=Evidence.SAMPLED, elsewhere=True)
        if found.row is not None:
            return replace(cell, state="needed", why="", notch=notch, violation=found, control=name)
    raise CheckError(
        f"the note that the control {name!r} of {id} lies outside '{cell.hypothesis}' alone",
        required="a point of the grid where its object violates the claim, fails the hypothesis and keeps all others",
        why="all were judged, and there is none", advice="take the note out",
    )  # fmt: skip


def exhausted(claim: Claim, id: str, cell: Cell) -> Cell:
    """Return an unknown cell as not needed where few points are left outside, and the claim is proved at each.

    The hypothesis is a lower end of one integer axis, and all other axes are words of the grid.  A point that the
    construction refuses, or that another hypothesis excludes, is no point of the statement.
    """
    hypothesis = next((one for one in Hypothesis.of(claim) if one.text == cell.hypothesis), None)
    points = _left(claim, hypothesis) if cell.state == "unknown" and hypothesis is not None else []
    if not points or hypothesis is None or claim.tier != "seconds" or claim.search is not None:
        return cell
    place = replace(claim, requires=[*hypothesis.others, sympy.Not(hypothesis.condition)])
    bench, judged = Judgement(place, claim.budget.alpha / (len(points) * len(claim.quantities)), user=True), 0
    for axes in points:
        try:
            honest = measure_point(bench, claim.point(axes, ".".join(id.split(".")[:2])))
        except TheoryError:  # the check was not written for the point
            return cell
        if honest.open or any(row.truth is not True or row.evidence < Evidence.ENCLOSED for row in honest.rows):
            return cell
        judged += honest.skipped is None
    if not judged:
        return cell
    why = (
        f"all {len(points)} points outside were judged: it holds at {judged}, and the others are none of the statement"
    )
    return replace(cell, state="not needed", why=why)


def _left(claim: Claim, hypothesis: Hypothesis) -> list[dict[str, int | str]]:
    """The points outside a lower end, where they are few."""
    condition, names = hypothesis.condition, claim.grid.axes
    if not isinstance(condition, sympy.Ge | sympy.Gt) or str(condition.lhs) not in names:
        return []
    symbol, bound = condition.args
    least = 1 if symbol.is_positive else 0 if symbol.is_nonnegative else None
    if least is None or not symbol.is_integer or not bound.is_Integer:
        return []
    lists: list[list[int | str]] = []
    for name in names:
        words = [point[name] for point in claim.grid if isinstance(point[name], str)]
        own = range(least, int(bound) + isinstance(condition, sympy.Gt)) if name == symbol.name else ()
        if not words and not own:
            return []
        lists.append([*dict.fromkeys(map(str, words)), *own])
    points = [dict(zip(names, row, strict=True)) for row in product(*lists)]
    return points if len(points) <= _MOST else []
