"""The figure and the table of simulated coverage, and the section of the trust page that shows both."""

import xml.etree.ElementTree as ElementTree

import pytest

from theorytools.files import json_text
from theorytools.reporting.estimators import RECORD, SCHEMA, figure, read_estimators, table
from theorytools.reporting.site import render_pages
from theorytools.statistics.coverage import Coverage


def study(hits, law="Gaussian", admitted=True, nominal=0.95):
    seen = Coverage(hits, 1000, nominal)
    return {"law": law, "sizes": "5 runs", "admitted": admitted, "nominal": nominal, "hits": hits, "runs": 1000,
            "refused": 0, "share": seen.share, "low": seen.low, "high": seen.high, "verdict": seen.verdict}  # fmt: skip


def panel(title, *studies, twin=800):
    return {"title": title, "estimators": [title], "claims": ["toy.one", "toy.two"], "spoiled": "z < t & more",
            "studies": list(studies), "twin": study(twin)}  # fmt: skip


RECORDED = {"schema": SCHEMA, "doubt": 1e-3, "versions": {}, "panels": [
    panel("means <of> runs", study(951), study(700, "skewed", admitted=False)),
    panel("sequences", study(1000, nominal=1.0), study(990)),
    panel("slopes", study(940)),
]}  # fmt: skip


def marks(svg, name):
    return [e for e in ElementTree.fromstring(svg).iter() if name == e.get("class", "") and "text" not in e.tag]


def test_the_figure_has_a_mark_for_every_study_and_one_for_every_twin():
    svg = figure(RECORDED)
    circles = [e for e in ElementTree.fromstring(svg).iter() if e.tag.endswith("circle")]
    assert len(circles) == 5 + 3  # and three of the legend
    assert len(marks(svg, "x")) == 3 + 1
    assert [e.get("class") for e in circles].count("o b") == 1  # what is too narrow under a law that is not admitted
    assert "prefers-color-scheme:dark" in svg


def test_a_coverage_stands_further_right_the_larger_it_is_and_all_within_the_frame():
    def across(hits):
        svg = figure({**RECORDED, "panels": [panel("one", study(hits)), panel("two", study(950))]})
        return next(float(e.get("cx")) for e in ElementTree.fromstring(svg).iter()
                    if e.tag.endswith("circle") and e.get("cy") != "16")  # fmt: skip

    places = [across(hits) for hits in (0, 500, 900, 950, 999, 1000)]
    assert places == sorted(places)
    assert places[-1] - places[0] == pytest.approx(210)


def test_the_table_names_the_least_coverage_and_what_is_too_narrow():
    first, second, third = table(RECORDED)
    assert first["least"]["hits"] == 951
    assert [s["law"] for s in first["below"]] == ["skewed"]
    assert second["below"] == third["below"] == []
    assert first["claims"] == ["toy.one", "toy.two"]


def test_the_trust_page_shows_a_record_and_nothing_without_one():
    with_it = render_pages([], [], run={"estimators": RECORDED})["trust.html"]
    without = render_pages([], [], run={})["trust.html"]
    assert 'id="estimators"' in with_it
    assert "<svg" in with_it
    assert "95.1 % for 95 %" in with_it
    assert "<code>toy.two</code>" in with_it
    assert "means &lt;of&gt; runs" in with_it
    assert "z &lt; t &amp; more" in with_it
    assert 'id="estimators"' not in without


def test_only_a_record_of_this_schema_is_read(tmp_path):
    assert read_estimators(tmp_path) == {}
    (tmp_path / RECORD).parent.mkdir()
    for text, found in (("{", {}), ("[]", {}), (json_text({**RECORDED, "schema": "other/1"}), {}),
                        (json_text(RECORDED), RECORDED)):  # fmt: skip
        (tmp_path / RECORD).write_text(text, encoding="utf-8")
        assert read_estimators(tmp_path) == found
