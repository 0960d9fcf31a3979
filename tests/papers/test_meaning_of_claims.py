"""What the claims of the three papers say of themselves fits what they are."""

import ast
import numbers

import pytest
from every_claim import chunks, each
from shared_verdicts import claim_of, entries

from theorytools import Catalogue
from theorytools.claims.papers.catalogue import find_roots
from theorytools.meaning import TRAINED

CATALOGUE = Catalogue(find_roots())
ENTRIES = entries()
STATEMENTS = [(paper, s) for paper in CATALOGUE.papers for s in paper.statements if CATALOGUE.claims_of(paper, s)]
SINGLE, NARROW, WIDE = 5, 15, 190  # claims at one point, below a factor of two, from 64 on


def test_a_statement_has_a_claim_that_is_the_statement_or_says_what_it_lacks():
    wrong = []
    for paper, statement in STATEMENTS:
        roles = {claim_of(entry.id).role for entry in CATALOGUE.claims_of(paper, statement)}
        question = statement.id.startswith("question_")  # an open question of a paper states nothing
        if ("statement" in roles) == bool(statement.lacks or question):
            wrong.append((paper.key, statement.id))
    assert not wrong


@each(chunks(ENTRIES))
def test_what_a_claim_says_of_itself_fits_its_outcome_and_its_text(id):
    entry, claim = ENTRIES[id], claim_of(id)
    if claim.expect != "HOLDS":
        assert claim.role in ("pitfall", *TRAINED)
    else:
        assert claim.role != "pitfall"
    text = ast.get_docstring(ast.parse(entry.path.read_text(encoding="utf-8")))
    if "proof" in claim.scope.values():
        assert "\nProof " in text
    assert "The print sets" not in text
    if claim.role in ("pitfall", *TRAINED):
        assert not id.endswith((".published", ".folk"))


def spans():
    """The largest ratio of two sizes on one axis, for each claim."""
    found = {}
    for id in ENTRIES:
        claim = claim_of(id)
        axes = ([point[name] for point in claim.grid] for name in claim.grid.axes)
        sizes = [[x for x in axis if isinstance(x, numbers.Rational) and x > 0] for axis in axes]
        found[id] = max((max(own) / min(own) for own in sizes if own), default=1)
    return found


def chooses_its_sizes(id):
    """Not of a claim about trained networks: its points are the runs of a record, or of a slower tier."""
    entry, claim = ENTRIES[id], claim_of(id)
    text = entry.path.read_text(encoding="utf-8")
    record = any(word in text for word in ("recorded(", "SweepRecord", "sweeps"))
    return claim.role not in TRAINED and claim.tier == "seconds" and not record


def test_grids_reach_far_enough():
    ratios = spans()
    free = [id for id in ENTRIES if chooses_its_sizes(id)]
    assert sum(len(claim_of(id).grid) == 1 for id in free) <= SINGLE
    assert sum(ratios[id] < 2 for id in free) <= NARROW
    assert sum(ratio >= 64 for ratio in ratios.values()) >= WIDE


@pytest.mark.parametrize("folder", CATALOGUE.roots, ids=lambda root: root.name)
def test_no_check_keeps_a_record_that_it_has_read(folder):
    """A verdict names the records that were read for it: one kept from the claim before would not be named."""
    kept = [
        f"{path.relative_to(folder)}, line {node.lineno}"
        for path in sorted(folder.rglob("*.py"))
        if path.parent.name != "sweeps"  # what a plan forecasts is in no verdict
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and any("cache" in ast.unparse(one) for one in node.decorator_list)
        and any(isinstance(one, ast.Name) and one.id == "recorded" for one in ast.walk(node))
    ]
    assert kept == []
