r"""The message of the wide layer of two heads is longer than the words it was trained on: the bound excludes nothing.

Setting    As in onelayer_protocol; $H$ heads of width $d_v$, numbers of $p$ bits. Alice holds the first of two strings
           of 16 bits, or the odd places of 32 brackets: 16 symbols either way.
Statement  At $H=2$, $d_v=32$, the layer of two_heads, $B\ge394$ for every $p$, more than the 16 bits of a string and
           the $\log_2(2\cdot4^{15}+1)<32$ of the rows of Dyck-(2,2); the least $n$ with $B<n$ exceeds $H(2+d_v)p$.
Witness    The formula of onelayer_protocol.
Measured   $B$ at $n_A=16$, and that $n$, by trying all.
Control    Two heads of width 1 and numbers of one bit, $B=22$, which the rows of Dyck exclude; one such head, $B=11$,
           excluded by equality too.
Proof      $B$ grows with $p$, for $n_A(2^p-1)$ and $2^p$ do; at $p=1$ it is $2(5+32\cdot6)=394$.
Reads      Derived here. Whatever one layer of this width fails at in two_heads, no failure follows from its size:
           "no power". Exact sums, public last token. Float32 allows more still.
"""

from itertools import count

from sympy import Integer

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.theory.communication.protocol import message_bits

from ..notation import H, d_v, p

HALF = 16  # Alice's symbols, of 32
ROWS = 2 * 4 ** (HALF - 1) + 1  # of Dyck-(2,2), dyck_onelayer_lb
bits = Quantity("message", r"B", "bits, for 16 symbols of Alice", (1, None))
first = Quantity("first length excluded", r"\min\{n:B<n\}", "by the size of the message", (1, None))


def construct(q, **size):
    return lambda n: message_bits(n, size.get("p", q.p), size.get("heads", q.H), size.get("width", q.d_v))


def measure(message, q):
    return {bits: exactly(message(HALF)), first: exactly(next(n for n in count(1) if message(n) < n))}


LONGEST = Integer((ROWS - 1).bit_length())  # 32, more than equality's 16 bits
claim = Claim(
    "Experiments: the message of one wide layer of two heads",
    role="variant", source="derived here: one layer on equality and on bounded Dyck",
    scope={"every p, H, d_v": "points", "every precision": "proof", "every n": "enumeration"},
    asserts=[bits >= 394, bits >= LONGEST, first >= H * (2 + d_v) * p + 1],
    grid=points("p H d_v", (1, 2, 32), (2, 2, 32), (4, 2, 32), (8, 2, 32), (16, 2, 32), (32, 2, 32), (64, 2, 32)),
    construct=construct, listed=[H, d_v], measure=measure, controls=[
        Control("two heads of width 1, one bit", breaks=bits, asserts=[bits >= LONGEST],
                construct=lambda q: construct(q, p=1, width=1)),
        Control("one head of width 1, one bit", breaks=bits, asserts=[bits >= HALF],
                construct=lambda q: construct(q, p=1, heads=1, width=1)),
        Control("one bit more", breaks=bits, where=p < 2, asserts=[bits >= 395]),
    ],
)
