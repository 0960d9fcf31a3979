"""Points of a user: lists of values, one verdict for those that can be judged, a reason for the others."""

import json

import numpy as np
import pytest
from checkfolders import write
from sympy import Eq
from tiny import CHECK, M, N, tiny, value, write_checks

from theorytools import BudgetError, CheckError, Control, DomainError, TheoryError, grid, judge, points, verify
from theorytools.claims.judging.user_points import axis_choices, move
from theorytools.cli.verify import exit_code
from theorytools.errors import MissingPackageError, RecordError, TruthValueError, UnexpectedVerdictError


def at(claim, **axes):
    return judge(claim, "toy.lemma_01", move(claim, "toy.lemma_01", axes))


# -- a verdict is asked a question ---------------------------------------------------------------------------------
def test_a_verdict_has_no_truth_value():
    for claim in (tiny(), tiny(asserts=[value <= N - 1])):
        with pytest.raises(TruthValueError, match=r"verdict\.ok"):
            bool(judge(claim, "toy.lemma_01"))
        with pytest.raises(TypeError):
            assert judge(claim, "toy.lemma_01")
    assert issubclass(TruthValueError, TheoryError)


def test_ok_and_raise_unless_expected():
    good, bad = judge(tiny(), "toy.lemma_01"), judge(tiny(asserts=[value <= N - 1]), "toy.lemma_01")
    assert good.ok is True
    assert good.raise_unless_expected() is good
    assert bad.ok is False
    with pytest.raises(UnexpectedVerdictError, match="value <= N - 1 fails at N=2") as caught:
        bad.raise_unless_expected()
    assert all([caught.value.given, caught.value.required, caught.value.why, caught.value.advice])
    repaired = Control("as stated", asserts=[value <= N])
    expected = tiny(asserts=[value <= N - 1], expect="REFUTED", controls=[repaired])
    assert judge(expected, "toy.lemma_01").ok


# -- what a grid expects says nothing of a user's points ------------------------------------------------------------
SMALL_ONLY = """from theorytools import Claim, Control, Quantity, grid

from .notation import N

value = Quantity("value", "v")
claim = Claim(
    "Lemma @", asserts=[value <= 3], grid=grid(N=[4, 5]), expect="REFUTED", construct=lambda p: p.N,
    measure=lambda thing, p: {value: thing}, role="pitfall", scope={"every N": "points"},
    source="derived here: Lemma 1", controls=[Control("repair", asserts=[value <= N])],
)
"""


@pytest.mark.parametrize(("N", "code", "said"), [("2", 0, "HOLDS"), ("5", 1, "REFUTED"), ("2,5", 1, "REFUTED")])
def test_at_a_users_point_the_answer_is_of_that_point(cli, tmp_path, N, code, said):
    checks = write(tmp_path, "holds")
    (checks / "tiny" / "holds.py").write_text(SMALL_ONLY, encoding="utf-8")
    answer = cli("verify", "tiny.holds", "--at", f"N={N}")
    assert answer.code == code
    assert f"tiny.holds  {said} (its grid expects REFUTED)" in answer.out
    assert f"{1 - code} of 1 hold at the points asked for" in answer.out
    verdict = cli("verify", "tiny.holds", "--at", f"N={N}", "--json").json["verdicts"][0]
    assert (verdict["outcome"], verdict["as_expected"], verdict["expect"]) == (said, code == 0, "REFUTED")
    assert verify("tiny.holds", checks=checks, N=N).ok is (code == 0)


def test_on_its_grid_a_claim_comes_out_as_it_expects(cli, tmp_path):
    checks = write(tmp_path, "holds")
    (checks / "tiny" / "holds.py").write_text(SMALL_ONLY, encoding="utf-8")
    answer = cli("verify", "tiny.holds")
    assert answer.code == 0
    assert "1 of 1 as expected" in answer.out
    with pytest.raises(UnexpectedVerdictError, match="HOLDS at every point judged"):
        verify("tiny.holds", checks=checks, N=5).raise_unless_expected()


# -- lists ---------------------------------------------------------------------------------------------------------
def test_lists_are_a_product_and_one_verdict(tmp_path):
    checks = write(tmp_path, "holds")
    verdict = verify("tiny.holds", checks=checks, N=[64, 128])
    assert (verdict.outcome, verdict.ok) == ("HOLDS", True)
    assert [row.point["N"] for row in verdict.rows if not row.control] == ["64", "128"]
    assert verdict.document["command"] == "theorytools verify tiny.holds --at N=64,128"
    both = at(tiny(grid=grid(N=[2], M=[1, 5])), N=(2, 7), M=range(1, 3))
    assert {tuple(row.point.values()) for row in both.rows} == {("2", "1"), ("2", "2"), ("7", "1"), ("7", "2")}
    assert axis_choices("N", np.array([2, 3])) == axis_choices("N", "2,3") == [2, 3]


def test_the_command_line_takes_values_separated_by_commas(cli, tmp_path):
    write(tmp_path, "holds")
    answer = cli("verify", "tiny.holds", "--at", "N=64,128", "--json")
    assert answer.code == 0
    points = [row["point"]["N"] for row in json.loads(answer.out)["verdicts"][0]["rows"] if not row["control"]]
    assert points == ["64", "128"]
    assert cli("verify", "tiny.holds", "--at", "N=64,").code == 2
    assert cli("verify", "tiny.holds", "--at", "N=64,two").code == 2


WRONG = [None, float("nan"), float("inf"), True, np.True_, [], [2, None], [True], {"a": 1}, {2, 3}, b"2", "many", [[2]]]


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_what_is_no_value_of_an_axis_is_refused_in_four_parts(wrong, tmp_path):
    with pytest.raises(DomainError) as caught:
        verify("tiny.holds", checks=write(tmp_path, "holds"), N=wrong)
    assert all([caught.value.given, caught.value.required, caught.value.why])


@pytest.mark.parametrize("wrong", [11, None, 1.5, {"tiny.holds"}, ["tiny.holds", 11], True, b""], ids=repr)
def test_an_id_is_a_text(wrong, tmp_path):
    with pytest.raises(DomainError) as caught:
        verify(wrong, checks=write(tmp_path, "holds"))
    assert all([caught.value.given, caught.value.required, caught.value.why, caught.value.advice])


# -- what can be judged is judged ----------------------------------------------------------------------------------
def limited(error, **changed):
    def construct(p):
        if p.N > 10:
            raise error
        return p.N

    return tiny(construct=construct, **changed)


ERRORS = [BudgetError("2^99 codes", required="at most 2^20"), ZeroDivisionError("division by zero"),
          OverflowError("too large"), MemoryError("no room"), KeyError("no such length"), IndexError("short"),
          RecordError("the record of a sweep, without N = 100", required="its trials")]  # fmt: skip


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_one_point_over_a_limit_leaves_the_others_their_verdict_but_on_the_own_grid(error):
    verdict = at(limited(error), N=[4, 100, 5])
    assert verdict.outcome == "HOLDS"
    assert not verdict.ok  # one of the points that were asked for was not judged
    assert [dict(s)["point"] for s in verdict.skipped] == [{"N": "100"}]
    assert verdict.skipped[0]["open"]
    assert "1 point open (N=100: " in verdict.reason
    assert exit_code([verdict.to_json()], {}) == 3
    with pytest.raises(BudgetError if isinstance(error, MemoryError) else type(error)):
        judge(limited(error, grid=grid(N=[2, 100])), "toy.lemma_01")


def test_a_violation_beside_an_open_point_is_refuted_and_none_judged_is_undecided():
    verdict = at(limited(ERRORS[0], asserts=[value <= 4]), N=[4, 5, 100])
    assert verdict.outcome == "REFUTED"
    assert exit_code([verdict.to_json()], {}) == 1
    claim = limited(ERRORS[0], requires=[N >= 3])
    assert at(claim, N=[100, 200]).outcome == "UNDECIDED"
    assert "2^99 codes" in at(claim, N=[100, 200]).reason
    assert at(claim, N=[1, 100]).outcome == "UNDECIDED"
    assert at(claim, N=[1, 2]).outcome == "INAPPLICABLE"
    half = at(claim, N=[1, 4])
    assert (half.outcome, half.ok) == ("HOLDS", True)
    assert "1 point outside the hypotheses (N=1: the hypothesis 'N >= 3' fails" in half.reason


def test_a_refuted_claim_beside_an_inapplicable_one_exits_1():
    outside = at(tiny(requires=[N >= 3]), N=1).to_json()
    refuted = at(tiny(asserts=[value <= N - 1]), N=1).to_json()
    holds = at(tiny(), N=1).to_json()
    open_ = at(limited(ERRORS[0]), N=100).to_json()
    assert exit_code([outside, refuted], {}) == exit_code([refuted, outside], {}) == 1
    assert exit_code([outside, holds], {}) == 2
    assert exit_code([outside, open_], {}) == 2
    assert exit_code([outside], {"toy.broken": "no"}) == 2
    assert exit_code([outside, refuted], {"toy.broken": "no"}) == 4
    assert exit_code([holds, open_], {}) == 3
    assert exit_code([holds], {}) == 0


def test_limits_on_the_grid_and_in_a_control():
    for error in (CheckError("a bound that is no number"), MissingPackageError("torch")):
        with pytest.raises(type(error)):
            at(limited(error), N=[4, 100])
    verdict = at(limited(KeyError("no such length")), N=100)
    assert "not computed: KeyError in test_user_points.py, line" in verdict.reason
    with pytest.raises(BudgetError):
        judge(limited(ERRORS[0], grid=grid(N=[2, 100])), "toy.lemma_01")

    def spoiled(p):
        if p.N > 3:
            raise ERRORS[0]
        return p.N + 1

    good = Control("one more", breaks=value, construct=lambda p: p.N + 1)
    claim = tiny(controls=[good, Control("too long", breaks=value, construct=spoiled)])
    assert at(claim, N=9).outcome == "HOLDS"
    assert at(tiny(controls=claim.controls[1:]), N=9).outcome == "POWERLESS"


# -- curves --------------------------------------------------------------------------------------------------------
def test_an_axis_that_an_equation_fixes_moves_along():
    claim = tiny(asserts=[value <= N], grid=points("N M", (2, 4), (3, 6)), requires=[Eq(M, 2 * N)])
    assert [dict(row.point) for row in at(claim, N=5).rows if not row.control] == [{"N": "5", "M": "10"}]
    assert [dict(row.point) for row in at(claim, M=8).rows if not row.control] == [{"N": "4", "M": "8"}]
    assert at(claim, M=9).outcome == "INAPPLICABLE"  # no integer N
    assert at(claim, N=5, M=9).outcome == "INAPPLICABLE"  # both are given, and off the curve
    solved = tiny(grid=points("N M", (2, 3)), requires=[Eq(M + N, 5)])
    assert [dict(row.point) for row in at(solved, M=1).rows if not row.control] == [{"N": "4", "M": "1"}]


def test_a_value_read_for_one_point_says_nothing_of_another():
    claim = tiny(asserts=[value.equals(M)], grid=points("N M", (2, 2), (3, 3)), tabulated=[M])
    assert judge(claim, "toy.lemma_01").outcome == "HOLDS"
    moved = at(claim, N=7)
    assert moved.outcome == "INAPPLICABLE"
    assert "M = 2 was read at N = 2" in moved.reason
    assert "--at M=" in moved.reason
    assert at(claim, N=7, M=7).outcome == "HOLDS"
    assert at(claim, N=7, M=8).outcome == "REFUTED"
    assert at(claim, N=2).outcome == "HOLDS"  # one point of the table, and one that it says nothing of
    assert at(claim, M=9).outcome == "REFUTED"
    with pytest.raises(CheckError, match="an axis of the grid"):
        tiny(tabulated=["nothing"])


def test_the_reason_of_a_point_off_the_table_reaches_the_command_line(cli, tmp_path):
    text = (
        CHECK.replace("grid=grid(N=[2, 3])", "tabulated=['M'], grid=points('N M', (2, 2))")
        .replace("grid\n", "points\n")
        .replace('"every N"', '"every N, M"')
    )
    write_checks(tmp_path / "checks", lemma_01=text)
    answer = cli("verify", "toy.lemma_01", "--at", "N=5")
    assert answer.code == 2
    assert "M = 2 was read at N = 2" in answer.err
