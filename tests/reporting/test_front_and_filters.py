"""The front page, the claims that can be filtered, the page of hypotheses: what readers meet first, and on a phone."""

import re
import shutil
import subprocess
import tomllib

import pytest
from report_examples import PAPERS, verdicts
from report_parts import RUN, between, rational, row, verdict
from source_tree import ROOT

from theorytools.claims.judging.committed_record import read_committed
from theorytools.cli.stored import FRONT
from theorytools.cli.verify import _front
from theorytools.errors import DomainError
from theorytools.reporting.mathml import mathml
from theorytools.reporting.pages.opening import front_text, numbers_of
from theorytools.reporting.pages.themes import sees
from theorytools.reporting.rendering import NAVIGATION, filters, style
from theorytools.reporting.rows import NEAR, table
from theorytools.reporting.site import render_pages
from theorytools.reporting.typed_math import latex_of, with_typed

OURS = (ROOT / "reports" / "front.toml").read_text("utf-8")
FINDING = {
    "head": "One head.", "text": "Of {N} tokens {share} leaks, one part in {part}; {bound} at most.",
    "claim": "qstr.lemma_01", "at": {"N": "1024"},
    "numbers": {"share": {"quantity": "leakage", "show": "percent", "round": "up"},
                "part": {"quantity": "leakage", "show": "one in"},
                "bound": {"quantity": "leakage", "side": "bound", "show": "count", "round": "down"}},
}  # fmt: skip


def shown(*found, papers=("qstr",), **more):
    rows = [row({"N": 8}, rational(1), rational(9)), row({"N": 1024}, between(1 / 3001, 1 / 2999), rational("7/2"))]
    judged = verdict("lemma_01", rows=rows, **more)
    paper = {"key": "qstr", "title": "A paper", "statements": [{"id": "lemma_01", "claims": ["qstr.lemma_01"]}]}
    front = {"papers": list(papers), "picture": "sparse", "letters": {"N": "tokens"}, "finding": list(found)}
    return render_pages([judged], [paper], run={**RUN, "front": front})["index.html"]


def test_a_finding_is_filled_from_the_row_of_its_point():
    page = shown(FINDING)
    assert "Of 1,024 tokens 1 % leaks, one part in 2,000; 3 at most." in page
    assert page.index('class="sparse"') < page.index('id="found"')  # the task first
    assert str(mathml("N")) in page


@pytest.mark.parametrize(
    "changed",
    [{"claim": "qstr.lemma_99"}, {"at": {"N": "16"}}, {"outcome": "REFUTED"}, {"text": "{nobody}"},
     {"numbers": {**FINDING["numbers"], "part": {"quantity": "another", "show": "one in"}}}],
)  # fmt: skip
def test_no_sentence_stands_whose_numbers_are_not_in_the_verdict(changed):
    page = shown({**FINDING, **changed})
    assert "One head." not in page
    assert "1 more is told once its claim has been judged" in page


def test_another_projects_front_page_has_no_picture_of_this_task():
    judged = verdict("lemma_01")
    judged = {**judged, "id": "mine.lemma_01", "source": {**judged["source"], "paper": "mine"}}
    paper = {"key": "mine", "title": "Mine", "statements": [{"id": "lemma_01", "claims": ["mine.lemma_01"]}]}
    for front in ({}, {"front": front_text(OURS, "front.toml")}):
        pages = render_pages([judged], [paper], run={**RUN, **front})
        assert 'class="sparse"' not in pages["index.html"]
        assert 'id="task"' not in pages["index.html"]
        linked = {name for page in pages.values() for name in re.findall(r'href="(?:\.\./)?([a-z]+\.html)"', page)}
        assert linked & NAVIGATION.keys() <= pages.keys()
        assert {"phase.html", "predictions.html", "changes.html"}.isdisjoint(pages)


@pytest.mark.parametrize(
    ("text", "said"),
    [("finding = 3", "a list"), ("papers = [", "TOML"), ('picture = "cat"', "one of sparse"),
     ('[[finding]]\nhead = "a"', "head, text and claim"),
     ('[[finding]]\nhead = "a"\ntext = "{x.y}"\nclaim = "a.b"', "names"),
     ('[[finding]]\nhead = "a"\ntext = "{"\nclaim = "a.b"', "names"),
     ('[[finding]]\nhead = "a"\ntext = "b"\nclaim = "a.b"\nnumbers.x = { quantity = "v", show = "roman" }', "count")],
)  # fmt: skip
def test_words_for_the_front_page_that_cannot_be_filled_are_refused_by_their_place(text, said):
    with pytest.raises(DomainError, match=said):
        front_text(text, "front.toml")


def test_the_six_findings_are_of_claims_that_came_out_so():
    told = front_text(OURS, "front.toml")
    assert len(told["finding"]) == 6
    known = {id: v for key in told["papers"] for id, v in read_committed(ROOT / "reports" / f"{key}.json").items()}
    for one in told["finding"]:
        assert known[one["claim"]]["outcome"] == one.get("outcome", "HOLDS"), one["claim"]
        assert not re.search(r"\d{2}", re.sub(r"\{\w+\}", "", one["text"])), "numbers are filled, not typed"


def test_a_number_that_has_no_finite_end_fills_nothing():
    judged = verdict("lemma_01", rows=[row({"N": 1024}, between(1 / 3, None), rational(4))])
    assert numbers_of(FINDING, judged) is None


def test_every_claim_can_be_chosen_by_five_properties_and_all_are_there_without_a_script():
    page = render_pages(verdicts(), PAPERS, run=RUN)["claims.html"]
    rows = re.findall(r'<tr data-is="([^"]*)">', page)
    assert len(rows) == len(verdicts())
    assert all(len(line.split("|")) == 5 for line in rows)
    assert "hidden" not in page
    assert {"qstr", "other"} >= {line.split("|")[0] for line in rows}
    heads = re.search(r"HEADS = (\[.*?\])", filters())[1]
    assert heads == '["paper", "role", "outcome", "evidence", "horizon"]'


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_the_script_of_the_filters_is_one():
    assert subprocess.run(["node", "--check", "-"], input=filters(), text=True, check=False).returncode == 0


def test_what_a_claim_would_see_is_one_of_few_words():
    said = [
        "constant <0.01 %, N^±1",
        "constant 7 %",
        "constant 88 %",
        "constant ×7.9",
        "any value but 0",
        "no power",
        "–",
    ]
    assert len({sees(one) for one in said}) == len(said)


@pytest.mark.parametrize(
    ("typed", "latex"),
    [("N - 1 - (q - 2)", r"N - 1 - \left(q - 2\right)"), ("2*(a + b)**2 < 1", r"2\,\left(a + b\right)^{2} < 1"),
     ("-x*y >= 2*3", r"-x\,y \geq 2 \cdot 3"), ("Eq(Mod(d_x, N), 0)", r"d_{x} \bmod N = 0"),
     ("Eq(a, 1) | Eq(a, q)", r"a = 1 \text{ or } a = q"), ("(a/b)**n", r"\left(\frac{a}{b}\right)^{n}"),
     ("__import__('os')", ""), ("[1]", ""), ("a if b else c", ""), ("'text'", ""), ("a.b", ""), ("x " * 9000, "")],
)  # fmt: skip
def test_a_typed_formula_keeps_its_brackets_and_nothing_else_is_one(typed, latex):
    assert latex_of(typed, {}) == latex


def test_relations_within_words_are_formulas_and_the_words_stay():
    text = "at N=1, gamma_c = 0: it takes N >= 2; <b> and n < N*d/(2 k)"
    told = str(with_typed(text, {"gamma_c": r"\gamma"}))
    assert told.count("<math") == 3
    assert "&lt;b&gt;" in told
    assert "n &lt; N*d/(2 k)" in told  # cut off in the middle it would be another relation
    assert "about 10^30" in with_typed("of 1" + "0" * 30, {})
    assert latex_of("N >= 1" + "0" * 30, {}) == r"N \geq \text{about }10^{30}"


def test_no_error_of_the_machine_room_stands_on_a_page():
    cells = [{"hypothesis": "N >= 2", "change": "by one", "state": "unknown", "points": [],
              "why": "not judged, first RecordError at N=1, d=2: no such arm: 'x'"}]  # fmt: skip
    paper = {"key": "qstr", "statements": [{"id": "lemma_01", "claims": ["qstr.lemma_01"]}]}
    page = render_pages([verdict("lemma_01")], [{**paper, "necessity": {"qstr.lemma_01": cells}}], run=RUN)
    text = page["qstr/necessity.html"]
    assert "RecordError" not in text
    assert "no run is recorded there" in text


def test_a_print_keeps_the_tightest_rows_and_one_of_each_assertion():
    rows = [row({"n": n}, rational(1), rational(n + 2), slack=n + 2.0, name="leak <= a") for n in range(20)]
    rows += [row({"n": n}, rational(1), rational(900), slack=900.0, name="width <= b") for n in range(20)]
    made = table(verdict("lemma_01", rows=rows), controls=False, limit=40)
    near = [[line for line in block.lines if not line.far] for block in made.blocks]
    assert sum(map(len, near)) == NEAR
    assert len(near[1]) == 1
    assert [line.slack for line in near[0]] == [line.slack for line in made.blocks[0].lines[: NEAR - 1]]


def test_a_page_can_be_left_out_by_keyboard_has_one_main_part_and_names_what_its_heads_are_of():
    pages = render_pages(verdicts(), PAPERS, run=RUN)
    for path, text in pages.items():
        if path.endswith(".html"):
            assert text.index('<a class="skip" href="#main">') < text.index("<nav") < text.index('<main id="main"'), (
                path
            )
            assert text.count("<main") == text.count("<h1") == 1, path
            assert all("scope=" in head for head in re.findall(r"<th\b[^>]*>", text)), path
            assert text.count("<table") == text.count("<caption"), path
            assert all("aria-label=" in nav for nav in re.findall(r"<nav[^>]*>", text)), path


def test_lines_of_prose_end_and_no_words_are_pale():
    css = style().partition(":root")[2]  # without the font
    assert re.search(r"p, li, dd, figcaption, summary, \.lead \{ max-width: (\d+)ch", css)[1] <= "90"
    pale = [
        rule
        for rule in re.findall(r"([^{}]+)\{[^{}]*[^-]opacity: \.", css)
        if ".plot" not in rule and ".map" not in rule
    ]
    assert pale == []
    assert tomllib.loads(OURS)["picture"] == "sparse"


@pytest.mark.parametrize("text", ["papers = [", "finding = 3", "\x00"])
def test_a_front_page_whose_words_cannot_be_read_opens_without_them_and_says_so(tmp_path, capsys, text):
    (tmp_path / "reports").mkdir()
    assert _front(tmp_path) == {}
    (tmp_path / FRONT).write_text(text, "utf-8")
    assert _front(tmp_path) == {}
    assert "reports/front.toml" in capsys.readouterr().err
    (tmp_path / FRONT).write_text('papers = ["mine"]', "utf-8")
    assert _front(tmp_path) == {"papers": ["mine"]}
