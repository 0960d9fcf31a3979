"""Random signs on average: enumeration against every code one by one, the law of a pair, draws."""

import itertools
from fractions import Fraction
from math import comb, log, sqrt

import numpy as np
import pytest
import sympy

from theorytools import Budget, BudgetError, DomainError, SignCode
from theorytools.constructions.attention.leakage import Profiles, excess_weights, worst_leakage
from theorytools.papers.qstr.attention.average_leakage import RandomSigns


def last(recipe):
    return list(recipe.steps(0.0, Budget(bits=128)))[-1]


@pytest.mark.parametrize(("N", "d_e", "s"), [(2, 3, 1), (3, 2, 2), (3, 3, 1)])
def test_enumeration_is_the_mean_over_all_codes(N, d_e, s):
    beta, found = s * d_e * sympy.log(2) / 2, []
    for signs in itertools.product((-1, 1), repeat=N * d_e):
        code = SignCode(np.reshape(signs, (N, d_e)))
        values, counts = code.gram_counts()
        first = Profiles(tuple(d_e - int(v) for v in values), counts[:1], d_e)
        excess = excess_weights(first, beta)[0].fraction()
        found.append((excess, excess / (1 + excess), worst_leakage(code, beta).fraction()))
    means = [sum(column) / len(found) for column in zip(*found, strict=True)]
    assert list(RandomSigns(N, d_e, Fraction(1, 2**s)).enumerated().values()) == means


@pytest.mark.parametrize(("N", "d_e", "z"), [(2, 5, Fraction(1, 3)), (3, 4, Fraction(9, 10)), (5, 3, Fraction(1, 7))])
def test_mean_excess_is_the_binomial_one(N, d_e, z):
    found = RandomSigns(N, d_e, z).enumerated()
    m = ((1 + z) / 2) ** d_e
    assert found["excess"] == (N - 1) * m
    assert found["each"] <= found["worst"] <= comb(N, 2) * m


def test_pairs_repeats_and_long_codes():
    signs = RandomSigns(2, 7, Fraction(2, 5))
    exact, law = signs.enumerated(), {name: last(recipe) for name, recipe in signs.pair().items()}
    assert law["excess"].low == law["excess"].high == exact["excess"]
    for name in ("each", "worst"):
        assert law[name].low <= exact[name] <= law[name].high
    words = list(itertools.product(range(4), repeat=3))
    assert RandomSigns(3, 2, 1).repeat_chance() == Fraction(sum(len(set(w)) < 3 for w in words), len(words))
    assert RandomSigns(5, 2, 1).repeat_chance() == 1
    drawn = RandomSigns(4, 130, Fraction(99, 100)).draw(np.random.default_rng(0), 256)
    mean = 3 * (199 / 200) ** 130  # of S_t; L = S/(1 + S) is concave
    assert drawn["each"].mean() < mean / (1 + mean)
    with pytest.raises(BudgetError):
        RandomSigns(10, 10, Fraction(1, 2)).enumerated()


@pytest.mark.parametrize("idle", [0, 2])
def test_draws_follow_the_enumerated_law(idle):
    signs = RandomSigns(3, 4, Fraction(1, 4), idle=idle)
    drawn, exact = signs.draw(np.random.default_rng(0), 2**14), signs.enumerated()
    radius = sqrt(log(2 / 1e-9) / 2**15)  # Hoeffding, draws in [0, 1]
    for name in ("each", "worst"):
        assert drawn[name].shape == (2**14,)
        assert drawn[name].min() >= 0
        assert drawn[name].max() <= 1
        assert abs(drawn[name].mean() - float(exact[name])) < radius


@pytest.mark.parametrize("arguments", [(1, 3, 1), (3, 0, 1), (3, 3, 0), (3, 3, 2), (3, 3, float("nan"))])
def test_refusals(arguments):
    with pytest.raises(DomainError):
        RandomSigns(*arguments)
