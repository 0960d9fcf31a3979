r"""The recurrent network for the simple task, run on general 1STR, errs by nearly twice the variance of a label.

Setting    General 1STR: an index $t_i$ of its own at every position, uniform on $[N]$; isotropic tokens, linear link of
           variance 1; the network of proposition_28 with one index and the projection inactive.
Statement  It predicts $\hat y_j=\sum_i\mathbb{1}[t_i=i]\langle u,x_i\rangle$ at every $j$, so its risk is exactly
           $2-2(2N-1)/N^2$.
Witness    SimpleRetrievalRNN, which tends to twice the risk 1 of the zero prediction.
Measured   The risk in rationals; the tokens' coefficients are read from unit prompts, as the network is linear in
           tokens within the bound $M$. Over tuples in which the pair $(t_i,t_j)$ has each value equally often, for
           every $i$: a token's error depends on no other index. To $N=5$ once more over all $N^N$ index tuples.
Control    The hits at $t_{t_j}=t_j$ not counted; one index for all positions, where the risk is 0.
Reads      Derived here; the proposition makes no statement on the general task.
"""

import itertools
from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, Quantity, points

from ..corollary_27.corollary_27 import construct
from ..notation import N, gamma_c
from ..proposition_26.proposition_26 import gap

risk = Quantity("risk", "R", "mean squared error on general 1STR, averaged over positions", (0, None))


def general_risk(net, p):
    """The risk over all N^N index tuples."""
    T = np.array(list(itertools.product(range(p.N), repeat=p.N)))
    total, scale = 0, net.head.W[0, 0]
    for unit in np.eye(p.N, dtype=int):
        X = np.broadcast_to(unit[None, :, None], (*T.shape, 1))
        total += int(((net(X, T[..., None]) // scale - unit[T]) ** 2).sum())
    return {risk: Fraction(total, T.size)}


def pair_risk(net, p, same=False):
    """The same risk, token by token: t_i takes every value, the others those of a shift, all pairs equally often."""
    values, shifts = (x.ravel() for x in np.meshgrid(np.arange(p.N), np.arange(p.N)))
    total, scale, tuples = 0, net.head.W[0, 0], (np.arange(p.N) + shifts[:, None]) % p.N
    for i, unit in enumerate(np.eye(p.N, dtype=int)):
        T = np.repeat(values[:, None], p.N, axis=1) if same else tuples.copy()
        T[:, i] = values
        X = np.broadcast_to(unit[None, :, None], (*T.shape, 1))
        total += int(((net(X, T[..., None]) // scale - unit[T]) ** 2).sum())
    return {risk: Fraction(total, p.N**3)}


claim = Claim(
    "Proposition 28, on general 1STR",
    role="necessity", source="derived here: Proposition 28",
    scope={"every code, N, d_e, q, d, M_x, r_h": "points", "some network": "exhibited",
           "every index tuple": "closed form"},
    asserts=risk.equals(2 - 2 * (2 * N - 1) / N**2),
    requires=[N >= 2, gamma_c > 0],
    grid=points("code N d_e q d M_x r_h", ("binary", 2, 1, 1, 1, 1, 2), ("binary", 3, 2, 1, 1, 1, 3),
                ("binary", 4, 2, 1, 1, 1, 4), ("binary", 5, 3, 1, 1, 1, 5),
                ("binary", 20, 5, 1, 1, 1, 20)),
    derive=gap, derived=[gamma_c], construct=construct, measure=pair_risk,
    second=lambda net, p: general_risk(net, p) if p.N <= 5 else None,
    controls=[
        Control("the second hit not counted", breaks=risk, asserts=[risk.equals(2 - 2 / N)]),
        Control("one index for all positions", breaks=risk, measure=lambda net, p: pair_risk(net, p, same=True)),
    ],
)
