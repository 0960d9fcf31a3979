"""``review``: ten questions of a referee, one command each; which statement is meant; how near to false; two clicks."""

import json
import re
from collections import deque
from pathlib import Path

import pytest
from checkfolders import write
from good_values import demo_index, demo_stored

from theorytools import review
from theorytools.claims.judging import run
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.cli.naming import named
from theorytools.errors import DomainError
from theorytools.reporting.folder import write_report
from theorytools.reporting.horizon import excluded_text, passed_text
from theorytools.reporting.review import PARTS, Line, Review

P8, L11, T6 = "Proposition 8", "lemma 11 of qstr", "2503.11272 Theorem 6"
QUESTIONS = [
    ("is Proposition 8 right as printed?", P8, "printed", "what is judged implies what is printed"),
    ("at which sizes does Lemma 11 hold?", L11, "verdict", "N = 64..1024"),
    ("by how much?", L11, "tightest", "A factor 1.000 at code = orthonormal, N = 64"),
    ("which statements of the paper fail?", "qstr", "claims", "qstr.proposition_08.operator_reading REFUTED"),
    ("what does the bound in Theorem 6 rest on?", T6, "rests_on", "The proof in the docstring, for every N, d, n"),
    ("is the rank in Theorem 6 needed?", T6, "hypotheses", "Needed: rank = Min(m_1, -copies + n) (violated at"),
    ("what was not checked?", T6, "not_checked", "of which only instances ran; beyond the grid"),
    ("how strong is the evidence?", P8, "verdict", "every number is enclosed, rounded outward"),
    ("what other bound would pass?", P8, "not_excluded", "a constant larger by a factor below"),
    ("how do I run it again at my N?", L11, "again", "theorytools verify qstr.lemma_11 --at N="),
    ("what is open?", "qstr", "not_checked", "Question (a), time is open"),
]


@pytest.fixture(scope="module")
def answered():
    """What the command says of the same words, asked for once; ten questions have four answers."""
    return {}


@pytest.mark.parametrize(("question", "words", "part", "said"), QUESTIONS)
def test_a_question_of_a_referee_is_answered_by_one_command_that_judges_nothing(
    cli, monkeypatch, answered, question, words, part, said
):
    def never(*_, **__):
        raise AssertionError(f"{question} was judged")

    monkeypatch.setattr(run, "judge_entry", never)
    if words not in answered:
        answer = cli("review", *words.split(), "--json")
        assert answer.code == 0
        answered[words] = answer.json
    page = answered[words]
    told = page["parts"].get(part) or [f"{one['id']} {one['outcome']}" for one in page["claims"]]
    assert said in " ".join(told)


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue(find_roots())


@pytest.mark.parametrize(
    ("words", "id"),
    [("qstr.lemma_11", "qstr.lemma_11"), ("lemma11", "qstr.lemma_11"), ("Lemma 11", "qstr.lemma_11"),
     ("lem. 11 of Mousavi-Hosseini", "qstr.lemma_11"), ("qstr.thm6", "qstr.theorem_06"),
     ("is Proposition 8 right as printed?", "qstr.proposition_08"), ("prop 8 of qstr", "qstr.proposition_08"),
     ("proposition 6", "qstr.proposition_08"), ("arXiv:2503.11272v2 theorem 6", "qstr.theorem_06"),
     ("lemma_11_norms.class_norm", "qstr.lemma_11_norms.class_norm"), ("question (a)", "qstr.question_a"),
     ("minimum-norm recurrent", "qstr.theorem_09"), ("2406.06893", "stsq"), ("sep", "sep")],
)  # fmt: skip
def test_a_statement_is_meant_by_its_id_its_number_in_any_version_or_its_words(catalogue, words, id):
    assert named(words.split(), catalogue).id == id


@pytest.mark.parametrize(
    ("words", "said"),
    [("lemma 2", "did you mean lemma_"), ("2406.06893 lemma 11", "no statement"), ("few heads", "they fit"),
     ("theorem 6 of nobody", "no statement"), ("zzz nowhere", "theorytools list")],
)  # fmt: skip
def test_what_no_statement_has_or_several_have_is_refused_with_the_candidates(cli, words, said):
    answer = cli("review", *words.split())
    assert (answer.code, answer.out, said in answer.err) == (2, "", True)
    if said == "they fit":
        assert "qstr.proposition_03 (" in answer.err


def test_a_claim_without_a_stored_verdict_is_judged_and_written_where_it_is_asked_for(cli, tmp_path):
    write(tmp_path, "holds")
    answer = cli("review", "lemma holds", "-o", "review.md")
    assert (answer.code, answer.out) == (0, "review.md\n")
    text = Path("review.md").read_text("utf-8")
    assert "**Verdict.** It holds at 2 points" in text
    assert "The verdict is judged now." in text
    assert not Path("site").exists()
    assert cli("review", "tiny.holds", "--output", "nowhere/review.md").code == 2
    assert str(review("tiny.holds", checks=tmp_path / "checks")) == text  # the same, as a notebook shows it
    assert review("tiny.holds", checks=tmp_path / "checks")._repr_markdown_() == text
    with pytest.raises(DomainError, match="an id, a number or words"):
        review("zzz", checks=tmp_path / "checks")


def test_a_review_fits_half_a_page_and_a_narrow_terminal_and_says_each_part(cli, monkeypatch):
    page = cli("review", "lemma_13", "--json").json
    assert page["markdown"].startswith("# Lemma 13")
    assert len(page["markdown"].split()) < 500
    assert [name for name in PARTS if not page["parts"][name]] == []
    monkeypatch.setenv("COLUMNS", "60")
    shown = cli("review", "lemma_13").out
    inside = shown.split("Run it again")[0]
    assert max(map(len, inside.splitlines())) <= 60 or max(map(len, inside.split())) > 50
    assert json.dumps(page["parts"]["verdict"], ensure_ascii=False).split()[1] in shown


def test_of_the_other_claims_a_page_names_those_that_fail_and_counts_those_that_hold(cli):
    page = cli("review", "lemma_11", "--json").json
    named = [one["role"] == "statement" or one["outcome"] != "HOLDS" for one in page["claims"]]
    others = page["markdown"].partition("**Other claims")[2].replace("\\", "")
    assert [f"{one['id']} (" in others for one in page["claims"]] == named
    assert f"{named.count(False)} more hold (" in others
    assert 0 < named.count(True) < named.count(False)


def test_what_is_not_judged_is_named_and_what_holds_is_counted_by_role():
    held = [Line(f"p.a_{k}", role, "HOLDS", "exact", "") for k, role in enumerate(["variant", "growth", "variant", ""])]
    page = Review("p.a", "p.a", "A", "", "HOLDS", "", {}, held)
    assert page.beside == ["4 hold (2 variant, 1 growth, 1 of no role): theorytools list p.a"]
    page = Review("p.a", "p.a", "A", "", "HOLDS", "", {}, [*held[:1], Line("p.b", "variant", "not judged", "", "")])
    assert page.beside == ["p.b (variant): not judged", "1 more hold (1 variant): theorytools list p.a"]
    assert Review("p.a", "p.a", "A", "", "HOLDS", "", {}).beside == []


@pytest.mark.slow
def test_statements_of_all_papers_have_a_review_that_judges_nothing(cli, catalogue, monkeypatch):
    """Every sixth of them, from the committed record alone."""
    monkeypatch.setattr(run, "judge_entry", None)
    ids = [f"{paper.key}.{one.id}" for paper in catalogue.readable for one in paper.statements][::6]
    for id in ids:
        page = cli("review", id, "--json").json
        assert (page["id"], page["claim"] == "") == (id, page["outcome"] == "open")
        assert {"verdict", "again"} <= {name for name in PARTS if page["parts"][name]}
        assert len(page["markdown"].partition("**Other claims")[0].split()) < 700


def test_what_is_excluded_and_what_is_not_leave_no_gap():
    """Each kind of wrong statement near the right one is on one side or the other."""
    seen = {"zero": False, "constant": 0.05, "exponents": {"N": [0.01, 0.02]}, "logs": [], "shifts": []}
    assert (excluded_text(seen, "<="), passed_text(seen, "<=")) == (
        "a constant smaller by 5 %; N^0.02 more or less",
        "a constant smaller by less than 5 %; a power of N below 0.02; one factor log N more or less",
    )
    blind = {"zero": False, "constant": None, "exponents": {"N": [None, None]}, "logs": [], "shifts": []}
    assert passed_text(blind) == "any other constant; any power of N; one factor log N more or less"
    sharp = {"zero": True, "constant": 0.0, "exponents": {"N": [0.0, 0.0]}, "logs": ["N"], "shifts": ["N"]}
    assert passed_text(sharp, ">=") == ""


def test_a_statement_is_two_clicks_from_the_front_page(tmp_path):
    write_report(tmp_path, demo_stored(), demo_index(), run={"created": "2026-01-01T00:00:00+00:00"})
    clicks, waiting = {tmp_path / "index.html": 0}, deque([tmp_path / "index.html"])
    while waiting:
        page = waiting.popleft()
        for href in re.findall(r'<a [^>]*?href="([^"#:]+\.html)', page.read_text("utf-8")):
            target = (page.parent / href).resolve()
            if target.is_file() and target not in clicks:
                clicks[target] = clicks[page] + 1
                waiting.append(target)
    statements = [path for path in tmp_path.glob("*/*.html") if path.name not in ("index.html", "necessity.html")]
    assert statements
    assert {path: clicks.get(path) for path in statements if clicks.get(path, 9) > 2} == {}
