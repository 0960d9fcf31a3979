"""Wrong measurements: the witness of every slip by two routes, true twins, the seed, the score, the command."""

import functools
import json
import random
import re
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from source_tree import ROOT

from theorytools import CheckError, judge
from theorytools.claims.papers.loading import load
from theorytools.errors import CertificateError, DomainError, RecordError
from tools.bench.__main__ import main
from tools.bench.evaluation import Value, apart, end, less
from tools.bench.left import generator
from tools.bench.left import record as records
from tools.bench.left.draft import filled, swapped
from tools.bench.left.generator import (
    BASES,
    SLIPS,
    breaks,
    pair_of,
    pairs,
    right_of,
    value_of,
    witness_of,
)
from tools.bench.left.kinds import KINDS
from tools.bench.left.project import project
from tools.bench.left.score import (
    ALONE,
    ANCHORS,
    BOTH,
    COLUMNS,
    JUDGE,
    POINTS,
    Found,
    PairScore,
    anchored,
    scored,
    scores,
)

SEED = 11  # of the tests; the record has another


@functools.cache
def some():
    """Four pairs of every kind."""
    return pairs(SEED, 4 * len(KINDS))


def rows_of(draft, folder):
    """What a draft measures at the points of its grid, by the judge, with the axes by their roles."""
    entry = project(folder, "notes", draft)
    verdict = judge(load(entry), entry.id)
    own = [row for row in verdict.rows if not row.control]
    of = {name: role for role, name in draft.names.items()}
    return verdict, [({of[name]: x for name, x in row.at.items()}, row) for row in own]


def measures(row, number):
    """Whether a row's interval contains a number."""
    low, high = (Value(end(e.to_json())) for e in (row.measured.low, row.measured.high))
    known = value_of(number)
    return not less(known, low) and not less(high, known)


@pytest.mark.parametrize("kind", KINDS)
def test_every_slip_of_a_kind_measures_what_it_is_said_to_and_its_twin_the_truth(kind, tmp_path):
    """Two routes: the file as the judge runs it, and formulas that stand beside the template."""
    for i, slip in enumerate(s for s in SLIPS if s.kind == kind):
        pair = pair_of(0, slip, random.Random(f"{SEED}{i}"))
        if kind == "quantifiers in another order":  # is refused where the object is made
            with pytest.raises(CheckError, match="bound after"):
                rows_of(pair.wrong, tmp_path / f"{i}a")
            continue
        verdict, wrong = rows_of(pair.wrong, tmp_path / f"{i}a")
        assert verdict.outcome == "HOLDS", (slip.base, verdict.reason)  # comparison alone lets the draft pass
        for axes, row in wrong if slip.wrong else ():
            assert measures(row, slip.wrong({**axes, **pair.cast.numbers})), (slip.base, axes)
        verdict, true = rows_of(pair.twin, tmp_path / f"{i}b")
        assert verdict.outcome == "HOLDS", (slip.base, verdict.reason)
        exhibited = "exhibited" in pair.base.scope.values()
        for axes, row in true:
            known = value_of(pair.base.truth({**axes, **pair.cast.numbers}))
            right = right_of(pair.twin, pair.cast, axes)
            assert not breaks(pair.twin.relation, known, right), (slip.base, axes)
            assert exhibited or measures(row, pair.base.truth({**axes, **pair.cast.numbers})), (slip.base, axes)


@pytest.mark.parametrize("slip", [s for s in SLIPS if s.wrong and not s.fails], ids=lambda s: f"{s.kind}, {s.base}")
def test_a_witness_is_a_false_statement_or_two_numbers_that_differ(slip):
    base = BASES[slip.base]
    for draw in range(3):
        pair = pair_of(0, slip, random.Random(draw))
        roles = {pair.cast.names[role]: role for role in base.letters}
        x = {roles[name]: int(text) for name, text in pair.witness.point.items()} | pair.cast.numbers
        named = value_of(base.truth(x))
        assert named.text() == pair.witness.named
        if pair.witness.route == "measurement":
            assert apart(named, value_of(slip.wrong(x)))
        else:
            assert breaks(pair.wrong.relation, named, right_of(pair.wrong, pair.cast, {r: x[r] for r in base.letters}))


def test_a_slip_that_is_none_has_no_witness():
    slip = next(s for s in SLIPS if s.base == "distance" and s.right == "r*(d - 1)")
    none = replace(slip, edits=(), right="", requires=None, wrong=BASES["distance"].truth)
    with pytest.raises(CertificateError, match="distance"):
        pair_of(0, none, random.Random(1))
    pair = pair_of(0, slip, random.Random(1))
    assert witness_of(none, pair.base, pair.twin, pair.cast) is None


def test_the_pairs_are_a_function_of_the_seed_and_every_file_another_one():
    found, again = some(), pairs(SEED, 10)
    assert [(p.wrong, p.twin, p.witness) for p in found[:10]] == [(p.wrong, p.twin, p.witness) for p in again]
    texts = [draft.text for pair in found for draft in (pair.wrong, pair.twin)]
    assert len(set(texts)) == len(texts)
    assert [sum(p.kind == kind for p in found) for kind in KINDS] == [4] * len(KINDS)
    assert (len(KINDS), len({p.base.name for p in found})) >= (12, 10)
    assert [p.wrong.text for p in pairs(SEED + 1, 3)] != [p.wrong.text for p in found[:3]]


def test_more_pairs_than_can_be_told_apart_are_refused(monkeypatch):
    monkeypatch.setattr(generator, "TRIES", 0)
    with pytest.raises(DomainError, match="told apart"):
        pairs(SEED, 1)


def test_a_wrong_draft_differs_from_its_twin_by_the_slip_alone():
    for pair in some():
        assert pair.wrong.names == pair.twin.names
        assert pair.wrong.text != pair.twin.text
        edits = [(filled(a, names(pair)), filled(b, names(pair))) for a, b in pair.slip.edits]
        assert functions(pair.wrong) == swapped(functions(pair.twin), edits)


def functions(draft):
    return draft.text.partition("= Quantity(")[2].partition("\n")[2].partition("claim = Claim(")[0]


def names(pair):
    return {**pair.cast.names, **pair.cast.numbers}


def test_a_fraction_is_written_as_one_and_a_replacement_fits_one_place():
    slip = next(s for s in SLIPS if (s.kind, s.base) == ("first entry for max", "span"))
    text = pair_of(0, slip, random.Random(1)).wrong.text
    assert re.search(r"equals\(Rational\(\d+, \d+\)\)", text)
    for text in ("a + a", "b"):
        with pytest.raises(DomainError, match="exactly one place"):
            swapped(text, [("a", "c")])


def test_kinds_are_chosen_and_unknown_ones_refused():
    assert {p.kind for p in pairs(SEED, 5, ["empty loop", "wrapped integers"])} == {"empty loop", "wrapped integers"}
    with pytest.raises(DomainError, match="one of max for min"):
        pairs(SEED, 1, ["no such slip"])


def test_anchors_see_a_maximum_for_a_minimum_and_no_wrong_order(tmp_path):
    of = {(s.kind, s.base): s for s in SLIPS}
    for i, (key, seen) in enumerate(
        [(("max for min", "distance"), True), (("rounded double as exact", "root"), True),
         (("dependent draws", "heads"), True), (("quantifiers in another order", "code"), False)]
    ):  # fmt: skip
        pair = pair_of(i, of[key], random.Random(3))
        claims = [load(project(tmp_path / f"{i}{part}", "notes", draft))
                  for part, draft in (("a", pair.wrong), ("b", pair.twin))]  # fmt: skip
        assert [anchored(claim, pair) for claim in claims] == [not seen, True]
    broken = replace(claims[1], measure=lambda thing, p: 1 / 0)
    assert not anchored(broken, pair)


def test_a_pair_is_judged_as_a_user_has_it(tmp_path):
    slip = next(s for s in SLIPS if (s.kind, s.base) == ("one letter never varied", "packing"))
    found = scored(pair_of(0, slip, random.Random(2)), SEED, tmp_path)
    assert found.wrong.outcome == "REFUTED"  # the search moves the letter
    assert [found.wrong.caught[c] for c in (JUDGE, ALONE, POINTS)] == [True, False, False]
    assert found.twin.outcome == "HOLDS"
    assert not found.twin.caught[ALONE]
    assert not found.twin.caught[ANCHORS]


def test_a_check_that_is_refused_is_caught_by_every_column(tmp_path):
    pair = some()[0]
    refused = replace(pair, wrong=replace(pair.wrong, text=pair.wrong.text.replace('role="statement"', 'role="no"')))
    found = scored(refused, SEED, tmp_path)
    assert found.wrong.outcome == "ERROR"
    assert all(found.wrong.caught.values())


@pytest.mark.slow
def test_one_pair_of_every_kind_is_let_pass_by_comparison_alone():
    order = "quantifiers in another order"  # is refused where the object is made
    found = [s for s in scores(pairs(SEED, len(KINDS)), SEED) if s.pair.kind != order]
    assert len(found) == len(KINDS) - 1
    assert not any(s.wrong.caught[ALONE] or s.wrong.caught[POINTS] or s.twin.caught[ALONE] for s in found)
    assert not any(s.twin.caught[ANCHORS] or s.twin.left_open for s in found)


def fake(caught, alarm=False, kind="empty loop", outcome="HOLDS", said=(), anchors=False):
    pair = next(p for p in some() if p.kind == kind)
    columns = dict.fromkeys(COLUMNS, False)
    wrong = Found(outcome, said, {**columns, JUDGE: caught, BOTH: caught or anchors}, False, 0.1)
    return PairScore(pair, wrong, Found("HOLDS", ["seeds"], {**columns, JUDGE: alarm}, False, 0.1))


def test_demands_count_what_was_caught_and_what_was_rejected():
    good = [fake(True, outcome="REFUTED") for _ in range(7)] + [fake(True, said=["floats", "seeds"])]
    good += [fake(False, anchors=True), fake(False)]
    made = records.record_of(SEED, 10, [], good, {})
    assert [d["met"] for d in made["demands"]] == [True, True, True, True]
    assert made["summary"]["caught by"] == {"REFUTED": 7, "remark: floats": 1, "remark: seeds": 1}
    bad = records.record_of(SEED, 10, [], [fake(True, outcome="REFUTED", alarm=i < 1) for i in range(10)], {})
    assert [d["met"] for d in bad["demands"]] == [True, True, False, True]
    assert bad["summary"]["alarms by"] == {"remark: seeds": 1}
    few = records.record_of(SEED, 10, [], [fake(i < 7, outcome="REFUTED", anchors=i < 8) for i in range(10)], {})
    assert [d["met"] for d in few["demands"]] == [False, False, True, True]


def test_a_record_is_read_back_and_another_file_refused():
    made = records.record_of(SEED, 1, [], [fake(True, outcome="REFUTED")], {})
    assert records.checked_record(json.loads(json.dumps(made))) == made
    table = records.tables(made)["kinds"]
    assert table[1] == ["all", "1", "1", "1", "0", "0", "0", "0", "0", "1", "0", "0"]
    for other in ({}, [], {**made, "schema": "other"}, {k: v for k, v in made.items() if k != "pairs"}):
        with pytest.raises(RecordError):
            records.checked_record(other)


def test_the_frozen_record_is_of_pairs_that_are_made_again():
    frozen = records.frozen(ROOT / "reports")
    assert frozen["count"] == len(frozen["pairs"]) >= 200
    assert len(frozen["summary"]["kinds"]) >= 12
    again = pairs(frozen["seed"], frozen["count"], frozen["kinds"])
    for said, pair in zip(frozen["pairs"], again, strict=True):
        assert (said["kind"], said["sha"]) == (pair.kind, records.digest(pair.wrong.text))
        assert (said["route"], said["named"], said["other"]) == tuple(
            vars(pair.witness)[k] for k in ("route", "named", "other")
        )
    caught = sum(said["wrong"]["columns"][0] == "c" for said in frozen["pairs"])
    assert caught == frozen["summary"]["all"]["caught"][JUDGE]
    documented = (ROOT / "tools" / "bench" / "README.md").read_text("utf-8").partition("<!-- bench-left: begin -->")[2]
    assert all(line[0] in documented for line in records.tables(frozen)["kinds"][1:])


def test_the_command_plans_and_refuses(capsys):
    assert main(["--left", "--count", "3", "--plan"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert main(["--left", "--count", "1", "--plan", "--json", "--kinds", "empty loop"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["kind"] == "empty loop"
    assert row["witness"]["point"]
    assert "Claim(" in row["wrong"]
    for wrong in (["--left", "--count", "0"], ["--left", "--kinds", "nothing"], ["--left", "--claims", "qstr.lemma_41"],
                  ["--kinds", "empty loop"]):  # fmt: skip
        assert main([*wrong, "--plan"]) == 2, wrong
        assert "required:" in capsys.readouterr().err


def test_the_command_judges_and_writes_a_record(tmp_path, capsys):
    file = tmp_path / "left.json"
    code = main(["--left", "--kinds", "one letter never varied", "--count", "2", "--record", str(file)])
    record = records.checked_record(json.loads(file.read_text("utf-8")))
    assert code == (0 if all(d["met"] for d in record["demands"]) else 1)
    out = capsys.readouterr()
    assert "one letter never varied" in out.out
    assert "processor time" in out.err


def test_truths_by_a_third_route():
    """A few closed forms against enumerations that are not the drafts'."""
    truth = {name: base.truth for name, base in BASES.items()}
    assert [truth["packing"]({"N": n, "s": s}) for n, s in ((7, 2), (9, 3), (10, 4))] == [3, 3, 2]
    assert truth["risk"]({"r": 2, "d": 3}) == Fraction(9, 2)
    assert truth["prompts"]({"N": 2, "m": 3}) == 3
    assert sympy.simplify(truth["attention"]({"N": 2, "b": 1}) - 1 / (1 + sympy.E)) == 0
