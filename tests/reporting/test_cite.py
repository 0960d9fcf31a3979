"""How pages are cited: BibTeX that BibTeX reads, the tool as CITATION.cff has it, an address that is the page's."""

import re

import pytest
import yaml
from report_examples import PAPERS, verdicts
from report_parts import RUN, verdict
from source_tree import ROOT

from theorytools.reporting import cite
from theorytools.reporting.badge import BAD, GOOD, OPEN, badge
from theorytools.reporting.site import render_pages

HARD = "Bounds {of} 50 % & more: $N_q$, T_1 # \\ ~ ^ }"


def fields(text):
    """The fields of one entry, read as BibTeX reads them: braces that are balanced, a comma after each."""
    head = re.match(r"@misc\{([A-Za-z0-9:._-]+),\n", text)
    assert head, text
    found, rest = {}, text[head.end() :]
    while rest != "}":
        name = re.match(r" *(\w+) = \{", rest)
        assert name, rest
        depth, end = 1, name.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(rest[end], 0) * (rest[end - 1] != "\\")
            end += 1
        found[name[1]] = rest[name.end() : end - 1]
        assert rest[end : end + 2] == ",\n", rest
        rest = rest[end + 2 :]
    return head[1], found


@pytest.mark.parametrize("title", ["", HARD, "Ordinary"])
def test_an_entry_is_read_whole_whatever_the_title_holds(title):
    paper = {"key": "a_b", "arxiv": "2503.11272", "title": title, "authors": "Wu, Erdogdu"}
    key, found = fields(cite.of_paper(paper))
    assert (key, found["eprint"], found["year"], found["author"]) == ("a_b", "2503.11272", "2025", "Wu and Erdogdu")
    one = verdict("lemma_01")
    key, found = fields(cite.of_claim(one, paper, title or "Lemma 1", "qstr/lemma_01.html"))
    assert key == "theorytools-qstr.lemma_01"
    for part in ("arXiv:2503.11272", "qstr.lemma\\_01: holds"):
        assert part in found["note"]
    assert "qstr/lemma\\_01.html" in found["howpublished"]
    assert cite.of_paper({**paper, "arxiv": ""}) == ""
    fields(cite.of_page(title, "docs/a b.html", ""))


def test_the_tool_is_cited_as_the_citation_file_says():
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (said["title"], said["authors"][0]["name"]) == (cite.TITLE, cite.AUTHOR)
    assert said["title"] in fields(cite.of_tool(str(said["version"])))[1]["title"]


def test_every_page_says_what_it_is_about_and_how_it_is_cited():
    """One that is left out is found by nobody, or cited by an address that is another page's."""
    pages = {path: text for path, text in render_pages(verdicts(), PAPERS, run=RUN).items() if path.endswith(".html")}
    said = {path: re.search(r'<meta name="description" content="([^"]+)">', text)[1] for path, text in pages.items()}
    assert len(set(said.values())) == len(said)
    for path, text in pages.items():
        assert text.count('id="cite"') == 1, path
        assert f'<a class="address" href="#">{path}</a>' in text
        assert "@misc{" in text
    page = pages["qstr/lemma_11.html"]
    ids = re.findall(r'<section class="claim" id="([^"]+)"', page)
    assert ids
    assert all(f'href="#{id}">qstr/lemma_11.html#{id}</a>' in page for id in ids)


def test_the_badge_counts_what_is_not_there_and_is_never_green_for_it():
    good, bad = verdict("lemma_01"), {**verdict("lemma_02"), "as_expected": False, "outcome": "REFUTED"}
    still = {**bad, "outcome": "UNDECIDED"}
    elsewhere = {**bad, "user_points": True}
    for given, missing, said, colour in (
        ([good], 0, "1 of 1 as expected", GOOD), ([good, bad], 0, "1 of 2 as expected", BAD),
        ([good, still], 0, "1 of 2 as expected", OPEN), ([good], 3, "1 of 4 as expected", OPEN),
        ([good, bad, still], 0, "1 of 3 as expected", BAD), ([good, elsewhere], 0, "1 of 1 as expected", GOOD),
        ([], 0, "none judged", OPEN),
    ):  # fmt: skip
        made = badge(given, missing)
        assert f"theorems: {said}<" in made
        assert [one for one in (GOOD, OPEN, BAD) if one in made] == [colour]
