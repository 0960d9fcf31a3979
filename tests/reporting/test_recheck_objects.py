"""The checker of objects: what it computes again is what was measured, and a spoiled object of any kind is not."""

import ast
import copy
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorytools import recheck_objects
from theorytools.certificates import KINDS, LARGEST, SCHEMA, certificate
from theorytools.claims.judging.point import Judgement, measure_point
from theorytools.claims.papers.catalogue import Catalogue, find_roots
from theorytools.claims.papers.loading import load
from theorytools.cli.certificates import certificates_command

FILE = Path(recheck_objects.__file__)


def word(o):  # two positions with one word
    o["words"][0] = o["words"][1]


def weight(name):
    def spoil(o):
        o[name][0] = str(Fraction(o[name][0]) + 1)

    return spoil


def state(o):
    o["accepting"] = [1 - flag for flag in o["accepting"]]


def cell(o):
    o["answers"][0] = o["answers"][1]


def key(o):
    o["keys"][0] = [-x for x in o["keys"][0]]


def query(o):
    first = next(iter(o["queries"]))
    o["queries"][first] = [str(-Fraction(x)) for x in o["queries"][first]]


def prediction(o):
    o["predictions"] = [[str(Fraction(x) * Fraction(1, 2)) for x in row] for row in o["predictions"]]


def mass(o):  # moved to another value: still a law
    (_, first), (_, second) = o["law"][:2]
    o["law"][0][1], o["law"][1][1] = str(Fraction(first) / 2), str(Fraction(second) + Fraction(first) / 2)


def row(o):
    o["rows"] = o["rows"][:1]


def vector(o):
    o["vectors"] = [0] * len(o["vectors"])


def draw(o):
    o["weights"] = [0] * len(o["weights"])


def set_of(o):
    o["sets"] = o["sets"][:1]


SPOILED = {
    "code": ("qstr.assumption_03", word),
    "attention": ("qstr.lemma_11", word),
    "acceptance": ("sep.dyck_onelayer_lb", state),
    "table": ("sep.bool_lb", cell),
    "lookup": ("sep.index_lookup_transformer", key),
    "selector": ("stsq.neighborly_loss", query),
    "class": ("qstr.lemma_18", prediction),
    "law": ("qstr.lemma_34", mass),
    "span": ("qstr.proposition_03.exact", row),
    "relu": ("qstr.definition_05_orthogonal", weight("a")),
    "linear": ("qstr.theorem_09_linear", weight("v")),
    "hash": ("sep.bool_lb_hash", vector),
    "weights": ("sep.bool_lb_weights", draw),
    "sets": ("sep.nn_recurrent_lb_several", set_of),
    "bending": ("qstr.lemma_38_total_variation", weight("dual")),
}


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue(find_roots(None))


def pair(catalogue, id):
    """A certificate of one claim, and the rows that its points gave."""
    [entry] = [entry for entry in catalogue.own if entry.id == id]
    claim = load(entry)
    made = certificate(entry, claim, count=2)
    places = [place["point"] for place in made["points"]]
    axes = [axes for axes in claim.grid if claim.point(axes, "").text() in places]
    bench = Judgement(claim, claim.row_alpha())
    check = ".".join(entry.id.split(".")[:2])
    rows = [row.to_json() for one in axes for row in measure_point(bench, claim.point(one, check)).rows]
    return json.loads(json.dumps(made)), json.loads(json.dumps({"id": id, "rows": rows}))


def states(made, verdict):
    return [line["state"] for line in recheck_objects.examined(made, verdict)]


def test_there_is_a_control_of_every_kind():
    assert set(SPOILED) == set(recheck_objects.KINDS) == {kind.name for kind in KINDS}
    for kind in KINDS:
        assert set(kind.formulas.values()) <= set(recheck_objects.KINDS[kind.name])


@pytest.mark.parametrize("kind", SPOILED)
def test_an_honest_object_is_confirmed_and_a_spoiled_one_contradicted(kind, catalogue):
    id, spoil = SPOILED[kind]
    made, verdict = pair(catalogue, id)
    assert {place["kind"] for place in made["points"]} == {kind}
    assert len(json.dumps(made).encode()) <= LARGEST
    assert set(states(made, verdict)) == {"confirmed"}
    for place in made["points"]:
        spoiled = copy.deepcopy(place)
        spoil(spoiled["object"])
        assert "contradicted" in states({"points": [spoiled]}, verdict), place["point"]


def test_an_object_of_another_size_and_a_moved_measured_side_are_contradicted(catalogue):
    made, verdict = pair(catalogue, "qstr.lemma_34")
    other = copy.deepcopy(made)
    other["points"][0]["object"]["tau"] = "12345"
    assert "contradicted" in states(other, verdict)
    other["points"][0]["object"] = {**made["points"][0]["object"], "law": made["points"][0]["object"]["law"][:1]}
    assert "contradicted" in states(other, verdict)
    for row in verdict["rows"]:
        row["measured"]["low"] = row["measured"]["high"] = {"q": ["0x7", "0x5"]}
    assert set(states(made, verdict)) == {"contradicted"}


def test_rows_that_differ_in_one_quantity_are_all_compared(catalogue):
    made, verdict = pair(catalogue, "sep.bool_lb")
    first = copy.deepcopy(verdict["rows"][0])
    first["measured"]["low"] = first["measured"]["high"] = {"q": ["0x7", "0x5"]}
    for rows in ([first, *verdict["rows"]], [*verdict["rows"], first]):
        assert "contradicted" in states(made, {"rows": rows})


@given(st.fractions(min_value=-300, max_value=300, max_denominator=90))
def test_exponentials_contain_the_value(x):
    box = recheck_objects._exp(recheck_objects._Box.of(x))
    with mpmath.workdps(120):
        value = mpmath.exp(mpmath.mpf(x.numerator) / x.denominator)
        assert mpmath.mpf(box.low.numerator) / box.low.denominator <= value
        assert value <= mpmath.mpf(box.high.numerator) / box.high.denominator


@given(st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=5))
def test_the_rank_is_that_of_the_transpose(rows):
    basis = recheck_objects._echelon(rows)
    assert len(basis) == len(recheck_objects._echelon(zip(*rows, strict=True)))
    assert len(recheck_objects._echelon([*basis, *rows])) == len(basis)


def test_it_stands_alone_and_its_exit_code_says_what_it_found(tmp_path, catalogue):
    tree = ast.parse(FILE.read_text("utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= set(sys.stdlib_module_names)
    assert len(FILE.read_text("utf-8").splitlines()) <= 580

    def run():
        command = [sys.executable, "-I", "-S", str(FILE), str(tmp_path), "--json"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run().returncode == 2
    made, verdict = pair(catalogue, "sep.bool_lb")
    for folder, data in (("certificates", made), ("verdicts", verdict)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "sep.bool_lb.json").write_text(json.dumps(data))
    done = run()
    assert (done.returncode, json.loads(done.stdout)["counts"]) == (0, {"confirmed": 1}), done.stdout + done.stderr
    (tmp_path / "verdicts" / "sep.bool_lb.json").write_text("{")
    assert run().returncode == 1
    (tmp_path / "verdicts" / "sep.bool_lb.json").write_text(json.dumps(verdict))
    cell(made["points"][0]["object"])
    (tmp_path / "certificates" / "sep.bool_lb.json").write_text(json.dumps(made))
    assert run().returncode == 1


def test_the_command_writes_what_it_says_and_takes_away_what_is_no_more(tmp_path, capsys):
    (tmp_path / "qstr.figure_01.json").write_text(json.dumps({"schema": SCHEMA, "id": "qstr.figure_01", "points": []}))
    ids = ["sep.bool_lb", "qstr.figure_01"]
    assert certificates_command(ids, output=tmp_path, checks=None, json=True) == 0
    told = json.loads(capsys.readouterr().out)
    [name] = {Path(path).name for path in told["written"]} - {"sep.bool_lb.inner.json"}
    assert name == "sep.bool_lb.json"
    assert not (tmp_path / "qstr.figure_01.json").exists()
    assert json.loads((tmp_path / name).read_text())["id"] == "sep.bool_lb"
    assert certificates_command(["qstr.figure_01"], output=tmp_path, checks=None, json=False) == 3
    assert "wrote nothing" in capsys.readouterr().out
