"""Location is identity: claims are listed without running them, and seeded by what they are."""

import pickle
import sys
from fractions import Fraction

import numpy as np
import pytest
import sympy
from tiny import CHECK, NOTATION, PAPER, N, tiny, value, write_checks

from theorytools import Catalogue, CheckError, DomainError, grid, judge, points
from theorytools.claims import find_root
from theorytools.claims.catalogue import fingerprint, is_check, read_entries, read_paper
from theorytools.claims.grid import Grid, Point, axis_value
from theorytools.claims.loading import load, load_module, package_of
from theorytools.claims.run import judge_entry

VARIANT = (
    'from dataclasses import replace\nfrom .lemma_01 import claim as first\nsecond = replace(first, label="Second")\n'
)
BODY = CHECK[CHECK.index("from theorytools") :]


def entries(folder, text, stem="lemma_01"):
    root = write_checks(folder, **{stem: text})
    return read_entries(root / "toy" / f"{stem}.py")


# -- listing from the syntax tree -----------------------------------------------------------------------------
def test_ids_come_from_place_and_name(tmp_path):
    root = write_checks(tmp_path, lemma_01=CHECK + "published = Claim(label='As printed')\n", lemma_01_more=VARIANT)
    found = Catalogue(root).entries
    assert [(e.id, e.label) for e in found] == [
        ("toy.lemma_01", "Lemma 1"), ("toy.lemma_01.published", "As printed"), ("toy.lemma_01_more.second", "Second"),
    ]  # fmt: skip
    assert {e.paper for e in found} == {"toy"}
    assert {e.root for e in found} == {root}


def test_listing_imports_nothing(tmp_path):
    write_checks(tmp_path, lemma_01=CHECK + "raise RuntimeError('the file was run')\n")
    assert [e.id for e in Catalogue(tmp_path).entries] == ["toy.lemma_01"]
    assert package_of(tmp_path) not in sys.modules


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("claim = Claim('a')", ["claim"]),
        ("claim: Claim = Claim('a')", ["claim"]),
        ("claim = theorytools.Claim('a')", ["claim"]),
        ("other = replace(claim, label='b')", ["other"]),
        ("other = dataclasses.replace(claim, label='b')", ["other"]),
        ("other = replace(construction, N=3)", []),
        ("claim = made(Control('a'))", []),
        ("claim: Claim", []),
        ("a, b = 1, 2", []),
        ("a.claim = 3", []),
    ],
)
def test_what_counts_as_a_claim(tmp_path, line, names):
    assert [(e.name, e.error) for e in entries(tmp_path, line)] == [(name, "") for name in names]


@pytest.mark.parametrize(
    "text",
    [
        "for k in range(3):\n    globals()[f'c{k}'] = Claim('a')",
        "claims = [Claim('a'), Claim('b')]",
        "first, second = Claim('a'), Claim('b')",
        "def make():\n    return Claim('a')\nclaim = make()",
        "if True:\n    claim = Claim('a')",
        "claim = other = Claim('a')",
        "claim = Claim('a')\nmore = {'b': Claim('b')}",
        "Claim('a')",
        "holder.claim = Claim('a')",
    ],
)
def test_claims_that_cannot_be_listed_are_refused(tmp_path, text):
    """They would never be run: a silent green."""
    (entry,) = entries(tmp_path, text)
    assert "not a top-level name = Claim(…)" in entry.error
    with pytest.raises(CheckError, match=r"claims as top-level name = Claim"):
        load(entry)


def test_claims_made_by_other_means_are_refused_on_loading(tmp_path):
    (entry,) = entries(tmp_path, CHECK + "from dataclasses import replace\nother = replace(claim, note='x')\n")
    with pytest.raises(CheckError, match=r"lemma_01.py makes claims \['other'\]"):
        load(entry)


def test_a_name_that_is_no_claim_after_all(tmp_path):
    text = CHECK + "from dataclasses import replace\nother = replace(claim, label='x')\nother = 3\n"
    with pytest.raises(CheckError, match="other is a int"):
        load(entries(tmp_path, text)[1])


def test_a_claim_imported_from_another_check_is_not_this_ones(tmp_path):
    root = write_checks(tmp_path, lemma_02=VARIANT)
    catalogue = Catalogue(root)
    assert [e.id for e in catalogue.entries] == ["toy.lemma_01", "toy.lemma_02.second"]
    assert load(catalogue.entries[1]).label == "Second"
    assert load(catalogue.entries[0]).label == "Lemma 1"


@pytest.mark.parametrize(
    ("text", "error"), [("def f(:\n", "line 1"), ("\nclaim = Claim(\n", "line 2"), ("x = '\0'", "null byte")]
)
def test_a_file_that_does_not_parse_is_one_broken_entry(tmp_path, text, error):
    root = write_checks(tmp_path, lemma_02=text)
    first, second = Catalogue(root).entries
    assert (second.id, second.label) == ("toy.lemma_02", "lemma_02")
    assert error in second.error
    assert not first.error
    with pytest.raises(CheckError, match=r"lemma_02.py"):
        load(second)
    assert load(first).label == "Lemma 1"


def test_only_files_beside_a_paper_are_checks(tmp_path):
    root = write_checks(tmp_path, helpers="x = 3\n", _draft=CHECK, conftest=CHECK)
    folder = root / "toy"
    assert is_check(folder / "lemma_01.py")
    for name in ("helpers.py", "_draft.py", "conftest.py", "notation.py", "paper.toml"):
        assert not is_check(folder / name)
    foreign = tmp_path / "elsewhere" / "lemma_11.py"
    foreign.parent.mkdir()
    foreign.write_text(CHECK)
    assert not is_check(foreign)


# -- papers and statements ------------------------------------------------------------------------------------
def test_a_statement_owns_the_files_that_begin_with_its_id(tmp_path):
    more = PAPER + '\n[[statement]]\nid = "lemma_01_twin"\n'
    root = write_checks(tmp_path, lemma_01_twin_b=CHECK, lemma_01_more=CHECK, lemma_011=CHECK)
    (root / "toy" / "paper.toml").write_text(more)
    paper = read_paper(root / "toy")
    owner = {stem: paper.statement_of(stem) for stem in ("lemma_01", "lemma_01_more", "lemma_01_twin_b", "lemma_011")}
    assert {stem: s and s.id for stem, s in owner.items()} == {
        "lemma_01": "lemma_01", "lemma_01_more": "lemma_01", "lemma_01_twin_b": "lemma_01_twin", "lemma_011": None,
    }  # fmt: skip


def test_the_index_is_plain_data(tmp_path):
    (paper,) = Catalogue(write_checks(tmp_path)).index()
    assert (paper["key"], paper["title"], paper["version"]) == ("toy", "A toy paper", 1)
    first, second = paper["statements"]
    assert (first["claims"], first["open"], first["provenance"]) == (["toy.lemma_01"], None, "published")
    assert (second["claims"], second["open"]) == ([], "nobody has written it")


@pytest.mark.parametrize(
    ("text", "message"),
    [("[paper", "a TOML file"), ('[paper]\nkey = "other"\n', "location is identity"),
     (PAPER + "\n[[statement]]\nlabel = 'x'\n", "an id and a provenance"),
     (PAPER.replace("label =", "provenance = 'guessed'\nlabel ="), "published, reconstructed, derived")],
)  # fmt: skip
def test_a_broken_paper_file_is_refused(tmp_path, text, message):
    root = write_checks(tmp_path)
    (root / "toy" / "paper.toml").write_text(text)
    with pytest.raises(CheckError, match=message):
        _ = Catalogue(root).papers


# -- selection ------------------------------------------------------------------------------------------------
@pytest.fixture
def catalogue(tmp_path):
    more = CHECK + "from dataclasses import replace\npublished = replace(claim, label='As printed')\n"
    return Catalogue(write_checks(tmp_path, lemma_01=more, lemma_011=CHECK))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("toy.lemma_01", ["toy.lemma_01", "toy.lemma_01.published"]),
        ("toy.lemma_01.published", ["toy.lemma_01.published"]),
        ("toy.lemma_011", ["toy.lemma_011"]),
        ("toy", ["toy.lemma_01", "toy.lemma_01.published", "toy.lemma_011"]),
        ("toy.first", ["toy.lemma_01", "toy.lemma_01.published"]),
        ("Lemma 1", ["toy.lemma_01", "toy.lemma_01.published"]),
    ],
)
def test_a_selector_is_a_prefix_of_whole_parts_or_an_alias(catalogue, name, found):
    assert [e.id for e in catalogue.select([name])] == found
    assert [e.id for e in catalogue.select([name, name])] == found


def test_an_unknown_id_names_the_nearest_ones(catalogue):
    with pytest.raises(DomainError) as caught:
        catalogue.select(["toy.lema_01"])
    assert "toy.lemma_01" in caught.value.advice
    with pytest.raises(DomainError, match="Lemma 2 is open: nobody has written it") as caught:
        catalogue.select(["toy.lemma_02"])
    assert caught.value.advice == "theorytools new toy lemma_02"
    for name in ("toy.lemma_0", "toy.", "", "lemma_01"):
        with pytest.raises(DomainError):
            catalogue.select([name])


def test_where_the_checks_are_looked_for(tmp_path, monkeypatch):
    here, up = tmp_path / "project" / "deep" / "er", write_checks(tmp_path / "project" / "checks")
    given = write_checks(tmp_path / "given")
    here.mkdir(parents=True)
    assert find_root(given, start=here) == given.resolve()
    assert find_root(start=here) == up.resolve()
    near = write_checks(tmp_path / "project" / "deep" / "checks")
    assert find_root(start=here) == near.resolve()
    monkeypatch.chdir(here)
    assert find_root() == near.resolve()
    outside = find_root(start=tmp_path)
    assert (outside / "qstr" / "paper.toml").is_file()  # the source tree, or the copy in the wheel
    for wrong in (tmp_path / "nowhere", here):
        with pytest.raises(DomainError, match=r"<paper>/paper.toml"):
            find_root(wrong)


# -- loading --------------------------------------------------------------------------------------------------
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


def test_an_error_in_a_check_names_the_line(tmp_path):
    root = write_checks(tmp_path, lemma_01=CHECK.replace("N=[2, 3]", "N=2"))
    with pytest.raises(CheckError, match=r"lemma_01.py, line \d+: grid=grid\(N=2\)"):
        load(Catalogue(root).entries[0])


# -- the fingerprint ------------------------------------------------------------------------------------------
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


# -- points and seeds -----------------------------------------------------------------------------------------
SPELLINGS = [21.3, "21.3", "21.30", "213/10", Fraction(213, 10), np.float64(21.3), "2.13e1", "426/20"]


@pytest.mark.parametrize("spelling", SPELLINGS, ids=repr)
def test_every_spelling_of_a_number_is_one_point(spelling):
    assert axis_value(spelling) == Fraction(213, 10)
    assert grid(beta=[spelling, *SPELLINGS[:5]]).points == [{"beta": Fraction(213, 10)}]


def test_integers_are_integers_however_they_are_written():
    for spelling in (64, 64.0, "64", "6.4e1", Fraction(64), np.int64(64), "128/2"):
        exact = axis_value(spelling)
        assert type(exact) is int
        assert exact == 64


@pytest.mark.parametrize(
    "wrong", [True, None, float("nan"), float("inf"), "two words", "1/0", "0x10", "", [1], 1j, "nan!"]
)
def test_what_is_neither_a_number_nor_a_word_is_refused(wrong):
    with pytest.raises(DomainError):
        axis_value(wrong)


def test_grids_are_products_lists_and_sums():
    product = grid(N=[2, 3], code=["plain", "simplex"])
    assert [tuple(point.values()) for point in product] == [(2, "plain"), (2, "simplex"), (3, "plain"), (3, "simplex")]
    assert len(product + points("code N", ("plain", 3), ("plain", 4))) == 5  # a point is its letters, in any order
    assert product.axes == ("N", "code")
    assert len(grid(N=[2, 2.0, "2"])) == 1
    for wrong in (lambda: grid(N=2), lambda: grid(code="simplex"), lambda: points("N d", (1,)),
                  lambda: grid(N=[1]) + grid(d=[1]), lambda: Grid([{"N": 1}, {"d": 1}])):  # fmt: skip
        with pytest.raises(DomainError) as caught:
            wrong()
        assert caught.value.required


def seed(check, **axes):
    return Point(check, grid(**{name: [value] for name, value in axes.items()})[0], {}).rng("codes").integers(2**62)


def test_a_seed_is_keyed_by_check_axes_and_role():
    base = seed("toy.lemma_01", N=64, beta=21.3)
    assert all(seed("toy.lemma_01", beta=s, N="64") == base for s in SPELLINGS[:5])
    assert seed("toy.lemma_01", N=64, beta=21.4) != base
    assert seed("toy.lemma_02", N=64, beta=21.3) != base
    point = Point("toy.lemma_01", {"N": 64}, {})
    assert point.rng("codes").integers(2**62) != point.rng("prompts").integers(2**62)
    assert point.rng("codes").integers(2**62) == point.rng("codes").integers(2**62)  # whatever ran before


def test_sibling_claims_meet_the_same_objects():
    """Seeds are keyed by the file: a published statement and its repair are tested on one draw."""
    seen = {}

    def construct(p):
        return p.rng("object").integers(2**40)

    for id in ("toy.lemma_01", "toy.lemma_01.published", "toy.lemma_02"):
        claim = tiny(construct=construct, measure=lambda thing, p: {value: int(thing)}, asserts=[value <= 2**40 * N])
        seen[id] = [row.measured.low for row in judge(claim, id).rows if not row.control]
    assert seen["toy.lemma_01"] == seen["toy.lemma_01.published"]
    assert seen["toy.lemma_01"] != seen["toy.lemma_02"]


def test_a_point_gives_exact_letters_and_names_the_missing_one():
    axes = grid(N=[64], y=["1/2"], code=["simplex"])[0]
    point = Point("toy.lemma_01", axes, {"t": sympy.sqrt(N) / 2, "u": sympy.sqrt(2 * N)})
    assert (point.N, point.y, point.code, point.t) == (64, Fraction(1, 2), "simplex", 4)
    assert point.u == 8 * sympy.sqrt(2)
    assert str(point) == "N=64, y=1/2, code=simplex"
    assert point.text() == {"N": "64", "y": "1/2", "code": "simplex"}
    with pytest.raises(AttributeError, match="no letter 'd'; it has N, y, code, t, u"):
        _ = point.d
    assert pickle.loads(pickle.dumps(point)) == point


def test_a_verdict_at_a_users_point_has_the_seed_of_the_grid(tmp_path):
    text = CHECK.replace("lambda p: p.N,", "lambda p: int(p.rng('object').integers(p.N)),", 1).replace(
        "p.N + 1", "10**9"
    )
    entry = Catalogue(write_checks(tmp_path, lemma_01=text)).entries[0]
    on_grid = {row.point["N"]: row.measured for row in judge_entry(entry).rows if not row.control}
    for spelling in (3, "3", 3.0, "3.0"):
        alone = judge_entry(entry, {"N": spelling})
        assert alone.rows[0].measured == on_grid["3"]
        assert alone.user_points
