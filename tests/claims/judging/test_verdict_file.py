"""The file of a verdict: it fits the schema, holds exact numbers, and damage is refused."""

import json
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest
from every_claim import chunks, each
from shared_verdicts import ROOT, claim_of, entries
from sympy import Rational, exp
from tiny import N, constant, shrinking, tiny, value, write_checks, x
from verdict_examples import OPEN, open_row, published, spoiled

import theorytools
from theorytools import Budget, enclosed, grid, judge, points
from theorytools.claims.judging.description import document
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.judging.verdict import estimate_from_json
from theorytools.claims.papers.catalogue import Catalogue
from theorytools.numbers import Enclosure, End

SCHEMA = json.loads((Path(theorytools.__file__).parent / "reporting" / "verdict.schema.json").read_text("utf-8"))
VALID = jsonschema.Draft202012Validator(SCHEMA)


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    """What a check file adds to the numbers: statement, source, versions."""
    root = write_checks(tmp_path_factory.mktemp("checks"))
    verdict = judge_entry(Catalogue(root).select(["toy.lemma_01"])[0])
    VALID.validate(verdict.to_json())
    return verdict.document


def strict(verdict):
    """The verdict's file as another reader meets it."""
    text = json.dumps(verdict.to_json(), allow_nan=False)
    return json.loads(text, parse_constant=pytest.fail)


FILES = {
    "HOLDS": tiny(), "REFUTED": published(), "INAPPLICABLE": tiny(requires=[N <= 1]),
    "POWERLESS": constant(1, value <= N, controls=[spoiled(number=0), spoiled("nowhere", where=N >= 7)]),
    "UNDECIDED": constant(OPEN, open_row, budget=Budget(bits=128)),
    "unbounded": constant(enclosed(lambda: Enclosure(-1).log()), value <= N, budget=Budget(bits=64)),
    "sampled": constant(shrinking(1, Fraction(1, 2)), value.equals(1, within=1)),
    "words": tiny(grid=points("kind N", ("simplex", 2)), asserts=[value <= N]),
    "fractions": tiny(grid=grid(y=["213/10", 1e-3]), construct=lambda p: p.y, asserts=[value <= x],
                      derive=lambda thing, p: {x: thing}, derived=[x], controls=[spoiled()]),
    "long": constant(Fraction(1, 10**5000), value <= Rational(1, 10) ** (2500 * N), repair=1),
    "far": constant(enclosed(lambda: (Enclosure(10) ** 6).exp()), value <= exp(10**6) * 2,
                    repair=enclosed(lambda: (Enclosure(10) ** 7).exp())),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_verdict_fits_the_schema(name, described):
    verdict = judge(FILES[name], "toy.lemma_01", document=described)
    data = strict(verdict)
    VALID.validate(data)
    assert data["outcome"] == (name if name.isupper() else "UNDECIDED" if name == "unbounded" else "HOLDS")
    for row, stored in zip(verdict.rows, data["rows"], strict=True):
        assert estimate_from_json(stored["measured"]) == row.measured
        low, high = stored["measured"]["show"]
        assert low is None or End(low) <= row.measured.low
        assert high is None or End(high) >= row.measured.high


def test_ends_and_points_are_written_exactly_in_a_well_formed_schema(described):
    data = strict(judge(FILES["unbounded"], "toy.lemma_01", document=described))
    measured = data["rows"][0]["measured"]
    assert (measured["low"], measured["high"], measured["show"]) == ({"inf": -1}, {"inf": 1}, [None, None])
    data = strict(judge(FILES["far"], "toy.lemma_01", document=described))
    assert data["rows"][0]["measured"]["show"][1] is None
    data = strict(judge(FILES["long"], "toy.lemma_01", document=described))
    assert len(data["rows"][0]["measured"]["low"]["q"][1]) > 4000  # str() of such an integer raises
    data = strict(judge(FILES["fractions"], "toy.lemma_01", document=described))
    assert [row["point"] for row in data["rows"] if not row["control"]] == [{"y": "213/10"}, {"y": "1/1000"}]
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


CHECKS = Catalogue(ROOT)


@each(chunks(entries()))
def test_the_description_of_every_check_fits_the_schema(id):
    described = document(claim_of(id), entries()[id], CHECKS)
    partial = jsonschema.Draft202012Validator({**SCHEMA, "required": sorted(set(SCHEMA["required"]) & set(described))})
    assert set(described) < set(SCHEMA["properties"])
    partial.validate({**described, "assertions": [{**a, "power": None} for a in described["assertions"]]})
    assert described["text"]["summary"]


def damaged(**fields):
    return lambda data: data.update(fields)


@pytest.mark.parametrize(
    "damage",
    [damaged(outcome="PASSED"), damaged(power=1.02), damaged(extra=1), damaged(schema="theorytools.verdict/2"),
     damaged(evidence="CERTAIN"), damaged(alpha={"claim": 2, "spent": 0}), damaged(id="lemma"),
     lambda data: data.pop("reason"), lambda data: data["rows"][0].update(truth="yes"),
     lambda data: data["rows"][0]["measured"].pop("alpha"), lambda data: data["rows"][0]["point"].update(N=2),
     lambda data: data["rows"][0]["measured"].update(low={"q": ["1", "3"]}),
     lambda data: data["rows"][0]["measured"].update(low={"inf": 1, "q": ["0x1", "0x3"]})],
)  # fmt: skip
def test_the_schema_refuses_what_is_no_verdict(damage, described):
    data = strict(judge(tiny(), "toy.lemma_01", document=described))
    damage(data)
    assert not VALID.is_valid(data)


@pytest.mark.parametrize("commit", ["0123abc", "0123abc-dirty", ""])
def test_the_records_of_trained_models_that_were_read_fit_the_schema(described, commit):
    made = {"created": "2026-11-20T14:47:13+00:00", "commit": commit}
    data = strict(judge(tiny(), "toy.lemma_01", document={**described, "trained": {"figure_01a.corrected": made}}))
    VALID.validate(data)
    assert data["trained"] == {"figure_01a.corrected": made}
