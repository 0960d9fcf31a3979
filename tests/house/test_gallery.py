"""The gallery's scripts make the picture they name; notebooks have a test of their own."""

import runpy
import sys
from xml.etree import ElementTree

import pytest
from source_tree import ROOT

SCRIPTS = sorted(path.name for path in (ROOT / "examples" / "gallery").glob("[a-z]*.py"))
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
SVG = "{http://www.w3.org/2000/svg}"


def test_the_index_names_every_script():
    assert (len(SCRIPTS), len(NOTEBOOKS)) == (8, 2)
    index = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert all(f"`examples/gallery/{name}`" in index for name in SCRIPTS)
    assert all(path.name in index for path in NOTEBOOKS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_makes_a_picture_and_nothing_else(tmp_path, monkeypatch, capsys, name):
    script = ROOT / "examples" / "gallery" / name
    assert len(script.read_text(encoding="utf-8").splitlines()) <= 60
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(script.parent)  # as a script has it, for what the scripts share
    monkeypatch.setattr(sys, "argv", [str(script), "-o", "made.svg"])
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out == "made.svg\n"
    assert [path.name for path in tmp_path.iterdir()] == ["made.svg"]
    drawn = ElementTree.parse(tmp_path / "made.svg").getroot()
    assert len(list(drawn.iter(f"{SVG}path"))) > 5
    assert drawn.find(".//{http://purl.org/dc/elements/1.1/}title") is not None  # what it shows, in words
