r"""From a claim to its verdict: pure, and the same whatever else runs.

A row climbs both sides, the measured ladder and the bound's, until the assertion is decided or both are spent.
Then, in this order: no applicable point → INAPPLICABLE; a false row → REFUTED, or WITNESS FAILS where the statement is
that something exists; an open row → UNDECIDED; a
control that decidedly fails to break → POWERLESS; an open control → UNDECIDED; else HOLDS.

Controls: the claim with one ingredient spoiled, against the honest right side.

The claims that a claim rests on: that they exist, that they are meant to hold, and that no circle is made.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy

from theorytools.arguments.checked import checked
from theorytools.claims.judging.anchored import compare_routes, hold_anchors
from theorytools.claims.judging.conclude import conclude
from theorytools.claims.judging.coverage import limit
from theorytools.claims.judging.draws import broken, counted, worst
from theorytools.claims.judging.hypotheses import failing
from theorytools.claims.judging.plain import derived_values
from theorytools.claims.judging.point import (
    Judgement,
    Passed,
    PointResult,
    leaves_open,
    measure_point,
    measured,
    measured_draws,
    row_of,
    within_range,
)
from theorytools.claims.judging.verdict import Outcome, Row, Verdict
from theorytools.claims.language.assertion import Assertion, Quantity, parts_of
from theorytools.claims.language.claim import Claim
from theorytools.claims.language.control import Control
from theorytools.claims.language.grid import Point
from theorytools.claims.language.running import course
from theorytools.claims.language.walked import walks
from theorytools.claims.papers.catalogue import Catalogue, Entry, find_roots
from theorytools.claims.papers.loading import load
from theorytools.claims.papers.work import Work
from theorytools.errors import CheckError, DomainError, did_you_mean


def run_control(bench: Judgement, control: Control, point: Point, honest: PointResult) -> list[Row] | None:
    """Return the rows of a control at one point, or None where it does not apply.

    It does not apply where its condition is not certainly true, where the honest bound of everything it must break is
    vacuous (nothing can break a bound that says nothing), and at a user's point that the spoiled object cannot have
    or where it cannot be computed.
    """
    try:
        return _run_control(bench, control, point, honest)
    except DomainError:
        if dict(point.axes) in list(bench.claim.grid):
            raise
        return None
    except Exception as error:  # too much work, or undefined: at a user's point another control may do
        if not leaves_open(bench, error):
            raise
        return None


def _run_control(bench: Judgement, control: Control, point: Point, honest: PointResult) -> list[Row] | None:
    claim = bench.claim
    if control.where is not sympy.true:
        names = {**claim.all_letters()}
        if failing([control.where], honest.values, names, bits=claim.budget.bits) is not None:
            return None
    asserts = tuple(claim.assertions if control.asserts is None else control.asserts)
    if not control.repair and control.asserts is None:
        targets = [row for row, a in zip(honest.rows, claim.assertions, strict=True) if control.must_break(a)]
        if all(row.vacuous for row in targets):
            return None
    quantities = parts_of(asserts)
    if claim.run is not None:
        run = control.run or claim.run
        seen = claim.seen(point)
        started = run.state(run.seen(seen)) if control.run is not None else honest.thing
        passed = Passed(bench, course(run, point, started, seen, fresh=bench.fresh), point, honest.values, control)
        return passed.rows(asserts)
    if claim.drawn and control.construct is None:
        return _control_draws(bench, control, point, honest, asserts, quantities)
    if control.construct is None and control.measure is None and honest.ladders.keys() >= set(quantities):
        # only the assertion is spoiled: the object and the numbers would be made a second time
        ladders = {quantity: bench.again(honest.ladders[quantity]) for quantity in quantities}
    else:
        thing = (control.construct or claim.construct)(claim.seen(point))
        ladders = measured(bench, (control.measure or claim.measure)(thing, point), quantities)
    return [
        row_of(
            bench,
            a,
            ladders,
            honest.values,
            point,
            control=control.name,
            must_break=control.must_break(a),
        )
        for a in asserts
    ]


def _control_draws(
    bench: Judgement, control: Control, point: Point, honest: PointResult, asserts: Sequence[Assertion],
    quantities: Sequence[Quantity],
) -> list[Row]:  # fmt: skip
    """The rows of a control over drawn objects: what must break does so in the control's share of them."""
    claim = bench.claim
    if control.draw is None and control.measure is None and honest.drawn[0].keys() >= set(quantities):
        drawn = [{q: bench.again(ladders[q]) for q in quantities} for ladders in honest.drawn]
    else:
        draw, measure = control.draw or claim.draw, control.measure or claim.measure
        drawn = measured_draws(bench, draw, measure, quantities, point)
    rows = []
    for a in asserts:
        must = control.must_break(a)
        tried = [
            row_of(bench, a, ladders, honest.values, point, control=control.name, must_break=must) for ladders in drawn
        ]
        rows.append(broken(tried, control.share) if must else counted(tried[worst(tried)[0]], *worst(tried)))
    return rows


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


def used(claim: Claim, entry: Entry) -> list[Entry]:
    """Return the entries of the claims named in ``claim.uses``, of the entry's own folder or of the library.

    Raises
    ------
    CheckError
        For an id that is not one claim, for a claim that is expected to be REFUTED, and for a claim that rests, by
        way of others or at once, on this one.
    """
    if not claim.uses:
        return []
    return _followed(claim, entry, Catalogue(find_roots(entry.root)), ())


def _followed(claim: Claim, entry: Entry, catalogue: Catalogue, above: tuple[str, ...]) -> list[Entry]:
    chain, found = (*above, entry.id), []
    for id in claim.uses:
        if id in chain:
            raise CheckError(
                f"{' uses '.join([*chain, id])}", required="claims without a circle",
                why="nothing is proved by statements that rest on each other", advice=f"theorytools show {id}",
            )  # fmt: skip
        other = _one(id, entry, catalogue)
        lemma = load(other)
        if lemma.expect in ("REFUTED", "WITNESS FAILS"):
            raise CheckError(
                f"{entry.id}, which uses {id}", required="a claim that is meant to hold",
                why=f"{id} is a reading that is known to fail", advice=f"theorytools show {id} names its repair",
            )  # fmt: skip
        _followed(lemma, other, catalogue, chain)
        found.append(other)
    return found


def _one(id: str, entry: Entry, catalogue: Catalogue) -> Entry:
    try:
        return next(found for found in catalogue.select([id]) if found.id == id)
    except DomainError as error:
        raise CheckError(
            f"{entry.path.name}: uses = {id!r}", required="the id of a claim", why=error.why, advice=error.advice
        ) from None
    except StopIteration:
        names = ", ".join(found.id for found in catalogue.select([id]))
        raise CheckError(
            f"{entry.path.name}: uses = {id!r}", required="the whole id of one claim",
            why=f"it stands for {names}", advice="name each claim that is used",
        ) from None  # fmt: skip
