"""The report: one inert page that needs nothing else, from verdicts alone."""

import ast
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from report_examples import PAPERS, long_claim, verdicts
from report_parts import RUN

from theorytools import reporting
from theorytools.reporting import page


@pytest.fixture(scope="module")
def rendered():
    return reporting.render_html(verdicts(), PAPERS, run=RUN)


class Balanced(HTMLParser):
    """Counts open tags; every element but the void ones must be closed in order."""

    VOID = frozenset({"meta", "br", "hr", "img", "input", "link"})

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.ids = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page_is_well_formed_and_identifiers_are_unique(rendered):
    reader = Balanced()
    reader.feed(rendered)
    assert reader.open == []
    assert len(reader.ids) == len(set(reader.ids))
    assert not reader.tags & {"script", "img", "iframe", "object", "embed", "link", "base", "form"}


def test_page_loads_nothing(rendered):
    loaded = re.findall(r"""(?:src|href|action|data)\s*=\s*["']([^"']*)""", rendered)
    assert loaded
    assert all(address.startswith("#") for address in loaded)
    assert all(address.startswith("data:font/woff;base64,") for address in re.findall(r'url\("?([^")]*)', rendered))
    assert "@import" not in rendered
    assert "http" not in rendered.replace("http-equiv", "")


def test_every_reference_inside_the_page_has_its_target(rendered):
    targets = set(re.findall(r'id="([^"]*)"', rendered))
    assert set(re.findall(r'href="#([^"]*)"', rendered)) <= targets


def test_every_verdict_and_every_gap_is_shown(rendered):
    for entry in verdicts():
        assert f'id="{entry["id"]}"' in rendered
        assert f'href="#{entry["id"]}"' in rendered
    assert "no verdict in this run: qstr.lemma_11.exact" in rendered
    assert "Open: needs the covering number" in rendered
    assert "reconstructed display" in rendered


def test_every_outcome_is_a_word_and_evidence_is_spelled_out(rendered):
    for outcome in ("holds", "refuted", "undecided", "powerless", "inapplicable"):
        assert f'<span class="badge {outcome}">{outcome}</span>' in rendered
    assert "exact: integers and rationals" in rendered
    assert "sampled: error probability ≤ 2.5×10⁻⁷" in rendered
    assert "Readings that fail" in rendered


def test_size_stays_within_25_kilobytes_a_statement(rendered):
    assert len(rendered.encode()) <= 25_000 * len(verdicts())


def test_markup_in_labels_titles_and_formulas_is_inert(rendered):
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in rendered
    assert "<script" not in rendered
    assert "<img" not in rendered
    assert "<b>x" not in rendered
    assert '<code class="tex">\\unknown{&lt;i&gt;}</code>' in rendered


def test_open_row_among_a_hundred_is_not_cut_away(rendered):
    own = rendered.split('id="qstr.theorem_04"')[1].split("</section>")[0]
    assert "the other 60 are in" in own
    assert own.count('<td class="w open">') == 1


def test_two_renderings_are_equal(rendered):
    assert reporting.render_html(verdicts(), PAPERS, run=RUN) == rendered


def test_rows_are_dropped_before_the_page_grows_too_large(monkeypatch):
    monkeypatch.setattr(page, "PER_STATEMENT", 0)
    monkeypatch.setattr(page, "FIXED", 0)
    least = reporting.render_html([long_claim()], [], run={})
    assert "the other 96 are in" in least
    assert "open" in least


def test_a_report_too_large_for_one_page_has_one_for_each_paper(monkeypatch, tmp_path):
    one = page.write_report(tmp_path, verdicts(), PAPERS, run=RUN).read_text("utf-8")
    assert one == reporting.render_html(verdicts(), PAPERS, run=RUN)
    alone = {path.name for path in tmp_path.iterdir()}
    monkeypatch.setattr(page, "LARGEST", len(one.encode()) - 1)
    page.write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    more = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir() if path.name not in alone}
    assert set(more) == {"qstr.html", "other.html"}
    found = {"": (tmp_path / "index.html").read_text("utf-8"), **more, "index.html": ""}
    for text in found.values():
        for name, target in re.findall(r'href="([^"#]*)#([^"]*)"', text):
            where = (tmp_path / name).read_text("utf-8") if name else text
            assert f'id="{target}"' in where
    for entry in verdicts():
        assert sum(f'<section class="claim" id="{entry["id"]}"' in text for text in found.values()) == 1
        assert f'#{entry["id"]}"' in found[""]
    monkeypatch.undo()
    page.write_report(tmp_path, verdicts(), PAPERS, run=RUN)
    assert {path.name for path in tmp_path.iterdir()} == alone  # a smaller report leaves no old page


def test_empty_run_renders():
    text = reporting.render_html([], [], run={"complete": False})
    assert "This run is not complete" in text


def test_report_never_imports_the_engine():
    for path in Path(page.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
                assert not any(name.startswith(("theorytools.claims", "theorytools.cli")) for name in names)
