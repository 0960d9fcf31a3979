"""A control spoils the object or what is measured, not the bound alone, and one of a claim's controls is near.

A control that breaks by a factor of a million shows that the check can fail, not that it tells a true statement from
one that is nearly true.  The factor is that between what was measured and the bound, at the row where they are nearest;
it is none where one of them is 0 or they differ in sign: there every violation is a whole unit, or there is no scale.
"""

import math

from every_claim import chunks, each
from shared_verdicts import rows_of
from statement_mutants import ENTRIES, claim_of

MOST = 100
FAR = {  # id: why none of its controls can be nearer
    "qstr.proposition_08.operator_reading": "small risks take long sequences, and the bound is their root",
}
BOUND_ONLY: dict[str, str] = {}


def spoiling(id):
    """The controls that must break; a claim that is meant to be refuted shows by its witness that it can fail."""
    if claim_of(id).expect == "REFUTED":
        return []
    return [control for control in claim_of(id).controls if not control.repair]


def distance(row):
    """The factor between the measured number of a refuted row and its bound; infinite where there is none."""
    (low, high), below, above = row.measured.floats, row.bound[0].floats[0], row.bound[-1].floats[1]
    if row.relation == "<=" or (row.relation == "==" and low > above):
        large, small = low, above
    else:
        large, small = below, high
    if large < 0 and small < 0:
        large, small = small, large
    return large / small if large > 0 and small > 0 else math.inf


def nearest(rows):
    broken = [row for row in rows if row.control and row.must_break and row.truth is False]
    found = [factor for factor in map(distance, broken) if math.isfinite(factor)]
    return min(found, default=None)


@each(chunks(ENTRIES))
def test_some_control_changes_the_object_or_what_is_measured(id):
    controls = spoiling(id)
    changed = any(control.construct or control.measure for control in controls)
    assert not controls or changed is (id not in BOUND_ONLY)


@each(chunks(ENTRIES))
def test_some_control_is_within_a_factor_of_a_hundred(id):
    factor = nearest(rows_of(id))
    assert factor is None or (factor > MOST) is (id in FAR)


def test_every_exception_is_a_claim_and_has_a_reason():
    for exceptions in (FAR, BOUND_ONLY):
        assert set(exceptions) <= set(ENTRIES)
        assert all(len(reason) > 20 for reason in exceptions.values())
