"""The example of disputed statements: each fails where its record says and nowhere on its grid, and its twins hold."""

import json

import pytest
from source_tree import ROOT

from theorytools.claims.judging.disputed import RECORD, disputed, read_record
from theorytools.claims.judging.finds import WITNESSES, brought, find, lines_to
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.claims.papers.disputes import read_disputes
from theorytools.claims.papers.loading import load

PROJECT = ROOT / "examples" / "disputes"
CHECKS = PROJECT / "checks"
ROWS = read_record(PROJECT / RECORD)["disputes"]
ENTRIES = {entry.id: entry for entry in Catalogue(CHECKS).entries}
TWINS = {twin["claim"] for row in ROWS for twin in row["repaired"]}


def test_the_record_is_of_these_checks_and_of_every_dispute():
    told = disputed(CHECKS)
    assert {row["claim"]: row["state"] for row in told["rows"] if row["state"]} == {}
    assert [row["claim"] for row in told["rows"]] == [row["claim"] for row in ROWS]
    assert {row["claim"]: row["lines"] for row in ROWS} == {
        row["claim"]: lines_to(ENTRIES[row["claim"]]) for row in ROWS
    }
    assert {twin["outcome"] for row in ROWS for twin in row["repaired"]} == {"HOLDS"}
    assert {path.stem for path in (PROJECT / WITNESSES).glob("*.json")} <= {row["claim"] for row in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["claim"])
def test_a_statement_holds_on_its_grid_and_fails_at_the_input_that_is_recorded(row, tmp_path):
    entry = ENTRIES[row["claim"]]
    on_grid = judge_entry(entry, search=False)
    if row["outcome"] == "UNDECIDED":
        assert on_grid.outcome == "UNDECIDED" or row["way"] != "none"
        return
    assert on_grid.outcome == "HOLDS"
    if row["place"]:
        path, claim = tmp_path / "point.json", load(entry)
        path.write_text(json.dumps(row["point"]), encoding="utf-8")
        assert brought(claim, entry, path).truth is False


@pytest.mark.parametrize("id", sorted(TWINS))
def test_a_repaired_statement_holds_on_its_grid(id):
    assert judge_entry(ENTRIES[id], search=False).outcome == "HOLDS"


@pytest.mark.slow
@pytest.mark.parametrize("id", sorted(ENTRIES.keys() - TWINS - {row["claim"] for row in ROWS}))
def test_every_other_claim_of_the_project_is_judged_as_expected(id):
    assert judge_entry(ENTRIES[id]).as_expected


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["claim"])
def test_every_dispute_is_found_in_the_way_that_is_recorded(row):
    """What verify finds is the same on every machine; a search by the clock finds at least what it found before.

    A statement that verify does not find holds at its points, although what it expects is that it fails.
    """
    (dispute,) = (one for one in read_disputes(CHECKS / "disputes").disputes if one.claim == row["claim"])
    found = find(dispute, ENTRIES, PROJECT / WITNESSES)
    assert found["way"] == row["way"]
    if row["way"] == "verify":
        assert {name: found[name] for name in ("outcome", "point", "points")} == {
            name: row[name] for name in ("outcome", "point", "points")
        }
    assert (found["verify"]["outcome"] == "HOLDS") is (row["way"] != "verify")
    assert load(ENTRIES[row["claim"]]).expect == row["outcome"]
    assert [(twin["claim"], twin["outcome"], twin["limit"]) for twin in found["repaired"]] == [
        (twin["claim"], twin["outcome"], twin["limit"]) for twin in row["repaired"]
    ]
