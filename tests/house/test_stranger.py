"""A stranger's project: a folder of its own with one check, and only what is installed."""

import json
import subprocess
import sys

import pytest
from checkfolders import edited, write

from theorytools import verify
from theorytools.cli.new import new_check


def ran(folder, *arguments):
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_check_of_ones_own_is_collected_judged_and_reported(tmp_path):
    write(tmp_path, "holds", "refuted", paper="mine")
    (tmp_path / "test_mine.py").write_text("def test_mine():\n    pass\n", encoding="utf-8")
    collected = ran(tmp_path, "pytest", "-q", "-p", "no:cacheprovider", "-rA")
    assert collected.returncode == 1
    for line in (
        "PASSED checks/mine/holds.py::mine.holds",
        "PASSED test_mine.py",
        "mine.refuted (Lemma refuted): REFUTED",
    ):
        assert line in collected.stdout
    verified = ran(tmp_path, "theorytools", "verify", "mine.holds", "--report", "out", "--json")
    assert verified.returncode == 0, verified.stderr
    (verdict,) = json.loads(verified.stdout)["verdicts"]
    assert (verdict["outcome"], verdict["evidence"], verdict["power"]) == ("HOLDS", "EXACT", 1.01)
    assert verdict["source"]["file"] == "checks/mine/holds.py"
    assert json.loads((tmp_path / "out" / "verdicts" / "mine.holds.json").read_text()) == verdict
    page = (tmp_path / "out" / "claims.html").read_text(encoding="utf-8")
    assert "mine.holds" in page
    assert "qstr" not in page  # nothing of the checks that come with the library


def test_a_new_check_runs_once_it_is_ones_own(cli, tmp_path, monkeypatch):
    assert "judge it: theorytools verify mine.lemma_07" in cli("new", "mine", "lemma_07").out
    stub = cli("verify", "mine.lemma_07")
    assert (stub.code, "lemma_07.py, line 1: 'replace it by your statement'" in stub.err) == (4, True)
    assert "HOLDS" not in stub.out
    edited(tmp_path / "checks" / "mine" / "lemma_07.py")
    answer = cli("verify", "mine.lemma_07")
    assert (answer.code, "Lemma 7" in answer.out) == (0, True)
    assert cli("new", "mine", "theorem_2_upper").code == 0
    edited(tmp_path / "checks" / "mine" / "theorem_2_upper.py")
    (tmp_path / "deeper").mkdir()
    monkeypatch.chdir(tmp_path / "deeper")
    answer = cli("verify")  # finds the checks above it
    assert answer.code == 0
    for text in ("2 of 2 as expected", "Theorem 2 Upper"):
        assert text in answer.out
    assert (tmp_path / "deeper" / "site" / "index.html").is_file()


def test_a_new_check_fits_into_a_paper_that_exists(tmp_path):
    checks = write(tmp_path, "holds")
    folder = checks / "tiny"
    toml = folder / "paper.toml"
    later = '\n[[statement]]\nid = "lemma_2"\nours = "a lemma"\nopen = "later"\n'
    toml.write_text(toml.read_text() + later, encoding="utf-8")
    notation = (folder / "notation.py").read_text().replace("N = letter", "M = letter")  # a paper without the letter N
    (folder / "notation.py").write_text(notation, encoding="utf-8")
    assert new_check("tiny", "lemma_2", checks) == 0
    edited(folder / "lemma_2.py")
    assert "open" not in toml.read_text()
    assert toml.read_text().count('id = "lemma_2"') == 1
    assert (folder / "notation.py").read_text() == notation
    assert verify("tiny.lemma_2", checks=checks).outcome == "HOLDS"


@pytest.mark.slow
def test_ones_own_checks_join_the_librarys(cli, tmp_path):
    assert cli("new", "mine", "lemma_07").code == 0
    edited(tmp_path / "checks" / "mine" / "lemma_07.py")
    listed = cli("list").out
    for text in ("mine.lemma_07", "qstr.lemma_11", "1 of 1 statements have checks"):
        assert text in listed
    assert {paper["key"] for paper in cli("list", "--json").json["papers"]} >= {"mine", "qstr", "sep", "stsq"}
    assert len(cli("list", "--json").json["checks"]) == 2
    both = cli("verify", "mine.lemma_07", "qstr.lemma_11", "--json").json["verdicts"]
    assert [(v["id"], v["outcome"]) for v in both] == [("mine.lemma_07", "HOLDS"), ("qstr.lemma_11", "HOLDS")]
    assert [v["id"] for v in cli("verify", "--json").json["verdicts"]] == ["mine.lemma_07"]  # no id: one's own
    assert "qstr.lemma_11" in cli("show", "qstr.lemma_11").out
    assert cli("falsify", "qstr.lemma_11", "--seconds", "0.2").code == 0
    assert verify("qstr.lemma_11", N=256).outcome == verify("mine.lemma_07", N=3).outcome == "HOLDS"
    (tmp_path / "away").mkdir()
    assert cli("verify", "qstr.lemma_11", "--checks", tmp_path / "checks", "--json").code == 0


def test_a_paper_with_the_key_of_one_of_the_librarys_is_refused(cli, tmp_path):
    answer = cli("new", "qstr", "lemma_12", "--checks", tmp_path / "elsewhere")
    assert (answer.code, "the key of a paper that comes with the library" in answer.err) == (2, True)
    assert not (tmp_path / "elsewhere").exists()
    write(tmp_path, "holds", paper="qstr")  # by hand
    for command in (["list"], ["verify", "qstr.holds"], ["show", "qstr.lemma_11"], ["doctor"]):
        answer = cli(*command)
        assert answer.code in (2, 4)
        assert "the paper 'qstr' in" in answer.err + answer.out


def test_a_new_lemma_imports_and_names_the_ones_it_uses(cli, tmp_path):
    assert cli("new", "mine", "lemma_1").code == 0
    edited(tmp_path / "checks" / "mine" / "lemma_1.py")
    assert cli("new", "mine", "lemma_2", "--uses", "qstr.lemma_11", "--uses", "mine.lemma_1").code == 0
    text = edited(tmp_path / "checks" / "mine" / "lemma_2.py").read_text(encoding="utf-8")
    assert "from ..qstr.lemma_11.lemma_11 import claim as qstr_lemma_11" in text
    assert "from .lemma_1 import claim as mine_lemma_1" in text
    verified = cli("verify", "mine.lemma_2", "--json")
    assert verified.code == 0, verified.err
    assert verified.json["verdicts"][0]["uses"] == ["qstr.lemma_11", "mine.lemma_1"]
    shown = cli("show", "mine.lemma_2").out
    assert "uses        qstr.lemma_11\nuses        mine.lemma_1" in shown
    assert "uses" not in cli("show", "mine.lemma_1", "--json").json["claims"][0]
    verdict = verify("mine.lemma_2", N=5)
    assert (verdict.outcome, verdict.document["uses"]) == ("HOLDS", ["qstr.lemma_11", "mine.lemma_1"])
    assert cli("new", "mine", "lemma_3", "--uses", "qstr.lema_11").code == 2
    assert ran(tmp_path, "pytest", "-q", "-p", "no:cacheprovider").returncode == 0


def test_the_template_of_a_paper_without_the_letter_n_imports_what_it_uses(cli, tmp_path):
    folder = tmp_path / "checks" / "mine"
    folder.mkdir(parents=True)
    (folder / "notation.py").write_text("", encoding="utf-8")
    assert cli("new", "mine", "lemma_2", "--uses", "qstr.lemma_11").code == 0
    edited(folder / "lemma_2.py")
    assert cli("verify", "mine.lemma_2").code == 0
