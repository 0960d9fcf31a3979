"""What the checks declare of their work: of claims that exist, in their letters, and growing as the work does."""

import pytest
from shared_verdicts import ROOT, entries

from theorytools import verify
from theorytools.claims.judging.archive import read_archive
from theorytools.claims.papers.loading import load
from theorytools.claims.papers.work import declared, read_work

DECLARED = {id: work for paper in ("qstr", "sep", "stsq") for id, work in read_work(ROOT / paper).items()}
FACTOR = 3  # within which the formula is the time of every point, times one constant of the claim
STEP = 0.02  # seconds: below it a time is that of the engine, not of the claim
PAUSE = 0.3  # seconds: a collection of garbage, which walks through all that is imported, falls on one point or another
# claims whose points of one size take times that differ by more than the factors, and by what
MIXED = {
    "qstr.definition_05_any_loss.zero": "its absolute loss calls a linear program, loaded at the first call",
    "qstr.lemma_41.operator_reading": "sets of other kinds, one of them of a code with 2^334 words",
    "qstr.lemma_42_ridges": "random heights take ten times as long as teeth",
    "qstr.proposition_35_enclosed": "a network is trained at the first point that asks for it",
    "qstr.proposition_03": "random heads take five times as long as parallel ones",
    "stsq.neighborly": "linear programs of other shapes by the kind of code",
}


def test_work_is_declared_of_claims():
    assert sorted(set(DECLARED) - set(entries())) == []


@pytest.mark.parametrize(
    ("id", "letter"),
    [("qstr.lemma_11", "N"), ("sep.onelayer_protocol", "n"), ("stsq.fcn", "T"), ("qstr.lemma_38", "n")],
)
def test_a_size_of_a_million_is_answered_by_the_work_it_would_take(id, letter):
    verdict = verify(id, **{letter: 10**6})
    assert verdict.outcome == "UNDECIDED"
    assert f"{letter}=1000000" in verdict.reason
    assert " takes " in verdict.reason
    assert f"at most {letter} = " in verdict.reason


def points_of(id):
    claim = load(entries()[id])
    return claim, [claim.point(axes, id) for axes in claim.grid]


@pytest.mark.slow
@pytest.mark.parametrize("id", DECLARED)
def test_the_letters_are_the_claims_and_its_grid_is_within_the_limit(id):
    claim, points = points_of(id)
    (work,) = declared(entries()[id], claim)
    for point in points:
        work.admit(point)
        assert work.at(point)[0] > 0


@pytest.fixture(scope="module")
def spent():
    """The processor seconds of every claim's points, as they were measured for the committed record."""
    archives = [read_archive(ROOT.parent / "reports" / f"{paper}.verdicts.xz") for paper in ("qstr", "sep", "stsq")]
    return {id: verdict["cpu"]["points"] for archive in archives for id, verdict in archive.verdicts.items()}


@pytest.mark.slow
@pytest.mark.parametrize("id", DECLARED)
def test_the_work_grows_as_it_is_declared(id, spent):
    """The first point is left out: what is imported late is counted there."""
    claim, points = points_of(id)
    if claim.tier != "seconds" or id in MIXED:
        return
    measured = list(zip(points, spent[id], strict=True))[1:]
    seen = [(seconds, DECLARED[id].at(point)[0]) for point, seconds in measured if seconds > STEP]
    assert not seen or max((t - PAUSE) / work for t, work in seen) <= FACTOR**2 * min(t / work for t, work in seen)
