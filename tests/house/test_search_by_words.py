"""The search by words: what a colleague would type leads first to what was meant, in the terminal and on the site."""

import json
import re
from importlib.util import find_spec

import pytest
from report_parts import verdict
from source_tree import ROOT
from typer.main import get_command

from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.cli.app import app
from theorytools.cli.finding import FEW, places
from theorytools.reporting.cache import Cache
from theorytools.reporting.lookup import FACTORS, Place, look_up, tokens
from theorytools.reporting.pages.contents import Contents
from theorytools.reporting.pages.search_index import KINDS, search

PAPER = {
    "key": "qstr",
    "statements": [{"id": "lemma_1", "label": "Lemma 1", "title": r"$\beta$", "claims": ["qstr.lemma_1"]}],
}


@pytest.fixture(scope="module")
def library():
    return places(Catalogue(find_roots(None)))


@pytest.mark.parametrize(
    ("words", "kind", "name"),
    [("proposition 8 recurrent lower bound", "statement", "qstr.proposition_08"),
     ("lemma11", "statement", "qstr.lemma_11"), ("Lemmas 11", "statement", "qstr.lemma_11"),
     ("min-norm", "construction", "MinNorm"),
     ("minimum norm", "statement", "qstr.theorem_09"), ("2503.11272", "paper", "qstr"),
     ("arXiv:2406.09347", "paper", "sep"),
     ("GRU", "statement", "qstr.proposition_35"), ("BlockAttention", "construction", "BlockAttention"),
     ("block_attention", "construction", "BlockAttention"), ("QuantisedRecurrence", "class", "QuantisedRecurrence"),
     ("certify", "command", "theorytools certify"), ("publish", "document", "docs/publish.md"),
     ("how do I publish a paper", "document", "docs/publish.md"), ("few heads", "construction", "FewHeads"),
     ("qstr.lemma_11_norms.class_norm", "claim", "qstr.lemma_11_norms.class_norm"),
     ("gausian encodngs", "function", "gaussian_encodings"), ("tmeperature", "function", "minimal_temperature")],
)  # fmt: skip
def test_what_was_meant_comes_first(library, words, kind, name):
    first = look_up(words.split(), library).places[0]
    assert (first.kind, first.name) == (kind, name)


def test_every_way_to_go_on_is_one(library):
    commands = {one.name for one in library if one.kind == "command"}
    assert commands == {f"theorytools {name}" for name in get_command(app).commands}
    assert len({(one.kind, one.name) for one in library}) == len(library)
    assert {one.kind for one in library} == {*KINDS} - {"page"}
    for one in library:
        imported = re.fullmatch(r"from (theorytools[\w.]*) import (\w+)", one.use)
        if imported:
            assert find_spec(imported[1]) is not None, one
            assert imported[2] == one.name
        elif one.kind == "document":
            assert (ROOT / one.use).is_file()
        else:
            assert " ".join(one.use.split()[:2]) in commands, one


def test_a_slip_is_read_as_the_word_and_a_strange_word_has_its_nearest(library):
    slip = look_up(["gausian", "zzyxq"], library)
    assert (slip.read, list(slip.unknown)) == ({"gausian": "gaussian"}, ["zzyxq"])
    assert slip.places == look_up(["gaussian"], library).places
    far = look_up(["lemurs"], library)
    assert (far.places, "lemma" in far.unknown["lemur"]) == ((), True)
    assert look_up(["8888"], library).places == ()  # a number has no slips


def test_more_of_the_words_and_words_in_names_come_before_others():
    both, name, text = (
        Place("claim", "p.a", "norms of a head"),
        Place("claim", "p.head", ""),
        Place("claim", "p.b", "", text="head"),
    )
    assert look_up(["head", "norm"], [text, name, both]).places[0] is both
    assert look_up(["head"], [text, both, name]).places == (name, both)  # the last is far below
    whole = Place("statement", "p.c", "few heads")
    folded = [
        whole,
        *(Place("claim", f"p.c.{k}", said, within="p.c") for k, said in enumerate(["few heads", "tokens"])),
    ]
    assert look_up(["heads"], folded).places == (whole,)  # a claim that says no more than its statement
    assert look_up(["tokens"], folded).places == (folded[2],)


def test_words_are_compared_without_their_form():
    assert tokens("Lemma_011") == tokens("lemmas11") == ("lemma", "11")
    assert tokens("BlockAttention") == ("block", "attention", "blockattention")
    assert tokens("GRUCell of 2503.11272") == ("gru", "cell", "of", "2503.11272", "grucell")
    assert look_up(["the", "of"], [Place("page", "of the", "")]).places  # nothing but small words is asked for, too


def test_in_the_terminal_a_list_with_kinds_that_ends_and_says_how_to_go_on(cli, monkeypatch):
    few, whole = cli("search", "lemma"), cli("search", "lemma", "--all")
    heads = re.compile(r"^\S+  \(\w+\)$", re.M)
    assert (few.code, len(heads.findall(few.out))) == (0, FEW)
    assert f"and {len(heads.findall(whole.out)) - FEW} more: theorytools search --all lemma" in few.out
    monkeypatch.setenv("COLUMNS", "40")
    none = cli("search", "qqqqq", "lemurs")
    assert (none.code, max(map(len, none.out.splitlines())) <= 40) == (1, True)
    assert "lemma" in none.out


def test_the_site_has_the_same_things_and_the_same_rule(library):
    run = {
        "commands": [one for one in library if one.kind == "command"],
        "addresses": {"docs/publish.md": "publish.html"},
    }
    script = search(Contents([verdict("lemma_1")], [PAPER], run, Cache(None)))
    lines, _ = json.JSONDecoder().raw_decode(script.partition("lines = ")[2])
    here = {(KINDS[line[0]], line[1]) for line in lines}
    ours = ("construction", "class", "function", "command", "document")
    assert {(one.kind, one.name) for one in library if one.kind in ours} == {one for one in here if one[0] in ours}
    assert next(line for line in lines if line[1] == "docs/publish.md")[3] == "publish.html"
    statement, claim = (line for line in lines if KINDS[line[0]] in ("statement", "claim"))
    assert (statement[1:5], claim[1:4:2]) == (
        ["qstr.lemma_1", "β", "qstr/lemma_1.html", "Lemma 1"],
        ["qstr.lemma_1", 0],
    )
    rule, _ = json.JSONDecoder().raw_decode(script.partition("rule = ")[2])
    assert rule["FACTORS"] == [FACTORS.get(kind, 1.0) for kind in KINDS]
    assert not re.search(r'"(?:KINDS|RULE|PLACES)"', script)
