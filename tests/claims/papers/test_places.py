"""What a check's text, its paper's file and its notes say, each at the edge of what is taken and what is refused."""

import json
from pathlib import Path

import pytest
from tiny import CHECK, NOTATION, PAPER, write_checks

from theorytools import Catalogue, CheckError, DomainError
from theorytools.claims.judging.content_digest import (
    contradiction,
    digest_of,
    intact,
    sealed,
)
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.papers.catalogue import find_roots, is_check, read_entries, read_paper
from theorytools.claims.papers.loading import load, load_module, package_of
from theorytools.claims.papers.location import imported, joined, meant, relative, stem_of
from theorytools.claims.papers.notes import Note, read_notes
from theorytools.claims.papers.syntax import imported_files
from theorytools.closed_folder import ClosedFolder
from theorytools.reporting.stored_verdicts import StoredVerdicts, stored_verdicts

SAID = 'role="statement", scope={"every N": "points"}, source="derived here: Lemma 1"'


def entries(root, text, stem="lemma_01"):
    return read_entries(write_checks(root, **{stem: text}) / "toy" / f"{stem}.py")


# -- the syntax of a check ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "more",
    [
        "# a Claim( in a comment\n",
        'TEXT = "Claim(3)"\nother = len(TEXT)\n',
        "def f(p):\n    return max(p, 1)  # no Claim(\n",
    ],
)
def test_the_word_in_a_text_hides_no_claim_and_other_calls_are_no_claims(tmp_path, more):
    (entry,) = entries(tmp_path, CHECK + more)
    assert (entry.id, entry.error, entry.silent, entry.role) == ("toy.lemma_01", "", (), "statement")
    assert isinstance(load(entry).label, str)


@pytest.mark.parametrize(
    "more",
    [
        "MADE = [Claim()]\n",
        "def f():\n    return Claim()\n",
        "a, b = Claim(), 3\n",
        "a = b = Claim()\n",
        "print(Claim())\n",
        "x.y = theorytools.Claim()\n",
    ],
)
def test_a_hidden_claim_is_named_with_its_line(tmp_path, more):
    (entry,) = entries(tmp_path, CHECK + more)
    line = len((CHECK + more.rstrip("\n")).splitlines())
    assert entry.error == f"a claim that is not a top-level name = Claim(…) (line {line})"
    with pytest.raises(CheckError, match="that is not a top-level"):
        load(entry)


@pytest.mark.parametrize(
    ("call", "name", "label", "silent"),
    [
        (f'claim = Claim("L", {SAID})', "claim", "L", ()),
        (f'own: Claim = Claim("L", {SAID})', "own", "L", ()),
        (f'own = theorytools.Claim(label="K", {SAID})', "own", "K", ()),
        ('own = Claim("L")', "own", "L", ("role", "scope", "source")),
        ('own = Claim("L", role="statement")', "own", "L", ("scope", "source")),
        ('own = Claim("L", **shared)', "own", "L", ()),
        ('own = replace(other, label="L")', "own", "L", ("role", "source")),
        ('own = replace(other, label="L", role="part", source="s")', "own", "L", ()),
        ("own = Claim(name)", "own", "", ("role", "scope", "source")),
    ],
)
def test_what_a_call_says_of_itself(tmp_path, call, name, label, silent):
    (entry,) = entries(tmp_path, f"{call}\nq = replace(other, grid=3)\nw: int\nf(Quantity)\n")
    assert (entry.name, entry.label, entry.silent) == (name, label, silent)
    assert entry.id == ("toy.lemma_01" if name == "claim" else f"toy.lemma_01.{name}")
    assert entry.folder == tmp_path / "toy"
    assert entry.root == tmp_path


def test_a_file_is_a_check_by_its_place_and_its_claims(tmp_path):
    root = write_checks(tmp_path, lemma_09="x = 1\n")
    toy = root / "toy"
    assert is_check(toy / "lemma_01.py")
    assert not is_check(toy / "lemma_09.py")
    assert not is_check(toy / "notation.py")
    (root / "alone").mkdir()
    (root / "alone" / "lemma_01.py").write_text(CHECK, encoding="utf-8")
    assert not is_check(root / "alone" / "lemma_01.py")
    assert read_entries(toy / "nowhere.py")[0].error


def test_a_silent_claim_is_refused_when_it_is_loaded(tmp_path):
    for part in ("role", "scope", "source"):
        text = CHECK.replace(
            'role="statement", scope={"every N": "points"}, source="derived here: Lemma 1",',
            ", ".join(p for p in SAID.split(", ") if not p.startswith(part)) + ",",
        )
        (entry,) = entries(tmp_path, text)
        assert entry.silent == (part,)
        with pytest.raises(CheckError, match=f"states no {part}"):
            load(entry)


# -- what an import means ----------------------------------------------------------------------------------------------
def test_relative_imports_name_papers_and_files(tmp_path):
    toy = write_checks(tmp_path) / "toy"
    inner = toy / "lemma_02"
    inner.mkdir()
    flat, nested = toy / "lemma_01.py", inner / "more.py"
    nested.write_text("x = 1\n", encoding="utf-8")
    (inner / "lemma_02.py").write_text("y = 1\n", encoding="utf-8")
    assert meant(flat, 1, "notation") == ("", ("notation",))
    assert meant(flat, 1, "") == ("", ())
    assert meant(flat, 2, "other.lemma_1") == ("other", ("lemma_1",))
    assert meant(nested, 1, "lemma_02") == ("", ("lemma_02", "lemma_02"))
    assert meant(nested, 2, "notation") == ("", ("notation",))
    assert meant(nested, 3, "other.x") == ("other", ("x",))
    assert meant(flat, 3, "other.x") == ("", ("other", "x"))  # above the papers there is nothing
    assert list(imported(flat, 1, "notation", ("N", "M"))) == [(toy / "notation.py", "N"), (toy / "notation.py", "M")]
    assert list(imported(flat, 1, "", ("notation",))) == [(toy / "notation.py", "*")]
    assert list(imported(flat, 1, "lemma_02", ("more",))) == [(inner / "more.py", "*")]
    assert list(imported(nested, 1, "", ("lemma_02",))) == [(inner / "lemma_02.py", "*")]
    assert (stem_of(flat), stem_of(nested), stem_of(inner / "lemma_02.py")) == ("lemma_01", "lemma_02_more", "lemma_02")
    assert joined("a", "b") == "a_b"
    assert relative(flat) == f"{tmp_path.name}/toy/lemma_01.py"
    flat.write_text("from .lemma_02 import more\n" + CHECK, encoding="utf-8")
    assert set(imported_files(flat)) == {flat, inner / "more.py", toy / "notation.py"}


def test_a_module_is_kept_until_a_file_that_it_reads_changes(tmp_path):
    root = write_checks(tmp_path, lemma_02=CHECK.replace("Lemma 1", "Lemma 2"))
    first, second = (load_module(root / "toy" / f"lemma_0{k}.py") for k in (1, 2))
    assert load_module(root / "toy" / "lemma_01.py") is first
    assert load_module(root / "toy" / "lemma_02.py") is second
    (root / "toy" / "notation.py").write_text(NOTATION.replace("a size", "a length"), encoding="utf-8")
    again = load_module(root / "toy" / "lemma_01.py")
    assert again is not first
    assert again.N.meaning == "a length"
    assert load_module(root / "toy" / "lemma_01.py") is again
    assert package_of(root) == package_of(Path(str(root) + "/.")) != package_of(root / "toy")


# -- a paper's own file ------------------------------------------------------------------------------------------------
def paper(root, text):
    folder = write_checks(root) / "toy"
    (folder / "paper.toml").write_text(text, encoding="utf-8")
    return read_paper(folder)


LOSSES = 'account = { claim = "toy.lemma_01", axis = "N", of = { 2 = "lemma_02" } }\n'


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('key = "toy"', 'key = "other"'),
        ('id = "lemma_01"\n', ""),
        ('ours = "a toy"', "ours = 3"),
        ('ours = "a toy"\n', ""),
        ("[paper]", "[paper"),
        ('aliases = ["toy.first"]', "aliases = 3"),
        ('aliases = ["toy.first"]', 'rests_on = ["lemma_07"]'),
        ('aliases = ["toy.first"]', "account = { claim = 'a' }"),
        ('aliases = ["toy.first"]', LOSSES.replace("lemma_02", "lemma_07")),
        ("[paper]", "[[part]]\ntitle = 'x'\n[paper]"),
        ("[paper]", "[[question]]\nasks = 'lemma_01'\nknown = 'x'\nleft = 'y'\nby = ['lemma_07']\n[paper]"),
        ("[paper]", "[[question]]\nasks = 'lemma_07'\nknown = 'x'\nleft = 'y'\nby = []\n[paper]"),
        ("[paper]", "[[question]]\nasks = 'lemma_01'\nknown = 'x'\nby = []\n[paper]"),
        ("[paper]", "[[part]]\ntitle = 'x'\nstatements = ['lemma_07']\n[paper]"),
        ('aliases = ["toy.first"]', LOSSES.replace('{ 2 = "lemma_02" }', '"lemma_02"')),
    ],
)
def test_a_papers_file_that_does_not_fit_is_refused(tmp_path, old, new):
    assert old in PAPER
    with pytest.raises(CheckError):
        paper(tmp_path, PAPER.replace(old, new, 1))


def test_what_a_papers_file_says(tmp_path):
    text = PAPER.replace('aliases = ["toy.first"]', f'aliases = ["toy.first"]\nrests_on = ["lemma_02"]\n{LOSSES}', 1)
    text += '\n[[part]]\ntitle = "First"\nstatements = ["lemma_02", "lemma_01"]\n'
    found = paper(tmp_path, text)
    assert (found.key, found.arxiv, found.version, found.title) == ("toy", "", 1, "A toy paper")
    first, second = found.statements
    assert (first.aliases, first.rests_on, first.open, second.open) == (
        ("toy.first",),
        ("lemma_02",),
        None,
        "nobody has written it",
    )
    assert first.account["of"] == {"2": "lemma_02"}
    assert [(part.title, part.statements) for part in found.parts] == [("First", ("lemma_02", "lemma_01"))]
    assert found.statement_of("lemma_01_more") is first
    assert found.statement_of("lemma_0") is None
    assert found.statement_of("lemma_011") is None


# -- the catalogue -----------------------------------------------------------------------------------------------------
def test_names_of_claims_are_found_by_place_statement_and_end(tmp_path):
    catalogue = Catalogue(write_checks(tmp_path, lemma_01_more=CHECK + "\nown = claim\n"))
    assert [e.id for e in catalogue.select(["toy"])] == ["toy.lemma_01", "toy.lemma_01_more"]
    assert [e.id for e in catalogue.select(["Lemma 1"])] == ["toy.lemma_01", "toy.lemma_01_more"]
    assert [e.id for e in catalogue.select(["toy.first", "lemma_01"])] == ["toy.lemma_01", "toy.lemma_01_more"]
    assert [e.id for e in catalogue.select(["lemma_01_more"])] == ["toy.lemma_01_more"]
    for wrong in ("toy.", "toy..", "lemma", "toy.lemma", "toy.lemma_01.", "other.lemma_01", ""):
        with pytest.raises(DomainError):
            catalogue.select([wrong])
    with pytest.raises(DomainError) as caught:
        catalogue.select(["toy.lemma_02"])
    assert "is open: nobody has written it" in caught.value.why
    assert catalogue.own_papers == ["toy"]
    with pytest.raises(DomainError, match="the paper 'none'"):
        catalogue.paper("none")
    assert [p["key"] for p in catalogue.index(["toy"])] == ["toy"]
    assert catalogue.index([]) == []
    assert [s["claims"] for s in catalogue.index()[0]["statements"]] == [["toy.lemma_01", "toy.lemma_01_more"], []]


def test_roots_are_the_users_and_the_librarys(tmp_path):
    library = find_roots(start=tmp_path)
    assert len(library) == 1
    root = write_checks(tmp_path / "checks")
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert find_roots(start=deep) == find_roots(root, start=Path("/")) == (root.resolve(), *library)
    assert Catalogue([root, root]).roots == (root.resolve(),)
    with pytest.raises(DomainError, match="the folder"):
        Catalogue(deep)
    with pytest.raises(DomainError, match="the paper 'toy'"):
        Catalogue([root, write_checks(tmp_path / "other")])


# -- notes -------------------------------------------------------------------------------------------------------------
HEAD = "[[note]]\nclaims = ['toy.lemma_01', 'toy.lemma_02']\nhypothesis = 'N >= 2'\n"


def notes(folder, text):
    toy = write_checks(folder) / "toy"
    (toy / "necessity.toml").write_text(text, encoding="utf-8")
    return read_notes(toy)


@pytest.mark.parametrize(
    ("said", "state", "decides", "tried"),
    [
        ("proof = 'p'", "not needed", True, False),
        ("by = 'toy.a'", "not needed", True, False),
        ("defines = 'd'", "defines", True, False),
        ("unsearched = 'u'", "not needed", False, False),
        ("at = 'N=1, M = 1/2'", "not needed", False, True),
        ("control = 'c'", "not needed", False, True),
        ("proof = 'p'\nunsearched = 'u'", "not needed", True, False),
    ],
)
def test_a_note_says_one_thing_of_each_of_its_claims(tmp_path, said, state, decides, tried):
    found = notes(tmp_path, HEAD + said)
    assert [note.claim for note in found] == ["toy.lemma_01", "toy.lemma_02"]
    assert {(note.hypothesis, note.state, note.decides, note.tried) for note in found} == {
        ("N >= 2", state, decides, tried)
    }
    if "at" in said.split(" ")[0]:
        assert found[0].point == {"N": "1", "M": "1/2"}


@pytest.mark.parametrize(
    "text",
    [
        HEAD,
        HEAD + "proof = ' '",
        HEAD + "proof = 'p'\nby = 'b'",
        HEAD + "at = 'N=1'\nunsearched = 'u'",
        HEAD + "control = 'c'\nunsearched = 'u'",
        HEAD + "proof = 'p'\nmore = 'm'",
        HEAD + "proof = 3",
        HEAD.replace("toy.lemma_02", "other.lemma_02") + "proof = 'p'",
        HEAD.replace("'N >= 2'", "3") + "proof = 'p'",
        HEAD + "proof = 'p'\n" + HEAD + "by = 'b'",
        "note = 3",
        "[[note",
        HEAD.replace("['toy.lemma_01', 'toy.lemma_02']", "'toy.a'") + "proof = 'p'",
        HEAD + "proof = 'p'\nby = 'b'\nunsearched = 'u'",
    ],
)
def test_a_note_of_another_form_is_refused(tmp_path, text):
    with pytest.raises(CheckError):
        notes(tmp_path, text)


def test_a_paper_without_notes_has_none_and_one_table_is_one_note(tmp_path):
    assert read_notes(write_checks(tmp_path) / "toy") == []
    (one,) = notes(tmp_path, "[note]\nclaims = ['toy.a']\nhypothesis = 'h'\nproof = 'p'\n")
    assert one == Note("toy.a", "h", proof="p")
    assert one.words == "p"
    assert Note("toy.a", "h", by="toy.b").words == "the stronger statement is toy.b"
    assert Note("toy.a", "h", defines="d").words == "d"
    assert "violated at N=1" in str(one.contradicted({"N": "1"}))


# -- sealed verdicts ---------------------------------------------------------------------------------------------------
@pytest.fixture
def verdict(tmp_path):
    (entry,) = Catalogue(write_checks(tmp_path / "checks")).entries
    return judge_entry(entry).to_json()


def test_a_digest_covers_everything_but_itself(verdict):
    whole = sealed(verdict)
    assert intact(whole)
    assert digest_of(whole) == digest_of(verdict)
    assert not intact(verdict)
    assert not intact({**whole, "digest": ""})
    for name in whole:
        assert not intact({**whole, name: "another"})
    assert not intact({**whole, "more": 1})
    with pytest.raises(DomainError):
        sealed({"a": float("nan")})


def test_stored_verdicts_follow_from_their_rows_or_say_what_does_not(verdict, tmp_path):
    assert contradiction(verdict) == ""
    for change, said in [
        ({"outcome": "REFUTED"}, "its rows do not give its outcome"),
        ({"power": 2.0}, "its rows do not give its power"),
        ({"as_expected": False}, "as_expected"),
        ({"evidence": "FITTED"}, "evidence"),
        ({"controls": []}, "controls"),
        ({"rows": []}, "HOLDS without a row"),
        ({"powers": {"value <= N": 7.0}}, "powers"),
        ({"rows": [r for r in verdict["rows"] if not r["control"]]}, "controls"),
        (
            {"rows": [{**r, "truth": None} for r in verdict["rows"]]},
            "do not give the stored outcome of 'value <= N' at N=2",
        ),
        ({"rows": [{**r, "truth": False, "tied": True} for r in verdict["rows"]]}, "do not give the stored outcome"),
    ]:
        assert said in contradiction({**verdict, **change})
    for outcome in ("UNDECIDED", "INAPPLICABLE"):
        assert contradiction({**verdict, "rows": [], "outcome": outcome}) == ""
    folder = tmp_path / "stored"
    folder.mkdir()
    texts = {
        "toy.lemma_01": sealed(verdict),
        "toy.lemma_01 (copy)": sealed(verdict),
        "a": sealed(verdict),
        "b": {**verdict, "digest": "0"},
        "c@N=2": sealed({**verdict, "id": "c"}),
        "d": [1],
        "e": sealed({**verdict, "schema": "another", "id": "e"}),
        "f": sealed({**verdict, "id": 3}),
    }
    for name, data in texts.items():
        (folder / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    (folder / "g.json").write_text('{"a": NaN}', encoding="utf-8")
    assert list(stored_verdicts(folder)) == ["toy.lemma_01"]
    reading = StoredVerdicts(ClosedFolder(tmp_path), below="stored")
    assert [reading.read(f"{n}.json", named=False)[0] is None for n in "abdefg"] == [False, *[True] * 5]
    assert [reading.read(f"{n}.json")[1] for n in ("a", "none")] == ["a copy of toy.lemma_01.json", ""]
