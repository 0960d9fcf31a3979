"""What one prompt leaks is enclosed, and a prompt of a ball lies in it: on every processor."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from theorytools import BlockAttention, hadamard
from theorytools.numbers import Enclosure, End
from theorytools.numbers.boxes import exact
from theorytools.trained.attention import certify_attention, in_ball, weight_outside


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
