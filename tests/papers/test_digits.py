"""Digits as tokens: the data, and the exact risk of the network against all prompts of a few images."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from devices import device

from theorytools.tasks.digits import digit_images

task = device("qstr/question_c/task")


def test_images_are_split_by_their_order():
    (X, digits), (new, labels) = digit_images(), digit_images(held_out=True)
    assert (X.shape, new.shape) == ((1297, 64), (500, 64))
    assert set(digits.tolist()) == set(labels.tolist()) == set(range(10))
    with pytest.raises(ValueError, match="read-only"):
        X[0, 0] = 1


def test_the_risk_is_the_mean_over_all_prompts():
    rng, N = np.random.default_rng(0), 3
    h, g = [[Fraction(int(x), 7) for x in rng.integers(-9, 10, 4)] for _ in range(2)]
    w = [Fraction(5, 8), Fraction(1, 8), Fraction(1, 4)]
    mean = sum(
        (g[prompt[0]] - sum(x * h[i] for x, i in zip(w, prompt, strict=True))) ** 2
        for prompt in product(range(4), repeat=N)
    ) / Fraction(4**N)
    network = np.array(h, dtype=object), np.array(g, dtype=object), w
    found = task.measure(network, None)[task.risk]()
    assert (found if isinstance(found, Fraction) else found.fraction()) == mean


def test_the_head_is_least_squares_up_to_its_rounding():
    X, digits = digit_images()
    F = np.column_stack([X, np.ones(len(X))])
    exact = np.linalg.solve(F.T @ F + np.eye(65), F.T @ digits)
    assert [float(x) for x in task.head()] == pytest.approx(exact, abs=2e-6)
