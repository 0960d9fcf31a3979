"""Score banks, averaged sign gradients and floors: two routes to each number; bad input is refused."""

from fractions import Fraction
from math import log

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import BudgetError, DomainError, changed
from theorytools.numbers import at_precision
from theorytools.papers.stsq import SelectionFlow
from theorytools.papers.stsq.selection.cross_talk import draw_cross_talk
from theorytools.papers.stsq.selection.finite_encodings import SelectionFloor
from theorytools.papers.stsq.selection.gradient import SignGradient
from theorytools.papers.stsq.selection.population_descent import (
    ScoreBank,
    draw_scores,
    least_relative_loss,
    relative_loss,
)


def bank(law="rad_sum", size=40, **sizes):
    return ScoreBank.draw(law, np.random.default_rng(5), size, **{"T": 7, "q": 3, "d_e": 6, **sizes})


# -- the bank --------------------------------------------------------------------------------------------------------
@examples(30, st.sampled_from(["orth", "gauss_dual", "gauss_sum", "rad_sum"]), st.floats(-1, 3), st.floats(0, 5))
def test_slopes_are_differences_of_the_loss(law, alpha, beta):
    some, h = bank(law), 1e-5
    along = [(some.loss(a, b, d=4) - some.loss(2 * alpha - a, 2 * beta - b, d=4)) / (2 * h)
             for a, b in ((alpha + h, beta), (alpha, beta + h))]  # fmt: skip
    # central differences: rounding 1e-16 |L| / h and truncation h^2 L'''/6, with |L| and L''' below 1e3
    assert np.allclose(along, some.slopes(alpha, beta, d=4), atol=1e-7)


def test_banks_follow_the_flow_and_lose_their_mean():
    flow, some = SelectionFlow(20, 3, 5, 64), bank("orth", 1, T=20, q=3)
    rows = some.descend(4000, eta=0.05, d=5, d_e=64)
    curve = flow.simulate([50.0, 100.0, 200.0])
    steps = rows[[1000, 2000, 4000]]
    assert np.allclose(steps[:, 0], curve["alpha"], rtol=0.02)  # Euler's error is of order eta times the rate 2/q
    assert np.allclose(steps[:, 2], curve["loss"], rtol=0.05)
    some = bank("gauss_sum")
    each = relative_loss(some.scores, 3, alpha=0.7, beta=1.3)
    assert np.isclose(each.mean() * 4 / 3, some.loss(0.7, 1.3, d=4), rtol=1e-13)
    best = least_relative_loss(some.scores, 3, beta=1.3)
    scales = [relative_loss(some.scores, 3, alpha=a, beta=1.3) for a in np.linspace(-1, 4, 101)]
    assert (best <= np.min(scales, axis=0) + 1e-12).all()
    assert (best >= 0).all()
    assert (each <= 3 * 0.7**2 + 1).all()


def test_dual_scores_and_gradients_are_those_of_all_encodings():
    """Largest off-scores by the Wishart identity and by solving for the query: two-sample means."""
    rng = np.random.default_rng(11)
    cheap = draw_scores("gauss_dual", rng, 20_000, T=8, q=3, d_e=12)[:, 3:].max(axis=1)
    drawn = draw_cross_talk(rng, 20_000, 8, 3, 12)
    for level in (0.5, 1.0, 1.5):
        # two proportions of 20000 draws: 5 standard errors are below 5 sqrt(2/4/20000) = 0.025
        assert abs((cheap < level).mean() - (drawn < level).mean()) < 0.025
    T, q, d, d_e, beta = 4, 2, 5, 2, 2 * log(1.5)
    signs = 1 - 2 * (np.arange(2 ** (T * d_e))[:, None] >> np.arange(T * d_e) & 1)
    E = signs.reshape(-1, T, d_e) / np.sqrt(d_e)
    scores = (E @ E[:, :q].sum(axis=1)[:, :, None])[:, :, 0]
    exact = SignGradient(T, q, d, d_e, alpha=Fraction(5, 4), v=Fraction(3, 2))
    assert exact.unit == 2
    assert np.isclose(ScoreBank(scores, q).slopes(1.25, beta, d=d)[1], float(exact.slope), rtol=1e-12)
    assert exact.matrix == [[exact.slope / 2, 0], [0, exact.slope / 2]]
    assert SignGradient(4, 2, 5, 2, alpha=1, v=1).diagonal == [Fraction(-5, 8)] * 2


# -- the floor -------------------------------------------------------------------------------------------------------
def test_floors_agree_with_draws_and_conditioning_leaves_nothing():
    floor = SelectionFloor(4, 3, 6)
    scores = draw_scores("gauss_dual", np.random.default_rng(3), 100_000, T=4, q=3, d_e=6)
    for beta in (1, 4, 16):
        drawn = relative_loss(scores, 3, alpha=1.0, beta=float(beta)).mean()
        exact = float(at_precision(64, lambda b=beta: floor.loss(b)))
        assert abs(drawn - exact) < 0.04  # 5 standard errors, the range being [0, 4]: 5 * 2 / sqrt(100000) = 0.032
    floor = SelectionFloor(4, 3, 6)
    gap = at_precision(64, lambda: (floor.limit() - floor.loss(320)) * 320)
    lead = at_precision(64, lambda: floor.density_at_one() * 4)
    assert round(float(gap), 3) == 1.760
    assert round(float(lead) * (1 + log(3)), 3) == 1.771
    assert SelectionFloor(64, 4, 32, conditioned=True).limit().fraction() == 0


def test_refusals():
    refuses(
        DomainError, (lambda: ScoreBank(np.zeros((3, 2)), 2), "q < T"),
        (lambda: ScoreBank([[np.nan, 1.0]], 1), "finite"), (lambda: bank("gauss_dual", d_e=3), "Cauchy"),
        (lambda: bank("moment"), "one of"), (lambda: bank().descend(3, eta=0.6, d=1, d_e=1), "eta"),
    )  # fmt: skip
    with pytest.raises(BudgetError, match="encodings"):
        _ = SignGradient(7, 2, 1, 2, alpha=1, v=1).matrix
    made = SignGradient(3, 1, 1, 4, alpha=1, v=2, query="dual")
    tilted = changed(made, words=2 * made.words + 1, grain=2)
    with pytest.raises(BudgetError, match="powers"):
        _ = tilted.slope
    refuses(
        DomainError, (lambda: SignGradient(4, 3, 1, 2, alpha=1, v=1, query="dual").matrix, "d_e >= q"),
        (lambda: SignGradient(4, 3, 1, 2, alpha=1, v=1, query="lp"), "'sum' or 'dual'"),
        (lambda: SelectionFloor(64, 4, 3), "d_e >= 4"), (lambda: SelectionFloor(64, 4, 32).loss(3), r"T = q \+ 1"),
    )  # fmt: skip
