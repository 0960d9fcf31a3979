"""The rows that may leak most, singled out by bounds in doubles, against the distances of all rows counted."""

from fractions import Fraction

import numpy as np
import pytest
import sympy

from theorytools import BlockAttention, BudgetError, SignCode, hadamard
from theorytools.codes.families import rademacher
from theorytools.constructions.attention import leakage
from theorytools.constructions.attention.leakage import Profiles, worst_leakage

N = 2000
BETAS = [sympy.Rational(1, 10), 12, sympy.Rational(463, 10), 64 * sympy.log(2), 10**6]


def random_code(N, d_e, seed=0):
    return rademacher(N, d_e, np.random.default_rng(seed))


def by_rows(code, beta, patch):
    """The leakage as of a long code: by rows that bounds single out."""
    patch.setattr(leakage, "LARGE", leakage.SAMPLE)
    few = Profiles.leading(code, beta)
    patch.undo()
    return few


@pytest.mark.parametrize("d_e", [24, 57, 128, 200, 256, 300])
@pytest.mark.parametrize("beta", BETAS, ids=str)
def test_certificates_are_the_enclosures_that_counts_of_all_rows_give(d_e, beta, monkeypatch):
    code = random_code(N, d_e, d_e)
    few, every = by_rows(code, beta, monkeypatch), Profiles.of(code)
    assert len(few.counts) < len(every.counts) == len(np.unique(code.hamming_counts(), axis=0))
    assert worst_leakage(few, beta).same(worst_leakage(every, beta))
    old = BlockAttention(code, beta).certificate(3).value
    monkeypatch.setattr(leakage, "LARGE", leakage.SAMPLE)
    assert BlockAttention(code, beta).certificate(3).value == old


def exact_sums(code, halvings, unit):
    r"""``S_t`` at :math:`\beta=h\frac{d_e}2\log2`, in units of :math:`2^{-hu}`: the weights are powers of two."""
    weights = [Fraction(2) ** (halvings * (unit - k)) for k in range(code.d_e + 1)]
    return [sum(int(c) * w for c, w in zip(row, weights, strict=True)) for row in code.hamming_counts()]


@pytest.mark.parametrize(
    ("d_e", "halvings"), [(20, Fraction(1)), (64, Fraction(1)), (70, Fraction(3)), (300, Fraction(1))]
)
def test_bounds_hold_on_both_sides_of_every_sum(d_e, halvings):
    code = random_code(600, d_e, 1)
    beta = sympy.Rational(d_e * halvings, 2) * sympy.log(2)
    least = code.minimum_distance()
    exact = exact_sums(code, halvings, least)
    for bounds in (
        leakage._by_all_pairs(code, beta, least),
        *(leakage._by_near_pairs(code, beta, r) for r in (least, least + 4, d_e)),
    ):
        below, above = (list(map(Fraction, side.tolist())) for side in bounds)
        assert all(low <= S <= high for low, S, high in zip(below, exact, above, strict=True))
    # the last bounds leave no code far, and those by all pairs none at all: little is lost
    assert max((high - low) / S for low, S, high in zip(below, exact, above, strict=True)) < Fraction(3, 10**9)


def test_equal_rows_opposite_rows_and_rows_that_tie(monkeypatch):
    signs = np.array(random_code(700, 40).signs)
    signs[[5, 6, 690]], signs[[8, 9]] = signs[0], -signs[1]
    codes = [SignCode(signs), SignCode(np.concatenate([hadamard(1024).signs] * 2)), SignCode(hadamard(1024).signs)]
    for code in codes:
        for beta in (sympy.Rational(1, 3), 15, 40, 10**6):
            few = by_rows(code, beta, monkeypatch)
            assert worst_leakage(few, beta).same(worst_leakage(Profiles.of(code), beta))


def test_at_temperature_zero_each_row_leaks_alike_and_no_pair_is_compared(monkeypatch):
    monkeypatch.setattr(leakage, "WORDS", 0)
    code = random_code(leakage.LARGE, 64)
    assert worst_leakage(code, 0).fraction() == 1 - Fraction(1, code.N)
    with pytest.raises(BudgetError, match=f"{code.N * (code.N - 1) // 2} word comparisons"):
        worst_leakage(code, Fraction(1, 2))


def test_long_codes_are_within_the_budget_that_their_work_is_and_longer_ones_are_refused(monkeypatch):
    code = random_code(leakage.LARGE, 256)
    pairs = 4 * code.N * (code.N - 1) // 2
    monkeypatch.setattr(leakage, "WORDS", pairs)
    monkeypatch.setattr("theorytools.codes.signs._PAIR_WORDS", pairs)  # half of what all rows would take
    assert worst_leakage(code, 30).certainly_lt(Fraction(1, 100))
    with pytest.raises(BudgetError, match=f"given:    {2 * pairs} word comparisons"):
        Profiles.of(code)
    monkeypatch.setattr(leakage, "WORDS", pairs - 1)
    for refused in (lambda: worst_leakage(code, 30), lambda: leakage.sums_in_doubles(code, 30.0)):
        with pytest.raises(BudgetError, match=f"{pairs} word comparisons") as error:
            refused()
        assert error.value.why == "each pair of codes is compared once"


@pytest.mark.parametrize("beta", [8, 30, 200])
def test_positions_that_are_probed_are_those_of_the_table(beta, monkeypatch):
    code = random_code(900, 100)
    held = BlockAttention(code, beta).probes(5)
    monkeypatch.setattr("theorytools.constructions.attention.layer._TABLE", 0)
    assert BlockAttention(code, beta).probes(5) == held
