"""One text for each claim: above a claim that fails stands what fails, never what holds beside it."""

import json

import pytest
from checkfolders import write
from report_parts import rational, row
from source_tree import ROOT

from theorytools.reporting import words
from theorytools.reporting.claim_text import formulas_in_words, owner_of, text_of_claim
from theorytools.reporting.plain_text import state_text

READING = """reading = Claim(
    "Lemma @, read with one item less", asserts=[size <= N - 1], expect="REFUTED", requires=[N >= 2],
    grid=grid(N=[2, 3]), construct=construct, measure=measure, role="pitfall", scope={"every N": "points"},
    source="derived here: Lemma 1", note="A reading of $N-1$.",
    controls=[Control("all items", asserts=[size <= N])],
)
"""
SPOKEN = READING.replace("reading = ", "spoken = ").replace('note="', 'statement="Fewer than $N$ differ.", note="')


def _file(tmp_path, *claims):
    write(tmp_path, "holds")
    path = tmp_path / "checks" / "tiny" / "holds.py"
    path.write_text(path.read_text("utf-8") + "\n" + "\n".join(claims).replace("@", "holds"), "utf-8")


def test_a_claim_that_the_docstring_is_not_about_is_shown_by_its_own_sentence_or_its_formulas(cli, tmp_path):
    _file(tmp_path, READING, SPOKEN)
    right, reading, spoken = cli("show", "tiny.holds", "--json").json["claims"]
    assert (right["docstring_of"], reading["docstring_of"]) == ("tiny.holds", "tiny.holds")
    assert dict(right["text"]["sections"])["Statement"] == r"$|x| \le N$."
    assert reading["text"]["summary"] == "A reading of $N-1$."
    said = dict(reading["text"]["sections"])
    assert said["Statement"].startswith(r"For every N (these points), if $N \geq 2$")
    assert "N - 1" in said["Statement"]
    assert said["Setting"] == "A family of $N$ items."
    assert dict(spoken["text"]["sections"])["Statement"] == "Fewer than $N$ differ."
    shown = cli("show", "tiny.holds.reading").out
    assert "Among N items at most N differ" not in shown
    assert "tiny.holds, which the docstring of the same file is about" in " ".join(shown.split())
    assert "Among N items at most N differ" in cli("show", "tiny.holds").out


def test_no_right_sentence_stands_above_a_refuted_one_on_a_page(cli, tmp_path):
    _file(tmp_path, READING)
    assert cli("verify").code == 0
    page = (tmp_path / "site" / "tiny" / "holds.html").read_text("utf-8")
    section = page.split('id="tiny.holds.reading"')[1].split("</section>")[0]
    assert "read with one item less: A reading of" in section
    assert "at most" not in section.split("badge refuted")[0]
    assert 'href="#tiny.holds"' in section


def test_of_the_committed_claims_none_that_fails_has_the_text_of_one_that_holds():
    """For every refuted claim of the papers that shares its file, from the record alone."""
    ids = [line["id"] for key in ("qstr", "sep", "stsq")
           for line in json.loads((ROOT / "reports" / f"{key}.json").read_text("utf-8"))["claims"]]  # fmt: skip
    named = [id for id in ids if id.count(".") == 2]
    assert len(named) > 100
    assert [id for id in named if owner_of(id, ids) != id.rpartition(".")[0]] == []
    assert [id for id in ids if id.count(".") == 1 and owner_of(id, ids) != id] == []


@pytest.mark.parametrize(("truth", "said"), [(True, "vacuous"), (False, "outside its range"), (None, "vacuous")])
def test_a_row_that_fails_is_never_called_vacuous(truth, said):
    one = {**row({"N": 2}, rational(2), rational(1), truth=truth), "vacuous": True}
    assert words.marks(one) == [said]
    assert state_text(one).endswith(said)


def test_what_says_nothing_is_said_to_say_nothing():
    assert formulas_in_words({}) == "Nothing is asserted."
    assert text_of_claim({}, None) == {"summary": "", "sections": [], "formal": False}
    bare = text_of_claim({"assertions": [{"name": "x <= 1"}]}, {})
    assert (bare["formal"], bare["sections"]) == (True, [["Statement", "X <= 1."]])
