"""The head of a statement's page: what is printed beside what is judged, and who says what is refuted."""

import re

import pytest
from report_examples import PAPERS, PRINTED, refuted_claim

from theorytools.meaning import RELATIONS
from theorytools.reporting.pages.printed import light
from theorytools.reporting.site import render_pages
from tools.committed import index_table, printed_line, printed_table, refuted_table

SAID = {"qstr.proposition_08": {"said_by": "printed proof", "where": "it packs by $\\|U\\|_{op}$"}}
FORMULA = {"of": "the norm $R$", "formula": ">= SoftOmega(sqrt(N))", "claim": "qstr.proposition_08",
           "quantity": "norm", "relation": "", "why": ""}  # fmt: skip
COMPARED = {"latex": r"\ge \tilde{\Omega}\left(\sqrt{N}\right)", "judged": r"R \ge \sqrt{N - 1}",
            "relation": "differs in a norm", "why": "of another $R$", "computed": False}  # fmt: skip


def paper(relation="differs in a norm", sayers=SAID, **changed):
    printed = {**PRINTED, "relation": relation, "why": "as $R$ says", "formulas": [FORMULA],
               "number": {"v1": "Proposition 8", "v2": "Proposition 6"}, "matched": "changed", "found": "see $U$",
               "read": {"v1": "words", "v2": "sentences"}, **changed}  # fmt: skip
    whole = {**PAPERS[0], "versions": {"v1": "the first", "v2": "the revised"}, "sayers": sayers,
             "findings": [{"claim": "qstr.proposition_08", "text": "The norm grows.", "refutes": list(sayers)}],
             "relations": {"proposition_08": {"relation": relation, "why": "as $R$ says", "compared": [
                 {**COMPARED, "relation": relation if relation in RELATIONS else ""}]}}}  # fmt: skip
    whole["statements"] = [
        {**s, "printed": printed} if s["id"] == "proposition_08" else s for s in PAPERS[0]["statements"]
    ]
    return whole


def text(page):
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_both_sides_stand_in_the_first_screen_with_their_difference_marked():
    page = render_pages([refuted_claim()], [paper()], run={})["qstr/proposition_08.html"]
    assert page.index('id="printed"') < page.index('class="lights"') < page.index('class="claim"')
    head = page.partition('class="lights"')[0]
    for said in (
        "As judged, against the print: differs in a norm", "Proposition 8 in the first",
        "Proposition 6 in the revised (read: its sentences with their formulas, not the displays)", "Unknown:",
        "Read again:",
    ):  # fmt: skip
        assert said in text(head)
    assert '<tr class="doubt">' in head
    assert '<td class="sign">≠</td>' in head
    assert "<mark>differs in a norm</mark>" in head
    assert 'href="#qstr.proposition_08"' in head
    assert head.count("<math") >= 5


@pytest.mark.parametrize("relation", RELATIONS)
def test_every_relation_has_its_sign_and_its_colour(relation):
    page = render_pages([refuted_claim()], [paper(relation)], run={})["qstr/proposition_08.html"]
    assert f'<section class="printed {light(relation)}"' in page
    lit = {"the same": "good", "implies it": "good", "formula not seen": "gap"}
    assert light(relation) == lit.get(relation, "doubt")
    sign = re.search(r'<td class="sign">(.)</td>', page)[1]
    assert (sign == "=") == (relation == "the same")
    assert (sign == "≠") == relation.startswith("differs")
    assert relation in text(render_pages([refuted_claim()], [paper(relation)], run={})["qstr/index.html"])


def test_the_paper_lists_what_became_of_each_reading():
    page = render_pages([refuted_claim()], [paper()], run={})["qstr/index.html"]
    assert "Read again, one by one: 0 confirmed, 1 changed, 0 still unseen" in page
    (row,) = re.findall(r'<table class="again">.*?<tbody>(.*?)</tbody>', page, re.S)
    assert "v2: Proposition 6 differs in a norm changed see" in text(row)


def test_a_statement_of_ours_says_so_and_a_growing_page_has_no_table_yet():
    pages = render_pages([refuted_claim()], [{**paper(), "relations": {}}], run={})
    assert 'class="sides"' not in pages["qstr/proposition_08.html"]
    assert "differs in a norm" in pages["qstr/proposition_08.html"]
    own = paper()
    own["statements"] = [{**s, "ours": "a lemma of $N$", "printed": None} for s in own["statements"]]
    page = text(render_pages([refuted_claim()], [own], run={})["qstr/proposition_08.html"])
    assert "Derived here : a lemma of" in page
    assert "Refuted: proposition_08 . Who says what is refuted: the printed proof, not the text" in page
    assert "against the print" not in page


def test_a_refutation_says_who_says_it_wherever_it_is_told():
    pages = render_pages([refuted_claim()], [paper()], run={})
    for place in ("index.html", "qstr/index.html", "qstr/proposition_08.html", "pitfalls.html"):
        assert "Who says what is refuted: the printed proof, not the text" in text(pages[place]), place
    silent = render_pages([refuted_claim()], [paper(sayers={})], run={})
    assert "Who says what is refuted: not said" in text(silent["pitfalls.html"])
    predicted = render_pages([{**refuted_claim(), "role": "prediction"}], [paper(sayers={})], run={})
    assert "Who says what is refuted: a prediction of ours" in text(predicted["predictions.html"])


def test_the_tables_of_the_documents_count_the_relations_and_name_who_says_it():
    whole, claim = paper(), {**refuted_claim(), "role": "pitfall"}
    lines = printed_table([whole]).splitlines()
    cells = dict(zip(*(line.strip("| ").split(" | ") for line in (lines[0], lines[2])), strict=True))
    assert cells["differs in a norm"] == "1"
    assert sum(map(int, list(cells.values())[1:])) == len(whole["statements"])
    told = printed_line([whole, whole])
    assert "differs in a norm 2" in told
    assert sum(map(int, re.findall(r" (\d+)(?=[,.])", told))) == 2 * len(whole["statements"])
    whole["statements"] = [s for s in whole["statements"] if s["id"] == "proposition_08"]
    assert "| proposition_08, v1: Proposition 8, v2: Proposition 6 | differs in a norm |" in index_table(
        [{**whole, "statements": [{**s, "lacks": ""} for s in whole["statements"]]}]
    )
    table = refuted_table([whole], {claim["id"]: claim}, "pitfall")
    assert "| who says it |" in table
    assert "the printed proof, not the text: it packs by" in table


def test_the_page_of_open_questions_tells_what_is_known_by_which_claims_and_what_is_not():
    question = {"asks": "theorem_06", "known": "It is $N$.", "left": "Whether $d$.", "by": ["proposition_08", "gone"]}
    page = render_pages([refuted_claim()], [{**paper(), "questions": [question]}], run={})["open.html"]
    asked = page.partition('id="questions"')[2].partition("</section>")[0]
    said = text(asked)
    assert said.index("Known by now.") < said.index("1 REFUTED") < said.index("Not known.") < said.index("Whether")
    assert asked.count("<math") >= 2
    assert 'href="qstr/proposition_08.html"' in asked
    assert 'id="questions"' not in render_pages([refuted_claim()], [paper()], run={})["open.html"]
