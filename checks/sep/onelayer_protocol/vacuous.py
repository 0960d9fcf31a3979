r"""At the precision of real networks the bound says nothing below thousands of tokens.

Setting    As in onelayer_protocol; one layer of width 64, $H=8$ heads of width $d_v=8$, or 4 of 16, or 2 of 32 (the
           layer of two_heads), numbers of $p$ bits.
Statement  The least $n$ with $B<n$, the first length at which the bound excludes equality of two strings of $n$ bits,
           exceeds $H(2+d_v)p$ (2560 for 32 bits and 8 heads), and 800 for $p\ge2$: no failure of such a model at
           lengths of up to 800 follows from its size. At $H=2$, $d_v=32$ and 16 symbols of Alice $B\ge394$, more than
           the 16 bits of a string and the 32 of the rows of Dyck-(2,2) at 32 brackets.
Witness    The formula of onelayer_protocol.
Measured   $n$, by trying all; $B$ for 16 symbols.
Control    One head of width 1 and numbers of two bits: excluded from $n=15$ on; numbers of one bit.
Reads      Derived here. Exact fixed-point accumulation, with a public last token. At one bit for a number,
           eight heads are excluded from $n=785$ on.
"""

from itertools import count

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.communication.protocol import message_bits

from ..notation import H, d_v, p

bits = Quantity("message", r"B", "bits, for 16 symbols of Alice", (1, None))
first = Quantity("first length excluded", r"\min\{n:B<n\}", "by the size of the message", (1, None))


def construct(q, **size):
    return lambda n: message_bits(n, size.get("p", q.p), size.get("heads", q.H), size.get("width", q.d_v))


def measure(message, q):
    return {first: next(n for n in count(1) if message(n) < n), bits: message(16)}


claim = Claim(
    "Lengths that the message of a real layer excludes",
    role="variant", source="derived here: one layer on equality",
    scope={"every H, d_v": "points", "every precision p": "points", "every n": "enumeration"},
    asserts=[first >= H * (2 + d_v) * p, first >= 801, bits >= 394],
    grid=points("p H d_v", (2, 8, 8), (4, 8, 8), (8, 8, 8), (16, 8, 8), (32, 8, 8), (128, 8, 8), (32, 4, 16),
                (2, 2, 32), (32, 2, 32)),
    construct=construct,
    requires=[p >= 2], listed=[H, d_v], measure=measure, controls=[
        Control("one head of width 1, two bits", breaks=[first, bits],
                construct=lambda q: construct(q, p=2, heads=1, width=1)),
        Control("one bit", breaks=[first >= 801], asserts=[first >= 801], construct=lambda q: construct(q, p=1)),
    ],
)
