"""Location is identity: claims are listed without running them, and selected by where they are."""

import sys

import pytest
from tiny import CHECK, PAPER, write_checks
from variant_examples import VARIANT

from theorytools import Catalogue, CheckError, DomainError
from theorytools.claims.papers import catalogue as module
from theorytools.claims.papers.catalogue import find_roots, is_check, read_entries, read_paper
from theorytools.claims.papers.loading import load, package_of


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
    [("claim = Claim('a')", ["claim"]), ("claim: Claim = Claim('a')", ["claim"]),
     ("claim = theorytools.Claim('a')", ["claim"]), ("other = replace(claim, label='b')", ["other"]),
     ("other = dataclasses.replace(claim, label='b')", ["other"]), ("other = replace(construction, N=3)", []),
     ("claim = made(Control('a'))", []), ("claim: Claim", []), ("a, b = 1, 2", []), ("a.claim = 3", [])],
)  # fmt: skip
def test_what_counts_as_a_claim(tmp_path, line, names):
    assert [(e.name, e.error) for e in entries(tmp_path, line)] == [(name, "") for name in names]


@pytest.mark.parametrize(
    "text",
    ["for k in range(3):\n    globals()[f'c{k}'] = Claim('a')", "claims = [Claim('a'), Claim('b')]",
     "first, second = Claim('a'), Claim('b')", "def make():\n    return Claim('a')\nclaim = make()",
     "if True:\n    claim = Claim('a')", "claim = other = Claim('a')", "claim = Claim('a')\nmore = {'b': Claim('b')}",
     "Claim('a')", "holder.claim = Claim('a')"],
)  # fmt: skip
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
    more = PAPER + '\n[[statement]]\nid = "lemma_01_twin"\nours = "a toy"\n'
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
    assert (first["claims"], first["open"], first["ours"]) == (["toy.lemma_01"], None, "a toy")
    assert (second["claims"], second["open"]) == ([], "nobody has written it")


@pytest.mark.parametrize(
    ("text", "message"),
    [("[paper", "a TOML file"), ('[paper]\nkey = "other"\n', "location is identity"),
     (PAPER + "\n[[statement]]\nlabel = 'x'\n", "an id, and either the table"),
     (PAPER.replace('"a toy"', "3"), "an id, and either the table"),
     (PAPER.replace('ours = "a toy"\n', ""), "an id, and either the table")],
)  # fmt: skip
def test_a_broken_paper_file_is_refused(tmp_path, text, message):
    root = write_checks(tmp_path)
    (root / "toy" / "paper.toml").write_text(text)
    with pytest.raises(CheckError, match=message):
        _ = Catalogue(root).papers


# -- selection ------------------------------------------------------------------------------------------------
@pytest.fixture
def catalogue(tmp_path):
    words = "label='As printed', role='variant', source='derived here: x'"
    more = CHECK + f"from dataclasses import replace\npublished = replace(claim, {words})\n"
    return Catalogue(write_checks(tmp_path, lemma_01=more, lemma_011=CHECK))


@pytest.mark.parametrize(
    ("name", "found"),
    [("toy.lemma_01", ["toy.lemma_01", "toy.lemma_01.published"]),
     ("toy.lemma_01.published", ["toy.lemma_01.published"]), ("toy.lemma_011", ["toy.lemma_011"]),
     ("toy", ["toy.lemma_01", "toy.lemma_01.published", "toy.lemma_011"]),
     ("toy.first", ["toy.lemma_01", "toy.lemma_01.published"]),
     ("Lemma 1", ["toy.lemma_01", "toy.lemma_01.published"])],
)  # fmt: skip
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
    for name in ("toy.lemma_0", "toy.", "", "lemma_0"):
        with pytest.raises(DomainError):
            catalogue.select([name])


def test_the_end_of_an_id_is_enough_where_one_paper_has_it(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    catalogue = Catalogue(write_checks(one))
    assert catalogue.select(["lemma_01"]) == catalogue.select(["toy.lemma_01"])
    (write_checks(other) / "toy").rename(other / "toys")
    (other / "toys" / "paper.toml").write_text('[paper]\nkey = "toys"\n')
    with pytest.raises(DomainError, match="several papers") as caught:
        Catalogue([one, other]).select(["lemma_01"])
    assert caught.value.advice == "toy.lemma_01 or toys.lemma_01"


def test_where_the_checks_are_looked_for(tmp_path, monkeypatch):
    here, up = tmp_path / "project" / "deep" / "er", write_checks(tmp_path / "project" / "checks")
    given = write_checks(tmp_path / "given")
    here.mkdir(parents=True)
    (library,) = find_roots(start=tmp_path)
    assert (library / "qstr" / "paper.toml").is_file()  # the source tree, or the copy in the wheel
    assert find_roots(start=library / "qstr") == (library,)  # in a clone the two are one
    assert find_roots(given, start=here) == (given.resolve(), library)
    assert find_roots(start=here) == (up.resolve(), library)
    near = write_checks(tmp_path / "project" / "deep" / "checks")
    assert find_roots(start=here) == (near.resolve(), library)
    monkeypatch.chdir(here)
    assert find_roots() == (near.resolve(), library)
    for wrong in (tmp_path / "nowhere", here):
        with pytest.raises(DomainError, match=r"<paper>/paper.toml"):
            find_roots(wrong)


def test_several_folders_are_one_catalogue_and_a_clash_of_keys_is_an_error(tmp_path):
    one, other = write_checks(tmp_path / "one"), write_checks(tmp_path / "other")
    with pytest.raises(DomainError, match="the paper 'toy' in") as caught:
        Catalogue([one, other])
    assert "toy.lemma_1" in caught.value.why
    assert str(one) in caught.value.advice
    (other / "toy").rename(other / "game")
    text = (other / "game" / "paper.toml").read_text(encoding="utf-8").replace('"toy"', '"game"')
    (other / "game" / "paper.toml").write_text(text, encoding="utf-8")
    both = Catalogue([one, other])
    assert [e.id for e in both.entries] == ["toy.lemma_01", "game.lemma_01"]  # in the order of the folders
    assert [e.id for e in both.own] == ["toy.lemma_01"]
    assert [e.root for e in both.select(["game", "toy"])] == [one, other]
    assert [paper["key"] for paper in both.index()] == ["toy", "game"]
    assert [paper["key"] for paper in both.index(["game"])] == ["game"]
    assert Catalogue([one, f"{one}/../one"]).roots == (one,)  # the same folder twice is one folder
    with pytest.raises(DomainError, match="the paper 'chess'"):
        both.paper("chess")


def test_selecting_by_place_reads_no_other_file(tmp_path, monkeypatch):
    root, read = write_checks(tmp_path, lemma_02=VARIANT, lemma_03="x = (\n"), []
    monkeypatch.setattr(module, "read_entries", lambda path: read.append(path.name) or read_entries(path))
    assert [e.id for e in Catalogue(root).select(["toy.lemma_01"])] == ["toy.lemma_01"]
    assert read == ["lemma_01.py"]
