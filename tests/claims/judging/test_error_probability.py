"""The error probability of a claim: divided before anything is drawn, and never overspent."""

from fractions import Fraction

import pytest
from tiny import N, shrinking, tiny, value
from verdict_examples import HUGE, other, verdict_of

from theorytools import Control, Outcome, Quantity, grid


def booking(booked, controls, **changed):
    def measure(thing, p):
        return {value: shrinking(1, Fraction(1, 2), booked=booked), other: shrinking(1, 1, booked=booked)}

    return tiny(**{"asserts": [value <= N, other <= 2 * N, value >= 0], "measure": measure, "controls": controls,
                   "grid": grid(N=[2, 3, 4]), **changed})  # fmt: skip


def spoiling(booked, *quantities):
    return {q: shrinking(HUGE if q == value else 1, 1, booked=booked) for q in quantities}


def test_alpha_is_divided_over_points_controls_and_quantities():
    booked = []
    controls = [Control(name, breaks=value <= N, measure=lambda thing, p: spoiling(booked, value, other))
                for name in ("first", "second")]  # fmt: skip
    verdict = verdict_of(booking(booked, controls))
    assert verdict.outcome is Outcome.HOLDS
    assert set(booked) == {1e-6 / (3 * 3 * 2)}  # points, claim and two controls, quantities
    assert len(booked) == 18  # two assertions on one quantity share its sample
    assert verdict.alpha_spent == pytest.approx(1e-6)
    booked.clear()
    alone = verdict_of(booking(booked, controls), [{"N": 3}])
    assert set(booked) == {1e-6 / 18}
    assert alone.alpha_spent == pytest.approx(6e-6 / 18)
    booked = []
    controls = [Control("spoiled", breaks=value <= N, measure=lambda thing, p: spoiling(booked, value, other))]
    verdict = verdict_of(booking(booked, controls), [{"N": number} for number in range(2, 12)])
    assert set(booked) == {1e-6 / (10 * 2 * 2)}
    assert verdict.alpha_spent == pytest.approx(1e-6)
    verdict = verdict_of(tiny())
    assert (verdict.alpha_spent, verdict.alpha_claim) == (0.0, 1e-6)


def test_a_control_that_measures_more_does_not_overspend():
    booked = []
    extra = [Quantity(f"extra {k}", "e") for k in range(4)]
    many = Control(
        "many", breaks=value, measure=lambda thing, p: spoiling(booked, value, *extra),
        asserts=[value <= N, *(q <= HUGE for q in extra)],
    )  # fmt: skip
    claim = booking(booked, [many], asserts=[value <= N])
    assert verdict_of(claim).alpha_spent <= 1e-6 * (1 + 1e-12)  # twelve additions of doubles
    assert len(booked) == 3 * (1 + 5)  # at each point the claim's one quantity, then the control's five
