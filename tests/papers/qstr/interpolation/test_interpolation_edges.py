"""Certificates on the line and beyond it, away from the data and with other multipliers, and what they refuse."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools import BudgetError, CertificateError, DomainError, Enclosure
from theorytools.numbers import at_precision
from theorytools.papers.qstr import MinNormReLU
from theorytools.papers.qstr.interpolation import norm_gap
from theorytools.papers.qstr.interpolation.activation_patterns import activation_patterns, squared_gain
from theorytools.papers.qstr.interpolation.convex_program import Proposal, shrunk
from theorytools.papers.qstr.interpolation.convex_relu import LeastReLU, _repaired, gram_matrix, least_norm_relu
from theorytools.papers.qstr.interpolation.line import (
    MinNorm,
    critical_directions,
    min_norm_interpolant,
    squared_supremum,
)
from theorytools.papers.qstr.interpolation.line_with_error import MinNormERM, min_norm_erm
from theorytools.papers.qstr.interpolation.total_variation import (
    TotalVariation,
    least_total_variation,
    potential,
    total_slope_change,
)

F = Fraction
small = st.integers(-6, 6)


def fractions(*values):
    return tuple(map(F, values))


# -- the line ----------------------------------------------------------------------------------------------------------
@examples(40, st.lists(small, min_size=1, max_size=4, unique=True).map(sorted), st.lists(small, min_size=4, max_size=4))
def test_the_supremum_is_that_of_all_arcs(z, numbers):
    """Second route: on each arc between breakpoints a sinusoid, whose largest modulus is at its ends or its phase."""
    dual = numbers[: len(z)]
    places = sorted({math.atan2(-x * sign, sign) for x in z for sign in (1, -1)})
    best = 0.0
    for low, high in zip(places, [*places[1:], places[0] + 2 * math.pi], strict=True):
        middle = (low + high) / 2
        active = [i for i, x in enumerate(z) if x * math.cos(middle) + math.sin(middle) > 0]
        A, B = sum(dual[i] * z[i] for i in active), sum(dual[i] for i in active)
        best = max(best, *(abs(A * math.cos(t) + B * math.sin(t)) for t in (low, high)))
        for phase in (math.atan2(B, A), math.atan2(-B, -A)):
            if any(low <= phase + turn <= high for turn in (-2 * math.pi, 0, 2 * math.pi)):
                best = max(best, math.hypot(A, B))
    exact = squared_supremum(fractions(*z), fractions(*dual))
    assert math.sqrt(exact) == pytest.approx(best, abs=1e-9)
    for w, b in critical_directions(fractions(*z), fractions(*dual)):  # each is stationary, and attains its own length
        active = [i for i, x in enumerate(z) if x * w + b > 0]
        value = sum((dual[i] * (z[i] * w + b) for i in active), F(0))
        assert abs(value) == w * w + b * b


@examples(30, st.lists(st.tuples(small, small, small), max_size=4), small, st.integers(1, 5))
def test_networks_and_splines_by_their_formula_at_any_point(units, n, d):
    x = F(n, d)
    weights, directions = fractions(*(a for a, _, _ in units)), tuple((F(w), F(b)) for _, w, b in units)
    net = MinNorm((F(0),), (F(1),), directions, weights, (F(1),))
    assert net.evaluate(x) == sum(a * (w * x + b) for a, w, b in units if w * x + b > 0)
    assert net.data == [(0, 1)]
    knots = fractions(*(w for _, w, _ in units))
    spline = TotalVariation((F(0),), (F(1),), knots, weights, (F(2), F(-1)), (F(0),))
    assert spline.evaluate(x) == 2 - x + sum(a * (x - w) for a, w, _ in units if x > w)
    assert spline.upper() == sum(abs(a) for a, _, _ in units)


def test_certificates_with_other_numbers_than_they_were_found_for():
    best = min_norm_interpolant([0, 1], [0, 5])
    assert best.gain() == 2 * abs(best.dual[1] * 5)
    assert replace(best, dual=fractions(-1, -2)).gain() == 20
    assert replace(best, dual=fractions(0, 0)).lower().fraction() == 0
    assert replace(best, weights=fractions(4)).residual() == 1
    assert replace(best, weights=fractions(4)).hits() == 1
    for dual in (fractions(1), fractions(1, 2, 3)):  # a multiplier for other data is not cut to fit
        spoiled = replace(best, dual=dual)
        for call in (spoiled.gain, spoiled.lower, lambda s=spoiled: s.squared_supremum):
            with pytest.raises(ValueError, match=r"zip\(\) argument"):
                call()
    for spoiled in (replace(best, y=fractions(0)), replace(best, weights=fractions(1, 2))):
        with pytest.raises(ValueError, match=r"zip\(\) argument"):
            spoiled.residual()
    spline = least_total_variation([0, 1, 2], [0, 1, 0])
    for change in ({"dual": fractions(0, 0)}, {"y": fractions(0, 1)}, {"kinks": fractions(1, 2)}):
        with pytest.raises(ValueError, match=r"zip\(\) argument"):
            replace(spline, **change).value()
    erm = MinNormERM(fractions(1, 5), F(1, 10), best, fractions(1))
    for call in (erm.lower, replace(erm, y=fractions(1)).loss):
        with pytest.raises(ValueError, match=r"zip\(\) argument"):
            call()
    for words, change in (
        ("multipliers", {"dual": fractions(1)}), ("labels", {"y": fractions(1)}), ("inputs", {"F": (fractions(1, 0),)}),
        ("lengths", {"F": (fractions(1, 0), fractions(1))}),
    ):  # fmt: skip
        refuses(DomainError, (lambda c=change: replace(least_norm_relu([[1, 0], [1, 1]], [1, 2]), **c), words))


def test_splines_at_their_ends_and_multipliers_that_prove_less():
    z, y = fractions(0, 1, 3, 4), fractions(0, 2, 0, 1)
    found = least_total_variation(z, y)
    # slopes 2, -1, 1: changes of 3 and 2
    assert found.value() == total_slope_change(z, y) == 5
    for t in (F(-1), F(1, 2), F(2), F(4), F(9)):
        assert potential(z, found.dual, t) == sum((l * max(x - t, 0) for l, x in zip(found.dual, z, strict=True)), F(0))
    assert potential(z, found.dual, F(4)) == 0
    assert replace(found, dual=tuple(3 * l for l in found.dual)).lower() == found.lower()  # divided by its supremum
    assert replace(found, dual=tuple(l / 3 for l in found.dual)).lower() == found.lower() / 3  # and never multiplied
    spoiled = replace(found, affine=(found.affine[0] + 1, found.affine[1]))
    assert spoiled.residual() == 1
    refuses(
        CertificateError, (spoiled.value, "an exact interpolant"),
        (replace(found, dual=tuple(l / 3 for l in found.dual)).value, "equal bounds"),
        (replace(found, dual=fractions(1, 0, 0, 0)).lower, "sees affine functions"),
        (replace(found, dual=fractions(1, -1, 0, 0)).lower, "sees affine functions"),
    )  # fmt: skip
    straight = least_total_variation([0, 1, 2], [1, 2, 3])
    assert straight.value() == 0
    assert straight.evaluate(F(7)) == 8


def test_searches_stop_where_they_are_told():
    z, y = ["-1/2", "-1/4", "3/2"], [4, -2, 3]
    told = {"width": F(5, 10**9), "angles": 128, "rounds": 6, "solver": "HIGHS"}
    assert min_norm_interpolant(z, y) == min_norm_interpolant(z, y, **told)
    wide = min_norm_interpolant(z, y, width=1)
    assert wide == min_norm_interpolant(z, y, rounds=0)
    assert wide.residual() == 0
    found = min_norm_erm(z, y, epsilon="1/4")
    assert found == min_norm_erm(z, y, epsilon="1/4", width=F(1, 10**7), angles=128, rounds=6, solver="CLARABEL")
    assert found.within(F(1, 10**7))
    exactly = min_norm_erm(z, y, epsilon=0)
    assert (exactly.loss(), exactly.near.residual()) == (0, 0)
    enough = F(16 + 4 + 9, 3)  # the mean square of the labels: from there on nothing is needed
    nothing = min_norm_erm(z, y, epsilon=enough)
    assert (nothing.upper().fraction(), nothing.lower().fraction(), nothing.loss()) == (0, 0, enough)
    assert min_norm_erm(z, y, epsilon=enough - F(1, 1000)).upper().lower > 0
    refuses(DomainError, (lambda: min_norm_erm(z, y, epsilon=F(-1, 10**9)), "epsilon >= 0"))
    refuses(CertificateError, (lambda: min_norm_erm(z, y, epsilon=1, solver="HIGHS"), "conic solver"))
    assert found.lower().certainly_le(found.upper()) is not False
    assert replace(found, dual=fractions(0, 0, 0)).lower().fraction() == 0
    # a multiplier of the wrong size changes nothing, one that allows too much proves nothing
    assert abs(replace(found, dual=tuple(7 * l for l in found.dual)).lower() - found.lower()).certainly_le(F(1, 10**12))
    assert replace(found, epsilon=F(100)).lower().lower == 0


# -- any dimension -----------------------------------------------------------------------------------------------------
@examples(30, st.lists(st.tuples(st.sampled_from([1, -1]), st.lists(small, min_size=3, max_size=3)), max_size=3),
          st.lists(small, min_size=3, max_size=3))  # fmt: skip
def test_a_repaired_network_has_the_outputs_that_are_asked_for(neurons, target):
    found = Proposal(tuple(a for a, _ in neurons), tuple(fractions(*s) for _, s in neurons), (), ())
    a, states = _repaired(found, fractions(*target))
    for i, goal in enumerate(target):
        assert sum((c * max(s[i], F(0)) for c, s in zip(a, states, strict=True)), F(0)) == goal
    for before, after in zip(found.states, states, strict=False):  # entries that were not active stay as they were
        assert all(s == t for s, t in zip(before, after, strict=True) if s <= 0)
        assert all(t >= 0 for s, t in zip(before, after, strict=True) if s > 0)
    assert a[: len(neurons)] == list(found.signs)
    assert len(a) - len(neurons) <= 3
    if not any(target) and not neurons:
        assert (a, states) == ([], [])


def test_proposals_that_do_not_fit_together_are_not_cut_to_fit():
    for signs, states in (((1,), ()), ((1, 1), (fractions(1),))):
        with pytest.raises(ValueError, match=r"zip\(\) argument"):
            _repaired(Proposal(signs, states, (), ()), fractions(1))


def test_inputs_alone_and_in_the_largest_number():
    assert activation_patterns(2).tolist() == [[1, 0], [0, 1], [1, 1]]
    assert len(activation_patterns(10)) == 2**10 - 1
    assert len(activation_patterns(11, limit=11)) == 2**11 - 1
    refuses(
        BudgetError, (lambda: activation_patterns(11), "n <= 10"), (lambda: activation_patterns(3, limit=2), "n <= 2"),
        (lambda: least_norm_relu([[1, 0], [0, 1]], [1, 1], limit=1), "3 activation patterns"),
    )  # fmt: skip
    best = least_norm_relu([[1, 0], [0, 1]], [1, -1], limit=2)
    assert best == least_norm_relu([[1, 0], [0, 1]], [1, -1], epsilon=0, solver="CLARABEL")
    assert best.within(F(1, 10**6))
    assert best.lower().lower <= 4 <= best.upper().upper  # two units of norm 2 each
    assert gram_matrix((fractions(1, 2), fractions(3, -1))) == (fractions(5, 1), fractions(1, 10))
    for F_, y, words in (
        ([[1, 2], [1, 2]], [1, 2], "inputs 0 and 1 equal.*no function takes both"),
        ([[1, 2], [0, 1], [1, 2]], [3, 1, 3], "inputs 0 and 2 equal.*one datum twice"),
        ([[1, 2], [2, 4]], [1, 2], "rank 1 in dimension 2"), ([[]], [1], "D >= 1"), ([[1]], [1, 2], "2 labels"),
        ([[1, 2], [1]], [1, 2], "different lengths|lengths"),
    ):  # fmt: skip
        refuses(DomainError, (lambda F_=F_, y=y: least_norm_relu(F_, y), f"(?s){words}"))
    enough = least_norm_relu([[1, 0], [0, 1]], [3, 4], epsilon=F(25, 2))
    assert (enough.neurons, enough.loss(), enough.residual(), enough.hits()) == (0, F(25, 2), 4, 0)
    enough.require_feasible()
    refuses(CertificateError, (replace(enough, epsilon=F(12)).require_feasible, "misses the labels"))
    near = least_norm_relu([[1, 0], [0, 1]], [3, 4], epsilon=12)
    assert near.upper().lower > 0
    assert near.loss() <= 12


@examples(30, st.lists(small, min_size=2, max_size=4), st.lists(small, min_size=4, max_size=4),
          st.fractions(0, 9, max_denominator=9))  # fmt: skip
def test_shrunk_values_lie_in_the_ball_on_the_way_to_the_labels(fitted, labels, epsilon):
    y = fractions(*labels[: len(fitted)])
    moved = shrunk(fractions(*fitted), y, epsilon)
    loss = sum((m - v) ** 2 for m, v in zip(moved, y, strict=True)) / len(y)
    before = sum((f - v) ** 2 for f, v in zip(fitted, y, strict=True)) / len(y)
    assert loss <= epsilon
    assert moved == fractions(*fitted) if before <= epsilon else loss >= epsilon * (1 - F(1, 10**12))
    if before > epsilon > 0:  # on the segment
        parts = {(m - v) / (f - v) for m, f, v in zip(moved, fitted, y, strict=True) if f != v}
        assert len(parts) == 1


@pytest.mark.parametrize("dual", [(1, 0), (1, 1), (1, -1), (2, -3)])
def test_the_gain_of_orthogonal_inputs_is_that_of_one_sign(dual):
    """For an identity Gram matrix the best unit sees the multipliers of one sign alone."""
    gram = (fractions(1, 0), fractions(0, 1))
    wanted = max(sum(l * l for l in dual if sign * l > 0) for sign in (1, -1))
    found = squared_gain(gram, fractions(*dual), activation_patterns(2))
    assert wanted <= found <= wanted * (1 + F(1, 10**9))
    assert squared_gain(gram, fractions(0, 0), activation_patterns(2)) == 0
    inputs = (fractions(1, 0), fractions(0, 1))
    one = LeastReLU(inputs, fractions(*dual), F(0), MinNormReLU((), (), 2), fractions(*dual))
    assert float(one.gain()) == 2 * sum(l * l for l in dual)
    assert replace(one, dual=fractions(0, 0)).lower().fraction() == 0
    # with an error the gain falls by the norm of the multiplier
    off = replace(one, epsilon=F(1, 2))
    size = sum(l * l for l in dual)
    assert abs(off.gain() - 2 * (size - Enclosure(size).sqrt())).certainly_le(F(1, 10**12))
    assert replace(one, epsilon=F(10**6)).lower().lower == 0


# -- the norm of a recurrent network -----------------------------------------------------------------------------------
def test_risks_at_the_edges():
    assert norm_gap.adjusted_risk(F(1, 4), 2) == F(1, 2)
    assert norm_gap.adjusted_risk(0, 2) == 0
    for N in (2, 3, 10):  # c N/(N - 1) = 1 exactly, and a little below
        refuses(DomainError, (lambda N=N: norm_gap.adjusted_risk(F(N - 1, N), N), "variance 1"),
                (lambda N=N: norm_gap.adjusted_risk(F(-1, 10**9), N), "variance 1"))  # fmt: skip
        assert norm_gap.adjusted_risk(F(N - 1, N) - F(1, 1000 * N), N) == 1 - F(1, 1000 * (N - 1))
    refuses(DomainError, (lambda: norm_gap.adjusted_risk(0, 1), "N >= 2"))
    for c in (1, F(-1, 9)):
        refuses(DomainError, (lambda c=c: norm_gap.failing_length(lambda: Enclosure(1), Enclosure, c), "0 <= c < 1"))


def test_lengths_and_prompts_are_the_first():
    for edge in (2, 3, 7, 8, 9, 100):
        found = norm_gap.failing_length(lambda edge=edge: Enclosure(edge) - F(1, 2), Enclosure, 0)
        assert found == edge
    # at c = 3/4 the least length with 3N/4 < N - 1 is 5
    assert norm_gap.failing_length(lambda: Enclosure(0), Enclosure, F(3, 4)) == 5
    assert norm_gap.failing_length(lambda: Enclosure(F(11, 2)), Enclosure, F(3, 4)) == 6
    level = norm_gap.recurrent_norm(50, F(1, 100), 2)
    for most in (0, 1, 2, 5, 8):
        found = norm_gap.covered_prompts(50, F(1, 100), lambda n, most=most: level * F(2 * n, 2 * most + 1))
        assert found == most
    assert norm_gap.covered_prompts(10**6, "0.01") == norm_gap.covered_prompts(10**6, "0.01", norm_gap.interpolant_norm)


@examples(12, st.fractions(0, F(3, 4), max_denominator=20), st.integers(5, 60), st.sampled_from([53, 160]))
def test_the_memory_constant_encloses_its_maximum(c, N, bits):
    best = at_precision(bits, lambda: norm_gap.memory_constant(c, N))
    assert best.lower >= 0
    width = Enclosure(best.upper.value) - Enclosure(best.lower.value)
    assert width.certainly_le(F(1, 2 ** (bits - 12)))
    for eta in (F(1, 10), F(1, 4), F(3, 5)):
        assert norm_gap.memory_bound(eta, c, N).lower <= best.upper
    # at the maximiser of doubles the value is the maximum up to the square of its error
    s = math.sqrt(c * N / (N - 1))
    etas = np.linspace(1e-6, 1 - s, 20_001)[:-1]
    grid = -2 * math.e * etas**2 * np.log(s + etas)
    assert float(best) == pytest.approx(grid.max(), abs=1e-6)
    assert float(norm_gap.recurrent_norm(N, c, 2)) == pytest.approx(
        3 * (float(best) * (N - 1) / 2) ** (1 / 3), rel=1e-9
    )  # fmt: skip
