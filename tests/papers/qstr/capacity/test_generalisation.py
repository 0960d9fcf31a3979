"""The generalisation bound: two routes to one number, and how many prompts it asks for."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from hypothesis import strategies as st
from properties import examples, half

from theorytools.errors import DomainError, UndecidedError
from theorytools.numbers import Enclosure, evaluate
from theorytools.papers.qstr.capacity.deviation import deviation, dudley, massart, one_step
from theorytools.papers.qstr.capacity.generalisation import VARIANTS, GeneralisationBound
from theorytools.papers.qstr.capacity.sample_size import crossing, required_n_slope


# -- identities: two routes to one number ---------------------------------------------------------------------
def in_doubles(variant, N, n, d, q, A, B, m, rho, s, C_x, C_y, eta):
    """The whole bound in floating point, written once more from its definition."""
    e, d_e = math.e, math.ceil(2 / rho**2 * (2 * math.log(N) + math.log(100)))
    D_e = d + (q + 1) * d_e
    r_x2 = 3 * C_x * e * d * math.log(n * N)
    r_z = math.sqrt(r_x2 + d * (1 + 1 / q))
    beta = (math.log(N) + math.log(max(2 * A * B * math.sqrt(q * r_x2) / eta - 1, 1))) / (1 - rho)
    R_F = beta * q / d * math.sqrt(q * d_e)
    tokens = 4 * math.sqrt(e) * C_x * d * max(1, math.log(N)) + d * (1 + 1 / q)
    E_2 = 2 * (A**2 * B**2 * (1 + q * tokens) + C_y * 4**s)
    far = d * (1 + 1 / q) + 2 * C_x * e * d * math.log(N * n * E_2**2)
    tau = max(4 * A**2 * B**2 * (1 + q * far), 4 * C_y * (2 * e / s * math.log(n * E_2**2)) ** s)
    hidden = math.sqrt(2 / n)
    if variant == "clipped":
        tau, hidden = 100, 40 * math.exp(-12.5) / math.sqrt(2 * math.pi) + 4 * math.erfc(5 / math.sqrt(2))
    eps = 1 / (2 * math.sqrt(tau * n))
    size = m * (q * D_e + 2) * math.log(1 + 8 * A * B * math.sqrt(1 + q * r_z**2) / eps)
    size += q * D_e**2 * math.log(1 + 4 * A * B * R_F * r_z**3 / eps)
    complexity = n**-half + tau * math.sqrt(size / (2 * n))
    if variant == "dudley":
        complexity = 4 / math.sqrt(n) + 12 * tau * math.sqrt(size / n)
    return eta**2 + 2 * complexity + 3 * tau * math.sqrt(math.log(200) / (2 * n)) + hidden


letters = st.fixed_dictionaries({
    "N": st.integers(3, 10**6), "n": st.integers(10, 10**9), "d": st.integers(1, 50), "q": st.integers(1, 12),
    "A": st.integers(1, 9), "B": st.fractions(half, 4, max_denominator=8), "m": st.integers(1, 100),
    "rho": st.fractions(Fraction(1, 8), Fraction(3, 4), max_denominator=16), "s": st.integers(1, 3),
    "C_x": st.fractions(half, 2, max_denominator=4), "C_y": st.fractions(half, 9, max_denominator=4),
    "eta": st.fractions(Fraction(1, 100), 1, max_denominator=100),
})  # fmt: skip


@examples(20, letters, st.sampled_from(VARIANTS))
def test_the_bound_is_its_float_twin(given_letters, variant):
    bound = GeneralisationBound(**given_letters)
    twin = in_doubles(variant, **{k: float(v) for k, v in given_letters.items()})
    # some two hundred roundings of relative size 1.1e-16, powers up to 6 of the results, none of them cancelling
    assert float(bound.value(variant)) == pytest.approx(twin, rel=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
def test_one_expression_and_the_chain_of_factors_agree(variant):
    n, q = sympy.Symbol("n", positive=True), sympy.Symbol("q", positive=True)
    numbers = GeneralisationBound(N=100, n=10**6, d=10, q=3)
    letters_left = replace(numbers, n=n, q=q).bound(variant)
    assert letters_left.letters == ("n", "q")
    value = numbers.value(variant)
    for expr in (letters_left.enclosure(128, n=10**6, q=3), numbers.bound(variant).enclosure(128)):
        assert abs(expr - value).certainly_le(Enclosure(Fraction(1, 10**20))) is True


def test_factors_are_named_once_and_the_complexity_has_its_forms():
    names = [factor.name for factor in GeneralisationBound(N=9, n=9, d=2, q=1).steps()]
    assert len(set(names)) == len(names)
    assert (names[0], names[-1]) == ("d_e", "bound")
    assert [f.name for f in GeneralisationBound(N=9, n=9, d=2, q=1, d_e=4).steps()] == names[1:]
    values = GeneralisationBound(N=9, n=9, d=2, q=1).values()
    total = sum((values[k] for k in ("fit", "complexity", "deviation", "hidden")), Enclosure(0))
    assert abs(total - values["bound"]).certainly_le(values["bound"] * Fraction(1, 2**45)) is True
    assert values["D_2"].same(values["q"] * values["D_e"] ** 2)
    size, tau, n = sympy.symbols("size tau n", positive=True)
    step, chain = (form(lambda eps: size, tau=tau, n=n).expr for form in (one_step, dudley))
    assert sympy.simplify(step - 1 / sympy.sqrt(n) - massart(size, radius=tau / 2, n=n).expr) == 0
    assert sympy.simplify(chain - 4 / sympy.sqrt(n) - 24 * massart(size, radius=tau / sympy.sqrt(8), n=n).expr) == 0
    assert sympy.simplify(deviation(tau=tau, delta=2 * sympy.exp(-2 * n), n=n).expr - 3 * tau) == 0
    assert one_step(lambda eps: eps, tau=4, n=8, u=2).expr == 2 + 4 * sympy.sqrt(sympy.Rational(1, 32))


# -- how many prompts ------------------------------------------------------------------------------------------
@examples(20, letters, st.sampled_from(VARIANTS), st.sampled_from([Fraction(101, 100), Fraction(3, 2)]))
def test_the_crossing_is_certified_on_both_sides(given_letters, variant, factor):
    bound = GeneralisationBound(**given_letters)
    target = bound.floor(variant) + 1
    low, high = crossing(bound, target, variant, factor=factor)
    assert high / factor - 1 <= low < high
    assert replace(bound, n=high).value(variant).certainly_lt(evaluate(target)) is True
    assert evaluate(target).certainly_le(replace(bound, n=low).value(variant)) is True


def test_slopes_enclose_the_exponent_they_tend_to():
    bound = GeneralisationBound(N=100, n=1, d=10, q=1)
    low, high = required_n_slope(bound, "A", (10**40, 10**41), factor=Fraction(1001, 1000))
    # a power 4 times logarithms whose relative slope is at most 6/log(10^40)
    assert all(a.certainly_le(b) is True for a, b in ((Enclosure(4), low), (low, high), (high, 4 + Fraction(6, 92))))
    assert [bound.exponent(name) for name in ("A", "B", "d", "q", "m", "N", "log_N", "N d_e", "target")] == [
        4, 4, 4, 5, 1, 0, 4, 2, -2,
    ]  # fmt: skip
    assert [bound.exponent(name, "clipped") for name in ("A", "d", "q")] == [0, 2, 3]


def test_targets_and_letters_out_of_reach_are_refused():
    bound = GeneralisationBound(N=100, n=1, d=10, q=1)
    for target in (Fraction(1, 100), 10**9):  # the risk of the construction; met before log n = 5
        with pytest.raises(DomainError):
            bound.required_n(target)
    with pytest.raises(DomainError):
        bound.required_n(1, factor=1)
    for beyond in ({"N": 2}, {"A": Fraction(1, 10**4)}):  # there the bound is not proved to decrease
        with pytest.raises(DomainError):
            replace(bound, **beyond).required_n(1)
    with pytest.raises(UndecidedError):
        bound.required_n(1, factor=1 + Fraction(1, 10**30))
    for wrong in ({"n": 0}, {"delta": 1}, {"rho": 1}, {"eta": 0}, {"eps2": -1}, {"q": 0.5}, {"s": 0}):
        with pytest.raises(DomainError):
            replace(bound, **wrong)
    for wrong in ({"variant": "best"}, {"given": {"r": Enclosure(1)}}):
        with pytest.raises(DomainError):
            bound.values(**wrong)
