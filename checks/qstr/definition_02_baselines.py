r"""What a predictor reaches without retrieval: $1-\frac1N$ when it ignores $t$, $\frac{k-1}N$ lost to $k$ equal codes.

Setting    Labels $q^{-1/2}\sum_j\langle u,x_{t_j}\rangle$, $\|u\|=1$, independent isotropic tokens, $t$ uniform on $[N]^q$.
           The predictor sees all tokens, and of each index only its code; $k$ positions share one code.
Statement  The least $E(y-\hat y)^2$ is $\frac{k-1}N$: for $k=N$, a predictor that ignores $t$, $1-\frac1N$; for each pair of
           equal codes $\frac1N$. Attention with inverse temperature $\log\kappa$ is within $4N/\kappa$ of it.
Witness    The mean of the tokens whose index has the code; BlockAttention on codes with $k$ equal rows.
Measured   Least error by listing all $N^q$ tuples; network by its forward pass ($q=1$), tokens averaged out. Rational.
Control    Codes that all differ; tuples without repetition; $k$ in place of $k-1$; attention at temperature zero.
Reads      Derived here. In Figure 1 the threshold 0.7 therefore needs no retrieval at $N=2,3$; at $N\in[25,33]$ one pair
           of equal codes puts 0.02 out of reach.
"""

from math import isqrt

import numpy as np
from sympy import Rational, log

from theorytools import Claim, Control, Quantity, grid, points
from theorytools.algebra.rigorous import total
from theorytools.codes import hadamard, subcode
from theorytools.constructions import BlockAttention
from theorytools.constructions.tuple_risk import tuple_risk
from theorytools.quantities.baselines import code_classes, partial_index_risk

from .notation import N, group, odds, q

least = Quantity("least error", r"\min_{\hat y}E(y-\hat y)^2", "given the tokens and the codes of the indices", (0, 1))
network = Quantity("network error", "R", "of attention with a linear readout", (0, None))


def construct(p, beta=None, same=None) -> BlockAttention:
    same = p.group if same is None else same
    codes = subcode(hadamard(p.N), [0] * same + list(range(same, p.N)))
    return BlockAttention(codes, log(p.odds) if beta is None else beta)
