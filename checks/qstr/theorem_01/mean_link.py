r"""One head is enough for the mean of any number of indexed tokens: the condition $H\ge q$ is one on the link.

Setting    Any tuple of $q$ different indices, the linear link $y_i=q^{-1/2}\sum_h\langle u,x_{t_{ih}}\rangle$,
           independent isotropic tokens. One head: its query is the sum of the $q$ index codes, so position $j$ has the
           score $\beta\sum_h\langle\omega_{t_h},\omega_j\rangle$; the read-out is $\sqrt q\langle u,\cdot\rangle$.
           Equiangular codes of product $\rho$; $\kappa=e^{\beta(1-\rho)}$.
Statement  $R=N(N-q)/(q\kappa+N-q)^2$ for every tuple, 0 at $q=N$; so $\kappa=N^2$ gives $R<1/(qN)^2$, whatever $q$ is.
Witness    The head, on orthonormal codes, simplex codes and equiangular codes with product $\frac12$.
Measured   The squared distance of its weights from the label's, $\frac1q\sum_j(\mu_j-qw_j)^2$ with $\mu_j$ the slots
           that hold $j$, in rationals, tuples drawn.
Control    An index twice in the tuple; half of the codes closer to each other, those of
           the tuple with them, so that scores differ; half of the
           temperature; the query of one slot alone; the last power of $\kappa$ dropped.
Reads      Derived here. Where the label is a sum over slots of a nonlinear function fewer than $\min(q,d)$ heads leave
           an error (proposition_03): "if and only if $H\ge q$" is about such links.
"""

import numpy as np
from sympy import log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.equiangular import EquiangularCode
from theorytools.codes.gram import GramCode
from theorytools.constructions.attention.layer import AttentionLayer
from theorytools.errors import DomainError
from theorytools.numbers import total

from ..notation import N, odds, q, rho

risk = Quantity("risk", "R", "squared error over the variance of the label", (0, None))


def construct(p, repeat=False, slots=None, root=1, code=None):
    """The weights of the head and the slots that hold each position."""
    if p.q > p.N:
        raise DomainError(f"q = {p.q} different indices among N = {p.N}", required="q <= N")
    T = p.rng("tuple").permutation(p.N)[: p.q]
    T[-1] = T[0] if repeat else T[-1]
    code = code or EquiangularCode(p.N, p.rho)
    K = code.gram_numerators()
    beta = log(p.odds) / (1 - p.rho) / root
    layer = AttentionLayer(K[T[:slots]].sum(axis=0)[None], beta, code.gram_denominator)
    return layer.weights(0), np.bincount(T, minlength=p.N).tolist()


def close_half(p):
    K = 2 * np.eye(p.N, dtype=np.int64)
    half = p.rng("tuple").permutation(p.N)[: p.N // 2]  # the tuple is in it, or fills it
    K[np.ix_(half, half)] += 1 - np.eye(p.N // 2, dtype=np.int64)  # products 1/2, all others 0
    return construct(p, code=GramCode(K, 2))


def measure(head, p):
    return {risk: lambda: total((mu - w * p.q) ** 2 for w, mu in zip(*head, strict=True)) / p.q}


formula = N * (N - q) / (q * odds + N - q) ** 2
claim = Claim(
    "Theorem 1, the mean of q tokens by one head",
    role="variant", source="derived here: Theorem 1",
    scope={"every N, q, rho, odds": "points", "every tuple": "drawn", "every link direction": "closed form"},
    asserts=[risk.equals(formula)], requires=[q <= N, rho < 1, rho * (N - 1) >= -1, odds > 1],
    grid=points("N q rho odds", (16, 2, 0, 256), (64, 8, 0, 4096), (64, 60, "1/2", 4096), (16, 3, "-1/15", 9),
                (1024, 32, 0, 2**20), (1024, 1, "1/2", 2**20), (16, 16, 0, 256)),
    construct=construct, measure=measure, controls=[
        Control("an index twice", breaks=risk, where=q >= 2, construct=lambda p: construct(p, repeat=True)),
        Control("half of the codes closer", breaks=risk, where=(q >= 2) & (N <= 64) & (rho >= 0),
                construct=close_half),
        Control("half of the temperature", breaks=risk, where=q < N, construct=lambda p: construct(p, root=2)),
        Control("the query of one slot", breaks=risk, where=q >= 2, construct=lambda p: construct(p, slots=1)),
        Control("the root of the odds", asserts=[risk.equals(formula * odds)], breaks=risk, where=q < N),
    ],
)
