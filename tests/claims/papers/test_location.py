"""A folder for a statement: the same ids, fingerprints, seeds and verdicts as flat files, and no two of one name."""

import json

import pytest
from checkfolders import HOLDS, write

from theorytools import Catalogue, CheckError, verify
from theorytools.claims.papers.catalogue import fingerprint
from theorytools.claims.papers.loading import load
from theorytools.claims.papers.location import check_paths, joined, stem_of
from theorytools.claims.papers.syntax import imported_files
from theorytools.places import paper_folder

MORE = HOLDS.replace(
    "from .notation import N", "from ._shared import one\nfrom .holds import size\nfrom .notation import N"
)
MORE = MORE.replace('size = Quantity("size", "|x|", "number of distinct items", (0, None))\n', "").replace(
    "construct(p, 1)", "construct(p, one)"
)
SHARED = "one = 1\n"


def flat(folder):
    checks = write(folder, "holds")
    (checks / "tiny" / "holds_more.py").write_text(MORE, encoding="utf-8")
    (checks / "tiny" / "_shared.py").write_text(SHARED, encoding="utf-8")
    return checks


def nested(folder):
    checks = write(folder, "holds")
    inner = checks / "tiny" / "holds"
    inner.mkdir()
    text = (checks / "tiny" / "holds.py").read_text(encoding="utf-8")
    (checks / "tiny" / "holds.py").unlink()
    (inner / "holds.py").write_text(text.replace("from .notation", "from ..notation"), encoding="utf-8")
    (inner / "more.py").write_text(MORE.replace("from .notation", "from ..notation"), encoding="utf-8")
    (inner / "_shared.py").write_text(SHARED, encoding="utf-8")
    return checks


def test_a_folder_of_a_statement_is_the_flat_files_in_another_place(tmp_path):
    one, other = Catalogue(flat(tmp_path / "a")), Catalogue(nested(tmp_path / "b"))
    assert [e.id for e in one.entries] == [e.id for e in other.entries] == ["tiny.holds", "tiny.holds_more"]
    assert [e.path.relative_to(other.roots[0]).as_posix() for e in other.entries] == [
        "tiny/holds/holds.py",
        "tiny/holds/more.py",
    ]
    for a, b in zip(one.entries, other.entries, strict=True):
        assert fingerprint(a.path) == fingerprint(b.path)
        assert (b.folder, b.root) == (other.roots[0] / "tiny", other.roots[0])
        verdicts = [verify(e.id, checks=c.roots[0]).to_json() for e, c in ((a, one), (b, other))]
        assert verdicts[0]["rows"] == verdicts[1]["rows"]
        assert [v["outcome"] for v in verdicts] == ["HOLDS", "HOLDS"]
    assert [e.id for e in other.select(["tiny.holds_more"])] == ["tiny.holds_more"]
    assert {p.name for p in imported_files(other.entries[1].path)} == {
        "more.py",
        "holds.py",
        "_shared.py",
        "notation.py",
    }


def test_a_change_beside_a_nested_check_is_seen(tmp_path):
    (_, more) = Catalogue(nested(tmp_path)).entries
    before = fingerprint(more.path)
    assert load(more).controls[0].name == "one item more"
    (more.path.parent / "_shared.py").write_text("one = 2\n", encoding="utf-8")
    assert fingerprint(more.path) != before


def test_the_command_line_and_the_report_know_the_folder(cli, tmp_path):
    nested(tmp_path)
    answer = cli("verify", "--json")
    assert answer.code == 0
    files = [v["source"]["file"] for v in answer.json["verdicts"]]
    assert files == ["checks/tiny/holds/holds.py", "checks/tiny/holds/more.py"]
    assert json.loads(cli("list", "--json").out)
    assert "stored before" in cli("verify").out


def test_two_files_of_one_stem_are_refused(tmp_path):
    checks = nested(tmp_path)
    (checks / "tiny" / "holds_more.py").write_text(HOLDS, encoding="utf-8")
    with pytest.raises(CheckError, match=r"holds_more\.py"):
        _ = Catalogue(checks).entries


def test_records_and_sweeps_hold_no_claims(tmp_path):
    checks = nested(tmp_path)
    for name in ("records", "sweeps", "__pycache__", "_private"):
        (checks / "tiny" / name).mkdir(exist_ok=True)
        (checks / "tiny" / name / "lemma.py").write_text(HOLDS, encoding="utf-8")
    assert [(stem, stem_of(p)) for stem, p in check_paths(checks / "tiny")] == [("holds",) * 2, ("holds_more",) * 2]
    assert paper_folder(checks / "tiny" / "sweeps" / "lemma.py") == checks / "tiny"
    assert joined("lemma_11", "lemma_11") == "lemma_11"
    assert joined("lemma_11", "_shells") == "_shells"
