r"""Summed in floats of $M$ bits, $x$ before $y$, the network for equality is right for $n\le M$, not at $n=M+1$.

Setting    The network of onelayer_protocol_equality; the numerator is summed term by term, largest weight first, all
           $x$ and then all $y$, every partial sum rounded to $M$ bits, to nearest, ties to even.
Statement  It is right on all pairs for $n\le M$, and not at $n=M+1$: two strings with the sums $2^M+3$, $2^M+5$ (in
           units of the least weight, $M\ge3$) are confused: 8 for bfloat16, 11, 24, 53 for float16, float32, float64.
Proof      For $n\le M$ all sums over $x$ are exact.  After the first difference a rounding can occur only
           at a magnitude $\ge2^n$, while the rest removes less than $2^{n-1}$.  The pairs tried do not show it.
Adversary  All $4^n$ pairs for $n\le6$; beyond that equal, flipped and consecutive strings, some about $\frac342^n$.
Measured   The last $n$ before the first with a wrong pair, from $n=\max(1,M-2)$ to at most $M+3$.
Control    The interleaved order $x_1,y_1,x_2,y_2,\dots$; exact sums; one bit more.
"""

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.attention.equality import close_pairs, equal_in_floats
from theorytools.theory.communication.matrix import all_strings, equality

from ..notation import M

last = Quantity("last good length", r"n_{\max}", "right on all pairs tried", (1, None))


def pairs(n, rng):
    if n > 6:
        return close_pairs(n, rng, 16)
    strings = all_strings(n)
    return np.repeat(strings, len(strings), axis=0), np.tile(strings, (len(strings), 1))


def construct(p, more=0, **order):
    def wrong(n):
        x, y = pairs(n, p.rng("pairs"))
        return int((equal_in_floats(x, y, p.M + more, **order) != equality(x, y)).sum())
    return wrong


def measure(wrong, p):
    tried = range(max(1, p.M - 2), p.M + 4)
    return {last: next((n - 1 for n in tried if wrong(n)), tried[-1])}


claim = Claim(
    "The width-1 network in floats",
    role="precision", source="derived here: one layer on equality",
    scope={"every format": "points", "every n <= M": "proof", "every pair of strings": "proof"},
    asserts=last.equals(M),
    grid=points("M", (2,), (3,), (4,), (5,), (8,), (11,), (24,), (53,)), construct=construct, measure=measure,
    controls=[
        Control("interleaved", breaks=last, construct=lambda p: construct(p, interleaved=True)),
        Control("exact sums", breaks=last, construct=lambda p: construct(p, more=5)),
        Control("one bit more", breaks=last, construct=lambda p: construct(p, more=1)),
    ],
)
