"""Controls: the claim with one ingredient spoiled, against the honest right side."""

from __future__ import annotations

import sympy

from theorytools.claims.judging.hypotheses import failing
from theorytools.claims.judging.point import Bench, Honest, leaves_open, measured, row_of
from theorytools.claims.judging.verdict import Row
from theorytools.claims.language.claim import Control
from theorytools.claims.language.grid import Point
from theorytools.errors import DomainError


def run_control(bench: Bench, control: Control, point: Point, honest: Honest) -> list[Row] | None:
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


def _run_control(bench: Bench, control: Control, point: Point, honest: Honest) -> list[Row] | None:
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
    thing = (control.construct or claim.construct)(point)
    quantities = tuple(dict.fromkeys(a.quantity for a in asserts))
    ladders = measured(bench, (control.measure or claim.measure)(thing, point), quantities)
    return [
        row_of(
            bench,
            a,
            ladders[a.quantity],
            honest.values,
            point,
            control=control.name,
            must_break=control.must_break(a),
        )
        for a in asserts
    ]
