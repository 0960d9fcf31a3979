"""Claims that measure by the room: what a slip of the left side would hold is refuted, with the right evidence."""

from fractions import Fraction as F

import numpy as np
import pytest
from sympy import log

from theorytools import Claim, Control, Quantity, enclosed, grid, judge, letter
from theorytools.measures import (
    Law,
    Memory,
    entropy,
    least_distance,
    mean_squared_error,
    minimum_norm_interpolant,
    operator_norm,
    rank,
    sign_vectors,
    softmax,
    supremum,
    words,
)

N = letter("N", "size", integer=True, positive=True)
x = Quantity("x", "x", "what is measured")


def code(p):
    return np.random.default_rng(5).integers(0, 2, (64, p.N))


def fit(p):
    """Least squares on fewer rows than unknowns, labels of noise: no error on the rows, and a risk on new ones."""
    rows = [(1, 1, 1, 1), (1, -1, 1, -1), (1, 1, -1, -1)]
    w = minimum_norm_interpolant(rows, [1, 1, 1])
    noise = Law({(v, y): F(1, 32) for v in sign_vectors(4) for y in (-1, 1)})
    return mean_squared_error(noise, lambda v: sum(a * b for a, b in zip(w, v, strict=True)))


def half_kept(p):
    """A memory of half of the letters."""
    memory = Memory(lambda word: word[: p.N // 2], lambda state, place: state[place] if place < len(state) else 0)
    return memory.over(words(2, p.N), range(p.N), lambda word, place: word[place]).wrong


HILBERT = lambda p: [[F(1, i + j + 1) for j in range(p.N)] for i in range(p.N)]  # noqa: E731
SLIPS = {
    "the largest distance for the least": (lambda p: least_distance(code(p)), x >= 3 * N / 8, "EXACT"),
    "a rank in doubles": (lambda p: rank(HILBERT(p)), x <= 14, "EXACT"),
    "the training error for the risk": (fit, x <= 1, "EXACT"),
    "nats for bits": (lambda p: enclosed(lambda: entropy([F(1, p.N)] * p.N, base=2)), x <= log(N) * 6 / 5, "ENCLOSED"),
    "directions for the norm": (
        lambda p: enclosed(lambda: operator_norm(2 * code(p)[: p.N] - 1) ** 2), x <= 2 * N, "ENCLOSED",
    ),
    "the hard for the soft maximum": (
        lambda p: enclosed(lambda: 1 - softmax([1] + [0] * (p.N - 1))[0]), x <= F(1, 100), "ENCLOSED",
    ),
    "one function for the class": (
        lambda p: supremum(sign_vectors(8), lambda f: F(abs(sum(f)), 8)), x <= F(3, 4), "EXACT",
    ),
    "a model that is given the prompt": (half_kept, x <= 0, "EXACT"),
}  # fmt: skip


@pytest.mark.parametrize("slip", SLIPS)
def test_a_statement_that_only_a_slip_would_hold_is_refuted(slip):
    measure, asserts, evidence = SLIPS[slip]
    size = 8 if "prompt" in slip else 16
    claim = Claim(
        slip, asserts=asserts, grid=grid(N=[size]), construct=lambda p: p, measure=lambda p, _: {x: measure(p)},
        controls=[Control("far off", measure=lambda p, _: {x: 10**6 if asserts.relation == "<=" else -1}, breaks=x)],
    )  # fmt: skip
    verdict = judge(claim, "mine.slip")
    assert (verdict.outcome, verdict.evidence.name) == ("REFUTED", evidence)
