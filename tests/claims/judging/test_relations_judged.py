"""Strict relations, two measured sides and implications from the check to its page, and judged again by the checker."""

import copy
import json
from fractions import Fraction

import jsonschema
import pytest
from sympy import Rational, Sum, Symbol, exp, harmonic, log, sqrt
from test_verdict_file import SCHEMA
from tiny import N, constant, shrinking, tiny, value, write_checks
from typer.testing import CliRunner

from theorytools import Budget, Control, Enclosure, Quantity, enclosed, grid, implies, judge, recheck, verify
from theorytools.claims.judging.draws import worst
from theorytools.claims.judging.horizon import horizon
from theorytools.claims.judging.verdict import implied, row_from_json
from theorytools.cli.app import app
from tools.forgeries import sealed

other = Quantity("other", "w", "another number")
SOURCE = '''r"""Relations.

Setting    A size $N$.
Statement  $v<N+1$.
"""

from fractions import Fraction

from sympy import harmonic

from theorytools import Claim, Control, Quantity, grid, implies

from .notation import N

v, w = Quantity("value", "v"), Quantity("other", "w")
MEANT = {"role": "statement", "scope": {"every N": "points"}, "source": "derived here: Lemma 1"}
BASE = {
    "grid": grid(N=[2, 3, 5]), "construct": lambda p: p.N, "measure": lambda t, p: {v: t, w: 2 * t},
    "controls": [Control("a hundred more", breaks=v, measure=lambda t, p: {v: t + 100, w: 2 * t})], **MEANT,
}  # fmt: skip
REPAIRED = {**BASE, "expect": "REFUTED"}
strict = Claim("Lemma 1, strict", asserts=v < N + 1, **BASE)
attained = Claim("Lemma 1, attained", asserts=v < N, **{**REPAIRED, "controls": [Control("closed", asserts=[v <= N])]})
apart = Claim("Lemma 1, apart", asserts=[v.differs(N + 1), v <= N], **{**BASE, "controls": [
    Control("one more", breaks="value != N + 1", asserts=[v.differs(N + 1)], measure=lambda t, p: {v: t + 1})]})
sided = Claim("Lemma 1, sided", asserts=[v <= w, v + 2 * w <= 5 * N, v / w < 1], **BASE)
under = Claim("Lemma 1, under", asserts=implies(w > 4, v <= harmonic(N) * N), **{**BASE, "controls": [
    Control("a hundred more", breaks=v, measure=lambda t, p: {v: t + 100, w: 2 * t}, where=N >= 3)]})
never = Claim("Lemma 1, never", asserts=implies(w < 0, v <= N), **{**BASE, "controls": [
    Control("it applies", breaks=v, measure=lambda t, p: {v: t + 100, w: -1})]})
'''
OUTCOMES = {
    "strict": "HOLDS", "attained": "REFUTED", "apart": "HOLDS", "sided": "HOLDS", "under": "HOLDS",
    "never": "INAPPLICABLE",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_checks(tmp_path_factory.mktemp("checks"), lemma_01=SOURCE)


@pytest.fixture(scope="module")
def files(folder):
    """The JSON of each claim, sealed."""
    made = {name: verify(f"toy.lemma_01.{name}", checks=folder).to_json() for name in OUTCOMES}
    return {name: sealed(json.loads(json.dumps(verdict))) for name, verdict in made.items()}


@pytest.mark.parametrize("name", OUTCOMES)
def test_each_relation_comes_out_is_stored_and_is_judged_again(files, name):
    verdict = files[name]
    assert verdict["outcome"] == OUTCOMES[name]
    assert verdict["as_expected"] is (name != "never")
    plain = [e.message for e in jsonschema.Draft202012Validator(SCHEMA["$defs"]["plain"] | {"$defs": SCHEMA["$defs"]})
             .iter_errors(verdict["plain"]["assertions"][0])]  # fmt: skip
    row = {**SCHEMA["$defs"]["row"], "$defs": SCHEMA["$defs"]}
    wrong = [e.message for r in verdict["rows"] for e in jsonschema.Draft202012Validator(row).iter_errors(r)]
    assert plain + wrong == []
    assert [row_from_json(r).to_json() for r in verdict["rows"]] == verdict["rows"]
    assert all(row_from_json(r).compared is r["truth"] for r in verdict["rows"])
    found = recheck.examined(verdict)
    assert (found["state"], found["why"]) == ("confirmed", "")


def test_the_commands_print_them_and_the_pages_are_built(folder, tmp_path):
    told = CliRunner().invoke(app, ["verify", "toy", "--checks", str(folder), "-j", "1", "--report", str(tmp_path)])
    assert "is false at every point, so it says nothing" in " ".join(told.output.split())
    page = (tmp_path / "toy" / "lemma_01.html").read_text("utf-8")
    assert "premise false" in page
    assert "≠" in page
    assert "⇒" in page
    shown = CliRunner().invoke(app, ["show", "toy.lemma_01.under", "--checks", str(folder)]).output
    assert "w > 4 ⇒ v ≤" in shown
    assert "v ≤ w" in CliRunner().invoke(app, ["show", "toy.lemma_01.sided", "--checks", str(folder)]).output


def forged(verdict, change):
    copied = copy.deepcopy(verdict)
    change(copied)
    return recheck.examined(sealed(copied))


def test_a_forged_premise_part_or_relation_is_found(files):
    def premise(truth):
        return lambda v: v["rows"][0]["premise"].update(truth=truth)

    def weaker(v):
        for part in (v["rows"][0], v["plain"]["assertions"][0], v["assertions"][0]):
            part["relation"] = "<="

    assert forged(files["under"], premise(True))["state"] == "contradicted"
    for row, truth in ((0, False), (0, None), (1, None)):  # of a false premise, and of a true one
        assert forged(files["under"], lambda v, k=row, said=truth: v["rows"][k].update(truth=said))["why"] == (
            "not what is implied"
        )
    assert forged(files["under"], lambda v: v["rows"][0].pop("premise"))["why"] == "another premise"
    assert forged(files["under"], lambda v: v["plain"]["assertions"][0]["premise"].update(bound="5"))["state"] == (
        "contradicted"
    )
    assert forged(files["attained"], weaker)["state"] == "contradicted"
    assert forged(files["never"], lambda v: v.update(outcome="HOLDS"))["state"] == "contradicted"
    assert forged(files["attained"], lambda v: v["rows"][0].update(truth=True))["state"] == "contradicted"


def test_a_tie_refutes_a_strict_relation_exactly_and_balls_leave_it_open():
    verdict = judge(constant(2, value < N), "toy.lemma_01")
    assert (verdict.outcome, verdict.evidence.name) == ("REFUTED", "EXACT")
    attained = enclosed(lambda: Enclosure(6).sqrt() / Enclosure(3).sqrt())
    for said in (value < sqrt(N), value.differs(sqrt(N))):
        assert judge(constant(attained, said, budget=Budget(bits=256)), "toy.lemma_01").outcome == "UNDECIDED"
    # a softmax weight is below one at any temperature, and no rounding can attain it
    weight = enclosed(lambda: 1 / (1 + Enclosure(-100).exp()))
    assert judge(constant(weight, value < 1), "toy.lemma_01").outcome == "HOLDS"
    assert judge(constant(weight, value < 1 / (1 + exp(-N * 50)), budget=SMALL), "toy.lemma_01").outcome == "UNDECIDED"
    assert (
        judge(
            constant(log2(), value > Rational(69, 100)),
            "toy.lemma_01",
        ).outcome
        == "POWERLESS"
    )  # 10^9 holds too


SMALL = Budget(bits=256)


def log2():
    return enclosed(lambda: Enclosure(2).log())


def test_what_a_strict_bound_says_beside_its_range():
    size = Quantity("size", "s", "a share", (0, 1))
    for said, vacuous in ((size < 1, False), (size <= 1, True), (size < 2, True), (size > 0, False), (size >= 0, True)):
        half = {size: Fraction(1, 2)}
        control = Control("far", breaks=size, asserts=[size > 3 if said.relation[0] == ">" else size < -3])
        claim = tiny(asserts=[said], grid=grid(N=[2]), measure=lambda t, p, half=half: half, controls=[control])
        assert judge(claim, "toy.lemma_01").rows[0].vacuous is vacuous


def test_a_difference_has_no_power_and_no_horizon():
    row = judge(constant(1, value.differs(N), repair=2), "toy.lemma_01").rows[0]
    assert (row.truth, row.power, row.slack, row.shifts) == (True, None, None, ())
    seen = horizon([row])["value != N"]
    assert seen["constant"] is None
    assert judge(constant(1, value < N, repair=2), "toy.lemma_01").rows[0].power == 2


def test_the_truth_of_an_implication_and_which_draw_is_the_worst():
    table = {(p, c): implied(p, c) for p in (True, False, None) for c in (True, False, None)}
    assert [k for k, truth in table.items() if truth is False] == [(True, False)]
    assert [k for k, truth in table.items() if truth is None] == [(True, None), (None, False), (None, None)]
    claim = tiny(
        asserts=[implies(other > 0, value <= 9)], grid=grid(N=[2]), measure=lambda t, p: {value: t, other: t - 2},
        controls=[Control("far", breaks=value, measure=lambda t, p: {value: 10, other: 1})],
    )  # fmt: skip
    idle = judge(claim, "toy.lemma_01").rows[0]
    assert (idle.truth, idle.idle, idle.slack, idle.power) == (True, True, None, None)
    large = judge(constant(5, value <= 9), "toy.lemma_01").rows[0]
    assert worst([idle, large])[0] == 1
    assert worst([idle, idle])[0] == 0


def test_an_open_premise_leaves_a_false_conclusion_open():
    for premise, outcome in ((other > sqrt(6), "UNDECIDED"), (other >= 2, "REFUTED"), (other >= 3, "INAPPLICABLE")):
        claim = tiny(
            asserts=[implies(premise, value <= 1)], grid=grid(N=[2]), budget=SMALL,
            measure=lambda t, p: {value: 2, other: enclosed(lambda: Enclosure(2).sqrt() * Enclosure(3).sqrt())},
            controls=[Control("far", breaks=value, measure=lambda t, p: {value: 10, other: 9})],
        )  # fmt: skip
        assert judge(claim, "toy.lemma_01").outcome == outcome


def test_sampled_parts_spend_the_probability_of_each():
    claim = tiny(
        asserts=[value + other <= 9 * N], grid=grid(N=[2]),
        measure=lambda t, p: {value: shrinking(2, 1), other: shrinking(2, 1)},
        controls=[Control("far", breaks=value,
                          measure=lambda t, p: {value: shrinking(200, 1), other: shrinking(2, 1)})],
    )  # fmt: skip
    verdict = judge(claim, "toy.lemma_01")
    assert (verdict.outcome, verdict.evidence.name) == ("HOLDS", "SAMPLED")
    assert verdict.alpha_spent == pytest.approx(claim.budget.alpha)
    assert verdict.rows[0].measured.alpha == pytest.approx(claim.budget.alpha / 2)


def test_a_right_side_may_be_a_sum_or_a_harmonic_number():
    k = Symbol("k", integer=True)
    for side in (harmonic(N), Sum(1 / k, (k, 1, N))):
        row = judge(constant(Fraction(3, 2), value.equals(side)), "toy.lemma_01").rows[0]
        assert (row.truth, row.evidence.name) == (True, "EXACT")
    assert judge(constant(Fraction(3, 2), value <= 1 + log(N)), "toy.lemma_01").outcome == "HOLDS"
