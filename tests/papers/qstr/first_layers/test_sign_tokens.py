"""First layers in the span of sign prompts: the exact risk by two routes, and both bounds against all data sets."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples

from theorytools.errors import BudgetError, DomainError
from theorytools.numbers import Enclosure
from theorytools.papers.qstr.first_layers.sign_tokens import (
    SignPrompts,
    sign_confusion,
    sign_mean_risk,
    sign_prompts_enough,
    sign_prompts_needed,
    sign_risk_floor,
    sign_row_entropy,
)
from theorytools.theory.first_layers.compressor_certificate import discrete_risk
from theorytools.theory.memory.fano import binary_entropy


def layers(p, n):
    return [np.array(signs).reshape(n, p) for signs in product((-1, 1), repeat=n * p)]


@examples(12, st.integers(0, 2**32), st.sampled_from([(2, 3, 1), (3, 2, 2), (4, 5, 1), (6, 3, 1), (2, 2, 3)]))
def test_the_risk_is_that_of_the_enumeration_prompt_by_prompt(seed, sizes):
    N, n, d = sizes
    W = np.random.default_rng(seed).integers(-2, 3, (n, N, d))
    assert SignPrompts.of(W).risk == discrete_risk(W, T=N, d=d, q=1) / d


@pytest.mark.parametrize("p", [1, 2, 3, 8])
def test_the_entropy_of_one_row_is_that_of_a_sum_of_signs(p):
    row = np.random.default_rng(p).choice([-1, 1], (1, p))
    assert abs(float(SignPrompts.of(row).entropy - sign_row_entropy(p))) < 1e-12


def test_no_layer_of_a_data_set_is_below_the_floor_and_some_come_near():
    """At p = n = 1 both are 0; a layer of full rank off the data, one row of weights 1, 2, 4, has risk 0."""
    for p, n in ((1, 1), (2, 1), (3, 1), (3, 2), (4, 2)):
        floor = sign_risk_floor(p, n)
        assert all(floor.certainly_le(SignPrompts.of(X).risk) for X in layers(p, n))
    assert SignPrompts.of([[1, 2, 4]]).risk == 0
    assert float(sign_risk_floor(3, 1)) > 0.2


@pytest.mark.parametrize(("p", "n"), [(2, 1), (2, 3), (3, 2), (3, 3), (4, 2)])
def test_mean_and_chance_over_all_data_sets_are_below_their_sums(p, n):
    found = [SignPrompts.of(X) for X in layers(p, n)]
    mean = sum(each.risk for each in found) / Fraction(len(found))
    merged = Fraction(sum(not each.injective for each in found), len(found))
    assert mean <= sign_mean_risk(p, n).fraction()
    assert merged <= sign_confusion(p, n).fraction()
    if p == 2:  # a class has two prompts at most, but for n = 0
        assert mean == sign_mean_risk(2, n).fraction()


@examples(40, st.fractions(0, 1))
def test_the_entropy_of_a_coin_is_at_most_a_power_of_its_variance(x):
    """The third step of the floor: h(x) <= (4x(1-x))^(1/log 4), and no larger power would do."""
    power = 1 / (2 * Enclosure(2).log())
    variance = Enclosure(4 * x * (1 - x))
    assert binary_entropy(x).certainly_le(variance**power) is not False


def test_the_floor_is_the_inverse_of_that_power():
    """Two signs in one row leave half a bit of two: a risk of (1/4)^log(4)."""
    assert float(sign_risk_floor(2, 1)) == pytest.approx(4 ** -math.log(4), rel=1e-14)


def test_a_larger_power_of_the_variance_would_be_wrong():
    x = Fraction(49, 100)
    assert binary_entropy(x).certainly_le(Enclosure(4 * x * (1 - x)) ** Fraction(3, 4)) is False


@pytest.mark.parametrize("risk", [0, Fraction(1, 10), Fraction(1, 2)])
def test_what_is_needed_is_the_first_that_the_floor_allows(risk):
    for N in (1, 2, 16, 64):
        n = sign_prompts_needed(N, risk=risk)
        assert n <= 1 or Enclosure(risk).certainly_lt(sign_risk_floor(N, n - 1))
        assert Enclosure(risk).certainly_lt(sign_risk_floor(N, n)) is not True
        assert n <= sign_prompts_enough(N, risk=risk)


def test_enough_is_the_first_that_the_sums_allow_and_grows_like_two_and_like_2_log2_3():
    for N in (8, 64):
        n = sign_prompts_enough(N)
        assert sign_confusion(N, n).certainly_le(Fraction(1, 100))
        assert sign_confusion(N, n - 1).certainly_le(Fraction(1, 100)) is False
    n = sign_prompts_enough(64, risk=Fraction(1, 10))
    assert sign_mean_risk(64, n).certainly_le(Fraction(1, 1000))
    assert sign_mean_risk(64, n - 1).certainly_le(Fraction(1, 1000)) is False
    # the union bound falls below 1 at 34, 102 and 325 prompts, for N = 64, 256 and 1024
    assert [sign_confusion(N, n).certainly_lt(1) for N, n in ((64, 34), (64, 33), (256, 102), (256, 101))] == [
        True, False, True, False]  # fmt: skip


def test_the_gaussian_bound_is_no_bound_for_signs():
    """Twelve prompts of sixteen signs leave less than 1 - 12/16 unknown, whatever follows the layer."""
    X = np.random.default_rng(0).choice([-1, 1], (12, 16))
    assert SignPrompts.of(X).risk < Fraction(1, 10) < 1 - Fraction(12, 16)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: SignPrompts.of([[0.5, 1]]), "integers"),
        (lambda: SignPrompts.of([1, 1]), "integers of shape"),
        (lambda: SignPrompts(np.ones((2, 0), dtype=int)), "integers of shape"),
        (lambda: SignPrompts.of([[2**40, 1]]), "a sum of moduli below"),
        (lambda: sign_prompts_needed(4, risk=1), "0 <= risk < 1"),
        (lambda: sign_prompts_enough(4, fail=0), "0 < fail < 1"),
    ],
)
def test_refusals(call, said):
    with pytest.raises((DomainError, BudgetError), match=said):
        call()


def test_sizes_beyond_what_is_visited_are_refused():
    with pytest.raises(BudgetError, match="prompts"):
        SignPrompts.of(np.ones((1, 21), dtype=int))
    with pytest.raises(BudgetError, match="signs"):
        sign_risk_floor(2**12, 1, d=2)
