"""Attention with other rules than the softmax, and heads whose scores read the tokens."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from devices import device
from refusals import refuses

from theorytools import DomainError
from theorytools.codes.encodings import gaussian_encodings, orthonormal_encodings, sign_encodings
from theorytools.papers.stsq import RuleSelector, SparseSelector
from theorytools.papers.stsq.attention.selector_queries import cross_talk
from theorytools.papers.stsq.tasks.sparse_selection import subsets

TiltedHeads = device("stsq/question_g/_token_reading_heads").TiltedHeads


def test_other_rules_by_their_definitions():
    E = gaussian_encodings(6, 3, np.random.default_rng(0))
    for y in list(subsets(6, 2))[:5]:
        hard = RuleSelector(E, 2, 3, "hard").loss(y)
        soft = SparseSelector(E, sympy.Integer(10**6), 2, 3).loss(y)
        gap = abs(1 - cross_talk(E, y))
        assert gap > Fraction(1, 1000)  # so that exp(-1000) is left of the softmax's tail
        assert abs(float(soft) - float(hard)) < 1e-12
    E = gaussian_encodings(7, 4, np.random.default_rng(1))
    net = RuleSelector(E, 3, 2, "free")
    for y in [(0, 1, 2), (1, 4, 6)]:
        tau = np.isin(np.arange(7), y) / 3
        _, (rest,), *_ = np.linalg.lstsq(E.matrix(), tau, rcond=None)
        assert float(net.loss(y)) == pytest.approx(2 * rest, rel=1e-10)  # Gram matrices of condition below 1e4
    whole = RuleSelector(orthonormal_encodings(5), 2, 1, "free")
    assert whole.risk() == 0
    E = sign_encodings(5, 8, np.random.default_rng(2))
    net = RuleSelector(E, 1, 1, "linear", "sum", alpha=Fraction(1, 3))
    assert net.attention((2,))[2] == 1
    scores = [Fraction(int(x), 8) for x in E.vectors @ E.vectors[2]]
    expected = sum((s / 3 - (i == 2)) ** 2 for i, s in enumerate(scores))
    assert net.loss((2,)) == expected


@pytest.mark.parametrize("tilt", [Fraction(1, 2), 3])
def test_tilted_heads_by_a_grid(tilt):
    g = np.linspace(-12, 12, 200_001)
    weights = np.exp(-(g**2) / 2) / math.sqrt(2 * math.pi) * (g[1] - g[0])
    x = g / math.sqrt(2)  # the deviations of the two tokens from their mean are x and -x
    f = (x * np.exp(float(tilt) * x) - x * np.exp(-float(tilt) * x)) / (
        np.exp(float(tilt) * x) + np.exp(-float(tilt) * x)
    )
    v, heads = g**2 / 2, TiltedHeads(tilt)
    mean = (weights * f).sum()
    covariance = (weights * (v - 0.5) * f).sum()
    spread = 0.5 + (weights * f**2).sum() - mean**2
    # the trapezoid rule is exact to rounding for smooth functions that vanish at the ends
    assert float(heads.share()) == pytest.approx(covariance**2 / spread / 0.5, rel=1e-10)
    assert float(heads.pair_error()) == pytest.approx((weights * (v - f / float(tilt)) ** 2).sum(), rel=1e-9)


def test_the_largest_of_two_tokens_and_refusals():
    # Cov(g^2/2, |g|/sqrt 2) = 1/(2 sqrt pi) from E|g|^3 = 2 E|g|, and mean + |g|/sqrt 2 has the variance 1 - 1/pi
    assert abs(float(TiltedHeads(400).share()) - 1 / (2 * (math.pi - 1))) < 1e-4
    E = orthonormal_encodings(4)
    for change in ({"rule": "softmax"}, {"rule": "top", "k": 5}, {"rule": "top", "k": 0}, {"rule": "hard", "q": 4}):
        with pytest.raises(DomainError):
            RuleSelector(**{"E": E, "q": 2, "d": 1, **change})
    refuses(DomainError, lambda: RuleSelector(E, 2, 1, "hard").loss((1,)), lambda: TiltedHeads(0))
