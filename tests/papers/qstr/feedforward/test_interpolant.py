"""The interpolant of Lemma 38: exact, in doubles and as a module one function; norms; what it refuses."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from properties import examples

from theorytools.errors import DomainError
from theorytools.numbers import shortest_fraction
from theorytools.papers.qstr.feedforward.interpolant import (
    Interpolant1D,
    alternating_data,
    knots_before,
    slopes_through,
    squared_norm,
)

abscissae = st.lists(st.integers(-200, 200), min_size=1, max_size=9, unique=True).map(sorted)
Z, Y = [-1, Fraction(1, 8), "1/2", 3], [2, -1, 3, 3]


@st.composite
def nets(draw):
    z = draw(abscissae)
    y = draw(st.lists(st.integers(-60, 60), min_size=len(z), max_size=len(z)))
    return Interpolant1D([Fraction(x, 64) for x in z], [Fraction(v, 32) for v in y])


def squared_size(head):
    return head.a @ head.a + (head.W**2).sum() + head.b @ head.b


@examples(40, nets())
def test_it_passes_through_the_data_with_the_norms_of_its_weights_below_the_bounds(net):
    z, y = net.data
    assert net.residual() == 0
    assert net.hits() == net.n
    for (left, right), (low, high) in zip(pairwise(z), pairwise(y), strict=True):
        assert net.evaluate((left + right) / 2) == (low + high) / 2
    assert net.evaluate(z[0] - 1) == net.evaluate(z[0] - 7) == 0
    # relative error of sums of squares of at most 27 numbers: below 100 * 2^-53 < 1e-13
    for balance, norm in (
        ("none", float(net.plain_norm())),
        ("global", float(net.global_norm())),
        ("neuron", float(net.neuron_norm())),
    ):
        if balance == "none" or any(net.a):
            assert squared_size(net.head(balance)) == pytest.approx(norm, rel=1e-13)
        else:
            assert norm == 0 == squared_size(net.head(balance))
    z_2, y_2 = (squared_norm(v) for v in net.data)
    assert net.squared_b() <= 2 + 3 * z_2
    assert net.squared_a() <= 16 * y_2 / net.separation**2
    # Cauchy-Schwarz, then AM-GM; they are equalities for one neuron with |a'| = |(1, b')|
    assert net.neuron_norm().certainly_le(net.global_norm()) is not False
    assert net.global_norm().certainly_le(net.plain_norm()) is not False


@pytest.mark.parametrize("balance", ["none", "global", "neuron"])
def test_module_doubles_and_rationals_are_one_function(balance):
    net = Interpolant1D(Z, Y)
    x = np.linspace(-3, 5, 41)
    exact = np.array([float(net.evaluate(Fraction(float(v)))) for v in x])
    # 4 terms of size at most 30, some 5 roundings each: 4 * 30 * 5 * 2^-53 < 1e-13
    assert np.abs(net(x) - exact).max() < 1e-13
    assert np.abs(net.head(balance)(x[:, None]) - exact).max() < 1e-13
    with torch.no_grad():
        module = net.module(balance=balance)(torch.from_numpy(x)[:, None])[:, 0]
    assert module.dtype == torch.float64
    assert np.abs(module.numpy() - exact).max() < 1e-13


def test_alternating_data_come_close_to_sixteen_and_spoiled_networks_miss_data():
    ratios = []
    for n in (8, 16, 32, 64):
        net = Interpolant1D(*alternating_data(n, "1/1024"))
        ratios.append(net.squared_a() * net.separation**2 / squared_norm(net.data[1]))
    assert all(a < b < 16 for a, b in pairwise(ratios))
    # an alternating sine has the factor (2 + 2 cos(pi/(n+1)))^2 >= 16 (1 - 5/n^2), less the border
    assert ratios[-1] > 16 * (1 - Fraction(7, 64**2))
    net = Interpolant1D(Z, Y)
    z, y = net.data
    assert Interpolant1D(Z, Y, knots=[z[0], *z[:-1]]).evaluate(z[0]) == 0 != y[0]
    slopes = slopes_through(z, y)
    assert Interpolant1D(Z, Y, slopes=[*slopes[1:], slopes[-1]]).residual() > 0
    swapped = [z[1], z[0], *z[2:]], [y[1], y[0], *y[2:]]
    assert Interpolant1D(Z, Y, knots=knots_before(swapped[0]), slopes=slopes_through(*swapped)).hits() < 4


@examples(40, nets(), st.integers(1, 50))
def test_scaling_the_values_scales_the_norms(net, c):
    z, y = net.data
    scaled = Interpolant1D(z, [c * v for v in y])
    assert scaled.squared_a() == c**2 * net.squared_a()
    assert scaled.squared_b() == net.squared_b()


@pytest.mark.parametrize(
    ("z", "y", "word"),
    [([], [], "n >= 1"), ([0, 1], [1], "n >= 1 of each"), ([1, 0], [1, 2], "sort the pairs"),
     ([0, 0], [1, 2], "no function passes through both"), ([0, 0], [1, 1], "0/0"),
     ([0, float("nan")], [1, 1], "finite"), ([0, 1], [1, float("inf")], "finite")],
)  # fmt: skip
def test_data_that_are_refused(z, y, word):
    with pytest.raises(DomainError, match=word):
        Interpolant1D(z, y)


@pytest.mark.parametrize("eps", [0, -1, "1/2", 2, float("nan")])
def test_separations_that_are_refused(eps):
    with pytest.raises(DomainError):
        Interpolant1D([0, "1/4", 9], [1, 2, 3], eps=eps)
    with pytest.raises(DomainError, match=r"1|finite"):
        Interpolant1D([0, 9], [1, 2], eps=eps if eps != "1/2" else "9/8")


def test_separations_bounds_that_are_attained_and_refusals():
    assert Interpolant1D([0, "1/4", 9], [1, 2, 3]).separation == Fraction(1, 4)
    assert Interpolant1D([0, 9], [1, 2]).separation == 1 == Interpolant1D([3], [1]).separation
    assert Interpolant1D([0, 9], [1, 2], eps=0.1).separation == shortest_fraction("1/10")
    assert Interpolant1D([-1, 0], [3, -2]).squared_b() == 5 == 2 + 3 * 1
    one = Interpolant1D(["1/4"], [5])
    assert one.neuron_norm().fraction() == one.global_norm().fraction() == Fraction(25, 2)
    with pytest.raises(DomainError, match="n = 2"):
        Interpolant1D([0, 1], [1, 2], knots=[0])
    with pytest.raises(DomainError, match="global"):
        Interpolant1D([0, 1], [1, 2]).head("twice")
