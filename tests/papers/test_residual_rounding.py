"""What a run in doubles leaves where the exact residual is 0 is within the bound on its rounding."""

from fractions import Fraction

import numpy as np
import pytest

from theorytools.papers.qstr.feedforward.span_predictor import SpanPredictor
from theorytools.papers.stsq.feedforward.bottleneck import OptimalLinearBottleneck


def spanning(N, d):
    X = np.random.default_rng(N * d).integers(-9, 10, (N * d, N, d))
    return SpanPredictor(X, [Fraction(3, 5), Fraction(4, 5)] if d == 2 else [Fraction(1)])


@pytest.mark.parametrize(
    "net",
    [spanning(2, 2), spanning(4, 1), spanning(3, 2), *(OptimalLinearBottleneck.of(T * d, T, d, q) for T, d, q in
                                                       ((3, 1, 1), (4, 2, 2), (3, 2, 2)))],
)  # fmt: skip
def test_a_residual_that_is_rounding_is_within_its_bound(net):
    assert net.risk() == 0
    seen = np.abs(net.residual(np.random.default_rng(3), 2000)).max()
    assert 0 < seen <= net.residual_rounding() < 1e5 * seen
