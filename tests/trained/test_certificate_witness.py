"""What a certificate's own prompt shows is below what the certificate bounds, by proof and on every processor."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from trained_specimens import drawn

from theorytools import BlockAttention, certify, hadamard
from theorytools.numbers import Enclosure, End
from theorytools.numbers.boxes import exact
from theorytools.trained.attention import certify_attention, in_ball, weight_outside
from theorytools.trained.running import Running, distance_below, share_outside

ABOVE = np.array([1, 6, 3, 3]) / 13  # the nearest doubles: added in this order they are an ulp above 1


@settings(max_examples=40)
@given(counts=st.lists(st.integers(0, 40), min_size=2, max_size=9).filter(any), at=st.integers(0, 8))
@example(counts=[0, 1, 6, 3, 3], at=0)
@example(counts=[1, 0], at=0)
@example(counts=[10**18, 1], at=0)
def test_a_share_is_that_of_the_very_doubles_rounded_down(counts, at):
    weights, t = np.array(counts, dtype=float) / sum(counts), at % len(counts)
    found, parts = share_outside(weights, t), [Fraction(w) for w in weights.tolist()]
    true = (sum(parts) - parts[t]) / sum(parts)
    assert found <= true < np.nextafter(found, 2)
    assert 0 <= found <= 1
    assert share_outside(weights[::-1], len(counts) - 1 - t) == found  # of a sum there is no order


def test_weights_whose_float_sum_is_above_one_are_within_a_bound_of_one(monkeypatch):
    """As some kernels return them, here on every processor."""
    assert sum(ABOVE.tolist()) > 1
    module, codes, u = drawn("separate", 1, 5, 3, size=3)
    monkeypatch.setattr(Running, "attention", lambda self, X, T, i, h: np.insert(ABOVE, int(T[i, 0]), 0.0))
    made = certify(module, codes=codes, direction=u)
    assert made.delta == 1
    assert made.witness.outside == 1


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.sampled_from([1.0, 6.0, 60.0]), read=st.booleans())
def test_a_witness_is_as_far_off_as_its_numbers_are(seed, size, read):
    module, codes, u = drawn("separate", seed, 4, 2, q=2, size=size)
    net = BlockAttention(hadamard(4), beta=size, q=1, d=3).module()
    made = certify(module, codes=codes, direction=u, slots=[2]) if read else certify(net, tokens="ball", radius=0.7)
    one = made.witness
    indexed = [one.X[t].tolist() for t in one.T[one.position]]
    if read:
        direct = Enclosure(
            sum(Fraction(x) * Fraction(c) for row in indexed for x, c in zip(row, u.tolist(), strict=True))
        )
        gap = (Enclosure(one.output) - direct / Enclosure(2).sqrt()) ** 2
    else:
        gap = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(one.output.tolist(), indexed[0], strict=True))
    assert (Enclosure(one.error) ** 2).certainly_le(gap) is not False
    assert one.error**2 >= float(gap) * (1 - 1e-12)
    assert one.error <= made.error
    assert End(one.outside) <= End(made.delta)


def test_a_distance_is_rounded_down_and_never_negative():
    third = Enclosure(Fraction(1, 3))
    assert 0 < distance_below(1 / 3, [third]) <= abs(Fraction(1 / 3) - Fraction(1, 3))
    assert distance_below(np.array([3.0, 4.0]), [Enclosure(0), Enclosure(0)]) == 5
    assert distance_below(1.4142135623730951, [Enclosure(2).sqrt() + 0]) >= 0
    assert distance_below(np.inf, [third]) == 0  # nothing is known of it


@pytest.mark.parametrize("size", [30.0, 300.0])
def test_scores_whose_exponentials_are_beyond_doubles_are_certified(size):
    """Networks so sharp that odds overflow leak nearly everything, which is a number."""
    module, codes, u = drawn("separate", 1, 6, 3, size=size)
    made = certify(module, codes=codes, direction=u)
    low, high = made.leakage.floats
    assert 0.999 < low <= high == 1


@settings(max_examples=40)
@given(scores=st.lists(st.floats(-800, 800), min_size=2, max_size=6), t=st.integers(0, 5))
def test_the_weight_outside_is_enclosed(scores, t):
    t %= len(scores)
    found = weight_outside(exact([scores]), t)
    terms = [(Enclosure(s) - Enclosure(scores[t])).exp() for s in scores]
    true = 1 - 1 / sum(terms, Enclosure(0))
    assert found.lower <= true.upper
    assert true.lower <= found.upper
    # ends of scores below 2^10 are a unit in the last place away from them, and odds move by that part
    assert float(found.upper) - float(found.lower) <= 2.0**-40


@pytest.mark.parametrize(
    ("beta", "dtype"), [(38, torch.float64), (17, torch.float32), (Fraction(21, 2), torch.float16)]
)
def test_what_was_found_is_below_the_bound_of_the_same_numbers(beta, dtype):
    """A head that reads its own position leaks nearly all: there a sum in the module's type lies above the bound."""
    net = BlockAttention(hadamard(8), beta=beta, q=1, d=2, blocks=((0, 0),))
    made = certify_attention(net.module(dtype), radius=1)
    (found,), (bound,) = made.found, made.bounds
    assert 0.8 < found < 1  # as it is for real numbers
    assert End(found) <= bound.upper


@settings(max_examples=40)
@given(v=st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=6), scale=st.integers(-560, 900),
       radius=st.floats(1e-3, 1e3))  # fmt: skip
@example(v=[1.0, 1.0, 1.0], scale=-536, radius=1.0)
def test_a_vector_of_a_ball_lies_in_it(v, scale, radius):
    token = in_ball(np.ldexp(np.array(v), scale), radius)
    square = sum(Fraction(x) ** 2 for x in token.tolist())
    assert square <= Fraction(radius) ** 2
    assert float(square) >= radius**2 * (1 - 1e-13)
