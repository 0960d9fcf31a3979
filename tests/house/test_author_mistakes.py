"""What an author is told of a mistake: the line, what stands there, and what to write."""

import pytest
from author_mistakes import BOUND, CHECK, MISTAKES, NOTATION, PAPER, RETURN
from typer.testing import CliRunner

from theorytools import verify
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.papers.catalogue import Catalogue, library_root
from theorytools.cli.answers import failure
from theorytools.cli.app import app
from theorytools.errors import CheckError, DomainError
from theorytools.mistakes.door import explained, explained_text, explaining
from theorytools.mistakes.slips import slips

MENDED = next(one for one in MISTAKES if one.name == "a misspelt keyword")


def written(folder, text):
    """The claim of a check in a new folder of checks."""
    paper = folder / "checks" / "p"
    paper.mkdir(parents=True)
    for name, what in (("lemma_1.py", text), ("notation.py", NOTATION), ("paper.toml", PAPER)):
        (paper / name).write_text(what, encoding="utf-8")
    return Catalogue(paper.parent).entries[0]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.name)
def test_the_message_names_the_line_and_says_what_to_write(mistake, tmp_path):
    entry = written(tmp_path, mistake.text)
    with pytest.raises(CheckError) as caught:
        judge_entry(entry, search=False)
    told = str(explained(entry, caught.value))
    assert told.startswith(f"given:    lemma_1.py, line {mistake.line}: "), told
    assert [text for text in mistake.says if text not in told] == [], told
    assert "mend that line" not in told, told
    assert told == explained_text(entry, str(caught.value))  # which a process that judges hands on as a text
    assert explained_text(entry, told) == told


def test_the_correct_check_has_none(tmp_path):
    assert judge_entry(written(tmp_path, CHECK), search=False).outcome == "HOLDS"


def test_every_command_says_it_in_the_same_words(tmp_path, monkeypatch):
    entry = written(tmp_path, MENDED.text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CheckError) as caught, explaining(entry):
        judge_entry(entry)
    told = str(caught.value)
    once = (["falsify", "p.lemma_1"], ["show", "p.lemma_1"], ["grade", "p.lemma_1"], ["reseed", "p.lemma_1"])
    for words in (["verify", "p.lemma_1", "--no-report"], ["certificates", "p.lemma_1"], *once):
        done = CliRunner().invoke(app, words)
        assert told in done.output + done.stderr + str(done.exception), words


def test_what_is_no_mistake_of_this_file_stays_as_it_is(tmp_path):
    entry = written(tmp_path, CHECK)
    for error in (
        DomainError("N = 0", required="N >= 1"), CheckError("notation.py, line 3: d", required="a letter"),
        CheckError("a text without a line"),
    ):  # fmt: skip
        assert explained(entry, error) is error
    assert explained_text(entry, "died") == "died"
    assert explained(written(tmp_path / "other", "claim = Claim(\n"), CheckError("x")).given == "x"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (BOUND, "total <= Rational(1.1) + log(N)", "Rational('1.1')"),
        (BOUND, "total <= 2 + Rational(1/3)", "Rational(1, 3)"),
        (BOUND, "total <= 1 + 1 // 2 + log(N)", "Rational(1, 2) is the quotient"),
        (RETURN, "return {total: Fraction(0.1)}", "Fraction('0.1')"),
        ('r"""Sums', '"""Sums', 'begin it with r"""'),
        (CHECK[: CHECK.index("from fractions")], "", "no docstring"),
    ],
)
def test_a_slip_that_python_accepts_is_noted(old, new, says, tmp_path, monkeypatch):
    (note,) = slips(written(tmp_path, CHECK.replace(old, new)))
    line = CHECK.replace(old, new)[: CHECK.replace(old, new).index(new)].count("\n") + 1
    assert note.startswith(f"lemma_1.py, line {line}: ")
    assert says in note


def test_no_check_of_the_library_has_a_slip():
    files = {entry.path: entry for entry in Catalogue(library_root()).entries}
    assert [text for entry in files.values() for text in slips(entry)] == []


def test_verify_notes_slips_beside_its_answer(tmp_path, monkeypatch):
    written(tmp_path, CHECK.replace(BOUND, "total <= 1 // 2 + 1 + log(M)"))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["verify", "p.lemma_1", "--no-report"])
    assert done.stderr.startswith("note: lemma_1.py, line 30: 1 // 2 is rounded down")


def said(*words):
    """What a command says of its failure."""
    done = CliRunner().invoke(app, words)
    return failure(done.exception)[1] if isinstance(done.exception, Exception) else done.stderr


def test_a_file_that_is_there_and_not_listed_is_told_why(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entry = written(tmp_path, CHECK)
    for name, text, told in (
        (
            "notation.py",
            'from theorytools import letter\nN = letter("N")\n',
            "given:    notation.py, line 2: N = letter(",
        ),
        ("notation.py", None, "there is no notation.py in p/"),
        ("lemma_1.py", CHECK.replace("claim = Claim(", "claim = dict("), "lemma_1.py, which makes no claim"),
        ("paper.toml", None, "checks/p/lemma_1.py, and no checks/p/paper.toml"),
    ):
        (entry.folder / name).write_text(text, encoding="utf-8") if text else (entry.folder / name).unlink()
        assert told in said("verify", "p.lemma_1", "--no-report")
        if told.endswith("makes no claim"):
            assert "which hold no claim" in said("verify", "--no-report")
    assert "did you mean" in said("verify", "qstr.lemma_999", "--no-report")


def test_a_program_is_told_the_same(tmp_path):
    entry = written(tmp_path, MENDED.text)
    with pytest.raises(CheckError, match="try:      requires="):
        verify("p.lemma_1", checks=entry.root)
    entry.path.write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(DomainError, match="makes no claim"):
        verify("p.lemma_1", checks=entry.root)
    entry.path.write_text(CHECK, encoding="utf-8")
    with pytest.raises(DomainError, match=r"did you mean p\.lemma_1"):
        verify("p.lemma_2", checks=entry.root)
