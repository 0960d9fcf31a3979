"""Runs: every step judged in one pass, the first violation named, longer ones resumed, doubles followed beside them."""

import hashlib
import json
import sys
from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from on_trial import on_trial
from sympy import sqrt

from theorytools import Anchor, CheckError, Claim, Control, DomainError, Quantity, Run, decide, enclosed, grid, letter
from theorytools.claims.judging.falsify import falsify
from theorytools.claims.judging.judge import judge
from theorytools.claims.judging.trial.instruments import INSTRUMENTS
from theorytools.claims.judging.verdict import row_from_json
from theorytools.claims.language import running
from theorytools.numbers import Enclosure
from theorytools.recheck import examined
from theorytools.salts import salted

t = letter("t", "step", integer=True, positive=True)
T = letter("T", "number of steps", integer=True, positive=True)
n = letter("n", "number of items", integer=True, positive=True)
b = letter("b", "decay", positive=True)
seen = Quantity("seen", "x_t", "what is observed")


def constant(p):
    return F(0)


def counting(**changed):
    """The state is the number of steps taken."""
    parts = {"state": constant, "step": lambda s, t, p: s + 1, "observe": lambda s, t, p: {seen: s}}
    return Run(**{**parts, **changed})


def stated(run, asserts, *, steps=(8,), controls=None, **changed):
    """A claim about a run; a control whose state is huge breaks upper bounds, or as given."""
    huge = Control("huge", breaks=seen, run=replace(run, observe=lambda s, t, p: {seen: 10**9}))
    parts = {"grid": grid(T=list(steps)), "controls": controls or [huge]}
    return Claim("Run", asserts, run=run, **{**parts, **changed})


def from_list(numbers, **changed):
    """Observes the numbers of a list, one at each step."""
    return counting(observe=lambda s, t, p: {seen: numbers[t - 1]}, **changed)


# -- three in ten lines each -------------------------------------------------------------------------------------------
growth = Quantity("growth", r"\Delta_t", "t v_t less (t-1) v_{t-1}, the corrected second moments of Adam")


def adam(gradient):
    """Second moments: sqrt(t v_t) never decreases where its square, less the one before, is at least 0."""

    def step(state, t, p):
        v, _, new = state
        v = p.b * v + (1 - p.b) * gradient(t) ** 2
        return v, new, t * v / (1 - p.b**t)

    return Run(lambda p: (F(0), F(0), F(0)), step, lambda s, t, p: {growth: s[2] - s[1]})


def test_an_optimiser_whose_inverse_step_shrinks():
    falling = Control("gradients 1, 0", breaks=growth, run=adam(lambda t: t % 2))
    steady = Claim("Adam", growth >= 0, grid(b=[F(1, 2), F(9, 10)], T=[16]), run=adam(lambda t: 1), controls=[falling])
    verdict = judge(steady, "toy.adam")
    assert str(verdict).startswith("toy.adam: HOLDS at 2 points to b = 9/10, to T = 16 (exact)")
    refuted = judge(replace(steady, run=adam(lambda t: t % 2)), "toy.adam")
    assert "growth >= 0 fails at b=1/2, T=16, t=2" in refuted.reason
    # by hand: v_1 = 1/2, v_2 = 1/4, so 2 v_2/(3/4) - v_1/(1/2) = 2/3 - 1
    assert refuted.rows[0].measured.low == F(-1, 3)


regret = Quantity("regret", "R_t", "loss so far less that of the best expert")


def leader(state, t, p):
    losses, total = state
    chosen = decide.argmin(losses)
    new = [F(k == chosen) for k in range(p.n)]
    return [x + y for x, y in zip(losses, new, strict=True)], total + new[chosen]


def all_lose(state, t, p):
    return [x + 1 for x in state[0]], state[1] + 1


def test_an_online_game_in_which_the_leader_always_loses():
    follow = Run(lambda p: ([F(0)] * p.n, F(0)), leader, lambda s, t, p: {regret: s[1] - min(s[0])})
    claim = Claim(
        "Follow the leader", regret >= t * (1 - 1 / n), grid(n=[2, 5], T=[20]), run=follow,
        controls=[Control("all lose", breaks=regret, run=replace(follow, step=all_lose))],
    )  # fmt: skip
    verdict = judge(claim, "toy.game")
    assert (str(verdict.outcome), verdict.limit) == ("HOLDS", "at 2 points to n = 5, to T = 20")
    assert [row.measured.work["t"] % row.at["n"] for row in verdict.rows if not row.control] == [0, 0]  # attained there


diameter = Quantity("diameter", "D_t", "largest less least token")


def causal(x, t, p):
    """Each token half way to the mean of those up to it."""
    return tuple(x[i] / 2 + sum(x[: i + 1]) / (2 * (i + 1)) for i in range(p.n))


def test_attention_contracts_the_diameter():
    attend = Run(lambda p: tuple(F(k) for k in range(p.n)), causal, lambda x, t, p: {diameter: max(x) - min(x)})
    claim = Claim(
        "Causal attention", diameter <= (n - 1) * (1 - 1 / (2 * n)) ** t, grid(n=[2, 4], T=[32]), run=attend,
        controls=[Control("no mean", breaks=diameter, run=replace(attend, step=lambda x, t, p: x))],
    )  # fmt: skip
    assert str(judge(claim, "toy.attention").outcome) == "HOLDS"


# -- every step, the first violation, the tightest ---------------------------------------------------------------------
@given(numbers=st.lists(st.integers(0, 9), min_size=1, max_size=12), bound=st.integers(0, 9))
def test_the_row_is_the_first_violation_or_the_tightest_step(numbers, bound):
    row = judge(stated(from_list(numbers), seen <= bound, steps=[len(numbers)]), "toy.run").rows[0]
    late = [k for k, x in enumerate(numbers, 1) if x > bound]
    assert row.truth is (not late)
    assert row.measured.work["t"] == (late[0] if late else row.measured.work["t"])
    assert row.measured.low == (numbers[late[0] - 1] if late else max(numbers))
    assert row.measured.work["judged"] == (late[0] if late else len(numbers))


def test_a_bound_in_t_is_compared_at_its_step():
    row = judge(stated(counting(), seen <= t), "toy.run").rows[0]
    assert (row.truth, row.measured.work["t"], row.bound[0].low) == (True, 8, 8)  # a tie throughout: the last one
    assert judge(stated(counting(), seen <= t - sqrt(t) / 1000), "toy.run").rows[0].measured.work["t"] == 1


def test_an_equality_and_two_assertions_with_their_own_first_violations():
    verdict = judge(stated(from_list([1, 2, 5, 4]), [seen.equals(t), seen <= 4], steps=[4]), "toy.run")
    assert [(row.truth, row.measured.work["t"]) for row in verdict.rows if not row.control] == [(False, 3), (False, 3)]


def test_an_open_step_leaves_the_row_open_unless_a_later_one_violates():
    tie = enclosed(lambda: Enclosure(2).sqrt() ** 2)  # never decided against 2
    for last, truth in ((1, None), (3, False)):
        row = judge(stated(from_list([1, tie, last]), seen <= 2, steps=[3]), "toy.run").rows[0]
        assert (row.truth, row.measured.work["t"]) == (truth, 2 if truth is None else 3)


def test_a_bound_that_says_nothing_at_first_is_shown_where_it_says_something():
    ranged = Quantity("seen", "x_t", trivial=(None, 3))
    run = counting(observe=lambda s, t, p: {ranged: 3 if t == 1 else 0})
    spoiled = Control("three", breaks=ranged, run=replace(run, observe=lambda s, t, p: {ranged: 3}))
    claim = Claim("Run", ranged <= 4 - t, grid(T=[3]), run=run, controls=[spoiled])
    row = judge(claim, "toy.run").rows[0]
    assert (row.truth, row.vacuous, row.measured.work["t"]) == (True, False, 2)
    outside = replace(run, observe=lambda s, t, p: {ranged: 4 if t == 2 else 0})
    with pytest.raises(CheckError, match="T=3, t=2"):  # a value out of its range is a mistake at every step
        judge(replace(claim, run=outside, asserts=ranged <= 9 - t), "toy.run")


def test_the_state_before_all_steps_is_looked_at_where_that_is_asked():
    zero = letter("t", "step", integer=True, nonnegative=True)
    claim = stated(counting(first=0), seen >= zero, controls=[Control("up", breaks=seen, asserts=[seen >= zero + 1])])
    assert judge(claim, "toy.run").rows[-1].measured.work["t"] == 0


# -- looks at doublings ------------------------------------------------------------------------------------------------
@given(first=st.integers(1, 60), steps=st.integers(1, 60))
def test_bisection_finds_the_first_violation_of_a_truth_that_changes_once(first, steps):
    looked = []

    def look(s, t, p):
        looked.append(t)
        return {seen: int(s >= first)}

    verdict = judge(stated(counting(observe=look, looks="doublings"), seen <= 0, steps=[steps]), "toy.run")
    row = verdict.rows[0]
    assert row.truth is (first > steps)
    if row.truth:
        assert verdict.limit == ("to T = " if steps < 4 else "at doublings to T = ") + str(steps)
    else:
        assert row.measured.work["t"] == first
        assert row.measured.low == 1
    assert len(looked) <= 2 * steps.bit_length() + 2


# -- going on ----------------------------------------------------------------------------------------------------------
def test_a_longer_run_goes_on_where_a_shorter_one_ended():
    taken = []
    run = counting(step=lambda s, t, p: taken.append(t) or s + 1)
    claim = stated(run, seen <= 200, controls=[Control("less", breaks=seen, asserts=[seen <= 0])])
    for steps in (30, 60, 30, 120, 240):
        verdict = judge(claim, "toy.run", [{"T": steps}])
    assert taken == list(range(1, 202)) or taken == list(range(1, 241))
    assert "seen <= 200 fails at T=240, t=201" in verdict.reason
    assert "to T = 30" in str(judge(replace(claim, grid=grid(T=[30])), "toy.run"))


def test_a_late_violation_is_met_by_a_search_that_makes_the_run_longer():
    found = falsify(stated(counting(), seen <= 200, steps=[30]), "toy.run", evaluations=200)
    assert found.row is not None
    assert (found.row.measured.work["t"], found.row.measured.low) == (201, 201)


def test_what_was_judged_of_a_bound_in_the_horizon_is_judged_again():
    claim = stated(counting(), seen <= 20 - T)
    rows = [judge(claim, "toy.run", [{"T": k}]).rows[0] for k in (8, 16, 8)]
    assert [(row.truth, row.bound[0].low) for row in rows] == [(True, 12), (False, 4), (True, 12)]
    assert rows[1].measured.low == 5


def test_another_start_another_salt_and_a_fresh_judgement_are_other_runs():
    claim = stated(counting(state=lambda p: F(p.rng("start").integers(0, 10**9))), seen <= 10**10)
    plain = judge(claim, "toy.run").rows[0].measured.low
    with salted("other"):
        assert judge(claim, "toy.run").rows[0].measured.low != plain
    assert judge(claim, "toy.run").rows[0].measured.low == plain
    moved = replace(claim, construct=lambda p: F(5))  # as an instrument that spoils the start
    assert judge(moved, "toy.run").rows[0].measured.low == 13


def test_a_run_does_not_see_how_far_it_goes_unless_it_is_planned_for_it():
    planned = counting(step=lambda s, t, p: s + F(1, p.T))
    with pytest.raises(CheckError, match="reads T"):
        judge(stated(planned, seen <= 1), "toy.run")
    verdict = judge(stated(replace(planned, anytime=False), seen <= 1, steps=[4, 8]), "toy.run")
    assert [row.measured.low for row in verdict.rows[:2]] == [1, 1]


def test_a_step_draws_anew_at_each_step_and_the_same_however_long_the_run_is():
    drawn = {}

    def step(s, t, p):
        drawn.setdefault(t, set()).add(int(p.rng("coin").integers(0, 2**62)))
        return s + 1

    claim = stated(counting(step=step), seen <= 100, steps=[4, 6])
    for id in ("toy.run", "toy.other"):
        judge(claim, id)
    assert [len(drawn[k]) for k in range(1, 7)] == [2] * 6  # two checks, each with one draw a step
    assert len(set.union(*drawn.values())) == 12


# -- limits and slips --------------------------------------------------------------------------------------------------
def test_a_run_beyond_its_limit_stays_open_and_says_how_far_it_came():
    verdict = judge(stated(counting(limit=5), seen <= 100), "toy.run")
    assert str(verdict.outcome) == "UNDECIDED"
    for words in ("after 5 steps", "limit = 5 steps", "limit=10 goes on from there"):
        assert words in verdict.reason
    refuted = judge(stated(counting(limit=5), seen <= 3), "toy.run")  # a violation before it counts
    assert "fails at T=8, t=4" in refuted.reason
    squared = counting(state=lambda p: F(1, 3), step=lambda s, t, p: s * s)
    assert "bits" in judge(stated(squared, seen <= 1, steps=[64]), "toy.run").reason


def test_a_larger_limit_goes_on():
    taken = []
    run = counting(step=lambda s, t, p: taken.append(t) or s + 1, limit=5)
    claim = stated(run, seen <= 100, controls=[Control("less", breaks=seen, asserts=[seen <= 0])])
    assert str(judge(claim, "toy.run").outcome) == "UNDECIDED"
    assert str(judge(replace(claim, run=replace(run, limit=8)), "toy.run").outcome) == "HOLDS"
    assert taken == list(range(1, 9))


def changed_in_place(s, t, p):
    s.append(t)
    return [*s]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"step": lambda s, t, p: None}, "the state after step 1 is None"),
        ({"state": lambda p: None}, "before the first step is None"),
        ({"state": lambda p: [], "step": changed_in_place}, "step 1 changes the state that it is given"),
        ({"state": lambda p: np.zeros(2, int), "step": lambda s, t, p: s.__iadd__(1)}, "step 1 changes the state"),
        ({"state": lambda p: {1: 2}, "step": lambda s, t, p: {**s},
          "observe": lambda s, t, p: {seen: s.pop(1)}}, "observe at step 1 changes"),
        ({"observe": lambda s, t, p: {}}, "a value for seen"),
        ({"observe": lambda s, t, p: 3}, "observe at step 1 gave 3"),
        ({"step": lambda s, t, p: float("nan")}, "holds the number nan"),
        ({"step": lambda s, t, p: p.rng("x")}, "holds a Draws"),
        ({"observe": lambda s, t, p: {seen: 0.5}}, "seen at step 1: 0.5 of type float"),
    ],
)  # fmt: skip
def test_a_slip_of_the_run_is_an_error_of_the_check(changed, words):
    with pytest.raises(CheckError) as found:
        judge(stated(counting(**changed), seen <= 100), "toy.run")
    assert words in str(found.value)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"grid": grid(N=[1])}, "a run to T"),
        ({"grid": grid(T=[F(1, 2)])}, "a whole number of steps"),
        ({"grid": grid(T=[0])}, "at least 1"),
        ({"grid": grid(T=[8], t=[1])}, "the time t, which is a letter of a point"),
        ({"requires": [t <= 8]}, "a letter of a hypothesis"),
        ({"measure": lambda s, p: {}}, "measure= with run="),
        ({"draw": lambda rng, p: 1, "draws": 3}, "draw= with run="),
        ({"second": lambda s, p: {}}, "second= with run="),
        ({"controls": [Control("x", breaks=seen, construct=constant)]}, "run= or asserts="),
        ({"controls": [Control("x", breaks=seen)]}, "spoils nothing"),
    ],
)
def test_a_claim_about_a_run_that_contradicts_itself_is_refused(changed, words):
    with pytest.raises(CheckError) as found:
        stated(counting(), seen <= t, **changed)
    assert words in str(found.value)


def test_what_belongs_to_runs_alone_is_refused_elsewhere():
    plain = {"construct": lambda p: 1, "measure": lambda x, p: {seen: x}, "grid": grid(n=[1])}
    with pytest.raises(CheckError, match="a control with run="):
        Claim("No run", seen <= 1, controls=[Control("x", breaks=seen, run=counting())], **plain)
    with pytest.raises(CheckError, match="'every step'"):
        Claim("No run", seen <= 1, controls=[Control("x", breaks=seen, asserts=[seen <= 0])],
              scope={"every n": "every step"}, **plain)  # fmt: skip
    with pytest.raises(DomainError, match="two letters"):
        counting(time="T")
    with pytest.raises(CheckError, match="a whole number from 0"):
        stated(counting(first=0), seen <= t)


def test_a_state_of_floats_is_an_observation():
    verdict = judge(stated(counting(step=lambda s, t, p: s + 0.5), seen <= 10), "toy.run")
    assert {row.evidence.name for row in verdict.rows if not row.control} == {"OBSERVED"}
    arrays = counting(state=lambda p: np.zeros(2), step=lambda s, t, p: s + 1, observe=lambda s, t, p: {seen: s[0]})
    row = judge(stated(arrays, seen <= 10), "toy.run").rows[0]
    assert (row.evidence.name, "numpy" in row.measured.work) == ("OBSERVED", True)


# -- doubles -----------------------------------------------------------------------------------------------------------
def tenths(p):
    return F(0)


def on_a_tie(s, t, p):
    """Three tenths are less than 3/10 in doubles, or more, never exactly."""
    decide.sign(s - F(3, 10)) if t == 4 else None
    return s + F(1, 10)


def test_the_first_decision_that_doubles_take_otherwise_is_told():
    run = counting(state=tenths, step=on_a_tie)
    claim = stated(run, seen <= 10)
    parting = run.parts(claim.point({"T": 8}, "toy.run"))
    assert str(parting) == "float64 parts at step 4 (sign 1, not 0; exact gap 0)"  # .1 + .1 + .1 = .30000000000000004
    assert run.parts(claim.point({"T": 3}, "toy.run")) is None
    verdict = judge(claim, "toy.run")
    assert verdict.reason.endswith(f"; {parting}: what it shows later is not this run")
    assert verdict.rows[0].measured.work["float64"] == str(parting)
    assert "float64" not in judge(stated(counting(), seen <= 10), "toy.run").reason  # nothing is decided


def test_a_gap_far_below_the_least_double_is_written():
    def step(s, t, p):
        chosen = decide.argmin([s[0], s[1]])
        return s[0] / 10, s[1] / 10 + F(1 - chosen, 10**400)

    run = counting(state=lambda p: (F(1), F(1)), step=step, observe=lambda s, t, p: {seen: s[0]})
    parting = run.parts(stated(run, seen <= 1, steps=[400]).point({"T": 400}, "toy.run"))
    assert parting is None or parting.step > 1
    swapped = replace(run, state=lambda p: (F(1) + F(1, 10**400), F(1)))
    parting = swapped.parts(stated(swapped, seen <= 1).point({"T": 8}, "toy.run"))
    assert str(parting) == "float64 parts at step 1 (argmin 0, not 1; exact gap 1e-400)"


def test_a_run_that_doubles_cannot_follow_says_why_only_where_it_is_asked():
    def step(s, t, p):
        decide.less(s, 3)
        return F(s)

    run = counting(step=step)
    claim = stated(run, seen <= 10)
    with pytest.raises(DomainError, match="step 1 in doubles: TypeError"):
        run.parts(claim.point({"T": 8}, "toy.run"))
    assert "float64" not in judge(claim, "toy.run").reason


@given(st.lists(st.fractions(), min_size=1, max_size=5))
def test_decisions_are_those_of_the_numbers(numbers):
    assert numbers[decide.argmin(numbers)] == min(numbers)
    assert decide.argmax(numbers) == numbers.index(max(numbers))
    x = numbers[0]
    assert decide.clip(x, -1, 1) == max(-1, min(1, x))
    assert decide.sign(x) * abs(x) == x
    assert decide.less(x, numbers[-1]) is (x < numbers[-1])


def test_decisions_without_an_answer_are_refused():
    for call in (lambda: decide.argmin([]), lambda: decide.clip(0, 1, -1)):
        with pytest.raises(DomainError):
            call()


# -- what goes with a verdict ------------------------------------------------------------------------------------------
CODE = """
t, T = letter("t", "step", integer=True, positive=True), letter("T", "steps", integer=True, positive=True)

def step(s, t, p):
    return s / 2 + Fraction(1, p.N)

run = Run(lambda p: Fraction(0), step, lambda s, t, p: {size: s})
fast = Run(lambda p: Fraction(0), lambda s, t, p: s + t, lambda s, t, p: {size: s})
claim = Claim("Lemma 1", size <= 2 * (1 - 2**(-t)) / N, grid(N=[2, 3], T=[4, 8]), run=run,
    role="statement", scope={"every N": "points", "every t up to T": "every step"}, source="derived here: it",
    controls=[Control("fast", breaks=size, run=fast)])
"""


@pytest.fixture
def run_on_trial(tmp_path):
    home = tmp_path / "checks" / "mine"
    trial = on_trial(tmp_path, judged=False)
    path = home / "lemma.py"
    text = path.read_text(encoding="utf-8").partition("\nclaim = ")[0]
    path.write_text(text.replace("enclosed, grid", "Run, enclosed, grid") + CODE, encoding="utf-8")
    from theorytools.claims.judging.run import judge_entry
    from theorytools.claims.judging.trial.variants import Trial
    from theorytools.claims.papers.loading import load

    verdict = judge_entry(trial.entry, search=False)
    return Trial(load(trial.entry), trial.entry, verdict)


def test_every_instrument_takes_a_run_and_alarms_on_none_that_is_true(run_on_trial):
    assert run_on_trial.verdict.limit == "at 2 points to N = 3, to T = 8"
    assert [remark for instrument in INSTRUMENTS for remark in instrument(run_on_trial)] == []
    assert run_on_trial.node(run_on_trial.claim.run.step) in run_on_trial.functions


def test_the_stored_verdict_of_a_run_is_rechecked_at_its_steps(run_on_trial):
    data = json.loads(json.dumps(run_on_trial.verdict.to_json()))
    assert row_from_json(data["rows"][0]).place == "N=2, T=4, t=4"
    assert examined(signed(data))["state"] == "confirmed"
    data["rows"][0]["measured"]["work"]["t"] = 2
    assert examined(signed(data))["why"] == "another right side"


def signed(data):
    """The verdict with the digest that a store gives it."""
    text = json.dumps({k: x for k, x in data.items() if k != "digest"}, sort_keys=True, separators=(",", ":"))
    return {**data, "digest": hashlib.sha256(text.encode()).hexdigest()}


def test_an_anchor_is_a_state_whose_observation_is_known():
    right = Anchor("after three steps", F(3), {seen: 3}, at={"t": 3})
    assert str(judge(stated(counting(), seen <= 8, anchors=[right]), "toy.run").outcome) == "HOLDS"
    with pytest.raises(CheckError, match="after three steps"):
        judge(stated(counting(), seen <= 8, anchors=[replace(right, values={seen: 4})]), "toy.run")


# -- a run that is ended between two lines -----------------------------------------------------------------------------
class Struck(BaseException):
    """The clock, at a line of the engine."""


@pytest.mark.parametrize("line", range(8))
def test_a_run_that_is_ended_anywhere_goes_on_from_a_whole_step(line):
    """The state and the number of its step change in one: else the next run would take a step that nobody counts."""
    run = counting()
    claim = stated(run, seen <= T, steps=(8,))
    point = claim.point({"T": 8}, f"my.run{line}")
    course = running.course(run, point, run.state(run.seen(point)), point)
    code, seen_lines = running.Course._advance.__code__, []

    def trace(frame, event, argument):
        if frame.f_code is code:
            seen_lines.extend([frame.f_lineno] * (event == "line"))
            if len(seen_lines) == 12 + line and event == "line":
                raise Struck
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with pytest.raises(Struck):
            course.at(8)
    finally:
        sys.settrace(before)
    assert course.at(8)[seen] == 8
    assert course.at(11)[seen] == 11
    assert len(course._decided) == 11
