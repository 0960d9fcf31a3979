"""Committed numbers: accepted, compared again, and a changed one is named although the outcome stays."""

import json

import pytest
from checkfolders import write

from theorytools.claims.papers.catalogue import Catalogue
from theorytools.cli.golden import changed


@pytest.fixture
def project(cli, tmp_path):
    checks = write(tmp_path, "holds", "sampled")
    assert cli("verify", "--accept").code == 0
    return checks


def test_what_was_accepted_is_equal_when_judged_again(cli, project, tmp_path):
    assert (tmp_path / "reports" / "tiny.json").is_file()
    again = cli("verify", "--fresh")
    assert "committed record" not in again.out
    assert cli("verify", "--fresh", "--json").json["changed"] == []


def test_a_number_that_changed_is_named_although_the_outcome_did_not(cli, project, tmp_path):
    path = tmp_path / "reports" / "tiny.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    claim = next(c for c in data["claims"] if c["id"] == "tiny.holds")
    measured, bound = claim["rows"][0][4:]
    claim["rows"][0][4:] = ["123/7", measured if bound == "=" else bound]  # what was measured at the first point
    path.write_text(json.dumps(data), encoding="utf-8")
    answer = cli("verify", "--fresh")
    assert answer.code == 0
    assert "1 number differs from the committed record (tiny.holds), outcomes equal" in " ".join(answer.out.split())
    change = cli("verify", "--fresh", "--json").json["changed"]
    assert [(c["id"], c["what"], c["a"]) for c in change] == [("tiny.holds", "measured", "123/7")]
    assert "--accept" in answer.out
    assert cli("verify", "--accept").code == 0
    assert "differs" not in cli("verify", "--fresh").out


def test_a_changed_outcome_is_said(cli, project, tmp_path):
    path = tmp_path / "reports" / "tiny.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"outcome":"HOLDS"', '"outcome":"UNDECIDED"', 1), "utf-8")
    assert "outcomes too: tiny.holds" in " ".join(cli("verify", "--fresh").out.split())


def test_a_check_that_changed_and_points_of_a_user_are_not_compared(cli, project, tmp_path):
    verdict = cli("verify", "tiny.holds", "--at", "N=77", "--json").json["verdicts"][0]
    catalogue = Catalogue([project])
    assert changed([verdict], catalogue) == []
    own = cli("verify", "tiny.holds", "--fresh", "--json").json["verdicts"][0]
    assert changed([own | {"rows": []}], catalogue) != []
    assert changed([own | {"rows": [], "source": own["source"] | {"sha256": "0"}}], catalogue) == []


@pytest.mark.parametrize("words", [["--at", "N=3"], ["--no-report"]])
def test_accepting_needs_the_whole_grid(cli, project, words):
    answer = cli("verify", "--accept", *words)
    assert (answer.code, "--accept" in answer.err) == (2, True)


def test_accepting_needs_a_verdict_of_every_claim(cli, tmp_path):
    write(tmp_path, "holds", "sampled")
    answer = cli("verify", "tiny.holds", "--accept")
    assert (answer.code, "without a verdict of tiny.sampled" in answer.err) == (2, True)
