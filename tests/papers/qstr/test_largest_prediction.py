"""The largest prediction of a network: its forward pass, its norm and its limit."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from devices import device
from hypothesis import strategies as st
from properties import examples, half

from theorytools import DomainError, changed, hadamard
from theorytools.codes.equiangular import simplex

LargestPrediction = device("qstr/theorem_04/_largest_prediction").LargestPrediction


@examples(
    20, st.sampled_from([None, hadamard(4), simplex(5)]), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3),
    st.fractions(half, 5, max_denominator=4), st.sampled_from(["tokens", "all"]), st.booleans(),
)  # fmt: skip
def test_the_forward_pass_is_the_exact_prediction(codes, d, q, H, r_x, reads, bias):
    net = changed(
        LargestPrediction(codes, d=d, q=q, H=H, r_x=r_x, R_2=7, reads=reads), one=int(bias), share=Fraction(1, 3)
    )
    assert net.predict() ** 2 == pytest.approx(float(net.squared_prediction()), rel=1e-12)  # some 100 roundings
    assert net.squared_norm() == 7
    head = net.head()
    norm = sum(float(np.square(part).sum()) for part in (head.a, head.W, head.b))
    assert norm == pytest.approx(7.0, rel=1e-13)
    limit = Fraction(49, 4) * (1 + H * (r_x**2 + d + Fraction(d, q)))
    assert net.squared_prediction() <= limit
    with pytest.raises(DomainError):
        replace(net, reads="codes")
