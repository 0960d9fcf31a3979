"""The pictures of the constructions: those in the tree are what the constructions draw, and a report links them."""

import importlib
import re
from xml.etree import ElementTree

import pytest
from source_tree import FRONTS

import theorytools
from theorytools.reporting.drawings import DRAWN, PICTURES
from theorytools.reporting.folder import render_pages
from theorytools.reporting.pages.gallery import example, import_line, picture


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_what_the_construction_draws(name):
    made = DRAWN[name]()
    assert (PICTURES / f"{name}.svg").read_text(encoding="utf-8") == made, "python -m theorytools.reporting.drawings"
    root = ElementTree.fromstring(made)
    assert len(root.findtext("{http://www.w3.org/2000/svg}title")) > 20  # what it shows, in words
    assert len(made) < 6000
    assert "http" not in made.replace("http://www.w3.org/2000/svg", "")
    assert import_line(name)


def test_every_file_is_of_a_construction():
    assert {path.stem for path in PICTURES.iterdir()} == set(DRAWN)


def test_a_report_links_the_pictures_of_its_witnesses():
    verdict = theorytools.verify("qstr.lemma_11", N=[8], q=1).to_json()
    pages = render_pages([verdict], [], run={})
    path, words = picture("BlockAttention")
    assert "asks" in words or "ask for" in words
    assert pages[path].startswith("<svg")
    page = next(text for name, text in pages.items() if name.startswith("qstr/") and "img" in text)
    assert f'src="../{path}"' in page
    assert f'src="{path}"' in pages["constructions.html"]
    assert picture("NoSuchThing") == ("", "")


BUILT = sorted(
    name
    for front in FRONTS
    for name in importlib.import_module(front).__all__
    if name[0].isupper() and not name.endswith("Error") and example(name)
)


@pytest.mark.parametrize("name", BUILT)
def test_what_a_page_shows_runs_as_it_is(name):
    """The lines of import and the example beside a construction, in an empty namespace."""
    text = f"{import_line(name)}\n{example(name)}"
    assert re.search(rf"^from theorytools(\.papers\.\w+)? import {name}\b", text, re.M)
    exec(compile(text, name, "exec"), {})
