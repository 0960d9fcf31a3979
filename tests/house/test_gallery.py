"""The gallery's scripts make the picture they name, and the notebooks run."""

import ast
import json
import runpy
import sys
from xml.etree import ElementTree

import nbclient
import nbformat
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


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_small_and_without_outputs(path):
    text = path.read_text(encoding="utf-8")
    assert len(text) < 100_000
    assert all(not cell.get("outputs") for cell in json.loads(text)["cells"])
    nbformat.validate(nbformat.reads(text, as_version=4))


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


def shown_by(cell, names):
    """Run a cell in this process; return what its last line shows, if that is a value."""
    tree = ast.parse(cell)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "a cell", "exec"), names)
    return last and eval(compile(ast.Expression(last.value), "a cell", "eval"), names)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_cells_of_a_notebook_run_one_after_the_other(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    shown = [shown_by("".join(cell["source"]), names) for cell in cells]
    assert any(getattr(value, "_repr_html_", lambda: None)() for value in shown)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom_in_its_kernel(tmp_path, path):
    text = path.read_text(encoding="utf-8")
    client = nbclient.NotebookClient(
        nbformat.reads(text, as_version=4), timeout=120, resources={"metadata": {"path": str(tmp_path)}}
    )
    made = client.execute()
    shown = [out for cell in made.cells if cell.cell_type == "code" for out in cell.outputs]
    assert not any(out.output_type == "error" for out in shown)
    assert any("text/html" in out.get("data", {}) for out in shown)
