"""Packings: exact measurement against brute force, sets proved maximal, and the two kinds of bounds."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
import sympy
from hypothesis import strategies as st
from properties import examples

from theorytools import DomainError, bch
from theorytools.claims.language.bound import enclose
from theorytools.codes.families import e8_roots, reed_muller
from theorytools.numbers import Enclosure, at_precision
from theorytools.papers.qstr.memory.ellipsoid_packing import covering_constant, log_volume_bound, packing_constant
from theorytools.papers.qstr.memory.packing import Packing
from theorytools.papers.qstr.memory.packing_sets import lattice_points, line_points, maximal_points, named_packing

positive = st.fractions(Fraction(1, 8), 4, max_denominator=12)
axes = st.lists(positive, min_size=1, max_size=6)


def certainly_le(low, high):
    return low.certainly_le(high) is True


# -- identities: two routes to one number ---------------------------------------------------------------------
@examples(25, st.data())
def test_points_are_measured_as_by_brute_force(data):
    D, n = data.draw(st.integers(1, 4)), data.draw(st.integers(2, 8))
    z = data.draw(st.lists(st.lists(st.integers(-9, 9), min_size=D, max_size=D), min_size=n, max_size=n))
    a2 = data.draw(st.lists(positive, min_size=D, max_size=D))
    scale = data.draw(st.integers(1, 50))
    packing = Packing.of_points(z, scale, axes2=a2)
    squares = [sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) for x, y in combinations(z, 2)]
    gauges = [sum(Fraction(c * c, scale) / a for c, a in zip(x, a2, strict=True)) for x in z]
    assert (packing.size, packing.D) == (n, D)
    assert (packing.separation2, packing.gauge2) == (Fraction(min(squares), scale), max(gauges))
    assert packing.scaled(Fraction(2, 3)).separation2 == Fraction(4 * min(squares), 9 * scale)


@pytest.mark.parametrize("code", [reed_muller(1, 3), bch(64, one_sided=True), bch(100)])
def test_a_code_is_its_table(code):
    z = code.rows(range(code.N))
    table = Packing.of_points(z, code.d_e)
    packing = Packing.of_code(code)
    assert (packing.size, packing.gauge2) == (table.size, table.gauge2) == (code.N, 1)
    assert packing.separation2 == table.separation2  # these designed distances are attained
    with_centre = Packing.of_points(np.vstack([z, 0 * z[:1]]), code.d_e)
    centred = Packing.of_code(code, centre=True)
    assert (centred.size, centred.separation2, centred.reach2) == (code.N + 1, with_centre.separation2, 1)


@examples(25, st.data())
def test_a_lattice_in_an_ellipsoid_is_complete(data):
    a2, eps = data.draw(st.lists(positive, min_size=1, max_size=3)), data.draw(positive)
    z, scale = lattice_points(a2, eps)
    step, inside = eps.numerator, []
    box = [range(-math.ceil(2 / eps), math.ceil(2 / eps) + 1)] * len(a2)  # semi-axes are at most 2
    for point in product(*box):
        if sum((eps * k) ** 2 / a for k, a in zip(point, a2, strict=True)) <= 1:
            inside.append([step * k for k in point])
    assert sorted(z.tolist()) == sorted(inside)
    assert scale == eps.denominator**2


def test_closed_constants_are_the_smallest_and_all_points_compared():
    third = sympy.cbrt(4)  # 2^(2/3)
    least_factor = 1 / (1 + third)
    known = {
        packing_constant(): 6 * sympy.log(1 + sympy.sqrt(2)),
        covering_constant(): sympy.Rational(4, 3) * sympy.log(1 + 2 * sympy.sqrt(3)),
        covering_constant(least_factor): (1 + third) * sympy.log(1 + third),
    }
    for value, formula in known.items():
        assert abs((value - formula).evalf(40)) < 1e-35  # 40 digits, a handful of operations on numbers below 10
    # the factor per axis there: (1 + 2^(2/3))^(3/2)
    factor = log_volume_bound([Fraction(1)], Fraction(1), least_factor, covering=True)
    assert abs(float(factor) - 1.5 * math.log(1 + 2 ** (2 / 3))) < 1e-14  # one ulp of 1.43 is 2.2e-16
    z = 2 * np.arange(700)[:, None]
    assert Packing.of_points(z, 1400**2).separation2 == Fraction(4, 1400**2)
    z[699] = z[3] + 1  # the close pair lies in different blocks
    assert Packing.of_points(z, 1400**2).separation2 == Fraction(1, 1400**2)
    grid = [Fraction(k, 200) for k in range(80, 196)]
    assert min(packing_constant(u).evalf() for u in grid) > packing_constant().evalf() - 0.001
    assert min(covering_constant(u).evalf() for u in grid) > covering_constant().evalf() - 0.001


@pytest.mark.parametrize(("u", "covering"), [(Fraction(2, 3), False), (Fraction(3, 4), True)])
def test_the_two_bounds_meet_at_the_shortest_kept_axis(u, covering):
    theta2 = u if covering else u / 4
    axis = theta2 * (1 + Fraction(1, 10**12))
    kappa = covering_constant(u) if covering else packing_constant(u)
    volume, bound = log_volume_bound([axis], Fraction(1), u, covering=covering), enclose(kappa, {}) * axis
    assert certainly_le(volume, bound)
    assert float(bound - volume) < 1e-11  # both move by at most 1e-12 times a factor below 2


@examples(25, eps=st.fractions(Fraction(1, 40), 2, max_denominator=40), spacing=st.fractions(1, 2, max_denominator=9))
def test_points_on_a_line_are_separated_and_cannot_be_joined_by_another(eps, spacing):
    z, scale = line_points(eps, spacing)
    if len(z) == 1:
        return  # no two points: nothing to measure
    line = Packing.of_points(z, scale)
    assert line.separation2 >= eps**2
    assert line.gauge2 <= 1
    assert line.reach2 <= eps**2
    assert 1 / eps <= line.size <= 1 + 2 / eps
    if spacing == 1:
        assert line.size == math.floor(2 / eps) + 1
    places = [Fraction(int(x), math.isqrt(scale)) for x in z[:, 0]]
    samples = [Fraction(k, 60) - 1 for k in range(121)]
    assert max(min((s - x) ** 2 for x in places) for s in samples) <= line.reach2


@pytest.mark.parametrize("k", [2, 3, 8])
def test_the_fewest_points_on_a_line_attain_the_lower_bound(k):
    z, scale = line_points(Fraction(1, k), 2)
    assert (len(z), Packing.of_points(z, scale).reach2) == (k, Fraction(1, k**2))


@pytest.mark.parametrize(("D", "eps"), [(1, "2/5"), (2, "2/5"), (2, "3/4"), (3, "3/4")])
def test_maximal_sets_leave_no_point_of_the_ball_uncovered(D, eps):
    eps = Fraction(eps)
    z, scale, reach2 = maximal_points(D, eps)
    packing = Packing.of_points(z, scale, reach2)
    assert packing.separation2 >= eps**2 > packing.reach2
    assert packing.gauge2 <= 1
    assert eps**-D <= packing.size <= (1 + 2 / eps) ** D
    x = np.random.default_rng(0).normal(size=(2000, D))
    x /= np.linalg.norm(x, axis=1, keepdims=True) * np.linspace(1, 8, 2000)[:, None]
    distances = ((x[:, None] - z / math.sqrt(scale)) ** 2).sum(axis=2).min(axis=1)
    assert distances.max() <= float(reach2) + 1e-14  # a sum of at most 3 squares below 4: a few ulp of 4


@examples(25, a2=axes, eps=positive, u=st.fractions(Fraction(1, 3), Fraction(24, 25), max_denominator=50))
def test_volume_of_the_kept_axes_is_below_the_frobenius_bound(a2, eps, u):
    for covering, constant in ((False, packing_constant), (True, covering_constant)):
        try:
            kappa = constant(u)
        except DomainError:
            continue
        volume = log_volume_bound(a2, eps, u, covering=covering)
        bound = enclose(kappa, {}) * sum(a2) / eps**2
        assert certainly_le(volume, bound)


@examples(25, a2=st.lists(positive, min_size=1, max_size=3), eps=positive, seed=st.integers(0, 99))
def test_greedy_packings_of_ellipsoids_obey_both_bounds(a2, eps, seed):
    rng, unit = np.random.default_rng(seed), 256
    sides = np.sqrt([float(a) for a in a2]) * unit
    found: list[np.ndarray] = []
    for z in np.rint(rng.uniform(-1, 1, size=(300, len(a2))) * sides).astype(np.int64):
        inside = sum(Fraction(int(c) ** 2, unit**2) / a for c, a in zip(z, a2, strict=True)) <= 1
        if inside and all(((z - x) ** 2).sum() >= eps**2 * unit**2 for x in found):
            found.append(z)
    if len(found) < 2:
        return
    packing = Packing.of_points(np.array(found), unit**2, axes2=a2)
    assert packing.separation2 >= eps**2
    volume = log_volume_bound(a2, eps)
    assert certainly_le(packing.log_size(), volume)
    assert certainly_le(volume, enclose(packing_constant(), {}) * packing.frobenius_norm() ** 2 / eps**2)


@pytest.mark.parametrize(("a", "eta"), [(1, "1/3"), (1, "2/3"), (2, "9/10"), (5, "21/4"), (1, 2)])
def test_coverings_of_a_segment_obey_the_covering_bound(a, eta):
    least = Enclosure(math.ceil(a / Fraction(eta))).log()  # the covering number of [-a, a], exactly
    volume = log_volume_bound([Fraction(a**2)], Fraction(eta), Fraction(3, 4), covering=True)
    assert certainly_le(least, volume)
    assert certainly_le(volume, enclose(covering_constant(), {}) * a**2 / Fraction(eta) ** 2)


@examples(25, a2=axes, eps=positive)
def test_sets_by_volume_have_the_size_of_the_volume_ratio(a2, eps):
    size = Packing.by_volume(a2, eps).size
    ratio2 = math.prod([a / eps**2 for a in a2 if a > eps**2])
    assert (size - 1) ** 2 < ratio2 <= size**2
    assert certainly_le(Enclosure(size).log(), log_volume_bound(a2, eps))


def test_packings_that_refute_the_operator_norm_and_the_harmonic_ellipsoid():
    e8 = Packing.of_points(e8_roots(), 8)
    assert (e8.size, e8.D, e8.separation2, e8.gauge2) == (240, 8, 1, 1)
    assert e8.size > 2 * e8.D + 1  # log P(1) <= log(2D + 1) fails
    words = Packing.of_code(reed_muller(2, 5))
    assert (words.size, words.D, words.separation2) == (2**16, 32, 1)
    assert words.size > (2 * words.D + 1) ** 2
    for packing in (e8, words, named_packing("bch", 4096, Fraction(1))):
        kappa = enclose(packing_constant(), {})
        assert certainly_le(packing.log_size(), kappa * packing.frobenius_norm() ** 2)
        assert packing.operator_norm().fraction() == 1
    packing = named_packing("harmonic", 3, Fraction(1, 4))
    assert at_precision(64, lambda: packing.frobenius_norm()).fraction() == Fraction(7, 6)  # 1 + 1/4 + 1/9 = 49/36
    assert packing.operator_norm().fraction() == 1
    assert (packing.separation2, packing.gauge2) == (Fraction(1, 16), 1)
