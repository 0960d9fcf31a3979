"""Exact leakage from distance counts against the same number summed position by position.

And the enclosure of the leakage of 10^5 codes: near pairs, each compared once, leave few rows that may be the worst,
against the distances of all rows counted.  The two enclosures are the same; the reference counts the distances of the
first codes, the ratio is per ordered pair.  Of long codes at a mild temperature near pairs single out no row, and the
weights of all pairs are summed.
"""

import time
from fractions import Fraction

import numpy as np
import pytest
import sympy

from theorytools.codes.compiled import SWITCH, kernel
from theorytools.codes.families import rademacher
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention.leakage import Profiles, worst_leakage

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


@pytest.mark.parametrize(
    ("route", "d_e", "beta", "count", "demand"),
    [("numpy", 57, 46, 20_000, 5.4), ("compiled", 57, 46, 20_000, 5.4), ("long", 256, 26, 10_000, 2)],
    ids=["numpy", "compiled", "long"],
)
def test_leakage_of_many_codes(alternate, benchmark, monkeypatch, route, d_e, beta, count, demand):
    monkeypatch.setenv(SWITCH, "1" if route == "compiled" else "0")
    N, count = (100_000, count) if benchmark.enabled else (2_500, 2_100)
    signs = rademacher(N, d_e, np.random.default_rng(0)).signs
    first = SignCode(signs[:count])
    found, counted = alternate(
        lambda: worst_leakage(SignCode(signs), beta), lambda: worst_leakage(Profiles.of(first), beta),
        unit="ordered pair of codes", work=(N**2, count**2), demand=demand, rounds=3, N=N, d_e=d_e, route=route,
        kernel=kernel() is not None,
    )  # fmt: skip
    assert worst_leakage(first, beta).same(counted)
    start = time.process_time()
    assert worst_leakage(SignCode(signs), beta).same(found)
    benchmark.extra_info["seconds"] = time.process_time() - start
