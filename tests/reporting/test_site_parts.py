"""Parts of the site: the map's layers, the lights of a statement, and which statement uses which."""

import itertools
import re

import pytest
from report_examples import refuted_claim
from report_parts import RUN, rational, row, verdict
from tiny import write_checks

from theorytools import Catalogue, CheckError
from theorytools.claims.judging.inputs import ImportTable
from theorytools.claims.judging.uses import statement_uses
from theorytools.claims.papers.paper import read_paper
from theorytools.reporting.proof_map import Node, ancestors, around, drawn
from theorytools.reporting.reach import beyond, factors, reach
from theorytools.reporting.scores import HEADS, lights, state
from theorytools.reporting.site import render_pages


def edge(used, user):
    return {"used": used, "user": user, "why": ["its proof"]}


EDGES = [edge("a", "b"), edge("b", "c"), edge("a", "d"), edge("c", "e")]
NODES = [Node(id, f"Lemma {id}", f"{id}.html", "good") for id in "abcdef"]


def test_ancestors_and_the_part_of_a_map_around_a_statement():
    assert ancestors("e", EDGES) == {"a", "b", "c"}
    assert ancestors("a", EDGES) == set()
    assert around("b", EDGES) == [edge("a", "b"), edge("b", "c")]
    assert ancestors("a", [edge("a", "b"), edge("b", "a")]) == {"b"}  # a circle ends


def left_ends(svg):
    return {name: float(x) for x, name in re.findall(r'<rect x="(\d+)".*?>Lemma (\w)</text>', svg)}


@pytest.mark.parametrize("edges", [EDGES, [*EDGES, edge("e", "a")]])  # also with a circle
def test_a_statement_stands_to_the_right_of_all_that_it_rests_on(edges):
    svg = str(drawn(NODES, edges, title="map"))
    place = left_ends(svg)
    assert set(place) == set("abcde")  # f has no edge
    assert all(place[e["used"]] < place[e["user"]] for e in EDGES)
    assert svg.count('class="edge"') == len(edges)
    assert "Lemma c uses Lemma b: its proof" in svg
    assert svg == drawn(NODES, edges, title="map")


def test_the_boxes_of_a_map_do_not_overlap():
    nodes = [Node(str(k), f"Lemma {k}", "", "gap") for k in range(30)]
    svg = str(drawn(nodes, [edge(str(k), str(k % 7 + 20)) for k in range(20)], title="map"))
    boxes = [tuple(map(float, found)) for found in re.findall(r'x="(\d+)" y="(\d+)" width="(\d+)"', svg)]
    for (x, y, wide), (left, top, _) in itertools.combinations(sorted(boxes), 2):
        assert x + wide <= left or abs(y - top) >= 22


def test_a_factor_stands_where_its_edge_begins_and_a_box_says_where_it_was_judged_beyond_its_lemmas():
    lost = [{**edge("a", "b"), "factor": "1.2..3.5"}, edge("b", "c")]
    nodes = [Node("a", "Lemma a", "", "good"), Node("b", "Lemma b", "", "good", True, False, "judged at other sizes"),
             Node("c", "Lemma c", "", "good", False)]  # fmt: skip
    svg = str(drawn(nodes, lost, title="map"))
    assert svg.count('class="factor"') == 1
    assert "×1.2..3.5" in svg
    assert "loses a factor 1.2..3.5" in svg
    assert 'class="node good elsewhere"' in svg
    assert "<title>Lemma b: judged at other sizes</title>" in svg
    assert 'class="node good loose"' in svg


def judged(letters, role="statement"):
    tested = {x: {"low": low, "high": high, "values": 2} for x, (low, high) in letters.items()}
    return {**verdict("lemma_01", role=role), "tested": tested}


def test_sizes_of_two_statements_are_compared_in_the_letters_that_both_have():
    lemma = reach([judged({"N": ("4", "8"), "d": ("1", "2")}), judged({"N": ("2", "16"), "trial": ("0", "3")})])
    assert lemma == {"N": (2, 16), "d": (1, 2)}
    assert reach([judged({"N": ("4", "8")}), judged({"N": ("2", "64")}, role="sharpness")]) == {"N": (4, 8)}
    theorem = reach([judged({"N": ("2", "64"), "q": ("1", "3"), "trial": ("0", "9")})])
    assert beyond(lemma, theorem) == "N = 2..16, here N = 2..64"
    assert beyond(theorem, lemma) == ""
    assert beyond(lemma, reach([judged({"q": ("1", "3")})])) == ""
    assert beyond(reach([judged({"c": ("1/3", "1/2")})]), reach([judged({"c": ("1/4", "1/2")})])) == (
        "c = 1/3..1/2, here c = 1/4..1/2"
    )


def test_what_a_statement_loses_is_read_from_the_rows_of_the_claim_that_measures_it():
    account = {"claim": "toy.lemma_01", "axis": "step", "of": {"first": "lemma_02", "second": "lemma_03"}}
    rows = [row({"step": step, "N": N}, rational(lost), rational(1))
            for step, N, lost in (("first", 2, 3), ("first", 4, 5), ("second", 2, 7), ("other", 2, 99))]  # fmt: skip
    made = {**verdict("lemma_01", rows=rows), "id": "toy.lemma_01"}
    assert factors(account, [made]) == {"lemma_02": "3.0..5.0", "lemma_03": "7.0"}
    named = {**account, "quantity": rows[0]["quantity"]}
    assert factors(named, [made]) == factors(account, [made])
    assert factors({**named, "quantity": "another"}, [made]) == {}
    assert factors(account, []) == {}
    record = {**made, "compact": True, "rows": [{x: r[x] for x in ("point", "control")} for r in rows]}
    assert factors(account, [record]) == {}  # known from the committed record only
    assert factors(account, [record, made]) == factors(account, [made])
    assert factors(account, [{**made, "rows": [{**r, "control": "spoiled"} for r in rows]}]) == {}


def test_a_page_says_why_its_statement_rests_on_another_and_where_it_was_judged_farther():
    def judged(name, high):
        sizes = {"N": {"low": "2", "high": high, "values": 3}}
        return {**verdict(name), "tested": sizes, "rows": [row({"step": "first"}, rational(3), rational(5))]}

    own = [judged("lemma_01", "8"), judged("theorem_02", "64")]
    account = {"claim": "qstr.lemma_01", "axis": "step", "of": {"first": "lemma_01"}}
    statements = [{"id": name, "label": name, "claims": [f"qstr.{name}"]} for name in ("lemma_01", "theorem_02")]
    statements[1]["account"] = account
    paper = {"key": "qstr", "statements": statements, "edges": [{"used": "lemma_01", "user": "theorem_02"}]}
    for why, said in ((["imports"], "imports, "), ([], "")):
        (edge,) = paper["edges"]
        pages = render_pages(own, [{**paper, "edges": [{**edge, "why": why}]}], run=RUN)
        told = {name: re.sub("<.*?>", "", pages[f"qstr/{name}.html"]) for name in ("lemma_01", "theorem_02")}
        loses = "loses a factor 3.0"
        assert f"lemma_01 ({said}{loses}, judged for N = 2..8, here N = 2..64)" in told["theorem_02"]
        assert f"theorem_02 ({said}{loses})" in told["lemma_01"]  # it was judged where it is used


def test_an_account_makes_edges_and_a_wrong_one_does_not_load(tmp_path):
    folder = write_checks(tmp_path) / "toy"
    text = (folder / "paper.toml").read_text("utf-8")
    more = '\n[[statement]]\nid = "corollary_03"\nours = "a lemma"\n[statement.account]\n'
    whole = 'claim = "toy.lemma_01"\naxis = "step"\nof = { first = "lemma_02" }\n'
    (folder / "paper.toml").write_text(text + more + whole, "utf-8")
    catalogue = Catalogue(tmp_path)
    found = {(use.used, use.user) for use in statement_uses(catalogue, catalogue.paper("toy"), ImportTable(), {})}
    assert ("lemma_02", "corollary_03") in found
    for wrong in ('claim = "toy.lemma_01"\n', whole.replace("lemma_02", "lemma_99")):
        (folder / "paper.toml").write_text(text + more + wrong, "utf-8")
        with pytest.raises(CheckError):
            read_paper(folder)


def test_lights_say_what_is_missing():
    bare = lights([verdict("lemma_01", role="variant")], "")
    assert [light.head for light in bare] == list(HEADS)
    assert bare[0].state == "gap"
    assert bare[0].said == "not the statement itself"
    assert lights([], "Open: nobody tried")[0].said == "Open: nobody tried"


@pytest.mark.parametrize(
    ("made", "shown"),
    [
        (verdict("lemma_01", role="statement"), "good"),
        ({**refuted_claim(), "role": "statement", "as_expected": True}, "doubt"),
        ({**refuted_claim(), "role": "statement", "as_expected": False}, "bad"),
    ],
)
def test_the_state_of_a_statement_is_the_worst_that_is_said(made, shown):
    assert state([made]) == shown
    assert lights([made], "")[0].state == shown


def test_an_outcome_that_was_not_expected_is_seen_in_every_light():
    wrong = {**refuted_claim(), "as_expected": False}
    for head, role in (("sharp", "sharpness"), ("trained", "prediction"), ("pitfalls", "pitfall")):
        shown = {light.head: light for light in lights([{**wrong, "role": role}], "")}
        assert shown[head].state == "bad"
        assert state([{**wrong, "role": role}]) == "bad"


CELLS = [
    {"hypothesis": "N <= 9", "change": "by one", "state": "needed", "within": True, "at": {"N": "10"},
     "evidence": "EXACT", "points": [1, 0, 0, 0]},
    {"hypothesis": "N >= 2", "change": "by one", "state": "unknown", "why": "no violation at 3 points", "points": []},
    {"hypothesis": "d > <b>", "change": "by one", "state": "defines", "why": "no set of that size", "points": []},
    {"hypothesis": "q < N", "change": "by one", "state": "not needed", "why": "both sides are 0", "points": []},
]  # fmt: skip


def test_the_light_of_the_hypotheses_counts_them():
    def shown(cells, *verdicts):
        return {light.head: light for light in lights(verdicts, "", cells)}["hypotheses needed"]

    made = shown(CELLS, verdict("lemma_01"))
    assert (made.state, made.said) == ("doubt", "1 of 3 needed, 1 not, 1 unknown")
    assert shown([CELLS[0], CELLS[2]]).state == "good"
    assert (shown([CELLS[2]]).state, shown([CELLS[2]]).said) == ("good", "each defines the object")
    assert shown([CELLS[1]]).state == "gap"
    assert shown([]).said == "not asked"
    wrong = {**refuted_claim(), "as_expected": False, "role": "necessity"}
    assert shown(CELLS, wrong).state == "bad"


def test_a_paper_has_a_page_of_its_hypotheses_where_they_were_recorded():
    paper = {"key": "qstr", "title": "A paper", "statements": [{"id": "lemma_01", "claims": ["qstr.lemma_01"]}]}
    assert "qstr/necessity.html" not in render_pages([verdict("lemma_01")], [paper], run=RUN)
    pages = render_pages([verdict("lemma_01")], [{**paper, "necessity": {"qstr.lemma_01": CELLS}}], run=RUN)
    text = pages["qstr/necessity.html"]
    plain = re.sub("<math.*?</math>", lambda found: re.sub("<.*?>", "", found[0]), text)
    said = ["fails at N=10: exact, one notch away (by one)", "defines the object", "no set of that size", "N≤9",
            "not needed here", "no violation at 3 points", "d &gt; &lt;b&gt;", "../qstr/lemma_01.html"]  # fmt: skip
    assert [part for part in said if part not in plain] == []
    assert 'href="necessity.html"' in pages["qstr/index.html"]
    assert "1 of 3 needed" in pages["qstr/index.html"]


def test_a_check_that_imports_another_uses_its_statement(tmp_path):
    folder = write_checks(tmp_path) / "toy"
    text = (folder / "paper.toml").read_text("utf-8")
    more = '\n[[statement]]\nid = "corollary_03"\nours = "a lemma"\nrests_on = ["lemma_02"]\n'
    (folder / "paper.toml").write_text(text + more, "utf-8")
    check = (folder / "lemma_01.py").read_text("utf-8")
    (folder / "corollary_03.py").write_text(check + "\nfrom .lemma_01 import claim as lemma\n", "utf-8")
    catalogue = Catalogue(tmp_path)
    found = {
        (use.used, use.user): use.why for use in statement_uses(catalogue, catalogue.paper("toy"), ImportTable(), {})
    }
    assert found[("lemma_01", "corollary_03")] == ("check lemma_01",)
    assert found[("lemma_02", "corollary_03")] == ("its proof",)
    named = {"toy.lemma_01": ["toy.corollary_03"]}
    found = {(use.used, use.user) for use in statement_uses(catalogue, catalogue.paper("toy"), ImportTable(), named)}
    assert ("corollary_03", "lemma_01") in found
