"""The file of disputed statements: what it says is read, and what is wrong in it is refused at its line."""

import datetime

import pytest
from disputing import DISPUTE, UNSAID, disputing, project, table

from theorytools.claims.papers.disputes import read_disputes
from theorytools.errors import CheckError


def written(tmp_path, text):
    return read_disputes(project(tmp_path, "beside", "rival", text=text) / "doubt")


def test_a_file_is_read_in_its_order(tmp_path):
    told = written(tmp_path, "\n".join([disputing("rival.grows"), disputing("beside"), table("unsaid", UNSAID)]))
    assert [one.claim for one in told.disputes] == ["doubt.rival.grows", "doubt.beside"]
    first = told.disputes[0]
    assert first.repaired == ("doubt.rival.repaired",)
    assert (first.read, first.read_as, first.grid, first.floats) == (
        datetime.date(2026, 11, 26),
        "stored copy",
        "before",
        "",
    )
    assert [one.reason for one in told.unsaid] == ["no letter is <a> function"]


def test_a_paper_without_the_file_disputes_nothing(tmp_path):
    root = project(tmp_path, "beside")
    (root / "doubt" / "disputes.toml").unlink()
    assert read_disputes(root / "doubt") is None


def test_ids_may_be_whole_and_floats_names_a_claim(tmp_path):
    told = written(tmp_path, table("dispute", {**DISPUTE, "claim": '"doubt.beside"', "floats": '"beside.repaired"'}))
    assert told.disputes[0].claim == "doubt.beside"
    assert told.disputes[0].floats == "doubt.beside.repaired"


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("claim", '"besides"', "did you mean beside"),
        ("claim", None, "one line of text"),
        ("repaired", '["beside.repared"]', "did you mean beside.repaired"),
        ("repaired", "[]", "the twins that hold"),
        ("repaired", '"beside.repaired"', "the twins that hold"),
        ("repaired", '["beside"]', "other claims than the disputed one"),
        ("repaired", '["beside.repaired", "beside.repaired"]', "each once"),
        ("floats", '"beside.doubles"', "a claim of this folder"),
        ("statement", '"  "', "one line of text"),
        ("statement", '"one\\ntwo"', "one line of text"),
        ("by", None, "one line of text"),
        ("address", '"example.org"', "begins with https://"),
        ("address", '"javascript:alert(1)"', "begins with https://"),
        ("read", '"2026-11-26"', "without quotation marks"),
        ("read", "2026-11-26T12:00:00", "without quotation marks"),
        ("read", "9999-01-01", "a day until today"),
        ("as", '"stored"', "did you mean stored copy"),
        ("as", '"vanished"', "a quotation"),
        ("grid", '"befor"', "did you mean before"),
        ("finding", "3", "one line of text"),
        ("repair", '"prof"', '"proof" or "source: …"'),
        ("repair", '"source: "', '"proof" or "source: …"'),
        ("satement", '"x"', "did you mean statement"),
    ],
)
def test_what_a_dispute_says_wrongly_is_refused_at_its_line(tmp_path, field, value, said):
    text = "# a comment\n" + table("dispute", {**DISPUTE, field: value})
    with pytest.raises(CheckError) as refused:
        written(tmp_path, text)
    keys = [line.split(" =")[0] for line in text.splitlines()]
    field = "statement" if value == '"vanished"' else field
    line = keys.index(field) + 1 if field in keys else 2  # of a key that is missing it is that of the heading
    assert f"disputes.toml, line {line}: {field} = " in str(refused.value)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [("reason", None, "one line of text"), ("reason", '""', "looks forgotten"), ("grid", '"before"', "only statement"),
     ("read", "9999-01-01", "nobody has read it then"), ("as", '"vanished"', "a quotation")],
)  # fmt: skip
def test_a_statement_that_is_not_said_needs_a_reason_and_a_source(tmp_path, field, value, said):
    with pytest.raises(CheckError, match=said):
        written(tmp_path, disputing("beside") + table("unsaid", {**UNSAID, field: value}))


@pytest.mark.parametrize("quoted", ["'It says \"at most N items\".'", '"It says “at most N items”."'])
def test_a_vanished_source_is_quoted(tmp_path, quoted):
    text = table("dispute", {**DISPUTE, "as": '"vanished"', "statement": quoted})
    assert written(tmp_path, text).disputes[0].read_as == "vanished"


@pytest.mark.parametrize(
    ("text", "said"),
    [("[[disputed]]\nclaim = 1\n", "did you mean dispute"), ("[dispute]\nclaim = 1\n", "tables \\[\\[dispute"),
     ("dispute = 3\n", "tables \\[\\[dispute"), ("[[dispute]\n", "a TOML file")],
)  # fmt: skip
def test_another_file_is_refused(tmp_path, text, said):
    with pytest.raises(CheckError, match=said):
        written(tmp_path, text)


def test_one_claim_is_disputed_once(tmp_path):
    with pytest.raises(CheckError, match="no other table disputes"):
        written(tmp_path, disputing("beside") + disputing("beside"))


def test_a_claim_of_a_file_that_cannot_be_read_may_be_meant(tmp_path):
    root = project(tmp_path, "beside")
    (root / "doubt" / "beside.py").write_text("claim = Claim((\n", encoding="utf-8")
    assert read_disputes(root / "doubt").disputes[0].repaired == ("doubt.beside.repaired",)
