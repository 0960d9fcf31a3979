"""Questions of a reader: each is answered two clicks from the front page, at an anchor; and no link leads nowhere."""

import html
import re
import subprocess
import sys

import pytest
from source_tree import ROOT

# what a reader asks, and where the answer stands
QUESTIONS = {
    "Does one head for each index suffice?": "qstr/lemma_11.html#qstr.lemma_11",
    "Is the bound on few heads sharp?": "qstr/proposition_03.html#role-sharpness",
    "Which hypotheses of Theorem 6 are needed?": "qstr/theorem_06.html#role-necessity",
    "What does Theorem 6 rest on?": "qstr/theorem_06.html#uses",
    "Which readings of these papers fail?": "pitfalls.html#pitfalls",
    "What was predicted of training and missed?": "predictions.html#missed",
    "What is not claimed?": "trust.html#not-claimed",
    "How do I import the attention of Lemma 11?": "constructions.html#BlockAttention",
    "What is open?": "open.html#statements",
    "How do I repeat and cite the check of Lemma 11?": "qstr/lemma_11.html#reproduce",
    "Which statement uses which?": "qstr/index.html#map",
}
JUDGED = (
    "qstr.lemma_11", "qstr.proposition_03", "qstr.proposition_03_sharp", "qstr.theorem_06", "qstr.theorem_06_full_rank",
)  # fmt: skip


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The site of this tree, a few claims judged and all others known from the committed record."""
    folder = tmp_path_factory.mktemp("find") / "site"
    verify = [sys.executable, "-m", "theorytools", "verify", *JUDGED, "--report", str(folder)]
    subprocess.run(verify, cwd=ROOT, check=True, capture_output=True)
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*.html")}


def led_to(name, text):
    """The pages and anchors that a page links to."""
    for address in map(html.unescape, re.findall(r'href="([^"]*)"', text)):
        path, _, target = address.partition("#")
        parts = [*name.split("/")[:-1], *path.split("/")] if path else name.split("/")
        while ".." in parts:
            at = parts.index("..")
            parts[at - 1 : at + 1] = []
        yield "/".join(parts), target


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_two_clicks_from_the_front_page(pages, question):
    page, _, anchor = QUESTIONS[question].partition("#")
    first = {path for path, _ in led_to("index.html", pages["index.html"])} & pages.keys()
    second = {path for name in first for path, _ in led_to(name, pages[name])}
    assert page in first | second
    assert f'id="{anchor}"' in pages[page]


def test_no_link_of_the_site_leads_nowhere_and_the_map_is_large(pages):
    for name, text in pages.items():
        for path, target in led_to(name, text):
            if path.endswith(".html"):
                assert path in pages, f"{name}: {path}"
                assert not target or f'id="{target}"' in html.unescape(pages[path]), f"{name}: {path}#{target}"
    assert sum(pages[f"{key}/index.html"].count('class="edge"') for key in ("qstr", "sep", "stsq")) >= 150


def test_pages_stay_small(pages):
    assert all(len(text.encode()) <= 300_000 for name, text in pages.items() if name != "claims.html")
    assert len(pages["claims.html"].encode()) <= 400_000
