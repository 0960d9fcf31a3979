"""The page of disputed statements and its blocks in documents: every word escaped, every state told, no dead link."""

import re

import pytest
from report_parts import RUN, verdict
from source_tree import ROOT

from theorytools.meaning import GRIDS, READ_AS
from theorytools.reporting.finds import HEADS, counts_text, documents, in_doubles, tried
from theorytools.reporting.pages.finds import PAGE
from theorytools.reporting.site import render_pages

TWIN = {"claim": "doubt.one.repaired", "check": "b", "outcome": "HOLDS", "limit": "to N = 4", "evidence": "EXACT"}
VERDICT = {"outcome": "REFUTED", "reason": "r", "limit": "", "points": 3, "seconds": 0.1}


def row(claim="qstr.lemma_1", way="verify", state="", **more):
    words = {
        "statement": "It is $N<7$, <b>always</b> | so.", "by": "A. & B. <2020>", "read": "2026-11-26",
        "address": "https://example.org/a?b=1&c=<2>", "read_as": "memory", "grid": "before", "repair": "source: C.",
        "finding": "It fails <i>at</i> six | or $N\\ge6$.",
    }  # fmt: skip
    found = {
        "claim": claim, "check": "a", "way": way, "state": state, "outcome": "REFUTED", "place": 'N=6, w="<a|b>"',
        "evidence": "EXACT", "said": "s", "points": 3, "seconds": 0.123, "lines": 21, "verify": VERDICT,
        "repaired": [TWIN], "doubles": None, "parts": [], "twins": (TWIN["claim"],),
    }  # fmt: skip
    return {**found, **words, **more}


def told(*rows, unsaid=(), own=True, **made):
    ways = [one["way"] for one in rows if not one["state"]]
    counts = {way: ways.count(way) for way in ("verify", "falsify", "witness", "none")}
    made = {"commit": "0123456789abcdef", "dirty": False, "created": "2026-11-26T10:00:00", "cpu": "<cpu>", **made}
    return {"rows": list(rows), "unsaid": list(unsaid), "counts": counts, "made": made, "seconds": 10.0, "own": own}


LEFT = {key: row()[key] for key in ("statement", "by", "address", "read", "read_as")} | {"reason": "no <kind> of $x$"}


def pages(*shelves):
    return render_pages([verdict("lemma_1")], [], run={**RUN, "finds": list(shelves)})


def test_a_site_without_disputes_has_no_such_page_and_no_link_to_it():
    for made in (pages(), render_pages([verdict("lemma_1")], [], run=RUN)):
        assert PAGE not in made
        assert [path for path, text in made.items() if PAGE in text] == []


def test_the_front_page_links_the_page_near_the_top_with_the_counts():
    one = told(row(), row(way="none", place="", outcome="HOLDS"))
    made = pages(one)
    front = made["index.html"]
    assert front.index(f'<a href="{PAGE}">') < front.index("</header>")
    assert "Of 2 disputed statements of others 1 is found wrong or unresolved by <code>verify</code> alone" in front
    assert '"What it finds","disputed statements of others' in made["search.js"]
    assert front.count(f'href="{PAGE}"') == 3  # there, in the navigation, and among the pages across papers


def test_all_words_are_escaped_and_formulas_are_shown():
    page = pages(told(row(), unsaid=[LEFT]))[PAGE]
    for wrong in ("<b>always", "<i>at", "<2020>", "<kind>", "<cpu>", 'w="<a', "c=<2>", "$"):
        assert wrong not in page.partition("<main")[2], wrong
    assert page.count("<math") >= 3
    assert "N=6, w=&#34;&lt;a|b&gt;&#34;" in page
    assert 'href="https://example.org/a?b=1&amp;c=&lt;2&gt;"' in page


def test_a_row_says_what_happens_who_says_it_what_it_took_and_what_holds():
    page = pages(told(row()))[PAGE]
    shown = [
        "refuted, by <code>verify</code> alone", "(exact)", "3 points tried beside the grid.", ">21<", ">0.12<",
        "from C.", "HOLDS to N = 4 (exact)", "2026-11-26: memory", READ_AS["memory"], GRIDS["before"], "0123456789ab",
    ]  # fmt: skip
    assert [said for said in shown if said not in page] == []
    assert 'href="qstr/other.html#qstr.lemma_1"' in page  # the page of the claim in this site
    assert "uncommitted" not in page
    assert "with uncommitted changes" in pages(told(row(), dirty=True))[PAGE]


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (row(way="none", outcome="HOLDS", place="", verify={**VERDICT, "outcome": "HOLDS", "limit": "to N = 3"}),
         ("not found", "the verdict is HOLDS to N = 3")),
        (row(way="none", outcome="UNDECIDED", place="", said="a run of 4096 steps"),
         ("undecided in its budget", "a run of 4096 steps")),
        (row(outcome="UNDECIDED", place="", said="unresolved: a log would pass"),
         ("unresolved, by", "alone</a></b>: a log would pass")),
        (row(way="witness", outcome="WITNESS FAILS"), ("what it exhibits fails, only by a brought witness",)),
        (row(state="stale"), ("stale: the check changed since", "1 is not recorded as the check is now")),
    ],
)  # fmt: skip
def test_every_end_is_told(one, said):
    page = pages(told(one))[PAGE]
    assert [text for text in said if text not in page] == []
    assert "refuted, by" not in page


def test_a_dispute_that_is_not_recorded_is_shown_without_numbers():
    words = (*LEFT, "claim", "finding", "repair", "grid", "state", "way", "twins")
    bare = {key: value for key, value in row(state="missing").items() if key in words}
    one = told(bare) | {"made": {}}
    page, block = pages(one)[PAGE], documents(one)
    assert "not recorded yet" in page
    assert "Recorded on" not in page
    assert "*Not recorded yet*" in block["table"]
    assert block["table"].endswith("| – |  |  |")


@pytest.mark.parametrize(
    ("more", "said"),
    [({"points": 1}, "1 point tried beside the grid"), ({"points": 0}, ""),
     ({"way": "witness", "points": 1, "falsify": {"points": 900}}, "900 points tried by `falsify`")],
)  # fmt: skip
def test_the_points_that_are_told_are_those_of_a_search(more, said):
    assert tried(row(**more)) == said


def test_a_long_input_is_folded_and_there_whole():
    long = "G=" + "[0,1]," * 40
    page = pages(told(row(place=long), row(place="N=6")))[PAGE]
    assert f"<summary><code>{long[:60]}…</code></summary><code>{long}</code>" in page
    assert '<td data-head="first input"><code>N=6</code></td>' in page


def test_what_cannot_be_said_ends_with_one_full_stop_and_says_what_was_read():
    page = pages(told(row(), unsaid=[LEFT, {**LEFT, "reason": "Nobody knows.", "read_as": "vanished"}]))[PAGE]
    section = page.partition('id="unsaid"')[2]
    assert "Nobody knows.</li>" in section
    assert "</math>.</li>" in section
    assert READ_AS["vanished"] in section
    assert 'id="unsaid"' not in pages(told(row()))[PAGE]


def test_where_doubles_mislead_both_are_shown():
    parts = [
        {"claim": "qstr.lemma_1", "said": "float64 parts at step 7"},
        {"claim": TWIN["claim"], "said": "at step 9"},
    ]
    doubles = {**TWIN, "outcome": "REFUTED", "limit": "", "evidence": "OBSERVED", "reason": "it leaves the hull"}
    one = row(parts=parts, doubles=doubles)
    assert in_doubles(one) == [
        ("float64 parts at step 7", "refuted, by verify alone"),
        ("at step 9", "HOLDS to N = 4 (exact)"),
        ("REFUTED (observed): it leaves the hull", "HOLDS to N = 4 (exact)"),
    ]
    page, block = pages(told(one))[PAGE], documents(told(one))["page"]
    for text in (page, block):
        assert "it leaves the hull" in text
        assert text.count("HOLDS to N = 4 (exact)") >= 2
    assert 'id="doubles"' in page
    assert 'id="doubles"' not in pages(told(row()))[PAGE]


def cells(line):
    return re.split(r"(?<!\\)\|", line)[1:-1]


def test_the_tables_of_documents_have_one_line_for_each_statement():
    block = documents(told(row(), row("doubt.two", place="N=" + "9" * 300), unsaid=[LEFT]))
    head, rule, *lines = block["table"].splitlines()
    assert tuple(cell.strip() for cell in cells(head)) == HEADS
    assert {len(cells(line)) for line in (head, rule, *lines)} == {6}
    assert "&lt;b&gt;always&lt;/b&gt;" in lines[0]
    assert "*Refuted, by `verify` alone*" in lines[0]
    assert '`N=6, w="<a\\|b>"`' in lines[0]
    assert "…`" in lines[1]
    assert len(lines[1]) < 600
    assert block["page"].startswith(block["line"] + "\n\n" + block["table"])
    assert "no &lt;kind&gt; of $x$ |" in block["page"]
    assert set(documents(None).values()) == {"Nothing is disputed yet."}


def test_the_counts_add_up_and_are_all_told():
    rows = [row(), row(way="falsify"), row(way="witness"), row(way="none"), row(state="stale")]
    assert counts_text(told(*rows, unsaid=[LEFT])) == (
        "Of 5 disputed statements of others 1 is found wrong or unresolved by `verify` alone, 1 by `falsify` in 10 s "
        "of one core, 1 only by a witness that is brought; 1 is not found; 1 is not recorded as the check is now; "
        "1 more cannot be said with the tool."
    )


def test_on_a_phone_every_cell_carries_its_head():
    page = pages(told(row()))[PAGE]
    for table in re.findall(r'<table class="finds.*?</table>', page, re.S):
        assert all("data-head=" in cell for cell in re.findall(r"<td[^>]*>", table))
    css = (ROOT / "theorytools" / "reporting" / "templates" / "style.css").read_text(encoding="utf-8")
    narrow = css.index("@media (max-width: 34rem)")
    wide = [found.start() for found in re.finditer(r"^\.finds", css, re.M)]
    assert wide
    assert max(wide) < narrow < css.index(".finds, .finds tbody", narrow)  # or the rules of wide pages would win
