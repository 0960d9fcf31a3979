"""What a verdict depends on: every file that its check needs, however it is imported, and none that it does not."""

import pytest
from tiny import CHECK, write_checks

from theorytools import Catalogue
from theorytools.claims.judging.inputs import ABOVE, PACKAGE, ImportTable, inputs_digest

TABLE = ImportTable()


class Changed(ImportTable):
    """As if the code of one file of the library were other code."""

    def __init__(self, *changed):
        super().__init__()
        self.changed = {PACKAGE / name for name in changed}

    def code(self, path):
        return "other code" if path in self.changed else TABLE.code(path)


def entry_with(folder, *lines):
    """The tiny check with further lines at its end."""
    text = "\n".join([CHECK.rstrip("\n"), *lines, ""])
    return Catalogue(write_checks(folder, lemma_01=text)).entries[0]


def depends(entry, name):
    return inputs_digest(entry, Changed(name), record=False) != inputs_digest(entry, TABLE, record=False)


DIRECT = ["from theorytools.theory.communication.protocol import OneLayerProtocol"]
LAZY = ["from theorytools import OneLayerProtocol"]
INSIDE = ["def later():", "    from theorytools import OneLayerProtocol", "    return OneLayerProtocol"]


def test_a_module_that_is_not_used_may_change(tmp_path):
    assert not depends(entry_with(tmp_path), "theory/communication/protocol.py")


@pytest.mark.parametrize("lines", [DIRECT, LAZY, INSIDE], ids=["directly", "lazily", "in a function"])
def test_a_module_that_is_used_may_not(tmp_path, lines):
    entry = entry_with(tmp_path, *lines)
    assert depends(entry, "theory/communication/protocol.py")
    assert depends(entry, "theory/communication/matrix.py")  # by way of the other
    assert not depends(entry, "theory/communication/two_way_protocol.py")


ENGINE = ["claims/judging/judge.py", "claims/judging/conclude.py", "claims/language/estimate.py"]


@pytest.mark.parametrize("name", ENGINE)
def test_the_engine_is_an_input_of_every_verdict(tmp_path, name):
    assert depends(entry_with(tmp_path), name)


def test_an_import_by_a_computed_name_needs_all_modules(tmp_path):
    entry = entry_with(tmp_path, "from importlib import import_module", "def later(name):", "    import_module(name)")
    assert depends(entry, "theory/communication/protocol.py")


def test_what_shows_verdicts_is_no_input_even_of_a_check_that_may_import_anything(tmp_path):
    entry = entry_with(tmp_path, "from importlib import import_module", "import_module('theorytools.' + 'tasks.dyck')")
    table = ImportTable()
    inputs_digest(entry, table, record=False)
    read = {file.relative_to(PACKAGE).parts[0] for file in table.closure([entry.path])}
    assert "tasks" in read
    assert not read & set(ABOVE)


def test_the_check_its_neighbours_and_tables_are_inputs(tmp_path):
    entry = entry_with(tmp_path)
    digests = [inputs_digest(entry, ImportTable(), record=False)]
    for name in ("notation.py", "paper.toml", "lemma_01.py"):
        with (entry.path.parent / name).open("a", encoding="utf-8") as file:
            file.write("other = 1\n")
        digests.append(inputs_digest(entry, ImportTable(), record=False))
    (entry.path.parent / "table.csv").write_text("N\n1\n", encoding="utf-8")
    digests.append(inputs_digest(entry, ImportTable(), record=False))
    (entry.path.parent / "other.py").write_text("# no check imports it\n", encoding="utf-8")
    assert inputs_digest(entry, ImportTable(), record=False) == digests[-1]
    assert len(set(digests)) == len(digests)


def test_a_sweep_of_the_paper_is_an_input_where_records_are_read(tmp_path):
    for lines, reads in (([], False), (["from theorytools import recorded"], True)):
        entry = entry_with(tmp_path / str(reads), *lines)
        folder, digests = entry.path.parent / "sweeps", []
        folder.mkdir()
        for text in ("from ._cells import cells\n", "from ._cells import cells\nmore = 1\n"):
            (folder / "toy.py").write_text(text, encoding="utf-8")
            (folder / "_cells.py").write_text("cells = 1\n", encoding="utf-8")
            digests.append(inputs_digest(entry, ImportTable(), record=False))
        (folder / "_cells.py").write_text("cells = 2\n", encoding="utf-8")
        digests.append(inputs_digest(entry, ImportTable(), record=False))
        assert len(set(digests)) == (3 if reads else 1)
