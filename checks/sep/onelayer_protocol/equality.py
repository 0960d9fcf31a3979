r"""One head decides equality with $n+1$-bit values of width 1, or with signs of width $n$: linear size is enough.

Setting    As in onelayer_protocol. Uniform attention, $v(x_i)=2^{n-i}x_i$, $v(y_i)=-2^{n-i}y_i$, signs $x_i,y_i=\pm1$.
Statement  The output is zero iff $x=y$; the least other numerator is 2; Alice has exactly $2^n$ messages, so $B\ge n$
           is needed, and of size $\Theta(n)$ here: $B\le4n+2\lceil\log_2n\rceil+6$. So is width $n$ with numbers of two
           bits: $v(x_i)=x_i$ and $v(y_i)=-y_i$ in coordinate $i$, $B=\lceil\log_2(3n+1)\rceil+n\lceil
           \log_2(12n+1)\rceil$.
Proof      The numerator is $2\sum_id_i2^{n-i}$ with digits $d_i=\frac{x_i-y_i}2\in\{-1,0,1\}$: 0 only if all are, and
           even. Alice's $2^n$ sums $\sum\pm2^{n-i}$ are different. With $p=n+1$ the two logarithms are at most
           $n+1+\lceil\log_2n\rceil$ and $2n+2+\lceil\log_2n\rceil$. Coordinate by coordinate the same holds of signs,
           with $p=2$.
Witness    OneLayerEquality; tables of signs.
Measured   All messages; all $4^n$ pairs for $n\le8$, at $n=12$ pairs that are equal, one flip apart or consecutive.
Control    $n$-bit values, the two least weights equal; one sign for both strings; fewer messages than strings; the last
           coordinate shared by two bits.
Reads      Derived here; $B\le\dots$ from $p=n+1$ in the formula of onelayer_protocol.
"""

import numpy as np
from sympy import ceiling, log

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.attention.attention_tables import FixedPointTables
from theorytools.constructions.network import changed
from theorytools.papers.sep.attention.equality import OneLayerEquality, close_pairs
from theorytools.theory.communication.matrix import all_strings, equality

from .._layers import split
from ..notation import n
from .onelayer_protocol import messages

errors = Quantity("wrong pairs", r"\#\{f\ne\mathrm{EQ}\}", "among the pairs of strings tried", (0, None))
least = Quantity("least numerator", r"\min_{x\ne y}|N|", "over pairs that differ", (0, None))
size = Quantity("bits", "B", "of a message", (1, None))


def construct(p) -> OneLayerEquality:
    return OneLayerEquality(p.n)


def n_bits(p):  # the largest weight left out, the least one twice
    net = construct(p)
    w = net.weights[: p.n]
    w = np.append(w[1:], w[-1])
    return changed(net, weights=np.concatenate([w, -w]))


def one_sign(p):
    return changed(construct(p), weights=abs(construct(p).weights))


def pairs(p):
    if p.n > 8:
        return close_pairs(p.n, p.rng("pairs"))
    strings = all_strings(p.n)
    return np.repeat(strings, len(strings), axis=0), np.tile(strings, (len(strings), 1))


def measure(net, p):
    x, y = pairs(p)
    same, protocol = equality(x, y), split(net)
    N = net.sums(np.concatenate([x, y], axis=1))[0].ravel()
    return {messages: protocol.count(), errors: int(((N == 0) != same).sum()), size: protocol.bits,
            least: int(abs(N[~same]).min())}


claim = Claim(
    "A single layer of linear size decides equality",
    role="sharpness", source="derived here: one layer on equality",
    scope={"every n": "proof", "some network": "exhibited", "every pair of strings": "proof"},
    construct=construct, measure=measure,
    asserts=[messages.equals(2**n), errors.equals(0), least.equals(2), size >= n,
             size <= 4 * n + 2 * ceiling(log(n, 2)) + 6],
    grid=points("n", (1,), (2,), (4,), (6,), (8,), (12,)), controls=[
        Control("n-bit values", breaks=[messages, errors, least], where=n >= 2,
                construct=n_bits),
        Control("one sign", breaks=[errors, least], where=n <= 8, construct=one_sign),
        Control("fewer messages", breaks=messages, asserts=[messages <= 2 ** (n - 1)]),
    ],
)


def signs(p, shared=0):
    v = np.zeros((2 * p.n, 2, 1, p.n), dtype=int)
    for i in range(p.n):
        v[i, :, 0, min(i, p.n - 1 - shared)] = -1, 1
        v[p.n + i, :, 0, min(i, p.n - 1 - shared)] = 1, -1
    return FixedPointTables(0 * v[..., 0] + 1, v, 2, lambda N, D: (N == 0).all(axis=(1, 2)))


def wide_measure(net, p):
    x, y = pairs(p)
    protocol = split(net)
    return {messages: protocol.count(), size: protocol.bits,
            errors: int((net.execute(np.concatenate([x, y], axis=1)) != equality(x, y)).sum())}


wide = Claim(
    "A single layer of width n decides equality",
    role="sharpness", source="derived here: one layer on equality",
    scope={"every n": "proof", "some network": "exhibited", "every pair of strings": "proof"},
    construct=signs, measure=wide_measure,
    asserts=[messages.equals(2**n), errors.equals(0),
             size.equals(ceiling(log(3 * n + 1, 2)) + n * ceiling(log(12 * n + 1, 2)))],
    grid=points("n", (1,), (2,), (4,), (7,), (12,)), controls=[
        Control("a coordinate shared", breaks=[messages, errors], where=n >= 2,
                construct=lambda p: signs(p, shared=1)),
        Control("as many bits as strings have", breaks=size, asserts=[size <= n]),
    ],
)
