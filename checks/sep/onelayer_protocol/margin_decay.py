r"""The margin of a single layer that tells $2^n$ rows apart decays at least like $2^{-n/H(d_v+1)}$.

Setting    As in onelayer_protocol_margin: $H$ heads of width $d_v$, values within $V=1$, logits within $S\ge1$.
Statement  $B_R\ge n$, which $2^n$ different rows force, takes a margin $\log_2\frac1\tau\ge\frac
           n{H(d_v+1)}-2-\log_2\max(2,S)$. The formula says no more: the largest $\tau=2^{-j}$ with $B_R\ge n$ has
           $j\le\frac n{H(d_v+1)}+1$.
Witness    The formula of onelayer_protocol_margin, and its slope in $n$.
Measured   The least $j\ge0$ with $B_R\ge n$ at $\tau=2^{-j}$, by trying all.
Control    Twice the heads in the exponent; the normaliser not sent; uniform attention, which has none to send.
Reads      Derived here: $\lceil\log_2(x+1)\rceil\le\log_2x+2$ for $x\ge1$, and at least $\log_2x$. So a margin that
           does not decay takes $H(d_v+1)$ in proportion to $n$: linear size.
"""

from fractions import Fraction
from itertools import count

from sympy import Max, log

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.communication.margin_protocol import margin_bits

from ..notation import H, S, d_v, n

halvings = Quantity("halvings", r"\log_2\frac1\tau", "of the margin, until the message has n bits", (0, None))


def construct(p, uniform=False):
    return lambda j: margin_bits(Fraction(1, 2**j), 1, 0 if uniform else p.S, p.H, p.d_v)


def measure(bits, p):
    return {halvings: next(j for j in count() if bits(j) >= p.n)}


def law(sent=d_v + 1):
    return [halvings >= n / (H * sent) - 2 - log(Max(2, S)) / log(2), halvings <= n / (H * sent) + 1]


claim = Claim(
    "The margin of a single layer decays",
    role="growth", source="derived here: one layer as a protocol", scope={"every n, H, d_v, S": "points"},
    asserts=law(),
    grid=points("n H d_v S", (16, 1, 1, 1), (64, 1, 1, 4), (256, 4, 2, 1), (1000, 8, 8, 50), (4096, 8, 8, 50)),
    requires=[S >= 1], construct=construct, measure=measure, controls=[
        Control("twice the heads", breaks=halvings, asserts=law(2 * (d_v + 1))[1:]),
        Control("the normaliser not counted", breaks=halvings, where=(n >= 64) & (d_v <= 2), asserts=law(d_v)[:1]),
        Control("nothing sent of the normaliser", breaks=halvings, where=(n >= 64) & (d_v <= 2), asserts=law()[1:],
                construct=lambda p: construct(p, uniform=True)),
    ],
)
