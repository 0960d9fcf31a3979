"""Draws that are the same on every machine: their laws, their stream, and what is refused."""

import math

import numpy as np
import pytest

from theorytools import DomainError
from theorytools.claims.language.grid import Point
from theorytools.numbers.draws import Draws

EDGE = 3.6541528853610088


def seeded(entropy=7):
    return np.random.SeedSequence(entropy)


def test_gaussians_are_numpys_but_for_the_tail_which_has_its_law():
    ours, theirs = Draws(seeded()).standard_normal(200_000), np.random.default_rng(seeded()).standard_normal(200_000)
    tail = np.abs(theirs) > EDGE
    assert 20 <= tail.sum() <= 110  # expected 52
    assert (ours[~tail] == theirs[~tail]).all()
    assert (np.sign(ours[tail]) == np.sign(theirs[tail])).all()
    assert (np.abs(ours[tail]) > EDGE).all()
    assert (ours[tail] != theirs[tail]).all()
    # The mean of x beyond r is the density over the tail, by parts.
    x = EDGE + Draws(seeded())._tail(40_000) - EDGE
    density, tail = math.exp(-(EDGE**2) / 2) / math.sqrt(2 * math.pi), math.erfc(EDGE / math.sqrt(2)) / 2
    mean = density / tail
    deviation = math.sqrt(1 + EDGE * mean - mean**2)
    assert abs(x.mean() - mean) <= 6 * deviation / math.sqrt(len(x))
    assert x.min() >= EDGE


@pytest.mark.parametrize("df", [2, 3, 8.5, 700])
def test_chi_squares_have_their_law(df):
    x = Draws(seeded()).chisquare(df, 40_000)
    assert abs(x.mean() - df) <= 6 * math.sqrt(2 * df / len(x))
    spread = math.sqrt((12 * df * (df + 4) - 4 * df * df) / len(x))  # of the square about the mean
    assert abs(((x - df) ** 2).mean() - 2 * df) <= 6 * spread


def test_shapes_types_and_degrees():
    rng = Draws(seeded())
    assert isinstance(rng.standard_normal(), float)
    assert isinstance(rng.chisquare(4), float)
    assert rng.chisquare(4, (2, 1)).shape == (2, 1)
    assert rng.normal([0.0, 1.0], 2.0).shape == (2,)
    assert rng.normal(1.0, 0.0, 3).tolist() == [1, 1, 1]
    assert {type(child) for child in rng.spawn(2)} == {Draws}
    with pytest.raises(DomainError):
        Draws(seeded()).standard_normal(3, dtype=np.float32)
    for df in (1, math.inf, [2, 3]):
        with pytest.raises(DomainError):
            Draws(seeded()).chisquare(df)
    point = Point("paper.claim", {"N": 3}, {})
    assert isinstance(point.rng("role"), Draws)
    assert point.rng("role").random() == point.rng("role").random() != point.rng("other").random()


@pytest.mark.parametrize("law", ["exponential", "gamma", "poisson", "binomial", "standard_t", "lognormal"])
def test_laws_that_take_functions_of_the_c_library_are_refused(law):
    with pytest.raises(DomainError, match="C library"):
        getattr(Draws(seeded()), law)(1.0)
