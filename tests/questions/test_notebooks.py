"""The notebooks are read before they are run: their outputs are today's, whole, and of no machine."""

import ast
import contextlib
import io
from copy import deepcopy

import nbformat
import pytest
from source_tree import ROOT

from theorytools.errors import CheckError
from tools import notebooks
from tools.notebooks import FOLDER, VARIES, changed, cleaned, executed, faults, main, texts, timeless

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def kept(path):
    return nbformat.read(path, as_version=4)


@each
def test_a_notebook_has_its_outputs_and_nothing_of_a_run_or_a_machine(path):
    notebook = kept(path)
    nbformat.validate(notebook)
    assert faults(notebook) == []
    assert all(shown for shown, cell in zip(texts(notebook), codes(notebook), strict=True) if ends_in_a_value(cell))
    assert notebook == cleaned(deepcopy(notebook))
    text = path.read_text(encoding="utf-8")
    assert text == nbformat.writes(notebook, indent=1) + "\n"
    assert len(text) < 150_000
    assert str(ROOT) not in text


def codes(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def ends_in_a_value(cell):
    return isinstance(ast.parse(cell.source).body[-1], ast.Expr)


def test_the_notebooks_show_a_picture_tables_in_colour_and_the_review_of_one_lemma():
    review, construction = (kept(FOLDER / f"{name}.ipynb") for name in ("review_a_lemma", "import_a_construction"))
    kinds = {kind for shown in texts(review) for types, _ in shown for kind in types.split()}
    assert {"image/svg+xml", "text/html", "text/markdown", "text/plain"} <= kinds
    source = "\n".join(cell.source for cell in codes(review))
    assert {name for name in source.split('"') if name.startswith("qstr.lemma")} <= {
        "qstr.lemma_11", "qstr.lemma_11_any_temperature", "qstr.lemma_11_norms.class_norm"
    }  # fmt: skip
    modules = {node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)}
    assert modules == {"theorytools"}
    assert any(name == "stdout" for shown in texts(construction) for name, _ in shown)


def run_here(cell, names):
    """What a cell prints, and the plain text of what its last line shows, as IPython sends them."""
    from IPython.core.interactiveshell import InteractiveShell

    tree, printed = ast.parse(cell.source), io.StringIO()
    last = tree.body.pop() if ends_in_a_value(cell) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "a cell", "exec"), names)
        value = last and eval(compile(ast.Expression(last.value), "a cell", "eval"), names)
    shown = [("stdout", printed.getvalue())] if printed.getvalue() else []
    if value is not None:
        data, _ = InteractiveShell.instance().display_formatter.format(value)
        shown.append((" ".join(sorted(data)), data["text/plain"]))
    return shown


@each
def test_the_outputs_are_what_the_cells_show_today(tmp_path, monkeypatch, path):
    """In this process, which is quicker than a kernel; what a cell shows that trains is one machine's."""
    monkeypatch.chdir(tmp_path)
    notebook, names = kept(path), {"__name__": "__main__"}
    for cell, old in zip(codes(notebook), texts(notebook), strict=True):
        new = run_here(cell, names)
        assert [kind for kind, _ in new] == [kind for kind, _ in old], cell.source
        if VARIES not in cell.metadata.get("tags", ()):
            shown, before = ([timeless(text) for _, text in one] for one in (new, old))
            assert shown == before, "\n".join([cell.source, *shown])  # whole: pytest cuts what differs


@pytest.mark.slow
@each
def test_a_notebook_in_a_kernel_of_its_own_shows_what_is_committed(path):
    made = executed(path)
    assert faults(made) == []
    assert changed(kept(path), made) == []


# -- the command ---------------------------------------------------------------------------------------------------
def notebook_of(*cells, **metadata):
    """A notebook whose cells have run: pairs of a source and its outputs."""
    made = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    for source, outputs in cells:
        cell = nbformat.v4.new_code_cell(source, outputs=outputs, metadata=metadata)
        made.cells.append(cell)
    return made


def stream(text, name="stdout"):
    return nbformat.v4.new_output("stream", name=name, text=text)


def result(text, **data):
    return nbformat.v4.new_output("execute_result", data={"text/plain": text, **data}, execution_count=7)


def test_what_changes_from_run_to_run_is_taken_out():
    bar = nbformat.v4.new_output("display_data", data={"text/plain": "", "text/html": ""}, metadata={"a": 1})
    made = notebook_of(("x", [stream("a"), stream("b"), bar, result("1")]), execution={"iopub.status.busy": "2026"})
    made.cells[0].execution_count = 3
    clean = cleaned(made)
    assert (clean.cells[0].execution_count, clean.cells[0].metadata) == (None, {})
    assert texts(clean) == [[("stdout", "ab"), ("text/plain", "1")]]
    assert clean.cells[0].outputs[1].execution_count is None
    assert clean.metadata == {"kernelspec": made.metadata["kernelspec"], "language_info": {"name": "python"}}


@pytest.mark.parametrize(
    ("outputs", "fault"),
    [
        ([nbformat.v4.new_output("error", ename="E", evalue="e", traceback=[])], "ends in an error"),
        ([stream("Traceback (most recent call last)")], "a traceback"),
        ([stream("warning", "stderr")], "standard error"), ([stream("/home/somebody/x")], "the path /home/"),
        ([result("PosixPath('/tmp/a')")], "the path /tmp/"), ([result("C:\\Users\\x")], "the path C:"),
        ([], "no output"),
    ],
)  # fmt: skip
def test_what_nobody_should_read_is_a_fault(outputs, fault):
    assert any(fault in one for one in faults(notebook_of(("x", outputs))))
    assert faults(notebook_of(("x", [result("theorytools/files.py, https://arxiv.org/abs/2503.11272, 1/2")]))) == []


def test_another_word_or_number_is_another_output_and_another_time_is_none():
    old = notebook_of(("x", [result("60 points, 1.2 s")]), ("y", [result("0.1")]))
    assert changed(old, notebook_of(("x", [result("60 points, 33.9 s")]), ("y", [result("0.1")]))) == []
    assert changed(old, notebook_of(("x", [result("61 points, 1.2 s")]), ("y", [result("0.2")]))) == [
        "cell 0",
        "cell 1",
    ]
    loose = notebook_of(("x", [result("60")]), tags=[VARIES])
    assert changed(loose, notebook_of(("x", [result("61")]))) == []
    assert changed(loose, notebook_of(("x", [stream("60")]))) == ["cell 0"]
    assert changed(old, loose) == ["the number of cells"]


def test_the_command_says_what_is_stale_writes_it_and_refuses_a_fault(tmp_path, monkeypatch, capsys):
    runs = iter(
        [notebook_of(("1 + 1", [result("2")])) for _ in range(3)] + [notebook_of(("1 / 0", [stream("/tmp/x")]))]
    )
    monkeypatch.setattr(notebooks, "FOLDER", tmp_path)
    monkeypatch.setattr(notebooks, "executed", lambda path: cleaned(next(runs)))
    file = tmp_path / "a.ipynb"
    nbformat.write(notebook_of(("1 + 1", [])), file)
    assert (main([]), main(["--write"]), main([])) == (1, 0, 0)
    assert capsys.readouterr().out == "a.ipynb: cell 0\na.ipynb: cell 0\na.ipynb: as it was\n"
    with pytest.raises(CheckError, match="the path /tmp/"):
        main(["--write"])
    assert texts(kept(file)) == [[("text/plain", "2")]]  # what has a fault is not written
