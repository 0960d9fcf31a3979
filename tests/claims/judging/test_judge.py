"""From rows to verdicts: which outcome decides, with what evidence, and the same one every time."""

from dataclasses import replace

import numpy as np
import pytest
from sympy import sqrt
from tiny import N, constant, exponential, shrinking, tiny, value, x
from verdict_examples import HUGE, OPEN, open_product, open_row, root, spoiled, verdict_of

from theorytools import Evidence, Outcome, judge
from theorytools.numbers import Enclosure, working_precision

powerless, undecided_control = spoiled("powerless", 0), spoiled("undecided", OPEN)


@pytest.mark.parametrize(
    ("outcome", "claim"),
    [
        ("INAPPLICABLE", constant(HUGE, value <= N, requires=[N >= 3])),
        ("UNDECIDED", constant(HUGE, value <= N, requires=[x <= sqrt(6)], derived=[x],
                               derive=lambda thing, p: {x: open_product})),
        ("REFUTED", constant(HUGE, value <= N)),
        ("REFUTED", tiny(measure=lambda thing, p: {value: {2: OPEN, 3: HUGE}[p.N]}, asserts=[open_row],
                         controls=[powerless, undecided_control])),
        ("UNDECIDED", constant(OPEN, open_row, controls=[powerless])),
        ("POWERLESS", constant(1, open_row, controls=[undecided_control, powerless])),
        ("POWERLESS", constant(1, open_row, controls=[spoiled(), spoiled("nowhere", where=N >= 7)])),
        ("UNDECIDED", constant(1, open_row, controls=[spoiled(), undecided_control])),
        ("HOLDS", constant(1, open_row, controls=[spoiled()])),
    ],
)  # fmt: skip
def test_the_first_of_inapplicable_refuted_undecided_powerless_holds_decides(outcome, claim):
    verdict = verdict_of(claim)
    assert verdict.outcome == outcome
    assert verdict.as_expected is (outcome == "HOLDS")
    assert str(outcome) in str(verdict)


def test_open_hypotheses_strongest_witnesses_and_weakest_rows_are_named():
    claim = tiny(
        requires=[x <= sqrt(6)],
        derived=[x],
        derive=lambda thing, p: {x: {2: lambda: Enclosure(1), 3: open_product}[p.N]},
    )
    verdict = verdict_of(claim)
    assert verdict.outcome is Outcome.UNDECIDED
    assert "stays undecided at x = 2.44949" in verdict.reason
    assert [s["open"] for s in verdict.skipped] == [True]
    numbers = {2: shrinking(9, 1), 3: 10}
    claim = tiny(measure=lambda thing, p: {value: numbers[p.N]}, controls=[spoiled()])
    verdict = verdict_of(claim)
    assert verdict.outcome is Outcome.REFUTED
    assert verdict.evidence is Evidence.EXACT
    assert verdict.witness.point == {"N": "3"}
    assert "value <= N fails at N=3: measured 10" in verdict.reason
    claim = tiny(measure=lambda thing, p: {value: {2: 1, 3: root(2)}[p.N]}, controls=[spoiled(number=root(HUGE))])
    assert verdict_of(claim).evidence is Evidence.ENCLOSED


def test_judging_repeats_leaves_no_trace_and_reports_point_by_point():
    number, bound = exponential(3)
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    claim = constant(number, value <= 2 * bound)
    untimed = {"seconds": 0.0, "cpu": 0.0, "cpu_points": (), "cpu_parts": {}}
    first, second = (replace(verdict_of(claim), **untimed).to_json() for _ in range(2))
    assert first == second
    assert working_precision() == 53
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002
    seen = []
    judge(tiny(), "toy.lemma_01", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]
