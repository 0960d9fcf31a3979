"""The width-1 network for equality: exact, in floats of any precision and order, in numpy and in torch."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from properties import examples
from two_halves import halves, pairs

from theorytools import DomainError, changed
from theorytools.papers.sep.attention.equality import (
    FLOATS,
    OneLayerEquality,
    close_pairs,
    equal_in_floats,
    sequential_sum,
    survives_interleaved,
)
from theorytools.papers.sep.torch.equality import EqualityModule
from theorytools.theory.communication.matrix import equality

RNG = np.random.default_rng
DTYPES = {"float16": np.float16, "float32": np.float32, "float64": np.float64}


def test_every_message_and_interleaved_sums_of_the_width_one_network():
    for n in (1, 4, 8):
        report = halves(OneLayerEquality(n)).report(equality)
        assert (report.messages, report.rows, report.rank, report.errors) == (2**n, 2**n, 2**n, 0)
        assert report.wrong is None
        assert report.bits >= n
    w = np.array([8, 4, 2, 1, 1])  # of one bit less
    assert halves(changed(OneLayerEquality(5), weights=np.concatenate([w, -w]))).report(equality).wrong is not None
    with pytest.raises(DomainError, match="n <= 24"):
        OneLayerEquality(25)
    for n, good in ((24, True), (25, True), (26, False)):
        assert survives_interleaved(n, FLOATS["float16"]) is good
    x, y = pairs(6)
    assert (equal_in_floats(x, y, 2, interleaved=True) == equality(x, y)).all()
    assert not survives_interleaved(16, FLOATS["float16"], flush=True)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("interleaved", [False, True])
def test_floats_numpy_and_torch_agree(name, interleaved):
    for n in (FLOATS[name].precision - 1, FLOATS[name].precision, FLOATS[name].precision + 1):
        x, y = close_pairs(n, RNG(n), 12)
        w = 2.0 ** -np.arange(n)
        a, b = (2 * x - 1) * w, (1 - 2 * y) * w
        terms = np.stack([a, b], 2).reshape(len(x), -1) if interleaved else np.concatenate([a, b], 1)
        total = np.zeros(len(x), dtype=DTYPES[name])
        for column in terms.T.astype(DTYPES[name]):
            total = total + column
        decided = equal_in_floats(x, y, FLOATS[name].precision, interleaved=interleaved)
        assert (decided == (total == 0)).all()
        if n <= 24:
            module = EqualityModule(OneLayerEquality(n), getattr(torch, name), interleaved=interleaved)
            out = module(torch.tensor(np.concatenate([x, y], axis=1))).detach().numpy()
            assert ((out == 0) == decided).all()
            assert np.abs(out - total / DTYPES[name](2 * n)).max() == 0


def test_bfloat16_and_exact_outputs_in_torch():
    for n in (8, 9):
        x, y = close_pairs(n, RNG(1), 12)
        tokens = torch.tensor(np.concatenate([x, y], axis=1))
        out = EqualityModule(OneLayerEquality(n), torch.bfloat16)(tokens).float().detach().numpy()
        assert ((out == 0) == equal_in_floats(x, y, 8)).all()
        exact = OneLayerEquality(n).sums(tokens.numpy())[0][:, 0, 0] / 2.0 ** (n - 1) / (2 * n)
        double = EqualityModule(OneLayerEquality(n))(tokens).detach().numpy()
        assert (double == exact).all()  # sums exact for n <= 53, one rounding in either division


@examples(40, st.lists(st.integers(-(2**50), 2**50), min_size=1, max_size=6), st.integers(2, 53))
def test_sequential_sums_are_those_of_the_format(terms, precision):
    how = FLOATS["float64"].__class__("any", precision, -1022)
    total = Fraction(0)
    for term in terms:
        total = how.nearest(total + term)
    assert sequential_sum(np.array([terms]), precision)[0] == total
