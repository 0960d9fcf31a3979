"""The templates of ``new``: none is a verdict as it is; edited, each comes out as expected and its control fails."""

import re

import pytest
from checkfolders import edited

from theorytools.claims.judging.unfinished import PLACEHOLDERS


@pytest.mark.parametrize("template", ["exact", "enclosed", "sampled"])
def test_a_template_runs_once_it_is_edited(cli, template, tmp_path):
    assert cli("new", "mine", "lemma_1", "--template", template).code == 0
    path = tmp_path / "checks" / "mine" / "lemma_1.py"
    summary, _, sections = path.read_text(encoding="utf-8").partition("Setting")
    for part in (summary, sections.partition("Witness")[0]):  # an edited title does not make it a statement
        assert any(sentence in part for sentence in PLACEHOLDERS)
    assert cli("verify", "mine.lemma_1", "--no-report").code == 4
    edited(path)
    done = cli("verify", "mine.lemma_1", "--no-report")
    assert done.code == 0, done.out
    assert re.search(rf"^mine.lemma_1  HOLDS at .*  {template}$", done.out, re.MULTILINE)
    assert "1/1" in done.out


def test_a_template_makes_its_own_letter_where_the_paper_has_none(cli, tmp_path):
    assert cli("new", "mine", "lemma_1").code == 0
    (tmp_path / "checks/mine/notation.py").write_text("from theorytools import letter\n\nq = letter('q', 'heads')\n")
    (tmp_path / "checks/mine/lemma_1.py").unlink()
    assert cli("new", "mine", "lemma_2", "--template", "enclosed").code == 0
    edited(tmp_path / "checks" / "mine" / "lemma_2.py")
    assert cli("verify", "mine.lemma_2", "--no-report").code == 0


def test_the_fitted_template_trains_and_then_runs_once_it_is_edited(cli, tmp_path):
    made = cli("new", "mine", "lemma_1", "--template", "fitted")
    assert made.code == 0
    stub = cli("verify", "mine.lemma_1", "--no-report")
    assert (stub.code, "a stub" in stub.err) == (4, True)
    edited(tmp_path / "checks" / "mine" / "lemma_1.py")
    assert "theorytools sweep lemma_1 --profile published --record" in made.out
    before = cli("verify", "mine.lemma_1", "--no-report")
    assert before.code != 0
    assert "sweep lemma_1" in before.out + before.err  # what is to be run first
    trained = cli("sweep", "lemma_1", "--profile", "published", "--record", "--allow-dirty")
    assert trained.code == 0, trained.err
    done = cli("verify", "mine.lemma_1", "--no-report")
    assert done.code == 0, done.out
    assert re.search(r"^mine.lemma_1  HOLDS at .*  fitted$", done.out, re.MULTILINE)
    assert "1/1" in done.out


def test_a_template_that_there_is_not_is_refused(cli, tmp_path):
    done = cli("new", "mine", "lemma_1", "--template", "fited")
    assert done.code == 2
    assert "--template fitted" in done.err
    assert not (tmp_path / "checks").exists()
