"""What a search returns to whoever asks for one: of a claim or of an id, printed, and a point that somebody brings."""

from dataclasses import replace

import pytest
from refusals import refused
from sympy import log
from tiny import N, tiny, value

from theorytools import DomainError, Findings, falsify, grid
from theorytools.claims.judging.falsify import bring
from theorytools.claims.judging.falsify import falsify as searched
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import load
from theorytools.claims.papers.work import declared

# a check at a prompt, whose text nobody can read: its work may be an exponential of a size
PROMPT = eval("lambda p: p.N")
slow = tiny(asserts=[value <= log(N) ** 4], requires=[N >= 16], grid=grid(N=[16, 64, 256, 1024]), construct=PROMPT)


def test_an_id_is_its_claim_with_what_is_declared_of_its_work():
    entry = Catalogue(find_roots()).one("qstr.lemma_11")
    claim = load(entry)
    alone = searched(claim, entry.id, evaluations=4, work=declared(entry, claim)).to_json()
    asked = falsify("qstr.lemma_11", evaluations=4).to_json()
    assert {**asked, "seconds": 0} == {**alone, "seconds": 0, "stepped": {}}


def test_a_claim_without_an_id_is_searched_by_its_label():
    found = falsify(tiny(), evaluations=2)
    assert (found.id, found.row, str(found)) == (
        "Tiny 1",
        None,
        "Tiny 1: no violation found (2 points tried); N in 2 to 3",
    )


def test_a_violation_says_where_by_which_evidence_and_on_which_bound():
    found = falsify(tiny(construct=lambda p: p.N + 3), "toy.lemma_01")
    assert str(found) == ("toy.lemma_01: VIOLATED at N=1 (exact): value <= N, measured 4, bound 1 (1 point tried)")
    assert str(replace(found, fitted=True)).startswith(
        "toy.lemma_01: unresolved, another constant may hold: fails at N=1"
    )


def test_words_are_cut_and_counts_of_nothing_left_out():
    words = [f"{k}" * 41 for k in range(9)]
    found = Findings("toy.lemma_01", 9, 5, 0.0, refused=2, open=1, samples=0, region={"kind": {"words": words}})
    assert found.tried == "9 points tried, 3 outside the hypotheses, 2 refused, 1 not judged"
    assert found.searched[0].startswith(f"kind in {'0' * 37}..., ")
    assert found.searched[0].endswith("... and 1 more")


@pytest.mark.parametrize("brought", [5504, 9000, 10**6])
def test_a_point_that_is_brought_is_made_simpler_however_far_it_lies(brought):
    found = bring(slow, "toy.lemma_01", {"N": brought})
    assert (found.row.at, dict(found.first)) == ({"N": 5504}, {"N": str(brought)})  # log(5503)^4 > 5503 is the last


def test_a_point_that_is_brought_and_does_not_violate_is_said_so():
    assert bring(slow, "toy.lemma_01", {"N": 5503}).row is None


test_what_is_no_claim_or_several_is_refused = refused(
    DomainError,
    (lambda: falsify(3), "claim"),
    (lambda: falsify("qstr.no_such_statement"), "did you mean"),
    (lambda: falsify("qstr"), "one claim"),
    (lambda: bring(slow, "toy.lemma_01", {"N": 15}), "within the hypotheses"),
)
