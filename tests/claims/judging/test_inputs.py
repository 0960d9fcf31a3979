"""What a verdict depends on: every file that its check needs, however it is imported, and none that it does not."""

import re

import pytest
from tiny import CHECK, write_checks

from theorytools import Catalogue
from theorytools.claims.judging.definitions import ANYHOW, DYNAMIC, definitions
from theorytools.claims.judging.inputs import ImportTable, inputs_digest, reached_by
from theorytools.claims.judging.reached import ABOVE, FOLLOWED, PACKAGE, inside, place_of
from theorytools.claims.papers.location import library_root

TABLE = ImportTable()


class Changed(ImportTable):
    """As if one file of the library had another statement, or another text in one place."""

    def __init__(self, name, old="", new="raise_if_changed()\n"):
        super().__init__()
        text = (PACKAGE / name).read_text(encoding="utf-8")
        assert old in text
        said, read = definitions(text.replace(old, new, 1) if old else text + new), self.reached.file
        self.reached.file = lambda path: said if path == PACKAGE / name else read(path)
        self.world = lambda root: f"{[name, old, new]} {ImportTable.world(self, root)}"


def entry_with(folder, *lines):
    """The tiny check with further lines at its end."""
    text = "\n".join([CHECK.rstrip("\n"), *lines, ""])
    return Catalogue(write_checks(folder, lemma_01=text)).entries[0]


def depends(entry, *change):
    return inputs_digest(entry, Changed(*change), record=False) != inputs_digest(entry, TABLE, record=False)


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
    assert not depends(entry, "papers/sep/communication/two_way_protocol.py")


ENGINE = [f"claims/{name}.py" for name in (
    "judging/judge", "judging/conclude", "judging/falsify", "judging/description", "judging/run", "language/estimate",
)]  # fmt: skip


@pytest.mark.parametrize("name", ENGINE)
def test_the_engine_is_an_input_of_every_verdict(tmp_path, name):
    assert depends(entry_with(tmp_path), name)


def test_every_computed_name_of_the_library_is_known():
    """Where a name is computed, everything is reached: no more of that than is said, and nothing said in vain."""
    words = re.compile("|".join([*DYNAMIC, *ANYHOW, r"sys\.modules"]))
    files = (path for path in PACKAGE.rglob("*.py") if inside(path) and path.relative_to(PACKAGE).parts[0] not in ABOVE)
    may = [path for path in files if words.search(path.read_text(encoding="utf-8"))]
    found = {place_of(path) for path in may if any(part[4] for part in TABLE.reached.file(path)["parts"])}
    # what no claim runs: a text of a function in a trial of training, and the end of a command's processes
    assert found == {*FOLLOWED, "training/trials/work.py", "interrupts.py"}


@pytest.mark.parametrize("change", [
    ("numbers/enclosure.py", "from __future__", "# a comment\nfrom __future__"),
    ("reporting/plots.py",), ("papers/qstr/training/stacks/recurrent.py",),
    ("codes/by_family.py", "\n_FIXED", "\ndef another():\n    return 1\n\n\n_FIXED"),
])  # fmt: skip
def test_these_edits_leave_a_claim_of_codes_alone(change):
    (entry,) = (e for e in Catalogue(library_root()).select(["qstr.lemma_11"]) if e.id == "qstr.lemma_11")
    assert not depends(entry, *change)
    assert depends(entry, "numbers/enclosure.py", "def ", "def changed_")


def test_the_check_its_neighbours_and_tables_are_inputs(tmp_path):
    entry = entry_with(tmp_path)
    digests = [inputs_digest(entry, ImportTable(), record=False)]
    for name in ("notation.py", "paper.toml", "lemma_01.py"):
        with (entry.path.parent / name).open("a", encoding="utf-8") as file:
            file.write("N = 1\n")
        digests.append(inputs_digest(entry, ImportTable(), record=False))
    (entry.path.parent / "table.csv").write_text("N\n1\n", encoding="utf-8")
    digests.append(inputs_digest(entry, ImportTable(), record=False))
    for name in ("work.toml", "counted.json"):  # which tell how many points a search judges
        (entry.path.parent / name).write_text("", encoding="utf-8")
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


@pytest.mark.parametrize(
    ("id", "file", "name"),
    [
        # the network names the class of its module in a text
        ("qstr.lemma_11", "constructions/torch/attention.py", "AttentionModule"),
        # nobody names the function that reads an array of signs: loading its file registers it
        ("qstr.lemma_11_lower", "codes/signs.py", "_of_array"),
    ],
)
def test_what_is_named_in_a_text_or_registered_is_reached(id, file, name):
    (entry,) = (e for e in Catalogue(library_root()).select([id]) if e.id == id)
    table = ImportTable()
    lines = reached_by(entry, table)[0]
    said = table.reached.file(PACKAGE / file)
    assert all(f"{file} {said['parts'][k][0]}" in lines for k in said["names"][name])
