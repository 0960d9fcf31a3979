"""From a claim to its verdict: pure, and the same whatever else runs.

A row climbs both sides, the measured ladder and the bound's, until the assertion is decided or both are spent.
Then, in this order: no applicable point → INAPPLICABLE; a false row → REFUTED, or WITNESS FAILS where the statement is
that something exists; an open row → UNDECIDED; a control that decidedly fails to break → POWERLESS; an open control →
UNDECIDED; else HOLDS.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from theorytools.arguments.checked import checked
from theorytools.claims.judging.anchored import compare_routes, hold_anchors
from theorytools.claims.judging.conclude import conclude
from theorytools.claims.judging.controls import run_control
from theorytools.claims.judging.coverage import limit
from theorytools.claims.judging.point import (
    Judgement,
    PointResult,
    measure_point,
    within_range,
)
from theorytools.claims.judging.statement_text import derived_values
from theorytools.claims.judging.verdict import Outcome, Row, Verdict
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.enumerated import walks
from theorytools.claims.language.grid import Point
from theorytools.claims.papers.work import Work
from theorytools.errors import DomainError, did_you_mean

Progress = Callable[[int, int], None]


@checked
def judge(
    claim: Claim,
    id: str,
    points: Sequence[Mapping[str, Any]] | None = None,
    *,
    document: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    work: Sequence[Work] = (),
) -> Verdict:
    """Return the verdict of ``claim`` on its grid, or at the given points.

    Parameters
    ----------
    claim : the claim.
    id : its id ``paper.stem[.name]``; seeds are keyed by ``paper.stem``.
    points : axes of user points; every axis must be given.  Default: the claim's grid.
    document : what the report shows besides numbers (see :mod:`theorytools.claims.judging.description`).
    progress : called with (done, total) after each point.
    work : what the claim declares of the work of a point; those beyond the limit are left open.

    Returns
    -------
    Verdict : the outcome, and one row for each point and assertion.

    Raises
    ------
    DomainError : an axis of ``points`` that the claim does not have, or one that is missing.

    Examples
    --------
    >>> from theorytools import Control, Quantity, grid, letter
    >>> N = letter("N", "number of terms", integer=True, positive=True)
    >>> total = Quantity("total", "S", "the sum of the first N numbers")
    >>> claim = Claim(
    ...     label="Gauss", asserts=total.equals(N * (N + 1) / 2), grid=grid(N=[1, 10, 100]),
    ...     construct=lambda p: range(p.N + 1), measure=lambda terms, p: {total: sum(terms)},
    ...     controls=[Control("the last term left out", breaks=total, construct=lambda p: range(p.N))],
    ... )
    >>> print(judge(claim, "sums.gauss"))
    sums.gauss: HOLDS at 3 points to N = 100 (exact): 3 rows proved; 1 of 1 controls rejected
    """
    started, begun = time.perf_counter(), time.process_time()
    axes = [dict(p) for p in (claim.grid if points is None else [_complete(claim, p) for p in points])]
    check = ".".join(id.split(".")[:2])
    bench = Judgement(claim, claim.row_alpha(len(axes)), user=points is not None, work=work)
    rows: list[Row] = []
    spoiled: list[Row] = []
    skipped: list[Mapping[str, Any]] = []
    derived: list[Mapping[str, Any]] = []
    hold_anchors(claim, check)
    clock, controlled, covered = [begun], 0.0, Counter[str]()
    for done, values in enumerate(axes, 1):
        point = claim.point(values, check)
        honest, covers = _covered_point(bench, point)
        measured_by = time.process_time()
        if honest.skipped is not None:
            skipped.append({"point": point.text(), "control": "", "reason": honest.skipped, "open": honest.open})
        else:
            within_range(bench, point, honest)
            rows += honest.rows
            covered.update(covers)
            if claim.derived:
                bounds = [bound for row in honest.rows for bound in row.bound]
                derived.append({"point": point.text(), "values": derived_values(claim, honest.values, bounds)})
            for control in claim.controls:
                spoiled += run_control(bench, control, point, honest) or []
        clock.append(time.process_time())
        controlled += clock[-1] - measured_by
        if progress is not None:
            progress(done, len(axes))
    return Verdict(
        id=id, label=claim.label, **_concluded(claim, rows, spoiled, skipped, covered, points is not None),
        alpha_claim=claim.budget.alpha, alpha_spent=bench.spent, user_points=points is not None,
        seconds=time.perf_counter() - started, cpu=time.process_time() - begun,
        cpu_points=tuple(b - a for a, b in itertools.pairwise(clock)),
        cpu_parts={"measured": clock[-1] - begun - controlled, "controls": controlled, "search": 0.0},
        document=document or {}, derived=tuple(derived),
    )  # fmt: skip


def _covered_point(bench: Judgement, point: Point) -> tuple[PointResult, list[str]]:
    """What a point gave, and in which ways its objects were covered: a space walked, a second route that agrees."""
    with walks() as walked:
        honest = measure_point(bench, point)
    covers = ["enumeration"] if walked else []
    if honest.skipped is None and compare_routes(bench.claim, honest.thing, point, honest.ladders):
        covers.append("closed form")
    return honest, covers


def _concluded(
    claim: Claim, rows: Sequence[Row], spoiled: Sequence[Row], skipped: Sequence[Any], covered: Counter[str], user: bool
) -> dict[str, Any]:
    """What follows from the rows; of a claim that holds on its own grid, how far it reaches, too."""
    order = [control.name for control in claim.controls]
    every = [*rows, *sorted(spoiled, key=lambda row: order.index(row.control))]
    concluded = conclude(claim, every, skipped, user=user)
    if concluded["outcome"] is Outcome.HOLDS and not user:
        concluded["limit"] = limit(claim, rows, covered)
    return concluded


def _complete(claim: Claim, given: Mapping[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(given) - set(claim.grid.axes))
    missing = [name for name in claim.grid.axes if name not in given]
    if unknown or missing:
        raise DomainError(
            f"the point {dict(given)}",
            required=f"one value for each of {', '.join(claim.grid.axes)}",
            why=f"{claim.label} has these axes",
            advice=(
                did_you_mean(unknown[0], claim.grid.axes, f"drop {', '.join(unknown)}")
                if unknown
                else f"give {', '.join(missing)} too"
            ),
        )
    return {name: claim.value(name, given[name]) for name in claim.grid.axes}
