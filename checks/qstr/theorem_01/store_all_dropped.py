r"""A slot that both directions leave out costs one part in N of the variance of a label.

Setting    As in theorem_01_store_all; both states leave out one and the same slot, neither the first nor the last.
Statement  With the current token still read, the risk is exactly $(N-1)/N^2$ per unit of payload variance.
Witness    StoreAllRNN without the second slot.
Measured   The risk over all pairs (position, index), the coefficients of the payloads read from unit prompts.
Control    All slots kept; the hits of the current token not counted.
Reads      Derived here.  The rate $1/N$ holds when the readout ignores the current token for that slot as well.
"""

from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, Quantity

from ..notation import N
from .store_all import construct, dropped, pairs, wide

risk = Quantity("risk", "R", "mean squared error over positions and indices, unit payloads", (0, None))


def lost(net, p):
    total, T = 0, pairs(p)
    for unit in np.eye(p.N, dtype=int):
        X = np.zeros((p.N, p.N, p.d), dtype=int)
        X[:, :, 0] = unit * net.u[0]
        total += int(((net(X, T[..., None]) - unit[T]) ** 2).sum())
    return {risk: Fraction(total, T.size)}


claim = Claim(
    "Theorem 1, a slot that both directions leave out",
    role="necessity", source="derived here: Theorem 1",
    scope={"every code, N, d_e, d, M_x": "points", "some network": "exhibited",
           "every position and index": "enumeration"},
    asserts=risk.equals((N - 1) / N**2), **wide,
    construct=dropped, measure=lost,
    controls=[
        Control("all slots kept", breaks=risk, construct=construct),
        Control("the current token not counted", breaks=risk, asserts=[risk.equals(1 / N)]),
    ],
)
