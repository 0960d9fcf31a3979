"""Verdicts that only the committed record knows: a line each, and what is made from uncommitted code says so."""

import re

import pytest
from report_examples import PAPERS, refuted_claim, verdicts
from report_parts import RUN, between, rational, row, verdict

from theorytools.reporting.site import render_pages

FIELDS = ("id", "label", "outcome", "role", "expect", "as_expected", "evidence", "reason")
MADE = {"commit": "60d4b811df8810da508025aab86636b0e0f26402", "created": "2026-11-20T12:37:35+00:00"}


def compact(judged):
    """What the committed record keeps of a verdict."""
    return {"compact": True, "record": MADE, "rows": [["N=2", "1/2"]], **{name: judged.get(name) for name in FIELDS}}


def line(page, id):
    """The line of the table of claims that names a claim."""
    short = id.partition(".")[2]
    return next(
        row for row in re.findall(r"<tr\b.*?</tr>", page, re.S)
        if re.search(rf'class="claim-id"[^>]*>(<a [^>]*>)?{re.escape(short)}(</a>)?</t[dh]>', row)
    )  # fmt: skip


def test_a_recorded_verdict_is_listed_with_what_is_known_and_whence():
    kept = [compact(one) for one in verdicts()]
    pages = render_pages(kept, PAPERS, run=RUN)
    assert not any(path.startswith("qstr/") and path != "qstr/index.html" for path in pages)  # nothing was judged
    index = pages["claims.html"]
    for one in kept:
        shown = line(index, one["id"])
        assert "href" not in shown.partition('class="claim-id"')[2]
        assert f">{one['outcome'].lower()}</span>" in shown
        assert f">{(one['evidence'] or 'none').lower()}</td>" in shown
        assert ">from the committed record of 2026-11-20<" in shown
    assert f"{len(kept)} claims on" in pages["index.html"]
    assert f"{len(kept)} of them from the committed record, not judged here" in pages["index.html"]
    failing = pages["pitfalls.html"].split('id="statements-that-fail"')[1]
    assert kept[3]["label"] in failing


def test_recorded_verdicts_stand_beside_judged_ones_and_need_no_date():
    judged = verdicts()[0]
    other = compact({**judged, "id": "qstr.lemma_11.exact", "label": "Lemma 11, exact", "role": "sharpness"})
    pages = render_pages([judged, other, compact(verdicts()[1])], PAPERS, run=RUN)
    assert {path for path in pages if path.startswith("qstr/")} == {"qstr/index.html", "qstr/lemma_11.html"}
    page = pages["qstr/lemma_11.html"]
    row = line(page, "qstr.lemma_11.exact")
    assert "from the committed record of" in row
    assert ">sharpness<" in row
    assert page.count('<section class="claim"') == 1
    assert 'id="qstr.lemma_11.exact"' not in page
    assert "no verdict in this run" not in line(pages["claims.html"], "qstr.lemma_11")
    known = {**compact(verdicts()[0]), "record": None}
    assert ">from the committed record<" in render_pages([known], PAPERS, run=RUN)["claims.html"]


@pytest.mark.parametrize("dirty", [False, True])
def test_a_record_made_from_uncommitted_code_says_so_in_red(dirty):
    own = {**refuted_claim(), "record": {**MADE, "changed_since": dirty}}
    pages = render_pages([own], PAPERS, run={})
    section = pages["qstr/proposition_08.html"].split("<section")[2]  # after what is printed
    assert "Judged from a record of 2026-11-20, commit 60d4b811df88" in section
    assert ('<span class="uncommitted">made from uncommitted code</span>' in section) is dirty
    assert ('<span class="uncommitted">' in pages["claims.html"]) is dirty
    assert re.search(r"\.uncommitted \{[^}]*color: var\(--bad\)", pages["style.css"])


def test_an_observed_number_names_its_machine():
    where = {"machine": "x86_64", "numpy": "2.4.6", "processor": "AVX2 FMA3", "bits": 64}
    rows = [row({"N": N}, between(0.5, 0.5, "OBSERVED", **where), rational(1)) for N in (2, 3)]
    pages = render_pages([verdict("lemma_41", evidence="OBSERVED", rows=rows)], PAPERS, run=RUN)
    text = "Observed on machine x86_64, numpy 2.4.6, processor AVX2 FMA3."
    assert pages["qstr/lemma_41.html"].count(text) == 1
    assert '<span class="evidence observed">observed: ' in pages["qstr/lemma_41.html"]
    assert '<td class="grade observed">observed</td>' in pages["claims.html"]
    assert "Observed on" not in render_pages(verdicts(), PAPERS, run=RUN)["qstr/lemma_41.html"]
