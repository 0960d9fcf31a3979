"""The search beside the grid of every claim, which the items of the checks leave out here: what was recorded of it."""

import pytest
from shared_verdicts import ROOT, entries

from theorytools.claims.judging.run import searched
from theorytools.claims.judging.verdict import Outcome, Verdict
from theorytools.claims.papers.loading import load
from theorytools.cli.diff import verdicts_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def committed():
    return verdicts_of(ROOT.parent / "reports")


@pytest.mark.parametrize("id", entries())
def test_nothing_is_found_beside_the_grid_and_as_much_is_looked_at_as_was_recorded(id, committed):
    claim, said = load(entries()[id]), committed[id]
    held = Verdict(id, claim.label, Outcome(said["outcome"]), claim.expect, said["as_expected"], None, said["reason"])
    found = searched(claim, held) if held.outcome is Outcome.HOLDS else held
    assert found.outcome is held.outcome, found.reason
    assert found.searched == said["searched"]
