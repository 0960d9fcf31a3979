"""The selection flow: closed forms, simulation and proved brackets agree; bad input is refused."""

from fractions import Fraction

import numpy as np
import pytest
from devices import device
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import CertificateError, DomainError
from theorytools.numbers import at_precision
from theorytools.papers.stsq import SelectionFlow

FlowBracket = device("stsq/dynamics/_flow_bracket").FlowBracket

LONG = SelectionFlow(200, 3, 10, 200)


@pytest.mark.parametrize("mode", ["frozen", "slaved"])
def test_the_simulation_meets_the_closed_form_at_a_million(mode):
    found = LONG.simulate([10.0, 1e3, 1e6], alpha=mode)
    closed = LONG.frozen_time if mode == "frozen" else LONG.slaved_time
    for t, e in zip([10.0, 1e3, 1e6], found["epsilon"], strict=True):
        reached = float(at_precision(128, lambda e=e: closed(1 - Fraction(float(e)))))
        assert abs(reached / t - 1) <= 1e-8  # what is asked for; measured 4e-10 at tolerance 1e-11


@pytest.mark.parametrize("sizes", [(20, 3, 5, 64), (64, 4, 8, 128), (200, 3, 10, 200), (24, 1, 4, 48)])
def test_the_simulation_lies_in_the_proved_bracket(sizes):
    flow = SelectionFlow(*sizes)
    bracket, p = FlowBracket(flow), 1 - Fraction(1, 64)
    ((low, high),) = at_precision(40, lambda: bracket.times([p]))
    ends = flow.simulate([float(low) * (1 - 1e-9), float(high) * (1 + 1e-9)])["p"]
    assert ends[0] <= float(p) <= ends[1]  # p grows with time; solver error 1e-10 against brackets of width 1e-2
    least, most = bracket.loss(p)
    middle = flow.simulate([float(low) + (float(high) - float(low)) / 2])
    assert abs(middle["loss"][0] / float(least) - 1) < 0.05  # times in a bracket of 3 % of t, and L near 1/t
    assert least <= most.fraction()


@examples(
    20, st.integers(1, 5), st.integers(1, 12), st.fractions(Fraction(1, 50), Fraction(49, 50)), st.fractions(-1, 3),
)  # fmt: skip
def test_field_and_loss_belong_together(q, n, share, alpha):
    flow = SelectionFlow(q + n, q, 3, 7)
    p = flow.start + (1 - flow.start) * share
    h = Fraction(1, 10**6)
    # L is quadratic in alpha: central differences are exact
    slope = (flow.loss(alpha + h, p) - flow.loss(alpha - h, p)) / (2 * h)
    assert flow.slopes(alpha, p)[0] == slope == -flow.d * flow.velocity(alpha, p)[0]
    # L is quadratic in p, and dp/dbeta = p (1 - p)
    turn = (flow.loss(alpha, p + h) - flow.loss(alpha, p - h)) / (2 * h) * p * (1 - p)
    assert flow.slopes(alpha, p)[1] == turn == -flow.d_e * flow.velocity(alpha, p)[1]


@examples(8, st.fractions(Fraction(1, 3), Fraction(49, 50)))
def test_the_traps_are_those_of_their_derivatives(share):
    """What points inward, computed by hand, against difference quotients of the traps."""
    bracket = FlowBracket(SelectionFlow(20, 3, 5, 64))
    flow, p = bracket.flow, bracket.settled + (1 - bracket.settled) * share
    e, h = 1 - p, (1 - p) / 10**6
    for trap, inward, sign in (
        (bracket.upper_alpha, bracket.inward_above, 1),
        (bracket.lower_alpha, bracket.inward_below, -1),
    ):
        bend = (trap(p + h) - trap(p - h)) / (2 * h)
        a, b = flow.velocity(trap(p), p)
        wanted = sign * (bend * p * e * b - a) / e**3
        assert abs(float(wanted / inward(p)) - 1) < 1e-6  # truncation (h/e)^2 f'''/f, at most 1e-12 times 1e5


def test_the_frozen_prefactor_and_the_observed_ones():
    found = SelectionFlow(20, 3, 5, 64).simulate([1e4, 1e5, 1e6])
    ratios = 4 * np.array([1e4, 1e5, 1e6]) * found["loss"] / 64
    assert np.allclose(ratios, [1.0245, 1.0029, 1.0003], atol=5e-5)  # the decimals that are quoted


@pytest.mark.parametrize("sizes", [(3, 3, 1, 2), (3, 0, 1, 2), (4, 2, 0, 2), (4, 2, 1, 0), (4, 2, 1, -1)])
def test_bad_sizes_are_refused(sizes):
    with pytest.raises(DomainError):
        SelectionFlow(*sizes)


@pytest.mark.parametrize("times", [[], [0.0], [1.0, 1.0], [2.0, 1.0], [float("nan")]])
def test_bad_times_are_refused(times):
    with pytest.raises(DomainError, match="increasing"):
        LONG.simulate(times)


def test_other_refusals():
    refuses(
        DomainError, (lambda: LONG.simulate([1.0], alpha="adam"), "frozen"),
        (lambda: LONG.frozen_time(Fraction(1, 1000)), "q/T"),
        (lambda: FlowBracket(LONG).times([Fraction(1, 2)]), "increasing masses"),
    )  # fmt: skip
    with pytest.raises(CertificateError, match="d_e larger"):
        FlowBracket(SelectionFlow(20, 3, 64, 5))  # alpha lags behind the attention
