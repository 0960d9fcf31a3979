"""Names that ``theorytools new`` does not take, each with the command that would be taken."""

import pytest
from typer.testing import CliRunner

from theorytools.cli.app import app


def said(*words):
    """The exit code of ``new`` and what it says."""
    done = CliRunner().invoke(app, ["new", *words])
    return done.exit_code, str(done.exception) if done.exception else done.output


@pytest.mark.parametrize(
    ("words", "mended"),
    [
        (("my-paper", "Lemma 1"), ("my_paper", "lemma_1")),
        (("class", "3"), ("paper_class", "statement_3")),
        (("../x", "lemma_1.sharp"), ("x", "lemma_1_sharp")),
        (("arxiv:2503.11272", "notation"), ("arxiv_2503_11272", "statement_notation")),
        (("mypaper.lemma_2",), ("mypaper", "lemma_2")),
    ],
)
def test_a_name_that_is_not_taken_is_told_with_one_that_is(words, mended, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert f"theorytools new {' '.join(mended)}" in said(*words)[1]
    assert list(tmp_path.iterdir()) == []
    code, text = said(*mended)
    assert code == 0
    assert text.index(f"theorytools falsify {'.'.join(mended)}") < text.index("theorytools verify")


def test_what_is_there_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said("mine", "lemma_1")
    file = tmp_path / "checks" / "mine" / "lemma_1.py"
    file.write_text("x = 1\n", encoding="utf-8")
    assert "theorytools verify mine.lemma_1, or new mine lemma_1_2" in said("mine", "lemma_1")[1]
    assert file.read_text(encoding="utf-8") == "x = 1\n"
    assert said("mine", "lemma_1_2")[0] == 0
    (tmp_path / "checks" / "full").write_text("", encoding="utf-8")
    assert "the folder checks/full" in said("full", "lemma_1")[1]
    assert "a key of your own" in said("qstr", "lemma_99")[1]
