r"""A wider single layer decides equality too: its least width is between $n/\ell$ and $\lceil n/(p-1)\rceil$.

Setting    Two strings of $n$ bits, exact fixed-point sums, $p$ bits a number, a public last token.
Statement  One layer of total width $m$, however split into heads, sends at most $m\ell$ bits,
           $\ell=\lceil\log_2(n(2^p-1)+1)\rceil+\lceil\log_2(n(2^p-1)2^p+1)\rceil$, so $m\ge n/\ell$. Uniform attention
           of width $\lceil n/(p-1)\rceil$ decides equality: each coordinate holds $p-1$ bits as digits. So the least
           width is known within the factor $\ell/(p-1)$, about $3+2\log_2(n)/p$.
Witness    wide_equality; two layers, CopyThenCompare, on the same pairs.
Measured   Pairs answered wrong, all of them for $n\le6$, close ones beyond; width; Alice's messages, all $2^n$.
Control    Two bits to a digit; codes of the wrong positions; as narrow as the bound.
Reads      Derived here. $\ell$ is the message of one head of width 1; heads of width $d_v>1$ send less for their width.
"""

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.attention.equality import close_pairs
from theorytools.theory.communication.least_width import wide_equality
from theorytools.theory.communication.matrix import all_strings, equality
from theorytools.theory.communication.protocol import message_bits

from .._layers import CopyThenCompare, split
from ..notation import B, n, p

errors = Quantity("wrong, one layer", r"\#\{f\ne\mathrm{EQ}\}", "among the pairs of strings tried", (0, None))
errors_two = Quantity("wrong, two layers", r"\#\{f_2\ne\mathrm{EQ}\}", "among the same pairs", (0, None))
width = Quantity("width", "m", "of the single layer", (1, None))
messages = Quantity("messages", r"|\mathcal M|", "of the single layer", (1, None))


def construct(q, held=None, swapped=False):
    two = CopyThenCompare(q.n)
    if swapped:
        two.first = two.first[::-1]
    return wide_equality(q.n, q.p, held), two


def pairs(q):
    if q.n > 6:
        return close_pairs(q.n, q.rng("pairs"))
    strings = all_strings(q.n)
    return np.repeat(strings, len(strings), axis=0), np.tile(strings, (len(strings), 1))


def measure(nets, q):
    x, y = pairs(q)
    wrong = [int((net.execute(np.concatenate([x, y], axis=1)) != equality(x, y)).sum()) for net in nets]
    return {errors: wrong[0], errors_two: wrong[1], width: nets[0].width, messages: split(nets[0]).count()}


claim = Claim(
    "Question (l), a wider single layer",
    role="variant", source="derived here: question (l)",
    scope={"every n, p": "points", "some network": "exhibited", "every pair of strings": "drawn"},
    construct=construct, measure=measure,
    asserts=[errors.equals(0), errors_two.equals(0), messages.equals(2**n), width >= n / B,
             width <= (n + p - 2) / (p - 1)],
    derive=lambda nets, q: {B: message_bits(q.n, q.p)}, derived=[B], requires=[p >= 3],
    grid=points("n p", (2, 3), (4, 3), (6, 4), (8, 3), (12, 5), (12, 13)), controls=[
        Control("two bits to a digit", breaks=[errors, messages], where=n >= p - 1,
                construct=lambda q: construct(q, held=q.p - 2)),
        Control("codes of the wrong positions", breaks=errors_two, construct=lambda q: construct(q, swapped=True)),
        Control("as narrow as the bound", breaks=width, asserts=[width <= n / B]),
    ],
)
