"""A stranger's project: a statement and a sweep of its own, listed, planned, trained, recorded, judged and reported."""

import json

import pytest
from checkfolders import edited

from theorytools.errors import CheckError
from theorytools.training.sweep import load_sweep


@pytest.fixture
def project(cli, tmp_path):
    assert "train first: theorytools sweep growth" in cli("new", "mine", "experiments", "--sweep", "growth").out
    edited(tmp_path / "checks" / "mine" / "experiments.py")
    return tmp_path / "checks" / "mine"


def test_a_sweep_of_ones_own_is_listed_trained_recorded_judged_and_reported(cli, project, tmp_path):
    assert [row["paper"] for row in cli("sweep", "--json").json["sweeps"]] == ["mine"]  # one's own only
    planned = cli("sweep", "mine.growth", "--plan")
    assert (planned.code, "at most 3 N" in planned.out) == (0, True)
    unread = cli("verify", "mine.experiments")  # no record yet: undecided, with the command that makes one
    assert (unread.code, "theorytools sweep growth --profile published" in unread.out) == (3, True)
    done = cli("sweep", "growth", "--profile", "published", "--executor", "processes:2", "--record", "--allow-dirty")
    assert (done.code, "30 done" in done.out) == (0, True)
    record = project / "records" / "sweeps" / "growth.corrected.json"
    assert len(json.loads(record.read_text(encoding="utf-8"))["trials"]) == 30
    assert cli("verify", "mine.experiments").code == 0
    page = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "site").glob("*.html"))
    for text in ("Do the steps grow no faster", "growth", "first loss"):
        assert text in page
    again = cli("sweep", "growth", "--profile", "published")
    assert "30 of 30 trials were there, 0 done" in again.out


def test_the_librarys_sweeps_are_found_by_name_from_there(cli, project):
    assert "Feedforward networks on a fixed training set" in cli("sweep", "span", "--plan").out


def test_a_sweep_that_changes_makes_its_record_stale(cli, project):
    cli("sweep", "growth", "--profile", "published", "--record", "--allow-dirty")
    file = project / "sweeps" / "growth.py"
    file.write_text(file.read_text(encoding="utf-8").replace("(4, 8, 16)", "(4, 8, 32)"), encoding="utf-8")
    answer = cli("verify", "mine.experiments")
    assert answer.code != 0
    assert "STALE" in answer.out + answer.err


def test_a_file_of_sweeps_without_one_says_what_it_should_hold(project):
    (project / "sweeps" / "empty.py").write_text("cells = None\n", encoding="utf-8")
    with pytest.raises(CheckError, match=r"sweep = Sweep\(\.\.\.\)"):
        load_sweep(project / "sweeps" / "empty.py")


def test_a_sweep_of_that_name_is_left_alone(cli, project):
    answer = cli("new", "mine", "lemma_2", "--sweep", "growth")
    assert (answer.code, "growth.py" in answer.err) == (2, True)
    assert cli("new", "mine", "lemma_2", "--sweep", "Growth").code == 2
    assert not (project / "lemma_2.py").exists()
