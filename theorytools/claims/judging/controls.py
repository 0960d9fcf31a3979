"""Controls at one point: the claim with one ingredient spoiled, against the honest right side."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from theorytools.claims.judging.draws import broken, counted, worst
from theorytools.claims.judging.hypotheses import failing
from theorytools.claims.judging.point import (
    Judgement,
    Passed,
    PointResult,
    leaves_open,
    measured,
    measured_draws,
)
from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.assertion import Assertion
from theorytools.claims.language.control import Control
from theorytools.claims.language.grid import Point
from theorytools.claims.language.quantity import Quantity, parts_of
from theorytools.claims.language.running import course
from theorytools.errors import DomainError


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
        bench.row(a, ladders, honest.values, point, control=control.name, must_break=control.must_break(a))
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
            bench.row(a, ladders, honest.values, point, control=control.name, must_break=must) for ladders in drawn
        ]
        rows.append(broken(tried, control.share) if must else counted(tried[worst(tried)[0]], *worst(tried)))
    return rows
