"""Squared error of a linear readout: distance counts against the forward pass, and the numbers of the record."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from code_examples import codes

from theorytools import BlockAttention, DomainError, SignCode, bch
from theorytools.codes.equiangular import EquiangularCode, simplex
from theorytools.codes.families import hadamard, reed_muller
from theorytools.constructions.attention.leakage import worst_leakage
from theorytools.numbers import at_precision, total
from theorytools.papers.qstr.attention.readout_risk import ReadoutRisk


def risk_of_rows(code, beta, c):
    """Mean squared length of c pi_t - e_t, the rows from forward passes on the tokens e_1, …, e_N."""
    net = BlockAttention(code, beta)
    rows = []
    for t in range(code.N):
        T = np.full((code.N, 1), t)
        row = [net.exact_token([[int(i == j)] for i in range(code.N)], T, 0, 0)[0] for j in range(code.N)]
        rows.append(total((c * x - int(t == j)) ** 2 for j, x in enumerate(row)))
    return total(rows) / code.N


@pytest.mark.parametrize(
    ("d_e", "leak", "plain", "rescaled", "formula"),
    [(111, 0.427, 0.185, 0.0075, 0.0070), (23, 0.537, 0.294, 0.0399, 0.0357)],
)
def test_numbers_of_the_record(d_e, leak, plain, rescaled, formula):
    code = codes(100, d_e)
    risk = ReadoutRisk(code, 5)
    own = 1 / (1 + np.exp(5 * (code.gram_numerators() / d_e - 1)).sum(axis=1) - 1)
    zeta = 99 * ((1 + np.exp(-20 / d_e)) / 2) ** d_e
    # the record has three decimals, and four of the small risks
    assert 1 - np.median(own) == pytest.approx(leak, abs=5.1e-4)
    assert float(risk.plain()) == pytest.approx(plain, abs=5.1e-4)
    assert float(risk.rescaled()) == pytest.approx(rescaled, abs=5.1e-5)
    assert zeta / (1 + zeta) == pytest.approx(formula, abs=5.1e-5)


@pytest.mark.parametrize("code", [codes(9, 8), bch(8), simplex(6)])
@pytest.mark.parametrize("c", [1, Fraction(7, 5)])
def test_counting_distances_is_the_forward_pass(code, c):
    beta = 8 * sympy.log(2)
    by_rows, by_counts = risk_of_rows(code, beta, c), ReadoutRisk(code, beta).at_scale(c)
    assert by_rows.exact == by_counts.exact
    if by_rows.exact:
        assert by_rows.fraction() == by_counts.fraction()
    assert abs(float(by_rows) - float(by_counts)) < 1e-12  # 64 bits, fewer than 100 terms below 2


def test_the_best_scale_is_best_also_for_linear_codes_and_at_higher_precision():
    risk = ReadoutRisk(codes(32, 16), 16 * sympy.log(2))
    c = risk.best_scale().fraction()
    assert risk.at_scale(c).fraction() == risk.rescaled().fraction()
    for other in (c * Fraction(99, 100), c * Fraction(101, 100), 1):
        assert risk.at_scale(other).fraction() > risk.rescaled().fraction()
    whole, listed = reed_muller(1, 3), SignCode(reed_muller(1, 3).rows(range(16)))
    beta = 3 * sympy.log(2)
    assert ReadoutRisk(whole, beta).rescaled().fraction() == ReadoutRisk(listed, beta).rescaled().fraction()
    risk = ReadoutRisk(hadamard(8), Fraction(7, 3))
    wide, narrow = (at_precision(bits, risk.rescaled) for bits in (64, 256))
    assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper
    assert not wide.exact
    with pytest.raises(DomainError, match="beta"):
        ReadoutRisk(hadamard(4), -1)


@pytest.mark.parametrize(("N", "rho"), [(2, Fraction(-1)), (5, Fraction(1, 2)), (17, Fraction(0))])
def test_equiangular_codes_have_the_closed_forms(N, rho):
    beta = 3 * sympy.log(2) / (1 - sympy.Rational(rho.numerator, rho.denominator))
    risk, zeta = ReadoutRisk(EquiangularCode(N, rho), beta), Fraction(N - 1, 64)
    leak = worst_leakage(EquiangularCode(N, rho), beta).fraction()
    assert risk.rescaled().fraction() == risk.position_risk().fraction() == zeta / (1 + zeta)
    assert risk.plain().fraction() == leak**2 * Fraction(N, N - 1)
    assert risk.spread().fraction() == 0
