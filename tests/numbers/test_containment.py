"""Wide balls: what a function gives for a ball holds its value at every point of it, by mpmath at 60 digits."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from theorytools.numbers import Enclosure, at_precision, between, integrate, power, root
from theorytools.numbers.quadrature import absolute_sum_transform
from theorytools.numbers.special import binomial, chi_square_tail, factorial, gamma, loggamma

positive = st.fractions(Fraction(1, 50), 8, max_denominator=200)
shares = st.fractions(0, 1, max_denominator=16)
MARGIN = Fraction(1, 10**40)  # sixty digits of numbers below 10^19 or so


@pytest.fixture(autouse=True, scope="module")
def sixty_digits():
    with mpmath.workdps(60):
        yield


def exact(x):
    return mpmath.mpf(x.numerator) / x.denominator


def holds(box, value):
    """The box is bounded and holds the value, up to what sixty digits may miss."""
    assert box.lower.finite
    assert box.upper.finite
    sign, mantissa, power_of_two, _ = mpmath.mpf(value)._mpf_
    number = Fraction(int(mantissa)) * Fraction(2) ** power_of_two * (-1 if sign else 1)
    slack = MARGIN * (1 + abs(number))
    assert box.lower <= number + slack
    assert box.upper >= number - slack


FUNCTIONS = {
    "exp": (lambda x: x.exp(), mpmath.exp), "log": (lambda x: x.log(), mpmath.log),
    "sqrt": (lambda x: x.sqrt(), mpmath.sqrt), "cube root": (lambda x: root(x, 3), lambda x: mpmath.root(x, 3)),
    "7/5": (lambda x: power(x, Enclosure(Fraction(7, 5))), lambda x: x ** (mpmath.mpf(7) / 5)),
    "-2": (lambda x: power(x, Enclosure(-2)), lambda x: x**-2), "gamma": (gamma, mpmath.gamma),
    "log gamma": (loggamma, mpmath.loggamma), "factorial": (factorial, mpmath.factorial),
    "binomial 4": (lambda x: binomial(x, Enclosure(4)), lambda x: mpmath.binomial(x, 4)),
    "binomial 5/2": (lambda x: binomial(x + 9, Enclosure(Fraction(5, 2))), lambda x: mpmath.binomial(x + 9, 2.5)),
    "odd tail": (lambda x: chi_square_tail(5, x), lambda x: mpmath.gammainc(2.5, x / 2, regularized=True)),
    "even tail": (lambda x: chi_square_tail(6, x), lambda x: mpmath.gammainc(3, x / 2, regularized=True)),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=40, deadline=None)
@given(low=positive, width=st.fractions(0, 3, max_denominator=64), share=shares, bits=st.sampled_from([64, 256]))
def test_a_function_of_a_ball_holds_every_value(name, low, width, share, bits):
    ours, theirs = FUNCTIONS[name]
    box = at_precision(bits, lambda: ours(between(low, low + width)))
    holds(box, theirs(exact(low + share * width)))


@settings(max_examples=40, deadline=None)
@given(top=positive, share=shares, degree=st.integers(2, 5))
def test_a_root_of_what_may_be_zero_holds_zero_and_every_root(top, share, degree):
    base = between(-1, top).nonnegative_part()
    holds(root(base, degree), mpmath.root(exact(share * top), degree))
    holds(root(base, degree), mpmath.mpf(0))
    wide = power(base, between(Fraction(1, 3), Fraction(1, 2)))
    holds(wide, exact(share * top) ** (mpmath.mpf(2) / 5) if share else mpmath.mpf(0))


@settings(max_examples=40, deadline=None)
@given(low=positive, width=st.fractions(0, 2, max_denominator=32), a=st.fractions(-3, 3, max_denominator=8),
       spread=st.fractions(0, 1, max_denominator=8), s=shares, t=shares)  # fmt: skip
def test_a_power_of_a_ball_to_a_ball_holds_every_power(low, width, a, spread, s, t):
    box = power(between(low, low + width), between(a, a + spread))
    holds(box, exact(low + s * width) ** exact(a + t * spread))


@settings(max_examples=30, deadline=None)
@given(n=st.integers(0, 30), k=st.integers(0, 30), width=st.fractions(0, 1, max_denominator=8), share=shares)
def test_a_binomial_of_two_balls_holds_every_value(n, k, width, share):
    assume(k <= n)
    top, bottom = between(n + Fraction(1, 4), n + Fraction(1, 4) + width), between(k, k + width)
    holds(binomial(top, bottom), mpmath.binomial(exact(n + Fraction(1, 4) + share * width), exact(k + share * width)))


INTEGRALS = {
    "log": (lambda x: x.log(), 1, 3, lambda: mpmath.quad(mpmath.log, [1, 3])),
    "sqrt": (lambda x: (x + 1).sqrt(), 0, 2, lambda: mpmath.quad(lambda x: mpmath.sqrt(x + 1), [0, 2])),
    "tanh": (lambda x: x.tanh() * x, -1, 2, lambda: mpmath.quad(lambda x: mpmath.tanh(x) * x, [-1, 2])),
    "erf": (lambda x: (x * x).erf(), 0, 1, lambda: mpmath.quad(lambda x: mpmath.erf(x * x), [0, 1])),
    "quotient": (lambda x: 1 / (1 + x * x), 0, 1, lambda: mpmath.atan(1)),
    "waves": (lambda x: (2 - x) ** 3 * x.sin() - x.cos(), 0, 2,
              lambda: mpmath.quad(lambda x: (2 - x) ** 3 * mpmath.sin(x) - mpmath.cos(x), [0, 2])),
    "cosine of |x|": (absolute_sum_transform({1: 1}, {}), 0, 1,
                      lambda: mpmath.quad(lambda z: mpmath.exp(-z * z / 2), [0, 1])),
    "sine of |x| + |y|": (lambda z: z * absolute_sum_transform({}, {2: 1})(z), 0, 1,
                          lambda: mpmath.quad(lambda z: 2 * mpmath.exp(-z * z / 2) * half_normal_sine(z), [0, 1])),
}  # fmt: skip


def half_normal_sine(z):
    """E sin(z|x|) by the moments E |x|^(2k+1) = sqrt(2/pi) 2^k k!: the terms left out are below 10^-60 for z <= 1."""
    terms = ((-1) ** k * z ** (2 * k + 1) * mpmath.mpf(2**k * math.factorial(k)) / math.factorial(2 * k + 1)
             for k in range(40))  # fmt: skip
    return mpmath.sqrt(2 / mpmath.pi) * mpmath.fsum(terms)


@pytest.mark.parametrize("name", INTEGRALS)
def test_an_integral_holds_its_value(name):
    f, a, b, value = INTEGRALS[name]
    box = integrate(f, a, b)
    holds(box, value())
    assert box.upper <= float(box) + 1e-12
    assert box.lower >= float(box) - 1e-12


@pytest.mark.parametrize(
    ("f", "a", "b"),
    [
        (lambda x: x.log(), -1, 1),
        (lambda x: x.sqrt(), -2, 1),
        (lambda x: 1 / x, -1, 1),
        (lambda x: x.log(), -3, -1),
    ],
)
def test_an_integral_across_a_cut_or_a_pole_is_the_whole_line(f, a, b):
    box = integrate(f, a, b)
    assert not box.lower.finite
    assert not box.upper.finite


def test_an_integral_along_a_cut_holds_its_value_and_claims_few_digits():
    """The logarithm of what is negative on the whole segment: not analytic there, so only enclosed piece by piece."""
    box = integrate(lambda x: (-(1 + x * x)).log() - (x * 0 - 1).log(), 0, 1)
    holds(box, mpmath.log(2) - 2 + mpmath.pi / 2)
    assert box.upper > float(box) + 1e-3
