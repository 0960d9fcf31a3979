"""Letters that stand for objects: axes with members of a kind, predicates as hypotheses, texts read back."""

import json
import pickle
import random
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest
from tiny import N, value

import theorytools
from theorytools import Catalogue, CheckError, Claim, Control, DomainError, grid, judge, letter, points, recheck
from theorytools.claims.judging.content_digest import sealed
from theorytools.claims.judging.description import formulas
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.judging.statement_text import statement
from theorytools.claims.judging.user_points import move
from theorytools.claims.language.grid import Thing
from theorytools.notebook import claim_html
from theorytools.search.kinds import Boolean, Booleans, Graph, Graphs, Laws, Matrices, Permutations, Sequences, Words

n = letter("n", "number of vertices", integer=True, positive=True)
CONNECTED = {"G is connected": lambda p: p.G.connected}
PATH = '{"edges":[[0,1],[1,2]],"vertices":3}'


def edges(**changed):
    """A graph on n vertices has at most n(n-1)/2 edges; with n^2 more it has not."""
    parts = {
        "label": "Edges", "asserts": [value <= n * (n - 1) / 2], "grid": grid(n=[2, 3, 4]),
        "objects": {"G": (Graphs(), n)}, "construct": lambda p: p.G,
        "measure": lambda graph, p: {value: len(graph.edges)},
        "controls": [Control("with more", breaks=value, measure=lambda g, p: {value: len(g.edges) + p.n**2})],
        "scope": {"every n": "points", "every graph G": "points"},
    }  # fmt: skip
    return Claim(**{**parts, **changed})


def test_the_grid_meets_the_first_members_of_each_size():
    claim = edges()
    assert [(row["n"], len(row["G"].member.edges)) for row in claim.grid][2:6] == [(3, 2), (3, 3), (3, 0), (3, 1)]
    assert len(claim.grid) == 2 + 4 + 4
    assert [len(edges(objects={"G": (Graphs(), "n", k)}).grid) for k in (1, 2, 9)] == [3, 6, 2 + 4 + 9]
    assert {b.words: b.letters for b in claim.binders} == {"n": ("n",), "graph G": ("G",)}
    assert replace(claim, label="again").grid.points == claim.grid.points


def test_a_true_statement_holds_and_a_false_one_is_refuted_at_an_object():
    verdict = judge(edges(), "t.edges")
    assert verdict.outcome == "HOLDS"
    wrong = edges(asserts=[value <= n - 1], controls=[Control("more", asserts=[value <= n * n])], expect="REFUTED")
    verdict = judge(wrong, "t.edges")
    assert verdict.outcome == "REFUTED"
    bad = [row for row in verdict.rows if row.truth is False]
    graph = Graphs().unpack(json.loads(dict(bad[0].point)["G"]))
    assert len(graph.edges) > graph.vertices - 1


def test_a_predicate_is_a_hypothesis():
    few = Control("a quarter", breaks=value, measure=lambda g, p: {value: len(g.edges) // 4})
    claim = edges(asserts=[value >= n - 1], such_that=CONNECTED, controls=[few])
    assert all(row["G"].member.connected for row in claim.grid)
    assert judge(claim, "t.edges").outcome == "HOLDS"
    assert judge(edges(asserts=[value >= n - 1], controls=[few]), "t.edges").outcome == "REFUTED"
    verdict = judge(claim, "t.edges", [{"n": 3, "G": Graph(3, [(0, 1)])}])
    assert verdict.outcome == "INAPPLICABLE"
    assert "the hypothesis 'G is connected' fails at n=3, G={" in verdict.skipped[0]["reason"]


def test_an_object_of_another_size_is_outside():
    verdict = judge(edges(), "t.edges", [{"n": 4, "G": PATH}])
    assert verdict.outcome == "INAPPLICABLE"
    assert "'G is a graph of size n' fails: it is of size 3, and n = 4" in str(verdict.skipped)


def test_a_user_gives_an_object_or_a_size():
    claim = edges()
    assert move(claim, "t.edges", {"G": PATH}) == [{"n": 3, "G": PATH}]
    assert move(claim, "t.edges", {"G": [Graph(5), PATH]}) == [
        {"n": 5, "G": '{"edges":[],"vertices":5}'}, {"n": 3, "G": PATH}
    ]  # fmt: skip
    rows = move(claim, "t.edges", {"n": "6"})
    assert [row["G"].member.vertices for row in rows] == [6] * 4
    assert all(type(row["G"]) is Thing for row in rows)
    assert [row["G"].member.connected for row in move(edges(such_that=CONNECTED), "t.edges", {"n": 7})] == [True] * 4


@pytest.mark.parametrize("given", [
    "path", "{}", '{"vertices": 2, "edges": [[0, 5]]}', "[1, 2]", "3", "1/2", 3, 0.5, float("nan"), None, True, (1, 2),
    '{"vertices": 2.0, "edges": []}', "[" * 3000, [],
])  # fmt: skip
def test_what_is_no_such_object_is_refused(given):
    with pytest.raises(DomainError) as error:
        move(edges(), "t.edges", {"G": given})
    assert "G is a graph of size n" in str(error.value)
    assert error.value.required


@pytest.mark.parametrize(("kind", "text", "member"), [
    (Words("ab"), "abba", "abba"), (Words("01"), "0110", "0110"), (Words("01"), "10", "10"),
    (Booleans(), "0110", Boolean((0, 1, 1, 0))), (Booleans(), "1001", Boolean((1, 0, 0, 1))),
    (Permutations(), "[1, 0]", (1, 0)), (Laws(), '["1/3", "2/3"]', (Fraction(1, 3), Fraction(2, 3))),
    (Matrices(), "[[1]]", ((1,),)), (Words("ab"), '"ab"', "ab"),
])  # fmt: skip
def test_a_text_is_the_member_and_its_own_text_again(kind, text, member):
    claim = edges(objects={"G": (kind, n)}, grid=grid(n=[2]))
    thing = claim.value("G", text)
    assert thing.member == member
    assert claim.value("G", str(thing)) == thing == claim.value("G", member)
    again = pickle.loads(pickle.dumps(thing))
    assert (again, again.member) == (thing, member)
    assert json.loads(json.dumps({"G": thing}))["G"] == thing
    point = claim.point({"n": 2, "G": member}, "t.x")
    assert member == point.G
    assert point.text() == {"n": "2", "G": str(thing)}
    assert point.rng("r").integers(10**9) == claim.point({"n": 2, "G": str(thing)}, "t.x").rng("r").integers(10**9)


def test_a_fixed_size_and_a_free_length():
    claim = edges(objects={"G": (Graphs(), 3), "w": Sequences((0, 1), longest=3)}, grid=grid(n=[7]))
    assert len(claim.grid) == 16
    assert {row["G"].member.vertices for row in claim.grid} == {3}
    assert claim.grid[0]["w"].member == ()
    with pytest.raises(DomainError, match="of size 2"):
        claim.value("G", Graph(2))


def test_the_author_names_members():
    star = Graph(4, [(0, 1), (0, 2), (0, 3)])
    claim = edges(objects={"G": (Graphs(), n, [star, Graph(3)])}, grid=grid(n=[3, 4]))
    assert [row["G"].member for row in claim.grid] == [Graph(3), star]
    words = edges(objects={"G": (Words("ab"), n)}, grid=points("n G", (2, "ab"), (3, "abb")))
    assert [row["G"].member for row in words.grid] == ["ab", "abb"]


class NoShrinking:
    """A kind that can only draw."""

    name = "thing"

    def first(self, n):
        return iter([1])

    def draw(self, rng, n):
        return rng.randrange(n)


@pytest.mark.parametrize(("changed", "words"), [
    ({"objects": {"G": (NoShrinking(), n)}}, "without near, simpler, smaller"),
    ({"objects": {"G": (Graphs, n)}}, "no instance"),
    ({"objects": {"G": Graphs()}}, "a size"),
    ({"objects": {"G": (Graphs(), 0)}}, "size 0"),
    ({"objects": {"G": (Graphs(), N)}}, "the size N"),
    ({"objects": {"G": (Graphs(), n, 0)}}, "how many members"),
    ({"objects": {"G": (Graphs(), n, [3])}}, "G = 3"),
    ({"objects": {"G": (Graphs(), n, 1, 2)}}, "kind of object"),
    ({"objects": {"1": (Graphs(), n)}}, "identifier"),
    ({"objects": [Graphs()]}, "objects = "),
    ({"such_that": ["connected"]}, "hypotheses in words"),
    ({"such_that": {"connected": True}}, "hypotheses in words"),
    ({"such_that": {"G is odd": lambda p: None}}, "returns None"),
    ({"such_that": {"G is odd": lambda p: p.H}}, "raises AttributeError"),
    ({"such_that": {"G is odd": lambda p: False}}, "no object at n = 2"),
    ({"grid": points("n G", (2, "path"))}, "G = 'path'"),
])  # fmt: skip
def test_what_is_no_object_letter_is_refused(changed, words):
    with pytest.raises(CheckError) as error:
        edges(**changed)
    assert words in str(error.value)
    assert error.value.required


def test_an_object_letter_is_no_number():
    with pytest.raises(CheckError, match="the letter G has no value"):
        edges(asserts=[value <= letter("G", "a graph", positive=True)])


def test_what_letters_stand_for_is_printed():
    claim = edges(such_that=CONNECTED)
    said = statement(claim)
    assert (said["objects"], said["such_that"]) == ({"G": "G is a graph of size n"}, ["G is connected"])
    assert r"\text{G is connected}" in formulas(claim)["hypotheses"]
    assert r"\text{G is a graph of size n}" in formulas(claim)["hypotheses"]
    assert "G is connected" in claim_html(claim)
    assert "objects" not in statement(edges(objects={}, construct=lambda p: Graph(2)))
    odd = replace(claim, such_that={"G_1 {costs} 5%": lambda p: True})
    assert r"\text{G 1  costs  5 }" in formulas(odd)["hypotheses"]


CHECK = '''"""Edges.

Setting    Graphs.
Statement  A graph on $n$ vertices has at most $n(n-1)/2$ edges.
"""
from theorytools import Claim, Control, Quantity, grid, letter
from theorytools.search.kinds import Graphs

n = letter("n", "number of vertices", integer=True, positive=True)
value = Quantity("edges", "|E|", "number of edges", (0, None))
claim = Claim(
    "Edges", asserts=[value <= n * (n - 1) / 2], grid=grid(n=[3, 4]), objects={"G": (Graphs(), n)},
    such_that={"G is connected": lambda p: p.G.connected},
    construct=lambda p: p.G, measure=lambda g, p: {value: len(g.edges)},
    controls=[Control("more", breaks=value, measure=lambda g, p: {value: len(g.edges) + p.n**2})],
    role="statement", scope={"every n": "points", SCOPE"points"}, source="derived here: graphs",
)
'''


def written(folder, scope='"every graph G": '):
    place = folder / "checks" / "mine"
    place.mkdir(parents=True)
    (place / "paper.toml").write_text('[paper]\nkey = "mine"\n', encoding="utf-8")
    (place / "edges.py").write_text(CHECK.replace("SCOPE", scope), encoding="utf-8")
    return Catalogue(folder / "checks").entries[0]


def test_a_check_of_graphs_is_verified_shown_and_rechecked(tmp_path):
    entry = written(tmp_path)
    verdict = judge_entry(entry, search=False)
    assert verdict.outcome == "HOLDS"
    data = json.loads(json.dumps(sealed(verdict.to_json())))
    assert all(Graphs().unpack(json.loads(row["point"]["G"])).connected for row in data["rows"])
    assert recheck.examined(data)["state"] == "confirmed", recheck.examined(data)
    schema = json.loads((Path(theorytools.__file__).parent / "reporting" / "verdict.schema.json").read_text("utf-8"))
    assert not list(jsonschema.Draft202012Validator({**schema, "required": []}).iter_errors(data))
    moved = judge_entry(entry, {"G": PATH}).to_json()
    assert [row["point"] for row in moved["rows"] if not row["control"]] == [{"n": "3", "G": PATH}]
    assert moved["command"].endswith(f"--at G='{PATH}'")
    assert judge_entry(entry, {"n": "5"}).outcome == "HOLDS"
    with pytest.raises(DomainError, match="loops"):
        judge_entry(entry, {"G": '{"vertices": 2, "edges": [[1, 1]]}'})


def test_an_object_letter_stands_under_a_quantifier(tmp_path):
    with pytest.raises(CheckError, match="G is under no quantifier"):
        judge_entry(written(tmp_path, '"every object": '))


@dataclass(frozen=True)
class Pairs:
    """A kind of one's own: pairs of whole numbers below n."""

    name = "pair"

    def first(self, n):
        return ((i, j) for i in range(n) for j in range(n))

    def draw(self, rng, n):
        return rng.randrange(n), rng.randrange(n)

    def near(self, rng, x):
        return x

    def simpler(self, x):
        return iter(())

    def smaller(self, x):
        return iter(())

    def size(self, x):
        return max(x) + 1

    def pack(self, x):
        return list(x)

    def unpack(self, data):
        return tuple(data)


def test_a_kind_of_ones_own():
    claim = edges(objects={"G": (Pairs(), n)}, grid=grid(n=[2]), measure=lambda x, p: {value: min(x)})
    assert claim.grid[0]["G"].member == (0, 0)
    assert random.Random(0).randrange(2) in claim.things["G"].kind.draw(random.Random(0), 2)
