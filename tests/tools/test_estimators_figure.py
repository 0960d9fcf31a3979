"""The figure and the table of simulated coverage."""

import xml.etree.ElementTree as ElementTree

import pytest

from theorytools.statistics.coverage import Coverage
from tools.estimators.figure import SCHEMA, figure


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
