"""The SVG that everything draws with: what it is told comes back from a parser, whatever signs it has."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorytools.reporting.canvas import XMLNS, Canvas, alone, element, inline, number, path, text, words

# what XML can hold at all; a parser reads other ends of line and white space of attributes as they are normalised
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"))


@given(TEXTS.filter(bool), TEXTS)
def test_text_and_attributes_come_back_as_they_were(attribute, inside):
    root = ElementTree.fromstring(element("g", words(inside), class_=attribute, text_anchor="end"))
    assert (root.tag, root.text or "") == ("g", inside)
    assert root.attrib == {"class": attribute, "text-anchor": "end"}


def test_empty_attributes_and_bodies_are_left_out_and_a_zero_is_none_of_them():
    assert element("rect", class_="", x=0, y=0.0, width=7.25, height=-0.04) == (
        '<rect x="0" y="0" width="7.2" height="0"/>'
    )
    assert text(3, 4.0, "a", anchor="left") == '<text x="3" y="4">a</text>'
    assert text(3, 4.0, "a", anchor="centre", name="tick").startswith('<text class="tick" x="3" y="4" text-anchor="mi')
    assert "title" not in path("edge", "M0 0h1")
    assert path("edge", "M0 0h1", "why & how").endswith("<title>why &amp; how</title></path>")


@pytest.mark.parametrize(("value", "written"), [(0.04, "0"), (-0.04, "0"), (-0.06, "-0.1"), (3.0, "3"), (2.26, "2.3")])
def test_a_coordinate_has_one_decimal_where_it_needs_one(value, written):
    assert number(value) == written


@given(TEXTS.filter(bool))
def test_every_picture_says_what_it_shows(said):
    for picture in (inline("map", (10, 20), said), Canvas(said, 10, 20).text()):
        root = ElementTree.fromstring(picture)
        assert (root.get("aria-label"), root.get("role"), root.get("viewBox")) == (said, "img", "0 0 10 20")
        assert "width" not in root.attrib
    fixed = ElementTree.fromstring(inline("map", (10, 20), said, fixed=True, at={"x": 0}))
    assert (fixed.get("width"), fixed.get("height"), fixed.get("x")) == ("10", "20", "0")
    root = ElementTree.fromstring(alone((10, 20), said, style="text{fill:red}"))
    assert root.findtext(f"{{{XMLNS}}}title") == said
    assert "class" not in root.attrib


def test_neighbours_of_one_class_share_a_group_and_a_path():
    canvas = Canvas("t", 10, 10)
    canvas.line("bound", [(0, 0), (1, 0), (1, 2), (3, 4)])
    canvas.mark("bound", "_", 5, 5)
    canvas.mark("measured", "o", 6, 6)
    canvas.label("tick", 1, 2, "a < b", anchor="right")
    assert canvas.text().partition(">")[2] == (
        '<g class="bound"><path d="M0 0H1V2L3 4M5 5m-4.5 0h9"/></g><g class="measured dots"><path d="M6 6h0"/></g>'
        '<g class="tick" text-anchor="end"><text x="1" y="2">a &lt; b</text></g></svg>'
    )
