"""Check files are loaded as modules of their own: no folder meets another, and an error names its line."""

import os
import sys
import tempfile
from pathlib import Path

import pytest
from tiny import CHECK, NOTATION, write_checks

from theorytools import Catalogue, CheckError
from theorytools.claims.papers.loading import broken, load, load_module


def test_two_folders_of_the_same_name_do_not_meet(tmp_path):
    one = write_checks(tmp_path / "a" / "checks")
    two = write_checks(tmp_path / "b" / "checks", notation=NOTATION.replace("a size", "another size"))
    path = list(sys.path)
    first, second = (load(Catalogue(root).entries[0]) for root in (one, two))
    assert first is not second
    assert [claim.all_letters()["N"].meaning for claim in (first, second)] == ["a size", "another size"]
    assert sys.path == path
    assert not {"checks", "toy", "lemma_01", "notation"} & set(sys.modules)


def test_relative_imports_work_without_init_files(tmp_path):
    root = write_checks(tmp_path)
    assert not list(root.rglob("__init__.py"))
    module = load_module(root / "toy" / "lemma_01.py")
    assert module.N.name == "N"
    assert module is load_module(root / "toy" / "lemma_01.py")


def test_every_change_of_a_file_or_of_what_it_imports_is_seen_at_the_next_reading(tmp_path):
    root = write_checks(tmp_path)
    path, notation = root / "toy" / "lemma_01.py", root / "toy" / "notation.py"
    for k in range(4):
        changed = path if k % 2 else notation
        text = CHECK.replace("A size $N$", f"A size of kind {k}") if k % 2 else NOTATION.replace("a size", f"size {k}")
        changed.write_text(text, encoding="utf-8")
        os.utime(changed, ns=(k * 10**9 + 10**18, k * 10**9 + 10**18))
        module = load_module(path)
        assert (f"kind {k}" in module.__doc__) if k % 2 else (module.N.meaning == f"size {k}")
        assert module is load_module(path)


def test_an_error_in_a_check_names_the_line(tmp_path):
    root = write_checks(tmp_path, lemma_01=CHECK.replace("N=[2, 3]", "N=2"))
    with pytest.raises(CheckError, match=r"lemma_01.py, line \d+: grid=grid\(N=2\)"):
        load(Catalogue(root).entries[0])


def test_the_line_named_is_the_last_one_of_the_check_that_ran_not_the_librarys_nor_the_first():
    """Two calls deep in the check, then into the library: the innermost line of the check is told."""
    text = CHECK + "\n\ndef inner(n):\n    return int('no number')\n\n\ndef outer(n):\n    return inner(n)\n"
    with tempfile.TemporaryDirectory() as folder:
        root = write_checks(Path(folder), lemma_01=text)
        module = load_module(root / "toy" / "lemma_01.py")
        with pytest.raises(ValueError, match="no number") as raised:
            module.outer(1)
        told = broken(root / "toy" / "lemma_01.py", raised.value, {"N": "1"})
    assert "return int('no number'), at N=1" in told.given
    assert "another point" in told.advice
    assert "another point" not in broken(root / "toy" / "lemma_01.py", raised.value).advice


@pytest.mark.parametrize(
    ("scope", "given", "advice"),
    [
        ('{"every prompt": "drawn"}', "N is under no quantifier", "{'every N': 'points', 'every prompt': 'drawn'}"),
        ('{"every N": "points", "every prompt of N": "drawn"}', "N stands under 'every N' and under 'every", "one of"),
    ],
)
def test_every_letter_of_the_grid_has_one_place_in_the_order_of_the_sentence(tmp_path, scope, given, advice):
    said = 'scope={"every N": "points"}'
    assert said in CHECK
    root = write_checks(tmp_path, lemma_01=CHECK.replace(said, f"scope={scope}"))
    with pytest.raises(CheckError) as found:
        load(Catalogue(root).entries[0])
    assert given in found.value.given
    assert advice in found.value.advice
    assert "differ" in found.value.why
