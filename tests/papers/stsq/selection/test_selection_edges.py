"""Sparse selection at the edges of its arguments: partitions, losses by other routes, banks, the flow's tolerance."""

import inspect
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import strategies as st
from properties import examples
from refusals import refuses
from scipy import integrate, stats

from theorytools import BudgetError, DomainError, Enclosure
from theorytools.claims.language.estimate import Budget
from theorytools.codes.encodings import exact_encodings, gaussian_encodings, orthonormal_encodings, sign_encodings
from theorytools.papers.stsq import SelectionFlow
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.selection.finite_encodings import SelectionFloor
from theorytools.papers.stsq.selection.loss import (
    attention_moments,
    best_scale,
    forward_loss,
    orthonormal_loss,
    population_loss,
    worst_loss,
)
from theorytools.papers.stsq.selection.population_descent import (
    ScoreBank,
    draw_scores,
    least_relative_loss,
    relative_loss,
    softmax,
)
from theorytools.papers.stsq.selection.restricted_isometry import restricted_isometry
from theorytools.papers.stsq.selection.set_geometry import RadonPartition, radon_partition

F = Fraction
RNG = np.random.default_rng


# -- Radon partitions --------------------------------------------------------------------------------------------------
@examples(25, st.integers(2, 8), st.integers(1, 4), st.integers(0, 999), st.booleans())
def test_a_partition_has_one_point_in_both_hulls(T, d_e, seed, signs):
    E = (sign_encodings if signs else gaussian_encodings)(T, d_e, RNG(seed))
    if d_e + 2 > T and not signs:
        refuses(DomainError, (lambda: radon_partition(E), "affinely independent"))
        return
    if d_e + 2 > T:
        return
    found = radon_partition(E)
    for part in (found.inner, found.outer):
        assert all(x > 0 for x in part.values())
        assert sum(part.values()) == 1
    assert not found.inner.keys() & found.outer.keys()
    assert 1 <= len(found.inner) <= len(found.outer)
    assert len(found.inner) + len(found.outer) <= d_e + 2
    assert max(*found.inner, *found.outer) < d_e + 2
    assert found.defect(E) == 0
    rows = E.vectors
    for k in range(d_e):  # the common point, coordinate by coordinate
        left, right = (sum(x * rows[i, k] for i, x in part.items()) for part in (found.inner, found.outer))
        assert left == right
    shifted = RadonPartition(found.inner, {(j + 1) % T: x for j, x in found.outer.items()})
    value = sum((sum(x * rows[i, k] for i, x in shifted.inner.items())
                 - sum(x * rows[j, k] for j, x in shifted.outer.items())) ** 2 for k in range(d_e))  # fmt: skip
    assert shifted.defect(E) == value * E.squared_scale
    again = radon_partition(E, list(range(d_e + 1, -1, -1)))
    assert again.defect(E) == 0


def test_subsets_hold_one_part_and_avoid_the_other():
    found = RadonPartition({0: F(1)}, {1: F(1, 2), 2: F(1, 2)})
    assert found.subset(5, 1) == (0,)
    assert found.subset(5, 3) == (0, 3, 4)
    assert RadonPartition({3: F(1)}, {1: F(1)}).subset(4, 2) == (0, 3)
    for T, q in ((5, 4), (5, 0), (3, 2)):
        refuses(DomainError, (lambda T=T, q=q: found.subset(T, q), "free positions"))
    line = exact_encodings([[0], [1], [2]])
    assert radon_partition(line) == RadonPartition({1: F(1)}, {0: F(1, 2), 2: F(1, 2)})
    refuses(DomainError, (lambda: radon_partition(line, [0, 1]), "2 affinely independent encodings"),
            (lambda: radon_partition(line, [0]), r"d_e \+ 2 = 3"))  # fmt: skip
    twice = exact_encodings([[1, 0], [1, 0], [0, 1]])
    found = radon_partition(twice, [0, 1])
    assert {*found.inner, *found.outer} == {0, 1}
    assert found.defect(twice) == 0


@examples(15, st.integers(2, 5), st.integers(1, 6), st.integers(1, 6), st.integers(0, 99))
def test_isometry_constants_hold_all_eigenvalues(T, d_e, k, seed):
    E = sign_encodings(T, d_e, RNG(seed))
    found = restricted_isometry(E, k)
    G = E.gram().astype(float) - np.eye(T)
    size = min(k, T)
    largest = max(np.abs(np.linalg.eigvalsh(G[np.ix_(S, S)])).max() for S in itertools.combinations(range(T), size))
    assert float(found) == pytest.approx(largest, abs=1e-8)
    assert found.lower <= Enclosure(F(largest) + F(1, 10**9)).upper
    assert found.upper >= Enclosure(F(largest) - F(1, 10**9)).lower
    if size == T:
        assert found.same(restricted_isometry(E, T + 3))
    refuses(DomainError, (lambda: restricted_isometry(E, 0), "k >= 1"))


def test_isometries_over_too_many_sets_are_refused():
    refuses(BudgetError, (lambda: restricted_isometry(orthonormal_encodings(40), 20), "subsets"))
    assert restricted_isometry(orthonormal_encodings(3), 1).fraction() == 0


# -- losses ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("T", "q"), [(3, 1), (4, 2), (4, 3)])
def test_losses_of_a_selector_by_three_routes(T, q):
    d, u, alpha = 2, F(3), F(5, 4)
    net = SparseSelector(orthonormal_encodings(T), beta=sympy.log(3), q=q, d=d, alpha=alpha)
    exact = orthonormal_loss(T, q, d, u, alpha)
    assert orthonormal_loss(T, q, d, u) == orthonormal_loss(T, q, d, u, 1)
    assert population_loss(net).fraction() == worst_loss(net).fraction() == exact
    sets = list(itertools.combinations(range(T), q))
    assert forward_loss(net, sets[0]).fraction() == exact == forward_loss(net, sets[-1], mean=True).fraction()
    assert population_loss(net, sets[:1]).fraction() == worst_loss(net, sets[:1]).fraction() == exact
    A, B = attention_moments(net)
    p = q * u / (q * u + T - q)
    assert (A.fraction(), B.fraction()) == (p * p / q + (1 - p) ** 2 / (T - q), p)
    # L = d (alpha^2 A - 2 alpha B/q + 1/q), least at best_scale
    assert d * (alpha**2 * A.fraction() - 2 * alpha * B.fraction() / q + F(1, q)) == exact
    best = best_scale(A.fraction(), B.fraction(), q)
    beside = [orthonormal_loss(T, q, d, u, best + e) for e in (F(-1, 99), F(1, 99))]
    assert orthonormal_loss(T, q, d, u, best) < min(beside)
    # against the sum of the tokens the target is q times as long
    other = d * (alpha**2 * A.fraction() - 2 * alpha * B.fraction() + q)
    assert forward_loss(net, sets[0], mean=False).fraction() == other
    refuses(DomainError, lambda: orthonormal_loss(T, q, d, F(0)), lambda: orthonormal_loss(T, T, d, u),
            lambda: best_scale(0, 1, q), lambda: best_scale(-1, 1, q))  # fmt: skip


@pytest.mark.parametrize(("q", "d_e", "beta"), [(1, 2, 1), (2, 3, 2), (2, 6, 4)])
def test_the_floor_of_one_unselected_token_by_integration(q, d_e, beta):
    floor = SelectionFloor(q + 1, q, d_e)
    nu = d_e - q + 1
    law = stats.t(nu)  # the off-score is sqrt(q/nu) times Student's t

    def relative(xi):
        return (q + 1) / (1 + q * math.exp(min(beta * (1 - xi), 300))) ** 2

    scale = math.sqrt(q / nu)
    value, error = integrate.quad(lambda x: relative(scale * x) * law.pdf(x), -np.inf, np.inf, limit=200)
    found = floor.loss(beta)
    # beyond the width of the integral the leak is taken between its ends
    assert found.lower <= Enclosure(F(value + error + 1e-9)).upper
    assert found.upper >= Enclosure(F(value - error - 1e-9)).lower
    assert float(floor.failing()) == pytest.approx(law.sf(1 / scale), abs=1e-12)
    assert float(floor.limit()) == pytest.approx((q + 1) * law.sf(1 / scale), abs=1e-12)
    assert float(floor.density_at_one()) == pytest.approx(law.pdf(1 / scale) / scale, rel=1e-9)
    low, high = list(floor.least().steps(0.0, Budget(bits=64)))[-1].floats
    assert low == pytest.approx(law.sf(1 / scale) / (q + 1), abs=1e-9)
    assert high == pytest.approx(min(1, (q + 1) * law.sf(1 / scale)), abs=1e-9)
    nothing = SelectionFloor(q + 1, q, d_e, conditioned=True)
    assert nothing.failing().fraction() == nothing.limit().fraction() == 0
    assert SelectionFloor(q + 1, q, d_e) == SelectionFloor(q + 1, q, d_e, conditioned=False)
    refuses(
        DomainError, lambda: floor.loss(0), lambda: floor.loss(F(-1, 9)), (lambda: nothing.loss(1), "unconditioned"),
        (lambda: SelectionFloor(q + 2, q, d_e).loss(1), "T = q"), lambda: SelectionFloor(q, q, d_e),
        (lambda: SelectionFloor(q + 1, q, q - 1), "d_e"),
    )  # fmt: skip
    assert SelectionFloor(q + 1, q, q).failing().lower >= 0


# -- banks of scores ---------------------------------------------------------------------------------------------------
@examples(20, st.lists(st.lists(st.integers(-3, 3), min_size=4, max_size=4), min_size=1, max_size=4), st.integers(1, 3),
          st.sampled_from([0.0, 0.5, 2.0]), st.sampled_from([0.5, 1.0, 1.5]))  # fmt: skip
def test_losses_of_score_vectors_by_their_definition(rows, q, beta, alpha):
    scores = np.array(rows, dtype=float)
    a = np.exp(beta * scores)
    a /= a.sum(axis=1, keepdims=True)
    assert np.abs(softmax(beta * scores) - a).max() <= 1e-14
    tau = np.where(np.arange(4) < q, 1 / q, 0)
    wanted = q * ((alpha * a - tau) ** 2).sum(axis=1)
    assert np.abs(relative_loss(scores, q, alpha=alpha, beta=beta) - wanted).max() <= 1e-13
    least = least_relative_loss(scores, q, beta=beta)
    best = (a @ tau) / (a * a).sum(axis=1)
    assert np.abs(least - q * ((best[:, None] * a - tau) ** 2).sum(axis=1)).max() <= 1e-13
    assert (least >= 0).all()
    bank = ScoreBank(scores, q)
    assert bank.loss(alpha, beta, d=3) == pytest.approx(3 / q * wanted.mean(), abs=1e-12)
    assert not bank.scores.flags.writeable


def test_banks_at_the_edges():
    for call in (
        lambda s, q: relative_loss(s, q, alpha=1.0, beta=1.0), lambda s, q: least_relative_loss(s, q, beta=1.0),
    ):  # fmt: skip
        assert call(np.zeros((1, 4)), 2).shape == (1,)
        refuses(
            DomainError, (lambda c=call: c(np.zeros((0, 4)), 2), r"scores \(N, T\), N >= 1"),
            (lambda c=call: c(np.zeros((1, 4)), 4), "q < T"), (lambda c=call: c(np.zeros((1, 4)), 0), "q"),
        )  # fmt: skip
    refuses(
        DomainError, (lambda: relative_loss(np.full((1, 4), 1e300), 2, alpha=1.0, beta=1e300), "range of doubles"),
        (lambda: ScoreBank(np.zeros((0, 4)), 2), "N >= 1"), (lambda: ScoreBank(np.zeros((2, 4)), 4), "q < T"),
        (lambda: draw_scores("cauchy", RNG(0), 2, T=4, q=2, d_e=4), "the law 'cauchy'"),
        (lambda: draw_scores("gauss_dual", RNG(0), 2, T=4, q=2, d_e=2), "d_e"),
        (lambda: draw_scores("orth", RNG(0), 2, T=4, q=4, d_e=4), "q < T"),
    )  # fmt: skip
    assert draw_scores("gauss_dual", RNG(0), 5, T=4, q=2, d_e=3)[:, :2].tolist() == [[1, 1]] * 5
    assert draw_scores("orth", RNG(0), 2, T=3, q=1, d_e=9).tolist() == [[1, 0, 0]] * 2
    for law in ("gauss_sum", "rad_sum"):
        drawn = draw_scores(law, RNG(1), 4000, T=4, q=2, d_e=30)
        assert drawn.shape == (4000, 4)
        # scores <e_i, e_1 + e_2> have mean 1 on the selected, 0 elsewhere, and variance below 3/30
        assert np.abs(drawn.mean(axis=0) - [1, 1, 0, 0]).max() <= 6 * math.sqrt(0.1 / 4000)
    bank = ScoreBank.draw("gauss_dual", RNG(2), 50, T=5, q=2, d_e=6)
    rows = bank.descend(3, eta=0.5, d=2, d_e=6.0)
    assert rows.tolist() == bank.descend(3, eta=0.5, d=2, d_e=6.0, alpha=0.0, beta=0.0).tolist()
    assert rows.shape == (4, 3)
    assert rows[0].tolist()[:2] == [0, 0]
    for before, after in itertools.pairwise(rows):
        da, db = bank.slopes(before[0], before[1], d=2)
        # time is eta k: alpha moves by -eta dL/dalpha / d, beta by -eta dL/dbeta / d_e
        assert after[0] == pytest.approx(before[0] - 0.5 * da / 2, abs=1e-12)
        assert after[1] == pytest.approx(before[1] - 0.5 * db / 6, abs=1e-12)
        assert before[2] == pytest.approx(bank.loss(before[0], before[1], d=2), abs=1e-12)
    started = bank.descend(1, eta=0.1, d=2, d_e=6.0, alpha=1.0, beta=2.0)
    assert started[0].tolist()[:2] == [1, 2]
    for wrong in ({"steps": 0}, {"eta": 0.0}, {"eta": 0.51}, {"d_e": 0.0}):
        refuses(DomainError, lambda w=wrong: bank.descend(**{"steps": 1, "eta": 0.1, "d": 2, "d_e": 6.0, **w}))


# -- the flow ----------------------------------------------------------------------------------------------------------
def test_the_flow_is_followed_at_the_tolerance_that_is_stated(monkeypatch):
    flow, seen = SelectionFlow(4, 2, 5, 2), []
    solve = integrate.solve_ivp

    def noted(*arguments, **options):
        seen.append((options["rtol"], options["atol"]))
        return solve(*arguments, **options)

    monkeypatch.setattr("scipy.integrate.solve_ivp", noted)
    plain = flow.simulate([1.0, 2.0])
    stated = inspect.signature(SelectionFlow.simulate).parameters
    assert (stated["alpha"].default, stated["rtol"].default) == ("trained", 1e-11)
    assert seen[-1] == (1e-11, 1e-11 / 100)
    told = flow.simulate([1.0, 2.0], alpha="trained", rtol=1e-11)
    assert all(plain[name].tolist() == told[name].tolist() for name in plain)
    for mode in ("frozen", "slaved"):
        other = flow.simulate([1.0, 2.0], alpha=mode)
        assert other["p"].tolist() != plain["p"].tolist()
        u = np.exp(other["beta"])
        assert other["p"] == pytest.approx(2 * u / (2 * u + 2), rel=1e-13)
        assert other["epsilon"] == pytest.approx(2 / (2 * u + 2), rel=1e-13)
        for a, p, loss in zip(other["alpha"], other["p"], other["loss"], strict=True):
            assert loss == pytest.approx(5 * ((a * p - 1) ** 2 / 2 + a * a * (1 - p) ** 2 / 2), rel=1e-9)
        assert (other["alpha"] == 1).all() is np.bool_(mode == "frozen")
    for times in ([], [0.0], [1.0, 1.0], [2.0, 1.0]):
        refuses(DomainError, lambda times=times: flow.simulate(times))
    for rtol in (0.99e-13, 1e-2):
        refuses(DomainError, lambda rtol=rtol: flow.simulate([1.0], rtol=rtol))
    flow.simulate([1.0], rtol=1e-13)
