"""The waterfall of losses: the risk of frozen attention, bounds that fall step by step, the Gaussian radius."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from theorytools import BlockAttention, DomainError, Enclosure
from theorytools.codes.equiangular import simplex
from theorytools.codes.families import hadamard, rademacher
from theorytools.papers.qstr.capacity.token_norms import GaussianTokens
from theorytools.papers.qstr.capacity.waterfall import FrozenAttention, gaussian_radius, waterfall


@pytest.mark.parametrize(
    ("code", "q"), [(hadamard(8), 1), (simplex(6), 2), (rademacher(6, 9, np.random.default_rng(0)), 3)]
)
def test_the_risk_is_that_of_the_attention_weights(code, q):
    beta, N = Fraction(7, 2), code.N
    net = BlockAttention(code, beta=beta, q=1, d=1)
    pi = net.attention(np.zeros((1, N, 1)), np.arange(N)[None, :, None])[0, 0]
    v = pi - np.eye(N)
    tuples = list(itertools.permutations(range(N), q))
    direct = np.mean([np.square(v[list(t)].sum(axis=0)).sum() / q for t in tuples])
    frozen = FrozenAttention(code, Enclosure(beta))
    # sums of at most 120 * 8 * 3 squares in doubles
    assert float(frozen.risk(q)) == pytest.approx(direct, rel=1e-12)
    assert float(frozen.leakage) == pytest.approx(float((1 - np.diag(pi)).max()), rel=1e-12)
    with pytest.raises(DomainError):
        frozen.risk(N + 1)


def test_every_step_of_the_waterfall_lowers_the_bound_from_the_least_radius():
    losses = waterfall(16, 10, 2, 10**6, code=hadamard(16))
    assert all(row.before.certainly_lt(row.after) is False for row in losses.rows)
    assert all(a.after.same(b.before) for a, b in itertools.pairwise(losses.rows))
    assert abs(losses.product() / losses.total - 1).certainly_le(Fraction(1, 2**40)) is True
    with pytest.raises(DomainError):
        waterfall(16, 10, 2, 10**6, code=rademacher(16, 200, np.random.default_rng(1)))
    radius = gaussian_radius(3, 1000)
    square = round(float(radius) ** 2 * 64)
    failures = [GaussianTokens(3).failure(1000, Fraction(k, 64)) for k in (square - 1, square)]
    assert failures[1].certainly_le(1 / Enclosure(1000).sqrt()) is True
    assert failures[0].certainly_le(1 / Enclosure(1000).sqrt()) is False
