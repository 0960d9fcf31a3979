"""Beyond the Gram matrix that fits into memory a block of attention reads single rows, with the same results."""

import numpy as np
import pytest
from sympy import Rational, log

from theorytools import BlockAttention, Budget
from theorytools.codes.families import rademacher
from theorytools.constructions.attention import layer


def values(net):
    budget = Budget(bits=256)
    return [list(recipe.steps(0.0, budget)) for recipe in (net.leakage(), net.extremal_error(5, net.probes(4)))]


@pytest.mark.parametrize(("N", "d_e", "s"), [(16, 12, 1), (40, 21, 4), (64, 67, 2)])
def test_rows_give_what_the_table_gives(N, d_e, s, monkeypatch):
    def net():
        return BlockAttention(
            rademacher(N, d_e, np.random.default_rng(N)), beta=Rational(s * d_e, 2) * log(2), q=2, d=3
        )

    held, probes = values(net()), net().probes(4)
    monkeypatch.setattr(layer, "_TABLE", N)
    monkeypatch.setattr("theorytools.codes.signs._GRAM_ENTRIES", N)
    assert net().probes(4) == probes
    assert values(net()) == held
