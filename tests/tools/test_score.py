"""What is scored, by the judge and by baselines, the demands, the record and the command."""

import json
import random
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from shared_verdicts import entries
from source_tree import ROOT

from theorytools import Claim, Control, Quantity, grid, judge, letter
from theorytools.claims.language.estimate import Evidence
from theorytools.claims.papers.loading import load
from theorytools.errors import RecordError
from theorytools.statistics.sampled import proportion
from tools.bench.__main__ import main
from tools.bench.baselines import allclose, baselines, deviation, relative
from tools.bench.generator import pool
from tools.bench.mutations import Mutant, horizon_traps
from tools.bench.record import checked_record, demands, record_of, tables
from tools.bench.remembered import remembered
from tools.bench.rewordings import (
    _moved_assertion,
    _scaled_assertion,
    reworded_claim,
    rewordings,
    with_assertion,
)
from tools.bench.score import names_horizon, scored, verdict_of
from tools.bench.statement import Score, Statement
from tools.bench.witness import Witness, find

N = letter("N", "the number", integer=True, positive=True)
size = Quantity("size", "s", "the number itself")
FROZEN = ROOT / "reports" / "bench-v1.json"


def identity(right, measure=lambda thing, p: {size: p.N}):
    far = [size.equals(2 * N + 1)]
    control = Control("twice", breaks=far[0], asserts=far)
    return Claim("Identity", size.equals(right), grid(N=[4, 8]), lambda p: p.N, measure, [control])


def rows(claim):
    return [row for row in judge(claim, "bench.identity").rows if not row.control]


def test_baselines_accept_what_is_near_and_reject_three_percent():
    near = rows(identity(N + N / 10**6))
    far = rows(identity(N * Fraction(103, 100).numerator / 100))
    assert allclose(near, random.Random(0))
    assert relative(near)
    assert not allclose(far, random.Random(0))
    assert not relative(far)
    assert set(baselines(near, random.Random(0))) == {"allclose at three random points", "relative tolerance 1e-3"}


def test_the_t_test_speaks_of_sampled_rows_alone():
    def measure(thing, p):
        return {size: proportion(lambda rng, count: (rng.random(count) < 0.5).astype(float), p.seed("coin"))}

    half, other = Fraction(1, 2), Fraction(3, 5)
    for right, accepted in ((half, True), (other, False)):
        claim = replace(identity(N, measure), asserts=size.equals(right, within=Fraction(1, 50)))
        assert baselines(rows(claim), random.Random(0))["t-test at 5 %"] is accepted
    row = rows(replace(identity(N, measure), asserts=size.equals(half, within=Fraction(1, 50))))[0]
    count = row.measured.work["samples"]
    assert 0.5 / count**0.5 <= deviation(row.measured) <= 0.7 / count**0.5


def test_a_remembered_claim_gives_the_same_verdict():
    claim = load(entries()["qstr.lemma_41"])
    known = remembered(claim)
    first, again, plain = (judge(c, "qstr.lemma_41") for c in (known, known, claim))
    assert first.rows == again.rows == plain.rows


def test_an_accepted_trap_names_its_horizon():
    verdict = judge(identity(N), "bench.identity")
    assert names_horizon(verdict, "N", 8)
    assert not names_horizon(verdict, "N", 7)
    assert not names_horizon(verdict, "M", 100)


def test_a_trap_that_begins_at_the_end_of_the_grid_is_met_by_one_step():
    claim, outcomes = identity(N), {}
    for trap in horizon_traps(claim, claim.assertions[0]):
        verdict = verdict_of(with_assertion(claim, claim.assertions[0], trap.assertion), "bench.identity")
        outcomes[trap.factor] = str(verdict.outcome)
        letter_, start = trap.horizon
        assert verdict.outcome == "REFUTED" or names_horizon(verdict, letter_, start)
        assert not names_horizon(verdict, letter_, 8) or verdict.outcome == "REFUTED"  # it was looked at 9
    assert outcomes == {1: "REFUTED", 2: "HOLDS", 8: "HOLDS", 64: "HOLDS"}


def test_a_trap_of_a_loose_bound_turns_false_beyond_n_0():
    """4N (2 - N/8) is above N at 9 and leaves the range of the quantity at 17: a verdict that reached 9 is in order."""
    share = Quantity("share", "s", "the number itself", (0, None))
    far = Control("half", breaks=share, asserts=[share <= N / 2])
    claim = replace(identity(N), asserts=[share <= 4 * N], measure=lambda thing, p: {share: p.N}, controls=[far])
    trap = _trap(claim, next(horizon_traps(claim, claim.assertions[0])))
    assert (trap.made.horizon, trap.witness.turn) == (("N", 8), 17)
    found = scored(claim, trap, 5)
    assert (found.outcome, found.named) == ("HOLDS", True)
    low = replace(trap, witness=replace(trap.witness, turn=9))
    assert scored(claim, low, 5).named is False  # looked at 9, and false there: the verdict would say too much


def _trap(claim, mutant):
    return Statement(
        "bench.identity", 0, mutant, "exact", None, find(claim, "bench.identity", claim.assertions[0], mutant, [])
    )


def test_a_trap_of_an_equality_turns_false_right_after_n_0():
    claim = identity(N)
    for mutant in horizon_traps(claim, claim.assertions[0]):
        assert _trap(claim, mutant).witness.turn == mutant.horizon[1] + 1


def test_a_reworded_claim_has_its_controls_in_the_same_form():
    """Its bound is enclosed, the claim's other assertion on the quantity exact: apart, the control would stay open."""
    exact, fine = size <= N, size <= N * sympy.log(N)
    wrong = [size <= N * sympy.log(N) / 4]
    control = Control("a quarter", breaks=size, asserts=wrong)
    claim = replace(identity(N), asserts=[fine, exact], controls=[control])
    for made in rewordings(claim, fine, Evidence.ENCLOSED, random.Random(0)):
        again = reworded_claim(claim, fine, made)
        verdict = judge(again, "bench.identity")
        assert verdict.outcome == "HOLDS", (made.kind, verdict.reason)
        if made.scale is not None or made.moved:
            (own,) = again.controls[0].asserts
            assert own.quantity == made.assertion.quantity != size


def coin(**changed):
    def measure(thing, p):
        return {size: proportion(lambda rng, count: (rng.random(count) < 0.5).astype(float), p.seed("coin"))}

    return replace(identity(N, measure), asserts=size.equals(Fraction(1, 2), within=Fraction(1, 50)), **changed)


def test_a_sampled_near_miss_is_false_by_the_closed_form_of_the_claim():
    claim = remembered(coin())
    false = [s for s in pool(claim, "bench.identity", 5) if s.false]
    assert {s.change for s in false} == {"+3 tolerances", "-3 tolerances"}
    for statement in false:
        assert (statement.grade, statement.witness.route) == ("sampled", "closed form within its tolerance")
        assert scored(claim, statement, 5).outcome == "REFUTED"
    assert not any(s.false for s in pool(coin(role="prediction"), "bench.identity", 5))


@pytest.mark.parametrize(("scale", "ends"), [(Fraction(7, 3), (0, Fraction(7, 3))), (Fraction(-2), (-2, 0))])
def test_a_scaled_quantity_keeps_its_range(scale, ends):
    share = Quantity("share", "s", trivial=(0, 1))
    assert _scaled_assertion(share <= N, scale).quantity.trivial == ends
    assert _moved_assertion(share <= N).quantity.trivial == (-N, 1 - N)


def score(outcome, grade="exact", power=1.01, false=True, named=None, kind="index off by one"):
    made = Mutant(kind, "N+1", size.equals(N + 1))
    witness = Witness({"N": "4"}, True, "closed form", "4", "5") if false else None
    return Score(Statement("qstr.lemma_41", 0, made, grade, power, witness, excluded=false), outcome, named)


def test_demands_are_met_or_not():
    right = demands([score("REFUTED"), score("REFUTED", "sampled", 1.25), score("HOLDS", named=True, false=False)], [])
    assert [demand["met"] for demand in right] == [True, True, True, True, None, None]
    wrong = demands([score("HOLDS"), score("HOLDS", "sampled"), score("HOLDS", named=False)], [])
    assert [demand["met"] for demand in wrong] == [False, False, False, False, False, None]
    assert not demands([], [{"seen": True, "outcome": "HOLDS", "named": False}])[-1]["met"]


def test_a_record_is_read_back_and_another_file_refused():
    record = record_of(1, 1, [score("REFUTED"), score("HOLDS", false=False)], [], {})
    assert checked_record(json.loads(json.dumps(record))) == record
    assert tables(record)["score"][1] == ["all", "1", "0", "1", "0", "0"]
    for other in ({}, [], {**record, "schema": "other"}, {k: v for k, v in record.items() if k != "seed"}):
        with pytest.raises(RecordError):
            checked_record(other)


def test_the_frozen_record_is_small_and_enough():
    record = checked_record(json.loads(FROZEN.read_text("utf-8")))
    assert FROZEN.stat().st_size <= 600_000
    assert record["summary"]["all"]["false"] == record["summary"]["all"]["true"] == record["count"] >= 1000
    assert len(record["handmade"]) == 27
    every = [s for own in record["statements"].values() for s in own]
    assert sum("at" in s for s in every) == record["summary"]["all"]["false"]
    accepted = sum(s["out"] == "H" for s in every if "at" in s)
    assert accepted == record["summary"]["all"]["accepted"]


def test_a_slice_of_the_frozen_record_is_made_again():
    """A claim of few statements: each is generated again with the same formula, witness, outcome and baselines."""
    record = checked_record(json.loads(FROZEN.read_text("utf-8")))
    exact = [id for id, own in record["statements"].items() if len(own) in (6, 7, 8) and id in entries()]
    id = min(exact, key=lambda id: (len(entries()[id].path.read_text("utf-8")), id))
    claim = load(entries()[id])
    again = {(s.index, s.kind, s.change, s.digest): s for s in pool(claim, id, record["seed"])}
    base = remembered(claim)
    for said in record["statements"][id]:
        statement = again[said["i"], said["kind"], said.get("change", ""), said["sha"]]
        assert scored(base, statement, record["seed"]).brief() == said


def test_the_command_plans_and_refuses(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    assert "example:" in capsys.readouterr().out
    assert main(["--count", "0"]) == 2
    assert main(["--claims", "qstr.no_such_claim", "--plan"]) == 2
    capsys.readouterr()
    assert main(["--claims", "qstr.lemma_41", "--count", "2", "--plan", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert [row["false"] for row in plan] == [True, True, False, False]
    assert plan[0]["witness"]["point"]
