"""Exact leakage from distance counts against the same number summed position by position."""

from fractions import Fraction

import numpy as np
import sympy

from theorytools.codes.families import rademacher
from theorytools.constructions.attention.leakage import worst_leakage

CODE = rademacher(128, 40, np.random.default_rng(0))
BETA = 40 * sympy.log(2) / 2


def from_counts():
    return worst_leakage(CODE, BETA).fraction()


def from_positions():
    K = CODE.gram_numerators()
    rows = (sum(Fraction(1, 2 ** ((40 - int(k)) // 2)) for j, k in enumerate(row) if j != t) for t, row in enumerate(K))
    return max(S / (1 + S) for S in rows)


def test_exact_leakage(alternate):
    counts, positions = alternate(from_counts, from_positions, unit="code", N=128, d_e=40)
    assert counts == positions
