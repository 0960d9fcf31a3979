"""The pictures of the constructions: those in the tree are what the constructions draw, and a report links them."""

import importlib
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from source_tree import FRONTS

import theorytools
from theorytools.reporting.pages.gallery import example, import_line, picture, pictures_in
from theorytools.reporting.shapes import heat, write
from theorytools.reporting.site import render_pages

ROOMS = [importlib.import_module(f"{front}.drawings") for front in FRONTS]
DRAWN = [(room, name) for room in ROOMS for name in room.DRAWN]


@pytest.mark.parametrize(("room", "name"), DRAWN)
def test_a_picture_is_what_the_construction_draws(room, name):
    made = room.DRAWN[name]()
    file = Path(room.__file__).with_name("pictures") / f"{name}.svg"
    assert file.read_text(encoding="utf-8") == made, f"python -m {room.__name__}"
    root = ElementTree.fromstring(made)
    assert len(root.findtext("{http://www.w3.org/2000/svg}title")) > 20  # what it shows, in words
    assert len(made) < 6000
    assert "http" not in made.replace("http://www.w3.org/2000/svg", "")
    assert import_line(name)


def test_every_file_is_of_a_construction():
    files = [path.stem for room in ROOMS for path in Path(room.__file__).with_name("pictures").iterdir()]
    assert sorted(files) == sorted(name for _, name in DRAWN)  # no two rooms have one name


def test_a_paper_brings_the_pictures_of_its_own_constructions(tmp_path):
    """By the three lines that the module of shapes shows; its own goes before the library's of the same name."""
    verdict = theorytools.verify("qstr.lemma_11", N=[8], q=1).to_json()
    own = heat("BlockAttention & its <weights>", [("weights", "query", "key", [[1.0, -0.5], [0.0, 0.001]])])
    (written,) = write(tmp_path / "qstr" / "pictures", {"BlockAttention": lambda: own})
    assert ElementTree.fromstring(own).findtext("{http://www.w3.org/2000/svg}title") == "BlockAttention & its <weights>"
    assert own.count("opacity") == 2  # one cell is zero, another would not be seen
    paper = {"key": "qstr", "pictures": pictures_in(written.parents[1])}
    statement = {"id": "lemma_11", "label": "Lemma 11", "claims": ["qstr.lemma_11"]}
    pages = render_pages([verdict], [{**paper, "statements": [statement]}], run={})
    assert pages["_pictures/qstr/BlockAttention.svg"] == own
    assert "_pictures/BlockAttention.svg" not in pages
    assert 'src="../_pictures/qstr/BlockAttention.svg"' in pages["qstr/lemma_11.html"]
    assert 'alt="BlockAttention &amp; its &lt;weights&gt;"' in pages["constructions.html"]


def test_a_report_links_the_pictures_of_its_witnesses():
    verdict = theorytools.verify("qstr.lemma_11", N=[8], q=1).to_json()
    pages = render_pages([verdict], [], run={})
    path, words = picture("BlockAttention", {})
    assert "asks" in words or "ask for" in words
    assert pages[path].startswith("<svg")
    page = next(text for name, text in pages.items() if name.startswith("qstr/") and "img" in text)
    assert f'src="../{path}"' in page
    assert f'src="{path}"' in pages["constructions.html"]
    assert picture("NoSuchThing", {}) == ("", "")


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
