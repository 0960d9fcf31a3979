"""Laws of tokens: tails, moments and the chance of a large token, by two routes."""

import math
from fractions import Fraction as F

import numpy as np
import pytest
import sympy
from scipy.special import gammaincc, gammaln

from theorytools import Enclosure
from theorytools.numbers import at_precision, chi_square_tail
from theorytools.papers.qstr.capacity.token_norms import GaussianTokens, TwoPointTokens, token_failure, token_radius


@pytest.mark.parametrize("d", [1, 2, 3, 4, 7, 10, 31])
def test_chi_square_tails_agree_with_scipy(d):
    for x in (F(1, 10), 1, d, 5 * d, 200):
        ours = at_precision(128, lambda x=x: chi_square_tail(d, Enclosure(x)))
        assert float(ours) == pytest.approx(gammaincc(d / 2, float(x) / 2), rel=1e-12)  # scipy's own relative error


def test_two_point_and_gaussian_moments_tails_and_radii():
    law = TwoPointTokens.sharp(3, 2, 7)
    r = np.linspace(1, 40, 20001)
    values = float(law.v2) * (1 / 7) ** (2 / r) / (3 * r)
    # the grid step is 0.002: at a smooth peak its value is short by less than (0.002)^2
    assert float(law.moment_constant()) == pytest.approx(values.max(), rel=1e-5)
    assert r[values.argmax()] == pytest.approx(2 * math.log(7), abs=0.01)
    r = np.linspace(1, 60, 200)
    for d in (1, 2, 3, 10, 100):
        log_moment = gammaln((d + r) / 2) - gammaln(d / 2) + r / 2 * math.log(2)
        assert (np.exp(log_moment / r) <= np.sqrt(d * r)).all()
    exact = 1 - (1 - gammaincc(1.5, 6)) ** 50
    assert float(GaussianTokens(3).failure(50, 12)) == pytest.approx(exact, rel=1e-10)  # cancellation in doubles
    bound = token_failure(token_radius(n=100, N=25, d=3, C_x=2), n=100, N=25, d=3, C_x=2)
    assert bound.expr == sympy.Rational(1, 50)
