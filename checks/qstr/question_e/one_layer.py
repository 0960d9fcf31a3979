r"""One layer of $H$ heads sees $H$ tokens' worth of a two-step look-up: risk at least $1-H/n$, whatever reads it.

Setting    Position $i$ points to $a\ne i$, and $a$ to one of the $n$ positions besides $i$ and $a$, uniformly; label
           $\langle u,x_{t_a}\rangle$, $\|u\|=1$, independent tokens $N(0,I)$. One layer: head $h$ weighs key $j$ by
           $e_h(j,t_j)/Z$, with anything of the query, but not the key's token $x_j$.
Statement  Every readout of the heads and of position $i$ has risk at least $1-H/n$, attained by the conditional mean if
           the heads' rows are independent. Independent uniform pointers: at least $(1-\frac1N)\frac{N-2-H}N$.
Adversary  Random tables of numerators.
Measured   The conditional variance of the label given all pointers, the two tokens and the heads' combinations of the
           others, rational: for each pointer of $a$, resp. over all $N^N$ pointers and all positions.
Control    The weights of two layers; one head more in the bound; an attention that sees the second pointer.
Reads      Derived here. What the heads see of the other tokens does not depend on $t_a$, as $e_h(j,t_j)$ does not. Of
           scores that see $x_j$ this says nothing; the bound in bits of question_e_message covers them. The second
           bound follows from the first; it is enumerated at $N=4$ only: there are $N^N$ pointers, and at $N=3$ it is 0.
"""

from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.equiangular import orthonormal
from theorytools.papers.qstr.attention.two_hop import TwoStepAttention

from ..notation import H, N, others
from ._two_hop_risk import chained_risk, table_weights, two_step_risk

risk = Quantity("least risk", "R", "over all readouts, second pointer uniform on the others", (0, 1))
averaged = Quantity("least risk, all pointers", r"\bar R", "mean over all pointers and positions", (0, 1))


def construct(p):
    return table_weights(p.rng("numerators").integers(1, 100, (p.H, p.N, p.N)))


def pointers(p):
    T = p.rng("pointers").integers(0, p.N, p.N)
    T[0] = 1
    return T


def measure(weights, p):
    return {risk: chained_risk(weights, pointers(p), 0)}


def every(weights, p):
    return {averaged: two_step_risk(weights, p.N)}


def two_layers(p):
    net = TwoStepAttention(orthonormal(p.N), 8, 16)
    return lambda T, i: [[Fraction(round(1000 * float(w)), 1000) for w in net.weights(np.asarray(T), i)]]


def told(p):  # a head that attends to where the second pointer leads
    return lambda T, i: [[Fraction(1 + 9 * (j == T[T[i]]), p.N + 9) for j in range(p.N)]] * p.H


claim = Claim(
    "Question (e), one layer",
    role="necessity", source="derived here: question (e)",
    scope={"every N, H": "points", "every set of heads": "drawn", "every read-out": "closed form"},
    asserts=risk >= 1 - H / others, requires=[N >= 3],
    derive=lambda weights, p: {others: p.N - 2}, derived=[others],
    grid=points("N H", (4, 1), (8, 1), (8, 2), (8, 4), (16, 1), (16, 4), (12, 10)),
    construct=construct, measure=measure, controls=[
        Control("two layers", breaks=risk, construct=two_layers, where=H < 10),
        Control("a head that sees the second pointer", breaks=risk, construct=told, where=H < 2),
        Control("one head more", breaks=risk, asserts=[risk >= 1 - (H - 1) / others]),
    ],
)
uniform = Claim(
    "Question (e), one layer, all pointers",
    role="necessity", source="derived here: question (e)",
    scope={"every N, H": "points", "every set of heads": "drawn", "every pointer": "enumeration",
           "every read-out": "closed form"},
    asserts=averaged >= (1 - 1 / N) * (N - 2 - H) / N,
    requires=[N >= 3], grid=points("N H", (4, 1)), construct=construct, measure=every, controls=[
        Control("two layers", breaks=averaged, construct=two_layers),
    ],
)
