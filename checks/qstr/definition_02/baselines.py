r"""What a predictor reaches without retrieval: $1-\frac1N$ when it ignores $t$, $\frac{k-1}N$ when $k$ codes are equal.

Setting    Labels $q^{-1/2}\sum_j\langle u,x_{t_j}\rangle$, $\|u\|=1$, independent isotropic tokens, $t$ uniform on
           $[N]^q$. A predictor sees all tokens, and of each index only its code; $k$ positions share one code.
Statement  The least $E(y-\hat y)^2$ is $\frac{k-1}N$: $1-\frac1N$ for $k=N$, where $t$ is not seen, and $\frac1N$ for
           a pair of equal codes. Attention at inverse temperature $\log\kappa$ is within $N^2/\kappa^2$ of it ($q=1$).
Witness    The mean over the tokens with the code that is asked for; BlockAttention on codes with $k$ equal rows.
Measured   Least error by listing all $N^q$ tuples; that of the network by its forward pass, averaged over Gaussian
           tokens. All rational.
Control    Codes that all differ; tuples without repetition; $k$ in place of $k-1$; hardly any attention ($\kappa=2$).
Reads      Derived here. In Figure 1 the threshold 0.7 needs no retrieval at $N=2,3$; where the released script draws
           a pair of equal codes at $N\in[25,33]$, the threshold 0.02 is out of reach.
"""

import numpy as np
from sympy import Eq, Rational, log

from theorytools import Claim, Control, Quantity, grid, points
from theorytools.codes.equiangular import simplex
from theorytools.codes.families import hadamard
from theorytools.codes.subcode import subcode
from theorytools.constructions.attention.block import BlockAttention
from theorytools.constructions.network import changed
from theorytools.numbers import total
from theorytools.papers.qstr.attention.tuple_risk import tuple_risk
from theorytools.papers.qstr.memory.index_blind import code_classes, partial_index_risk

from ..notation import N, group, odds, q

least = Quantity("least error", r"\min_{\hat y}E(y-\hat y)^2", "given the tokens and the codes of the indices", (0, 1))
reached = Quantity("error of attention", "R", "averaged over the index, linear readout", (0, None))
floor = (group - 1) / N


def codes(p, same=None):
    same = p.group if same is None else same
    return subcode(hadamard(p.N), [0] * same + list(range(same, p.N)))


def measure(code, p, distinct=False):
    return {least: partial_index_risk(code_classes(code), p.q, distinct=distinct)}


def construct(p, odds=None, same=None) -> BlockAttention:
    return changed(BlockAttention(simplex(p.N), log(odds or p.odds)), codes=codes(p, same))  # equal codes are the point


def risk(net, p):
    return {reached: lambda: total(tuple_risk(net, np.full((p.N, 1), t), 0) for t in range(p.N)) / p.N}


claim = Claim(
    "Definition 2, error without retrieval",
    role="foundation", source="derived here: Definition 2",
    scope={"every N, q, group": "points", "every predictor": "closed form", "every index tuple": "enumeration"},
    asserts=least.equals(floor), requires=[group <= N],
    grid=points("N q group",
                (2, 1, 2), (4, 1, 4), (12, 1, 12), (5, 3, 5), (12, 2, 2), (25, 1, 2), (33, 1, 2), (33, 1, 5),
                (200, 1, 2), (256, 1, 256)),
    construct=codes, measure=measure, controls=[
        Control("codes that all differ", breaks=least, construct=lambda p: codes(p, same=1)),
        Control("tuples without repetition", breaks=least, where=(q >= 2) & Eq(group, N),
                measure=lambda code, p: measure(code, p, distinct=True)),
        Control("k for k - 1", breaks=least, asserts=[least.equals(group / N)]),
    ],
)
attained = Claim(
    "Definition 2, error without retrieval attained",
    role="sharpness", source="derived here: Definition 2",
    scope={"every N, group, odds": "points", "some network": "exhibited"},
    asserts=[reached >= floor, reached <= floor + N**2 / odds**2],
    requires=[group <= N], grid=points("N group odds", (4, 4, 2), (4, 2, 1024), (8, 3, 4096), (33, 2, 2**20)),
    construct=construct, measure=risk, controls=[
        Control("codes that all differ", breaks=reached >= floor, where=group < N,
                construct=lambda p: construct(p, same=1)),
        Control("hardly any attention", breaks=reached <= floor + N**2 / odds**2, where=(group < N) & (odds > N),
                construct=lambda p: construct(p, odds=2)),
    ],
)
threshold = Claim(
    "Figure 1, threshold 0.7 read as needing retrieval",
    role="pitfall", source="derived here: Figure 1", scope={"every N, q": "points", "every predictor": "closed form"},
    expect="REFUTED", asserts=least >= Rational(7, 10),
    note="The reading that no predictor which ignores the index reaches 0.7 at any length of the grid.",
    grid=grid(N=[2, 3, 4, 6, 8, 10, 12], q=[1]), construct=lambda p: codes(p, same=p.N), measure=measure, controls=[
        Control("threshold 1/2", asserts=[least >= Rational(1, 2)]),
        Control("a predictor that sees the index", breaks=least, construct=lambda p: codes(p, same=1)),
    ],
)
