"""Exact polynomials and power series: flint's answers are sympy's, and those of sums written out."""

import pickle
from fractions import Fraction as F
from math import comb

import pytest
import sympy
from flint import ctx
from hypothesis import strategies as st
from properties import examples
from refusals import refuses

from theorytools.errors import CertificateError, DomainError
from theorytools.numbers.polynomials import Polynomial
from theorytools.numbers.power_series import PowerSeries

Z = sympy.symbols("z0:12")
coefficients = st.fractions(-9, 9, max_denominator=9)
# variables 9 to 11 lie in a larger ring than 0 to 3
monomials = st.dictionaries(st.sampled_from([0, 1, 3, 9, 11]), st.integers(1, 3), max_size=3)
polynomials = st.dictionaries(monomials.map(lambda m: tuple(sorted(m.items()))), coefficients, max_size=5)
drawn = st.lists(coefficients | st.just(F(0)), min_size=14, max_size=14)


def in_sympy(terms):
    return sympy.Add(*[sympy.Rational(c) * sympy.prod(Z[k] ** r for k, r in m) for m, c in terms.items()])


def terms_of(expression):
    polynomial = sympy.Poly(expression, *Z)
    return {tuple((k, r) for k, r in enumerate(m) if r): F(int(c.p), int(c.q)) for m, c in polynomial.terms() if c}


@examples(60, polynomials, polynomials, coefficients)
def test_the_algebra_is_sympys(first, second, c):
    P, Q, p, q = Polynomial(first), Polynomial(second), in_sympy(first), in_sympy(second)
    s = sympy.Rational(c)
    for made, wanted in (
        (P + Q, p + q),
        (P - Q, p - q),
        (P * Q, p * q),
        (c * P - c, s * p - s),
        (Q * P * Q, q * p * q),
    ):
        assert made.terms == terms_of(wanted)
    assert pickle.loads(pickle.dumps(P * Q)) == Q * P


@examples(60, polynomials)
def test_the_mean_is_that_of_a_law_on_two_points(terms):
    # each variable is 2 or -1/2, with chances 1/5 and 4/5: averaged variable by variable
    expression = in_sympy(terms)
    for z in Z:
        expression = (expression.subs(z, 2) + 4 * expression.subs(z, sympy.Rational(-1, 2))) / 5
    assert Polynomial(terms).mean(lambda r: (F(2) ** r + 4 * F(-1, 2) ** r) / 5) == F(str(expression))


@examples(60, drawn, drawn, st.integers(0, 4))
def test_series_are_sums_written_out(a, b, n):
    a[0], order, cap = a[0] or F(1), len(a) - 1, ctx.cap
    A, B = PowerSeries(tuple(a)), PowerSeries(tuple(b))
    product = tuple(sum(a[i] * b[j - i] for i in range(j + 1)) for j in range(order + 1))
    assert (A * B).coefficients == (B * A).coefficients == product
    assert (A * B / A).coefficients == (B * (1 / A) * A).coefficients == tuple(b)
    assert (A - B).coefficients == (-(B - A)).coefficients == tuple(x - y for x, y in zip(a, b, strict=True))
    repeated = PowerSeries.constant(1, order)
    for _ in range(n):
        repeated = repeated * B
    assert B**n == pickle.loads(pickle.dumps(repeated))
    assert ctx.cap == cap


def test_series_and_what_is_no_monomial():
    z = PowerSeries.power(1, 6)
    assert ((1 + z) ** 3).coefficients == tuple(comb(3, j) for j in range(7))
    assert (1 / (1 - z - z * z)).coefficients == (1, 1, 2, 3, 5, 8, 13)
    assert (2 - (z - 1) * -1).leading() == (0, 1)
    assert (-(z**4) / 3).leading() == (4, F(-1, 3))
    with pytest.raises(CertificateError):
        (z**7).leading()
    refuses(DomainError, lambda: 1 / z, lambda: z + PowerSeries.power(1, 5), lambda: z + 0.5)
    for m in (((0, 0),), ((0, -1),), ((1, 1), (0, 1)), ((0, 1), (0, 1)), ((-1, 2),)):
        with pytest.raises(DomainError, match="monomial"):
            Polynomial({m: F(1)})
