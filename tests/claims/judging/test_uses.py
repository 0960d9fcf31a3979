"""What a claim rests on: the claims it names exist, are meant to hold, and do not rest on it in turn."""

import pytest
from tiny import CHECK, write_checks

from theorytools import CheckError, verify
from theorytools.claims.papers.catalogue import Catalogue, fingerprint
from theorytools.claims.papers.loading import load
from theorytools.claims.papers.location import library_root
from theorytools.claims.papers.syntax import imported_files


def using(*ids, text=CHECK, head=""):
    uses = f"    uses={list(ids)!r},\n    grid="
    return text.replace("    grid=", uses).replace("from .notation", head + "from .notation")


def refused(root, id, **parts):
    with pytest.raises(CheckError) as caught:
        verify(id, checks=root)
    for part, text in parts.items():
        assert text in getattr(caught.value, part)


def test_what_is_used_exists_holds_and_makes_no_circle(tmp_path):
    root = write_checks(
        tmp_path, lemma_02=using("toy.lemma_01", "qstr.lemma_11"), lemma_03=using("toy.lemma_04"),
        lemma_04=using("toy.lemma_03"), lemma_05=using("toy.lemma_05"), lemma_06=using("toy.lemma_0"),
        lemma_07=using("toy"), lemma_08=using("qstr.question_none"),
    )  # fmt: skip
    assert verify("toy.lemma_02", checks=root).document["uses"] == ["toy.lemma_01", "qstr.lemma_11"]
    refused(root, "toy.lemma_03", given="toy.lemma_03 uses toy.lemma_04 uses toy.lemma_03", required="circle")
    refused(root, "toy.lemma_05", given="toy.lemma_05 uses toy.lemma_05")
    refused(root, "toy.lemma_06", given="uses = 'toy.lemma_0'", advice="did you mean toy.lemma_0")
    refused(root, "toy.lemma_07", required="ids of claims")  # where the claim is made
    refused(root, "toy.lemma_08", given="qstr.question_none")
    refuted = "sep.bool_lb_hash.average"
    assert [load(e).expect for e in Catalogue(library_root()).select([refuted])] == ["REFUTED"]
    write_checks(tmp_path, lemma_09=using(refuted))
    refused(root, "toy.lemma_09", given=f"toy.lemma_09, which uses {refuted}", why="known to fail")


def test_another_papers_check_is_imported_followed_and_seen_by_the_fingerprint(tmp_path):
    root = write_checks(tmp_path, lemma_02=using("game.lemma_01", head="from ..game.lemma_01 import value as other\n"))
    (root / "game").mkdir()
    for name in ("paper.toml", "notation.py", "lemma_01.py"):
        text = (root / "toy" / name).read_text(encoding="utf-8")
        (root / "game" / name).write_text(text.replace('"toy"', '"game"'), encoding="utf-8")
    path, other = root / "toy" / "lemma_02.py", root / "game" / "lemma_01.py"
    assert set(imported_files(path)) == {path, root / "toy" / "notation.py", other, root / "game" / "notation.py"}
    first, before = verify("toy.lemma_02", checks=root), fingerprint(path)
    assert first.outcome == "HOLDS"
    other.write_text(other.read_text(encoding="utf-8").replace('Quantity("value", "v")', "None"), encoding="utf-8")
    assert fingerprint(path) != before
    with pytest.raises(CheckError, match="NoneType"):  # the file that changed is read again
        verify("toy.lemma_02", checks=root)


def test_the_fingerprint_of_a_check_that_imports_the_librarys_does_not_depend_on_places(tmp_path):
    text = CHECK.replace("from .notation", "from ..qstr.lemma_11.lemma_11 import claim as lemma\nfrom .notation")
    paths = [write_checks(tmp_path / place, lemma_02=text) / "toy" / "lemma_02.py" for place in ("a", "z/b")]
    assert library_root() / "qstr" / "lemma_11" / "lemma_11.py" in imported_files(paths[0])
    assert fingerprint(paths[0]) == fingerprint(paths[1]) != fingerprint(paths[0].with_name("lemma_01.py"))
    assert verify("toy.lemma_02", checks=paths[1].parents[1]).outcome == "HOLDS"
