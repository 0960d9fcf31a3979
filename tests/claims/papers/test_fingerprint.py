"""The fingerprint of a check file: it sees the code and what that imports, and nothing else."""

import ast

from tiny import CHECK, NOTATION, write_checks
from variant_examples import VARIANT

from theorytools.claims.papers.catalogue import fingerprint
from theorytools.claims.papers.fingerprint import plain

BODY = CHECK[CHECK.index("from theorytools") :]


def test_the_fingerprint_sees_code_and_nothing_else(tmp_path):
    path = write_checks(tmp_path) / "toy" / "lemma_01.py"
    before = fingerprint(path)
    for same in (
        CHECK.replace("at most", "never more than"), CHECK + "# a comment\n", BODY,
        CHECK.replace("[2, 3]", "[\n  2,\n  3,\n]"), CHECK.replace("lambda p: p.N,", "lambda p: (p.N),"),
    ):  # fmt: skip
        path.write_text(same)
        assert fingerprint(path) == before
    for other in (
        CHECK.replace("[2, 3]", "[2, 4]"), CHECK.replace("value <= N", "value >= N"),
        CHECK.replace('"one more"', '"more"'), CHECK + "x = None\n",
    ):  # fmt: skip
        path.write_text(other)
        assert fingerprint(path) != before


def test_the_fingerprint_does_not_see_where_in_the_library_a_name_lives(tmp_path):
    path = write_checks(tmp_path) / "toy" / "lemma_01.py"
    first = "from theorytools.codes.families import code_of_family\n"
    first += "from theorytools import Claim, grid\nimport numpy as np\n"
    marks = []
    for text in (
        first, "import numpy as np\nfrom theorytools import grid\nfrom theorytools import Claim, code_of_family\n",
        first.replace("code_of_family", "code_of_family as other"), first.replace("numpy", "scipy"),
        first.replace("code_of_family", "subcode"), first + "code_of_family = 3\n",
    ):  # fmt: skip
        path.write_text(text)
        marks.append(fingerprint(path))
    assert marks[0] == marks[1]
    assert len(set(marks)) == 5
    inner = "def f():\n    from theorytools.codes.families import code_of_family\n    return code_of_family\n"
    path.write_text(inner)
    before = fingerprint(path)
    path.write_text(inner.replace("theorytools.codes", "theorytools.codes.families"))
    assert fingerprint(path) == before


def test_the_fingerprint_ignores_docstrings_of_functions(tmp_path):
    path = write_checks(tmp_path) / "toy" / "lemma_01.py"
    marks = []
    for doc, result in (("'one'", 1), ("'two'", 1), ("'two'", 2)):
        path.write_text(f"{CHECK}\ndef helper():\n    {doc}\n    return {result}\n")
        marks.append(fingerprint(path))
    assert marks[0] == marks[1] != marks[2]


def test_the_fingerprint_follows_imports_from_the_same_paper(tmp_path):
    root = write_checks(tmp_path, lemma_02=VARIANT, lemma_03="x = 1\n")
    path = root / "toy" / "lemma_02.py"
    before = fingerprint(path)
    write_checks(tmp_path, lemma_02=VARIANT, lemma_03="x = 2\n")
    assert fingerprint(path) == before
    write_checks(tmp_path, lemma_02=VARIANT, notation=NOTATION.replace("positive", "nonnegative"))
    changed = fingerprint(path)  # through lemma_01
    assert changed != before
    write_checks(tmp_path, lemma_02=VARIANT, lemma_01=CHECK.replace("value <= N", "value <= N + 1"))
    assert fingerprint(path) not in (before, changed)


def test_the_fingerprint_sees_the_letters_that_are_imported_and_no_others(tmp_path):
    folder = tmp_path / "checks" / "toy"
    folder.mkdir(parents=True)
    path, notation = folder / "lemma_01.py", folder / "notation.py"
    path.write_text("from .notation import N\nx = N\n")
    marks = []
    for text in ("N = 1\n", "N = 1\nM = 2\n", "N = 3\nM = 2\n"):
        notation.write_text(text)
        marks.append(fingerprint(path))
    assert marks[0] == marks[1] != marks[2]
    path.write_text("from . import notation\nx = notation.N\n")  # all of it counts
    before = fingerprint(path)
    notation.write_text("N = 3\nM = 4\n")
    assert fingerprint(path) != before


def test_the_fingerprint_of_a_known_text_is_fixed(tmp_path):
    """A record made with another version of Python stays valid, so the value is written down here."""
    path = tmp_path / "known.py"
    path.write_text('"""Doc."""\n\ndef f(x, *, y=None):\n    return f"{x!r:>3}", lambda: x[1:2], {**y}, -0.5, b"q"\n')
    assert fingerprint(path) == KNOWN


KNOWN = "003cef8ffe260e1bdaa7ffcb3534c4ec6a449f78bf4bec46e10b2b13a9c3509d"


def test_an_empty_text_in_a_format_counts_for_nothing():
    """Python 3.12 ends the format ``{x:>{w}}`` with an empty text where 3.11 and 3.13 have none."""
    tree = ast.parse('f"{x:>{w}}"', mode="eval").body
    spec = tree.values[0].format_spec
    spec.values = [value for value in spec.values if getattr(value, "value", None) != ""]
    before = plain(tree)
    spec.values.append(ast.Constant(""))
    assert plain(tree) == before
