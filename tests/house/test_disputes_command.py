"""The command ``disputes``: what it prints and keeps, its exit codes, what it refuses, and the page of a project."""

import json
import subprocess

import pytest
from answered import told
from disputing import DISPUTE, disputing, project, table

from theorytools.claims.judging import finds, finds_record


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(finds, "SECONDS", 0.1)


def test_rows_are_told_kept_and_recorded(cli, tmp_path, monkeypatch):
    project(tmp_path, "beside", "slow")
    answer = cli("disputes")
    assert answer.code == 0
    said = " ".join(answer.out.split())
    assert "doubt.beside by verify alone: REFUTED at N=6 (" in said
    assert "doubt.slow by falsify: REFUTED at N=6 (" in said
    assert "doubt.slow.repaired: HOLDS" in said
    assert said.endswith("1 by verify alone, 1 by falsify, 0 only by a brought witness, 0 not found")
    assert not (tmp_path / "reports").exists()
    monkeypatch.setattr(finds_record, "find", None)  # nothing is searched again
    again = cli("disputes", "--record", "--allow-dirty")
    assert "wrote " in again.out
    data = json.loads((tmp_path / "reports" / "finds.json").read_text(encoding="utf-8"))
    assert [row["way"] for row in data["disputes"]] == ["verify", "falsify"]
    assert data["made"]["dirty"] is True
    one = cli("disputes", "beside", "--json")
    assert told(one.out, 0)["schema"] == "theorytools.disputes/1"
    assert [row["claim"] for row in one.json["disputes"]] == ["doubt.beside"]
    assert (one.json["exit"], one.json["errors"], one.json["record"]) == (0, {}, None)


def test_a_run_that_is_cut_off_keeps_its_rows(cli, tmp_path, monkeypatch):
    project(tmp_path, "beside", "slow")
    real, asked = finds_record.find, []

    def cut(dispute, *rest):
        asked.append(dispute.claim)
        if dispute.claim == "doubt.slow" and len(asked) == 2:
            raise KeyboardInterrupt
        return real(dispute, *rest)

    monkeypatch.setattr(finds_record, "find", cut)
    answer = cli("disputes", "--record", "--allow-dirty")
    assert answer.code == 130
    assert "1 of 2 found" in answer.err
    assert not (tmp_path / "reports").exists()
    assert cli("disputes").code == 0
    assert asked == ["doubt.beside", "doubt.slow", "doubt.slow"]


def test_exit_codes_say_what_is_wrong(cli, tmp_path):
    home = project(tmp_path, "needle") / "doubt"
    missed = cli("disputes")
    assert missed.code == 3
    assert "doubt.needle not found" in missed.out
    text = (home / "needle.py").read_text(encoding="utf-8")
    (home / "needle.py").write_text(text.replace("lambda n: 0", "lambda n: 1"), encoding="utf-8")
    assert cli("disputes").code == 1  # the twin does not hold
    project(tmp_path, "beside", "inside")
    wrong = cli("disputes", "--record", "--allow-dirty")
    assert wrong.code == 4
    assert "whose grid contains its failing point N=3" in wrong.err
    assert "left as it is: 1 could not be judged" in wrong.out
    assert not (tmp_path / "reports").exists()
    (home / "disputes.toml").write_text(table("dispute", {**DISPUTE, "claim": '"besid"'}), encoding="utf-8")
    misspelt = cli("disputes")
    assert misspelt.code == 4
    assert "did you mean beside" in misspelt.err


@pytest.mark.parametrize(
    ("words", "said"),
    [(("beside", "--record"), "--record alone"), (("--record",), "from no repository"),
     (("besid",), "did you mean"), (("beside.repaired",), "one of doubt.beside")],
)  # fmt: skip
def test_mistakes_are_told(cli, tmp_path, words, said):
    project(tmp_path, "beside")
    answer = cli("disputes", *words)
    assert answer.code == 2
    assert said in answer.err


def test_a_project_without_disputes_is_told_where_they_would_stand(cli, tmp_path):
    home = project(tmp_path, "beside") / "doubt"
    (home / "disputes.toml").unlink()
    answer = cli("disputes")
    assert answer.code == 2
    assert "checks/<paper>/disputes.toml" in answer.err


def git(folder, *words):
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=n@example.org", *words], cwd=folder, check=True)


def test_a_record_is_of_a_commit(cli, tmp_path):
    root = project(tmp_path, "slow")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "checks")
    git(tmp_path, "commit", "-qm", "a")
    (tmp_path / "notes.txt").write_text("no check\n", encoding="utf-8")
    assert cli("disputes", "--record").code == 0
    path = tmp_path / "reports" / "finds.json"
    assert json.loads(path.read_text(encoding="utf-8"))["made"]["dirty"] is False
    assert cli("disputes", "--record").code == 0  # its own record does not make a tree dirty
    before = path.read_text(encoding="utf-8")
    for place in (root / "doubt" / "_new.py", tmp_path / "witnesses" / "doubt.slow.json"):
        place.parent.mkdir(exist_ok=True)
        place.write_text("{}\n", encoding="utf-8")
        answer = cli("disputes", "--record")
        assert answer.code == 2
        assert "from files that differ from the commit" in answer.err
        place.unlink()
    assert path.read_text(encoding="utf-8") == before


def test_the_site_of_a_project_has_the_page_and_so_has_one_whose_examples_dispute(cli, tmp_path):
    project(tmp_path, "beside")
    example = project(tmp_path / "examples" / "one", "slow", text=disputing("slow", statement='"In an example."'))
    assert cli("verify", "doubt.beside.repaired", "-j", "1").code == 0

    def page():
        return (tmp_path / "site" / "finds.html").read_text(encoding="utf-8")

    assert '<a href="finds.html">' in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert page().count("not recorded yet") == 2
    assert cli("disputes", "--checks", example, "--record", "--allow-dirty").code == 0
    assert cli("verify", "doubt.beside.repaired", "-j", "1").code == 0
    assert page().count("not recorded yet") == 1  # the record of an example is looked at, too
    assert "with uncommitted changes" in page()
    for place in (tmp_path / "checks" / "doubt" / "disputes.toml", example / "doubt" / "disputes.toml"):
        place.unlink()
    assert cli("verify", "doubt.beside.repaired", "-j", "1").code == 0
    assert not (tmp_path / "site" / "finds.html").exists()
    assert "finds.html" not in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
