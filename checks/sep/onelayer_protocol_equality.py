r"""One head of value width 1 decides equality with $n+1$-bit values, so the linear lower bound is tight.

Setting    As in onelayer_protocol. Uniform attention, $v(x_i)=2^{n-i}x_i$, $v(y_i)=-2^{n-i}y_i$, signs $x_i,y_i=\pm1$.
Statement  The output is zero iff $x=y$; the least other numerator is 2; Alice has exactly $2^n$ messages, so
           $B\ge n$ is needed, and of size $\Theta(n)$ here: $B\le4n+2\lceil\log_2n\rceil+6$.
Witness    OneLayerEquality.
Measured   All messages; all $4^n$ pairs for $n\le8$, at $n=12$ pairs that are equal, one flip apart or consecutive.
Control    $n$-bit values, the two least weights equal; one sign for both strings; fewer messages than strings.
Reads      Derived here; $B\le\dots$ from $p=n+1$ in the formula of onelayer_protocol.
"""

import numpy as np
from sympy import ceiling, log

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions import OneLayerEquality, close_pairs
from theorytools.quantities import all_strings, equality

from ._layers import split
from .notation import n
from .onelayer_protocol import messages

errors = Quantity("wrong pairs", r"\#\{f\ne\mathrm{EQ}\}", "among the pairs of strings tried", (0, None))
least = Quantity("least numerator", r"\min_{x\ne y}|N|", "over pairs that differ", (0, None))
size = Quantity("bits", "B", "of a message", (1, None))


def construct(p) -> OneLayerEquality:
    return OneLayerEquality(p.n)


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
    "A single layer of linear size decides equality", construct=construct, measure=measure,
    asserts=[messages.equals(2**n), errors.equals(0), least.equals(2), size >= n,
             size <= 4 * n + 2 * ceiling(log(n, 2)) + 6],
    grid=points("n", (1,), (2,), (4,), (6,), (8,), (12,)), controls=[
        Control("n-bit values", breaks=[messages, errors, least], where=n >= 2,
                construct=lambda p: OneLayerEquality(p.n, repeated=True)),
        Control("one sign", breaks=[errors, least], construct=lambda p: OneLayerEquality(p.n, same_sign=True)),
        Control("fewer messages", breaks=messages, asserts=[messages <= 2 ** (n - 1)]),
    ],
)
