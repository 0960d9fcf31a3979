"""Temperatures that suffice, that are necessary, and the least one of a code: two routes and both sides."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from code_examples import codes
from hypothesis import strategies as st
from properties import examples
from refusals import refused

from theorytools import DomainError, SignCode, UndecidedError, bch, minimal_temperature, sufficient_temperature
from theorytools.codes.equiangular import orthonormal, simplex
from theorytools.codes.families import hadamard
from theorytools.codes.subcode import subcode
from theorytools.constructions.attention.leakage import worst_leakage
from theorytools.constructions.attention.temperature import necessary_temperature, rounded_up, temperature_for_error
from theorytools.numbers import Enclosure, at_precision, evaluate, maximum, total

STEP = Fraction(1, 10**6)
small_codes = st.lists(
    st.lists(st.sampled_from([-1, 1]), min_size=6, max_size=6), min_size=2, max_size=6, unique_by=str
)


def leakage_by_positions(code, beta):
    """The largest leakage with every pair on its own, no counting of products."""
    K, s = code.gram_numerators(), code.gram_denominator
    rows = [
        total((-Enclosure(beta) * (s - int(k)) / s).exp() for j, k in enumerate(row) if j != t)
        for t, row in enumerate(K)
    ]
    return maximum(S / (1 + S) for S in rows)


# values of the record ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("N", "d_e", "q", "d", "beta", "alpha"),
    [(64, 67, 3, 10, "21.30", "6.391"), (64, 20, 3, 10, "44.51", "13.35"), (100, 23, 1, 10, "52.92", "5.292"),
     (100, 74, 1, 10, "23.22", "2.322"), (256, 89, 3, 10, "26.26", "7.877"), (1024, 111, 2, 10, "28.90", "5.779")],
)  # fmt: skip
def test_recorded_temperatures(N, d_e, q, d, beta, alpha):
    found = float(sufficient_temperature(codes(N, d_e), "1e-4"))
    for value, text in ((found, beta), (found * q / d, alpha)):
        assert abs(value - float(text)) <= 0.5 * 10.0 ** -len(text.split(".")[1]) + 1e-12  # half of its last place


def test_simplex_leakage_of_the_record_and_hidden_integers():
    # N = 8, beta = 5: 0.02256845 on both sides of the lower bound
    assert float(worst_leakage(simplex(8), 5)) == pytest.approx(0.02256845, abs=5e-9)
    assert float(necessary_temperature(8, Fraction(2256845, 10**8))) == pytest.approx(5, abs=1e-6)  # slope of L: 1/40
    assert rounded_up(sympy.log(8) / sympy.log(2), 1) == 3
    with pytest.raises(UndecidedError):
        rounded_up(
            sympy.sqrt(2) * sympy.sqrt(3) - sympy.sqrt(6, evaluate=False) + sympy.sin(1) ** 2 + sympy.cos(1) ** 2, 1
        )


# the least temperature ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("code", [codes(12, 9), bch(16), hadamard(6), simplex(5)])
def test_both_sides_hold_when_every_pair_is_summed(code):
    best = minimal_temperature(code, Fraction(1, 100))
    at, before = (
        at_precision(128, lambda beta=beta: leakage_by_positions(code, beta)) for beta in (best.beta, best.below)
    )
    assert at.certainly_le(Fraction(1, 100)) is True
    assert before.certainly_le(Fraction(1, 100)) is False
    assert best.beta - best.below == STEP


@examples(20, small_codes, st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=60))
def test_it_lies_between_the_two_formulas(signs, delta):
    code = SignCode(signs)
    best = minimal_temperature(code, delta)
    low, high = necessary_temperature(code.N, delta), sufficient_temperature(code, delta)
    assert best.beta >= float(low) - 1e-12  # float of an exact formula: 2^-52 relative, beta below 100
    assert best.below <= float(high) + 1e-12


@pytest.mark.parametrize(("make", "formula"), [(simplex, necessary_temperature), (orthonormal, sufficient_temperature)])
def test_equiangular_codes_attain_the_formulas(make, formula):
    code, delta = make(9), Fraction(1, 10**9)
    exact = formula(9, delta) if formula is necessary_temperature else formula(code, delta)
    assert minimal_temperature(code, delta).beta == rounded_up(exact)


def test_targets_met_exactly_in_coarse_steps_or_below_the_doubles():
    # 7/(7 + 2^4) = 7/23 at beta = 4 log 2: the comparison is one of rationals
    best = minimal_temperature(orthonormal(8), Fraction(7, 23), step=sympy.log(2))
    assert (best.steps, best.beta) == (4, 4 * sympy.log(2))
    assert minimal_temperature(orthonormal(8), Fraction(6999, 23000), step=sympy.log(2)).steps == 5
    code = codes(64, 67)
    best = minimal_temperature(code, "1e-6", step=67 * sympy.log(2) / 2)
    assert worst_leakage(code, best.beta).exact
    assert worst_leakage(code, best.beta).certainly_le(Fraction(1, 10**6)) is True
    assert worst_leakage(code, best.below).certainly_le(Fraction(1, 10**6)) is False
    code = codes(20, 12)
    fine, coarse = (minimal_temperature(code, Fraction(1, 50), step=Fraction(1, k)).beta for k in (1000, 10))
    assert fine <= coarse < fine + Fraction(1, 10)
    delta = Fraction(1, 10**400)
    best = minimal_temperature(orthonormal(4), delta)
    assert best.beta == rounded_up(sufficient_temperature(orthonormal(4), delta))
    twins = subcode(hadamard(8), [0, 0, 1, 2])
    assert minimal_temperature(twins, Fraction(51, 100)).steps > 0
    for delta in (Fraction(1, 2), Fraction(1, 3)):
        with pytest.raises(DomainError, match="equal"):
            minimal_temperature(twins, delta)
    with pytest.raises(DomainError, match="rho = 1"):
        sufficient_temperature(twins, Fraction(1, 3))


@pytest.mark.parametrize("delta", [Fraction(7, 8), 1, 3])
def test_weak_targets_need_no_temperature(delta):
    assert minimal_temperature(hadamard(8), delta).beta == 0
    assert sufficient_temperature(hadamard(8), delta) == necessary_temperature(8, delta) == 0


# the output --------------------------------------------------------------------------------------------------
def test_the_error_of_the_output_is_a_leakage_target():
    direct = temperature_for_error((64, Fraction(1, 2)), "0.01", A=sympy.sqrt(2), B=sympy.sqrt(2), q=3, r_x=5)
    by_hand = sufficient_temperature((64, Fraction(1, 2)), sympy.Rational(1, 100) / (20 * sympy.sqrt(3)))
    assert sympy.simplify(direct - by_hand) == 0
    # alpha = (2 q/d) log(2 r_a r_w sqrt(q) r_x N/error) leaves out the -1 in both factors: log(64/63) and delta
    rough = 2 * np.log(4 * np.sqrt(3) * 5 * 64 / 0.01)
    assert float(direct) == pytest.approx(rough, abs=2 * np.log(64 / 63) + 2 * 0.01 / (20 * np.sqrt(3)) * 1.01)
    base = {"A": 1, "B": 1, "q": 1, "r_x": 1}
    first = temperature_for_error((64, 0), Fraction(1, 10), **base)
    for name, value in {"A": 2, "B": 3, "q": 4, "r_x": 5}.items():
        factor = value if name != "q" else 2
        more = temperature_for_error((64, 0), Fraction(1, 10), **{**base, name: value})
        assert sympy.simplify(more - temperature_for_error((64, 0), Fraction(1, 10 * factor), **base)) == 0
        assert float(more) > float(first)


# rounding up -------------------------------------------------------------------------------------------------
@examples(25, st.fractions(0, 50, max_denominator=999), st.integers(1, 1000))
def test_rounding_up_is_tight(x, k):
    step = Fraction(1, k)
    assert 0 <= rounded_up(x, step) - x < step
    number = sympy.exp(sympy.Rational(x.numerator, x.denominator) / 10)
    up = rounded_up(number, step)
    assert at_precision(256, lambda: evaluate(number).certainly_le(up)) is True
    assert at_precision(256, lambda: evaluate(number).certainly_le(up - step)) is not True or up == number


test_refusals = refused(
    DomainError, lambda: sufficient_temperature((8, 0), 0), lambda: sufficient_temperature((8, 0), float("nan")),
    lambda: sufficient_temperature((8, Fraction(-1, 3)), Fraction(1, 2)),
    lambda: sufficient_temperature((1, 0), Fraction(1, 2)), lambda: necessary_temperature(1, Fraction(1, 2)),
    lambda: necessary_temperature(8, -1), lambda: minimal_temperature(hadamard(8), 0),
    lambda: minimal_temperature(hadamard(8), Fraction(1, 2), step=0),
    lambda: minimal_temperature(hadamard(8), sympy.Symbol("delta")),
    lambda: temperature_for_error((8, 0), 0, A=1, B=1, q=1, r_x=1),
    lambda: temperature_for_error((8, 0), 1, A=-1, B=1, q=1, r_x=1),
    lambda: temperature_for_error((8, 0), 1, A=1, B=1, q=0, r_x=1), lambda: rounded_up(1, sympy.sqrt(2)),
)  # fmt: skip
