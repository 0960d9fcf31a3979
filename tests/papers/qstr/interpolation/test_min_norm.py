"""Least norms on the line: certificates on both sides, closed forms, what a solver cannot be trusted with."""

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples

from theorytools import Budget, CertificateError, DomainError, Enclosure, Evidence
from theorytools.numbers.linear_program import complete_basis, least_l1
from theorytools.papers.qstr import Interpolant1D
from theorytools.papers.qstr.interpolation.line import MinNorm, min_norm_interpolant, squared_supremum
from theorytools.papers.qstr.interpolation.total_variation import (
    TotalVariation,
    least_total_variation,
    total_slope_change,
)

WIDTH = Fraction(5, 10**9)
Z, Y = ["-1/2", "-1/4", "3/2", "11/4"], [4, -2, -2, 3]


@st.composite
def data(draw, least=1, most=6, height=4):
    z = draw(st.lists(st.integers(-12, 12), min_size=least, max_size=most, unique=True).map(sorted))
    y = draw(st.lists(st.integers(-height, height), min_size=len(z), max_size=len(z)))
    return tuple(Fraction(x, 4) for x in z), tuple(Fraction(v) for v in y)


@examples(25, data(), st.lists(st.integers(-9, 9), min_size=6, max_size=6))
def test_supremum_is_never_below_a_fine_grid_and_hardly_above(points, numbers):
    z = points[0]
    dual = tuple(Fraction(v, 5) for v in numbers[: len(z)])
    angles = np.linspace(0, 2 * np.pi, 4001)
    features = np.maximum(np.outer([float(x) for x in z], np.cos(angles)) + np.sin(angles), 0)
    grid = np.abs(np.array([float(l) for l in dual]) @ features).max()
    exact = float(squared_supremum(z, dual)) ** 0.5
    size = sum(abs(float(l)) * (1 + float(x) ** 2) ** 0.5 for l, x in zip(dual, z, strict=True))
    # rounding of six terms; the sum is Lipschitz in the angle with constant `size`, half a step is 7.9e-4
    assert grid - 1e-13 * (1 + size) <= exact <= grid + 8e-4 * size + 1e-13


# -- the bracket --------------------------------------------------------------------------------------------
@examples(8, data())
def test_primal_is_exact_dual_is_below_bracket_is_narrow(points):
    best = min_norm_interpolant(*points)
    assert best.residual() == 0
    assert best.hits() == len(points[0])
    assert best.within(WIDTH)
    assert best.lower().certainly_le(best.upper()) is not False
    # any other network through the data has at least the certified norm
    assert best.lower().certainly_le(Interpolant1D(*points).neuron_norm()) is not False


@examples(25, data(least=2), st.lists(st.integers(-9, 9), min_size=6, max_size=6))
def test_weak_duality_for_any_multiplier(points, numbers):
    z, y = points
    net = Interpolant1D(z, y)
    directions = tuple((Fraction(1), b) for b in net.b)
    trial = MinNorm(z, y, directions, net.a, tuple(Fraction(v) for v in numbers[: len(z)]))
    assert trial.residual() == 0
    assert trial.lower().certainly_le(trial.upper()) is not False
    assert float(trial.upper()) == pytest.approx(float(net.neuron_norm()), rel=1e-14)


def contains(best, value):
    box = Enclosure(value) if not isinstance(value, Enclosure) else value
    return best.lower().certainly_le(box) is not False and box.certainly_le(best.upper()) is not False


@pytest.mark.parametrize(("z", "y"), [("3/4", 5), ("-2/3", -7), (0, 1), (9, "1/3")])
def test_one_datum(z, y):
    # |y| = |a| sigma(w z + b) <= |a| |(w, b)| |(z, 1)|, attained at (w, b) parallel to (z, 1)
    best = min_norm_interpolant([z], [y])
    (z,), (y,) = best.z, best.y
    assert best.within(Fraction(1, 10**17))
    assert contains(best, 2 * abs(y) / Enclosure(1 + z**2).sqrt())


@pytest.mark.parametrize("y", [(3, 4), (3, -4), (-1, 2), (0, 5), (-2, -6)])
@pytest.mark.parametrize("z", [(-1, 1), (Fraction(-1, 2), 2), (-3, Fraction(1, 3))])
def test_two_data_at_a_right_angle(z, y):
    # (z_1, 1) and (z_2, 1) orthogonal: the two signs decouple, each costs the length of y_i/|(z_i, 1)|
    parts = [Fraction(v) ** 2 / (1 + Fraction(x) ** 2) for x, v in zip(z, y, strict=True)]
    plus = sum((s for s, v in zip(parts, y, strict=True) if v > 0), Fraction(0))
    minus = sum((s for s, v in zip(parts, y, strict=True) if v < 0), Fraction(0))
    best = min_norm_interpolant(z, y)
    assert best.within(WIDTH)
    assert contains(best, 2 * (Enclosure(plus).sqrt() + Enclosure(minus).sqrt()))


def test_breakpoints_are_exact_in_recipes_and_zero_data_cost_nothing():
    # z_1 z_2 + 1 >= 0 and y_1 = 0: the best neuron is (1, -z_1), and nothing is rounded
    best = min_norm_interpolant([0, 1], [0, 5])
    assert best.upper().fraction() == 10
    assert best.directions == ((1, 0),)
    best = min_norm_interpolant([0, 1, 3], [0, 0, 0])
    assert best.weights == ()
    assert best.upper().fraction() == best.lower().fraction() == 0
    best = min_norm_interpolant([0, 1], [0, 5])
    steps = list(best.recipe().steps(0.0, Budget(bits=256)))
    assert {s.evidence for s in steps} == {Evidence.ENCLOSED}
    assert all(s.high == 10 and s.low <= 10 for s in steps)
    missed = MinNorm(best.z, best.y, best.directions, (Fraction(4),), best.dual)
    with pytest.raises(CertificateError, match="misses"):
        missed.recipe()


def test_brackets_narrow_with_the_search_and_knots_off_the_data_cost_more():
    widths = [float(min_norm_interpolant(Z, Y, width=0, rounds=r).relative_width()) for r in range(3)]
    # 1/cos(h/2) - 1 is about h^2/8, with h = 2 pi/128 divided by 16 per round; 1e-10 is the solver's
    for r, width in enumerate(widths):
        assert width <= 1.01 * (2 * np.pi / 128 / 16**r) ** 2 / 8 + 1e-10
    assert widths[0] > 100 * widths[1] > 10000 * widths[2]
    coarse = min_norm_interpolant(Z, Y, angles=4, rounds=0)
    assert coarse.squared_supremum > 1
    assert min_norm_interpolant(Z, Y).upper().certainly_lt(coarse.gain()) is True
    found = least_total_variation(Z, Y, knots=["-3/8", "5/8", "17/8"])
    assert found.residual() == 0
    assert found.lower() < total_slope_change(Z, Y) < found.upper()
    with pytest.raises(CertificateError, match="equal bounds"):
        found.value()


# -- least total variation ----------------------------------------------------------------------------------
@examples(25, data(least=3, most=8, height=2))
def test_total_variation_is_the_closed_form(points):
    found = least_total_variation(*points)
    assert found.value() == total_slope_change(*points)
    assert found.supremum() <= 1
    assert found.residual() == 0


@examples(25, data(least=3), st.lists(st.integers(-5, 5), min_size=6, max_size=6))
def test_weak_duality_of_total_variation(points, kinks):
    # any potential with values in [-1, 1] at the inner data, zero at the outer ones, is a multiplier
    z, y = points
    found = least_total_variation(z, y)
    values = [Fraction(0), *(Fraction(k, 5) for k in kinks[: len(z) - 2]), Fraction(0)]
    slopes = [Fraction(0), *((values[i + 1] - values[i]) / (z[i + 1] - z[i]) for i in range(len(z) - 1)), Fraction(0)]
    dual = tuple(slopes[i + 1] - slopes[i] for i in range(len(z)))
    trial = TotalVariation(z, y, found.knots, found.kinks, found.affine, dual)
    assert trial.supremum() <= 1
    assert trial.lower() <= found.value()


@pytest.mark.parametrize("solve", [min_norm_interpolant, least_total_variation])
@pytest.mark.parametrize(("z", "y"), [([1, 0, 2], [1, 2, 3]), ([0, 0, 1], [1, 2, 3]), ([], []), ([0, 1, 2], [1])])
def test_data_that_are_refused(solve, z, y):
    with pytest.raises(DomainError):
        solve(z, y)


def test_what_certifies_nothing_is_refused_and_solvers_load_late():
    with pytest.raises(DomainError, match="n >= 3"):
        least_total_variation([0, 1], [1, 2])
    with pytest.raises(CertificateError, match="infeasible"):
        least_l1(np.array([[1.0], [1.0]]), np.array([1.0, 2.0]))
    found = least_total_variation([0, 1, 2], [0, 1, 0])
    spoiled = TotalVariation(found.z, found.y, found.knots, found.kinks, found.affine, (1, 0, 0))
    with pytest.raises(CertificateError, match="affine"):
        spoiled.lower()
    columns = [[Fraction(x) for x in c] for c in ([1, 2], [2, 4], [0, 0], [0, 1])]
    assert complete_basis(columns, 2) == [0, 3]
    with pytest.raises(CertificateError, match="rank 1"):
        complete_basis(columns[:3], 2)
    code = "import sys; from theorytools.papers.qstr import min_norm_interpolant; print('cvxpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
