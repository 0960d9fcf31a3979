"""Violations planted in the checks are found within a fixed number of evaluations."""

from dataclasses import replace
from fractions import Fraction

import pytest

from theorytools.claims.judging.falsify import falsify
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import load

CATALOGUE = Catalogue(find_roots())
slow = pytest.mark.slow  # a whole search
PLANTED = [
    *(pytest.param(id, control, 300, marks=slow) for id, control in (
        ("qstr.lemma_11", "a quarter of the temperature"), ("qstr.lemma_11", "a duplicate code"),
        ("qstr.lemma_11", "query and key block transposed"), ("qstr.lemma_11_output", "a head left out"),
        ("qstr.proposition_21_exact", "a head fewer"))),
    ("stsq.encodings_uniform", "a planted duplicate", 40), ("stsq.expressivity_temperature", "a planted duplicate", 40),
    ("stsq.fcn", "the eigenvalues exchanged", 12), ("stsq.dynamics_phases", "half the metric", 30),
    ("stsq.dynamics_tail", "half the metric", 30),
]  # fmt: skip


def claim_of(id):
    return load(next(entry for entry in CATALOGUE.entries if entry.id == id))


def spoiled(claim, name):
    """The claim with the named control's ingredient in place of its own; letters stay those of the honest object."""
    control = next(c for c in claim.controls if c.name == name)
    return replace(
        claim,
        construct=control.construct or claim.construct,
        measure=control.measure or claim.measure,
        asserts=claim.asserts if control.asserts is None else control.asserts,
        derive=None if claim.derive is None else lambda thing, p: claim.derive(claim.construct(p), p),
    )


@pytest.mark.parametrize(("id", "control", "evaluations"), PLANTED)
def test_a_spoiled_ingredient_is_found(id, control, evaluations):
    found = falsify(spoiled(claim_of(id), control), id, evaluations=evaluations)
    assert found.row is not None, f"{found.evaluations} points, {found.outside} outside the hypotheses"


@slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "id", ["qstr.lemma_11", "qstr.lemma_11_lower", "qstr.lemma_12", "qstr.proposition_21_every", "qstr.theorem_06"]
)
def test_a_constant_off_by_five_percent_is_found(id):
    claim = claim_of(id)
    false = [a.tightened(Fraction(105, 100), sign=1)[0] for a in claim.assertions]
    found = falsify(replace(claim, asserts=false), id, evaluations=300)
    assert found.row is not None, f"{found.evaluations} points, {found.outside} outside the hypotheses"


@slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("id", "evaluations"), [("qstr.lemma_11_lower", 20), ("qstr.proposition_21_every", 100)])
def test_nothing_is_found_where_nothing_is_planted(id, evaluations):
    """Of the first claim a point takes seconds; a constant that is off by five percent is found among 300 above."""
    assert falsify(claim_of(id), id, evaluations=evaluations).row is None
