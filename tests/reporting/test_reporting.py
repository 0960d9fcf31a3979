"""The report: pages that need a style sheet beside them and nothing else, from verdicts alone."""

import ast
import html
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from report_examples import ACROSS, INDEXES, PAGES, PAPERS, long_claim, verdicts
from report_parts import RUN, verdict

from theorytools.reporting import claim, folder
from theorytools.reporting.site import render_pages


@pytest.fixture(scope="module")
def rendered():
    return render_pages(verdicts(), PAPERS, run=RUN)


@pytest.fixture(params=sorted(PAGES))
def page(rendered, request):
    return rendered[request.param]


class Balanced(HTMLParser):
    """Counts open tags; every element but the void ones must be closed in order."""

    VOID = frozenset({"meta", "br", "wbr", "hr", "img", "input", "link"})

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


def test_every_verdict_gap_outcome_and_evidence_is_shown(rendered):
    assert set(rendered) == PAGES | ACROSS | INDEXES  # Theorem 5 is open
    assert list(rendered)[-1] == "index.html"
    for entry in verdicts():
        holding = [name for name, text in rendered.items() if f'<section class="claim" id="{entry["id"]}">' in text]
        assert len(holding) == 1
        assert f'href="{holding[0]}#{entry["id"]}"' in rendered["claims.html"]
        assert f'href="#{entry["id"]}"' in rendered[holding[0]]
    for index in ("claims.html", "open.html"):
        assert "no verdict in this run: qstr.lemma_11.exact" in rendered[index]
        assert "Open: needs the covering number" in rendered[index]
    assert "formula not seen" in rendered["qstr/index.html"]
    for outcome in ("holds", "refuted", "undecided", "powerless", "inapplicable"):
        assert f'<span class="badge {outcome}">{outcome}</span>' in rendered["claims.html"]
        assert f'<span class="badge {outcome}">{outcome}</span>' in rendered["trust.html"]
    assert "exact: integers and rationals" in rendered["qstr/lemma_11.html"]
    assert "sampled: error probability ≤ 2.5×10⁻⁷" in rendered["qstr/theorem_06.html"]
    assert "Statements that fail" in rendered["pitfalls.html"]
    own = rendered["qstr/other.html"].split('id="qstr.theorem_04"')[1].split("</section>")[0]
    assert re.search(r"the other \d+ are in <code>verdicts/qstr.theorem_04.json", own)
    assert own.count('<td class="open">') == 1


def test_page_is_well_formed_and_loads_nothing_from_elsewhere(rendered, page):
    reader = Balanced()
    reader.feed(page)
    assert reader.open == []
    assert len(reader.ids) == len(set(reader.ids))
    assert not reader.tags & {"iframe", "object", "embed", "base", "form"}
    pictures = re.findall(r'<img class="built" src="\.\./([^"]+)" alt="[^"]{20,}" loading="lazy">', page)
    assert len(pictures) == page.count("<img")
    assert set(pictures) <= set(rendered)
    loaded = re.findall(r'<(?:link|script)[^>]*(?:href|src)="([^"]*)"', page)
    assert [address.removeprefix("../") for address in loaded] == ["style.css", "search.js"]
    assert len(re.findall(r"""\b(?:src|action|data)\s*=\s*["']""", page)) == 1 + len(pictures)  # and the search
    assert "http" not in page


def test_the_style_sheet_holds_the_font_and_loads_nothing(rendered):
    addresses = re.findall(r'url\("?([^")]*)', rendered["style.css"])
    assert addresses
    assert all(address.startswith("data:font/woff;base64,") for address in addresses)
    for name in ("style.css", "search.js"):
        assert not re.search(r"@import|https?:|fetch\(|XMLHttpRequest|innerHTML", rendered[name].split("base64,")[-1])


def test_every_link_is_relative_and_has_its_target(rendered):
    followed = 0
    for name, text in rendered.items():
        for address in re.findall(r'href="([^"]*)"', text):
            path, _, target = address.partition("#")
            parts = [*name.split("/")[:-1], *path.split("/")] if path else name.split("/")
            while ".." in parts:
                at = parts.index("..")
                parts[at - 1 : at + 1] = []
            where = rendered["/".join(parts)]
            target = html.unescape(target)
            assert not target or f'id="{target}"' in where
            followed += 1
    assert followed > 3 * len(PAGES)


def test_rows_are_dropped_before_a_section_grows_too_large(monkeypatch):
    def shown(entry):
        lines = [line for block in claim.section(entry, figure=None).judged.rows.blocks for line in block.lines]
        assert "open" in {line.state for line in lines}  # never cut away
        return len(lines)

    assert shown(long_claim()) == claim.MOST
    monkeypatch.setattr(claim, "SECTION", 6_000)
    fewer = shown(long_claim())
    assert claim.LEAST < fewer < claim.MOST
    monkeypatch.setattr(claim, "SECTION", 0)
    assert shown(long_claim()) == claim.LEAST


def test_renderings_repeat_stay_small_and_markup_is_inert(rendered):
    assert render_pages(verdicts(), PAPERS, run=RUN) == rendered
    pattern = re.compile(r'<section class="claim".*?</section>', re.S)
    sections = [part for text in rendered.values() for part in pattern.findall(text)]
    assert len(sections) == len(verdicts())
    assert sum(len(part.encode()) for part in sections) <= 25_000 * len(sections)
    text = rendered["other/other.html"]
    assert "<script>alert" not in "".join(rendered.values())
    assert '<code class="tex">\\unknown{&lt;i&gt;}</code>' in text
    for path, page in rendered.items():
        assert page.count("<script") == (page[:9] == "<!DOCTYPE") + (path == "claims.html")
        assert not any(tag in page.replace('<img class="built" src="', "") for tag in ("<img", "<b>x"))


def test_users_points_stand_beside_the_grid_without_the_engine():
    at = {**verdicts()[1], "user_points": True, "command": "theorytools verify qstr.theorem_06 --at n=7 --at d=1/2"}
    pages = render_pages([verdicts()[1], at], PAPERS, run=RUN)
    assert re.findall(r'<section class="claim" id="([^"]*)"', pages["qstr/theorem_06.html"]) == [
        "qstr.theorem_06",
        "qstr.theorem_06@n=7,d=1/2",
    ]
    assert 'href="qstr/theorem_06.html#qstr.theorem_06@n=7,d=1/2"' in pages["claims.html"]
    assert "1 claim on" in pages["index.html"]
    assert "This run is not complete" in render_pages([], [], run={"complete": False})["index.html"]
    for path in Path(folder.__file__).parent.glob("*.py"):
        if path.name == "stored_verdicts.py":  # the one reader, which concludes again what it reads
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
                assert not any(name.startswith(("theorytools.claims", "theorytools.cli")) for name in names)


@pytest.mark.parametrize(
    "names", [("a b", "a_b"), ("A", "a"), ("..", "other"), ("con/../x", "con_.._x"), ("index", "Index")]
)
def test_every_statement_has_a_file_of_its_own_inside_the_folder(names):
    statements = [{"id": name, "claims": [f"qstr.{k}"]} for k, name in enumerate(names)]
    own = [verdict(str(k)) for k in range(len(names))]
    pages = set(render_pages(own, [{"key": "qstr", "statements": statements}], run={}))
    pages -= ACROSS | {"index.html", "qstr/index.html"}
    assert len({path.lower() for path in pages}) == len(names)
    assert all(re.fullmatch(r"qstr/[\w-][\w.-]*\.html", path) for path in pages)
