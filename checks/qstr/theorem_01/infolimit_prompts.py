r"""The floor counts labelled positions, not prompts: with all $N$ labels of a general prompt one prompt may teach more.

Setting    General 1STR, independent uniform $t_i$, $n$ prompts with all $N$ labels each, rule (2.2); otherwise as in
           theorem_01_infolimit.
Statement  Read with $n$ as the number of prompts, the floor $1-\frac n{qd}$ fails: one prompt is as many equations as
           it has different indices. The risk of least-norm interpolation is $1-\frac Nd(1-(1-\frac1N)^N)$ for $n=1$,
           $N\le d$; $1-\frac{nN}{qd}$ is a floor.
Witness    $q=1$, $d=N=10$, $n=1$: risk 0.349, not 0.9.
Measured   The exact risk for each number of different indices, averaged over the law of that number, which is counted
           by surjections.
Control    Repaired: the number of labelled positions in place of $n$. Simple prompts, whose labels coincide, obey $n$.
Reads      Derived here: the floor of theorem_01_infolimit needs one label per prompt, or the simple task.
"""

from fractions import Fraction
from math import comb

import numpy as np
from sympy import Eq

from theorytools import Claim, Control, points
from theorytools.papers.qstr.first_layers.retrieved_regression import RetrievedRegression

from ..notation import N, d, n
from .infolimit import risk

exact = 1 - N / d * (1 - (1 - 1 / N) ** N)


def construct(p) -> list[RetrievedRegression]:
    """Return the design for each number of different indices."""
    X = np.rint(64 * p.rng("tokens").standard_normal((1, p.N, p.d))).astype(int)
    return [RetrievedRegression.of(X, np.arange(k)[None, :, None]) for k in range(1, p.N + 1)]


def chances(N):
    """Return the probability of k different values among N uniform draws from N, k = 1, ..., N."""
    onto = [sum((-1) ** (k - j) * comb(k, j) * j**N for j in range(k + 1)) for k in range(1, N + 1)]
    return [Fraction(comb(N, k) * count, N**N) for k, count in enumerate(onto, start=1)]


def measure(designs, p, weights=None):
    risks = [data.mean_risk(data.min_norm, data.axes) for data in designs]
    return {risk: sum(chance * value for chance, value in zip(weights or chances(p.N), risks, strict=True))}


def simple(designs, p):
    return measure(designs, p, [1] + [0] * (p.N - 1))


grid = points("N d n", (2, 2, 1), (3, 8, 1), (10, 10, 1), (2, 48, 1))
claim = Claim(
    "Theorem 1, floor with all labels of a prompt",
    role="variant", source="derived here: Theorem 1",
    scope={"every N, d, n": "points", "some estimator": "exhibited", "every index tuple": "closed form"},
    asserts=risk.equals(exact), requires=[Eq(n, 1), d >= N], grid=grid,
    construct=construct, measure=measure, controls=[
        Control("simple prompts", breaks=risk, measure=simple),
        Control("indices that all differ", breaks=risk, asserts=[risk.equals(1 - N / d)]),
    ],
)
counted = Claim(
    "Theorem 1, floor read as counting prompts",
    role="pitfall", source="derived here: Theorem 1", scope={"every N, d, n": "points", "every estimator": "points"},
    asserts=risk >= 1 - n / d, expect="REFUTED",
    note="The reading with n prompts and all their labels.", requires=[Eq(n, 1), d >= N], grid=grid,
    construct=construct, measure=measure, controls=[
        Control("labelled positions counted", asserts=[risk >= 1 - n * N / d]),
        Control("simple prompts", measure=simple),
    ],
)
