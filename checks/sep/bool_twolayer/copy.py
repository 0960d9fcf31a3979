r"""The first layer copies every bit with at least 0.6 of its size, whatever the length of the strings.

Setting    As in bool_twolayer: $r_i$ is what $y_i$ reads, $x_i=\pm1$; weights on the codes are $(16k)^{k-d_{ij}}$.
Statement  $\min r_ix_i=\rho=\frac{2(16k)^k-S-n}{S+n+1}\ge2a^*-1\ge\frac35$ over positions and all $4^n$ inputs, where
           $S=\sum_j(16k)^{k-d_{1j}}$, $a^*=\frac{(16k)^k}{S+n+1}\ge[(1+\frac1{16k})^k+(n+1)(16k)^{-k}]^{-1}$.
           At $n=2$: $2a^*-1=\frac35$.
Witness    TwoLayerBoolean.
Measured   $r_ix_i$ over all inputs for $n\le8$; beyond, at the input opposite to its first symbol, all $n$ symbols
           counted by their distance. $a^*$ by flipping the symbol that is copied. Rational.
Control    Half of $16k$; a code used twice; two codes swapped; the other input for the worst one.
Reads      Derived here. $S$ by blocks of positions, not by the sum that layer 1 takes.
"""

from fractions import Fraction

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.network import changed
from theorytools.papers.sep.attention.boolean import TwoLayerBoolean
from theorytools.papers.sep.tasks.boolean import all_pairs

from ..notation import S_code, k, n
from .bool_twolayer import construct, derive, rho, swapped

copy = Quantity("least copy", r"\min_{i,x,y}r_ix_i", "of a bit by layer 1, times the bit", (-1, 1))
kept = Quantity("own weight", "a^*", "attention of the first y on its own x", (0, 1))
closed = 1 / ((1 + 1 / (16 * k)) ** k + (n + 1) / (16 * k) ** k)


def least(net: TwoLayerBoolean):
    if net.n > 8:
        return net.first.at(*net.worst_input(), 0)
    x, y = all_pairs(net.n)
    R, D = net.copies(x, y)
    return min(Fraction(int(v), int(den)) for v, den in zip((R * (2 * x - 1)).min(axis=0), D, strict=True))


def measure(net, p):
    (x, y), flip = net.worst_input(), np.eye(1, p.n, dtype=int)[0]
    return {copy: least(net), kept: (net.first.at(x, y, 0) - net.first.at(x - flip, y, 0)) / 2}


def twice(p):
    net = construct(p)
    return changed(net, first=changed(net.first, keys=np.array([0, 0, *range(2, p.n)])))


def other(net, p):  # symbols that agree with the first
    return {copy: net.first.at(np.ones(p.n, dtype=int), np.zeros(p.n, dtype=int), 0)}


exact = copy.equals(rho(0))
claim = Claim(
    "Two layers, the copy",
    role="foundation", source="derived here: equality by two layers",
    scope={"every task, n": "points", "some network": "exhibited", "every pair of strings": "closed form"},
    asserts=[exact, copy >= Rational(3, 5), copy >= 2 * closed - 1, kept >= closed, kept >= Rational(4, 5),
             kept.equals((16 * k) ** k / (S_code + n + 1))],
    grid=points("task n", *(("equality", size) for size in (1, 2, 3, 4, 5, 8, 64, 1000, 1024, 2**20))),
    derive=derive, derived=[k, S_code], construct=construct, measure=measure,
    controls=[
        Control("half of 16 k", breaks=[copy, kept], where=n <= 5, asserts=[exact, kept >= closed],
                construct=lambda p: construct(p, base=8 * construct(p).k)),
        Control("a code used twice", breaks=[copy, kept], where=(n >= 2) & (n <= 5),
                construct=twice),
        Control("codes of two positions swapped", breaks=copy, where=(n >= 2) & (n <= 5),
                construct=lambda p: swapped(construct(p)), asserts=[exact, copy >= Rational(3, 5)]),
        Control("symbols that agree", breaks=copy, measure=other, where=(n >= 2) & (n <= 2**10), asserts=[exact]),
        Control("one position fewer in the denominator", breaks=copy, where=n <= 5,
                asserts=[copy.equals((2 * (16 * k) ** k - S_code - n) / (S_code + n))]),
    ],
)
