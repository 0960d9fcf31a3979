r"""The margin of a single layer that decides equality decays exponentially, and the width-1 network shows how far.

Setting    As in onelayer_protocol_margin. Uniform attention, values $\pm2^{-i}$, $i=0..n-1$: the least non-zero output
           is $2\tau_0$, $\tau_0=2^{-n}/n$, so every $\tau<\tau_0$ is a margin of the answer $|o|<\tau_0$.
Statement  The message has $B\ge n$ bits, as it must. Alice's outputs have the spacing $4\tau_0$; rounded to multiples
           of any step $s<4\tau_0$ they stay $2^n$ and the answer is right on all pairs. At $\tau\to\tau_0$,
           $B=\lceil\log_2(n2^{n+1}+1)\rceil$: 10, 13, 15 for $n=6,8,10$.
Witness    MarginEquality; ties to even. $s=\rho_s4\tau_0$.
Measured   All $4^n$ pairs in rationals (integers times a common unit); the bits by the formula at $\tau_0$.
Control    $s=4\tau_0$; $s=6\tau_0$; a margin of $\frac1{10}$.
Reads      Derived here. From $4\tau_0$ on it matters where the cells lie: the protocol's own, with midpoints
           $-1+(k+\frac12)s$, still tell all strings apart at $s=4\tau_0$.
"""

from fractions import Fraction

import numpy as np
from sympy import ceiling, log

from theorytools import Claim, Control, points
from theorytools.constructions.attention.attention_tables import MarginEquality
from theorytools.theory.communication.margin_protocol import margin_bits
from theorytools.theory.communication.matrix import all_strings

from ..notation import n, ratio
from .equality import errors, size
from .onelayer_protocol import messages


def construct(p) -> MarginEquality:
    return MarginEquality(p.n, Fraction(1, p.n << p.n))


def measure(net, p, step=None):
    strings, step = all_strings(p.n), Fraction(p.ratio) if step is None else step
    tokens = np.concatenate([strings, strings], axis=1)
    sums = net.values(tokens)[:, : p.n, 0, 0].sum(axis=1)  # n o_A of all strings, and -n o_B of the same ones
    spacing = 4 * p.n * net.tau
    rounded = [round(o / (step * spacing)) for o in sums]  # of o_A, in steps
    unit = step.denominator  # everything below is an integer: outputs 2 o in units of tau_0 / denominator
    hers, his = (np.array([int(x) for x in row], dtype=np.int64)
                 for row in ([4 * step.numerator * k for k in rounded], [unit * o / (p.n * net.tau) for o in sums]))
    right = (abs(hers[:, None] - his) < 2 * unit) == np.eye(len(strings), dtype=bool)
    return {messages: len(set(rounded)), errors: int((~right).sum()), size: margin_bits(net.tau, net.V, net.S)}


claim = Claim(
    "The margin of a single layer for equality",
    role="sharpness", source="derived here: one layer on equality",
    scope={"every n, ratio": "points", "every step": "points", "some network": "exhibited",
           "every pair of strings": "enumeration"},
    construct=construct, measure=measure,
    asserts=[messages.equals(2**n), errors.equals(0), size >= n, size.equals(ceiling(log(n * 2 ** (n + 1) + 1, 2)))],
    requires=[ratio < 1], grid=points("n ratio", (1, "1/2"), (6, "1/2"), (6, "63/64"), (8, "63/64"), (10, "1/3")),
    controls=[
        Control("a step of 4 tau_0", breaks=[errors, messages], where=n >= 2,
                measure=lambda net, p: measure(net, p, Fraction(1))),
        Control("a step of 6 tau_0", breaks=[errors, messages], where=n >= 2,
                measure=lambda net, p: measure(net, p, Fraction(3, 2))),
        Control("a margin of 1/10", breaks=[size >= n], where=n >= 6, asserts=[size >= n],
                construct=lambda p: MarginEquality(p.n, Fraction(1, 10)),
                measure=lambda net, p: {size: margin_bits(net.tau, net.V, net.S)}),
    ],
)
