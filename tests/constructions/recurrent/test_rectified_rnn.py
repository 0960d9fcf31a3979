"""Rectified, approximate transitions: the exact network in the limit, two routes to the rectifier, refusals."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples

from theorytools import DomainError, PositionTracker, ReluHead, SimpleRetrievalRNN
from theorytools.codes.by_family import code_of_family
from theorytools.papers.qstr import RectifiedRNN

N, Q, D, M = 6, 2, 2, 9
TRACKER = PositionTracker(code_of_family("binary", N, 3).signs, 15, Q, D)  # gap 2/3: 15 * 2/3 >= 9


def prompts(seed):
    rng = np.random.default_rng(seed)
    X, t = rng.integers(-M, M + 1, (4, N, D)), rng.integers(0, N, (4, 1, Q))
    return X, np.repeat(t, N, axis=1), rng


def net(size, threshold, radius=60):
    return RectifiedRNN(TRACKER, radius, size, threshold)


@examples(25, st.integers(0, 2**32))
def test_without_error_it_is_the_exact_network(seed):
    X, T, rng = prompts(seed)
    exact = SimpleRetrievalRNN(TRACKER, ReluHead(np.ones(1), np.ones((1, Q * D)), np.zeros(1)), 60).states(X, T)
    run = net(Fraction(0), Fraction(0)).passes(X, T, lambda psi, h: rng.integers(-64, 65, psi.shape))
    assert run.moved == 0
    assert run.unit == 1
    for found, wanted in zip((run.forward, run.backward), exact, strict=True):
        assert (found == wanted).all()
    assert run.largest2 == max((h * h).sum(axis=-1).max() for h in exact)


@examples(25, st.integers(0, 2**32), st.fractions(0, 2, max_denominator=30), st.fractions(0, 2, max_denominator=30))
def test_the_rectifier_is_the_soft_threshold(seed, size, threshold):
    X, T, rng = prompts(seed)
    model = net(size, threshold)
    psi = model.exact(X, T)[:, 0]
    share = rng.integers(-64, 65, psi.shape)
    out = model.increment(psi, 0 * psi, lambda exact, h: share)
    for found, exact, part in zip(out.flat, psi.flat, share.flat, strict=True):
        v = int(exact) * model.unit + size * Fraction(int(part), 64)
        soft = max(abs(v) - threshold, 0) * (1 if v > 0 else -1)
        assert int(found) * model.unit == soft


def test_a_state_that_is_too_long_is_cut_to_the_radius():
    X, T, _ = prompts(0)
    run = net(Fraction(0), Fraction(0), Fraction(9, 2)).passes
    found = run(np.full_like(X, 3), T, lambda psi, h: 0 * psi)
    squares = (found.forward * found.forward).sum(axis=-1).max() * found.unit**2
    assert found.moved > 0
    assert squares == Fraction(81, 4) < found.largest2 == 36


def test_refusals():
    X, T, _ = prompts(1)
    with pytest.raises(DomainError, match="positive radius"):
        net(Fraction(1), Fraction(1), 0)
    with pytest.raises(DomainError, match="positive radius"):
        net(Fraction(-1), Fraction(1))
    for wrong in (lambda psi, h: 0 * psi + 65, lambda psi, h: psi / 99, lambda psi, h: np.zeros(3, dtype=int)):
        with pytest.raises(DomainError, match="beyond its size"):
            net(Fraction(1), Fraction(1)).passes(X, T, wrong)
