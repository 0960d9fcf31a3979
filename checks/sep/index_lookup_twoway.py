r"""Who speaks first decides what index lookup costs: $N$ bits one way, far fewer if the position is sent first.

Setting    Alice holds $s\in\{0,1\}^N$, Bob the position $p$. Bob may first send $p$ in $k=\lceil\log_2N\rceil$ bits;
           Alice then sends numerator and denominator of one attention head with integer weights $(2k)^{k-d_{pj}}$,
           $d_{pj}$ the Hamming distance of binary codes, and Bob answers by the sign.
Statement  The matrix of answers has $2^N$ rows and $N$ columns, all different, and rank $N$: one message from Alice
           takes $N$ bits. Both ways, at $N=2^k$, $k+2\lceil\log_2((2k+1)^k+1)\rceil+1$ bits suffice, fewer than $N$
           from $N=64$ on.
Proof      The denominator is $\sum_d\binom kd(2k)^{k-d}=(2k+1)^k$, and the target outweighs the rest by
           $2(2k)^k-(2k+1)^k$, positive as $(1+\frac1{2k})^k<\sqrt e<2$. A bit more in $k$ doubles $N$ and multiplies
           the bits by less than 2: with $f(k)=k+3+2k\log_2(2k+1)$ above them, $f(k)<2^k$ at $k=7$, and $f(k+1)<2f(k)$
           for $k\ge2$; at $k=6$ they are counted.
Witness    Both protocols, executed on all $N2^N$ inputs, $N\le8$; beyond, the worst input of every position.
Measured   Rows, columns and rank of the matrix; wrong answers of either protocol; bits of the numbers that are sent.
Control    A bit less one way; Alice not told the position; uniform weights; a bit of Alice's that no column reads;
           all weights sent.
Reads      Derived here: it is why one-layer attention is not held to $N$ bits when the position is in the last token.
"""

import numpy as np
from sympy import Rational, exp, floor, log

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.communication.matrix import CommunicationMatrix, all_strings

from ._talk import Talk, one_message
from .notation import N, k

rows = Quantity("rows", r"\#\text{rows}", "different rows of the matrix of answers", (1, None))
columns = Quantity("columns", r"\#\text{columns}", "different columns of it", (1, None))
rank = Quantity("rank", r"\operatorname{rank}", "of it, over the rationals", (1, None))
one_way = Quantity("wrong one way", r"\#\{\text{wrong}\}_\to", "answers after one message of N bits", (0, None))
both = Quantity("wrong both ways", r"\#\{\text{wrong}\}_\leftrightarrow", "answers after two messages", (0, None))
bits = Quantity("bits both ways", r"B_\leftrightarrow", "of the position and of the two numbers sent", (1, None))
margin = Quantity("margin", r"\min_p(2e_{pp}-\sum_je_{pj})", "of the target's weight over all others", (None, None))
half, formula = Rational(1, 2), k + 2 * (floor(k * log(2 * k + 1) / log(2)) + 1) + 1


def construct(q) -> Talk:
    return Talk.of(q.N)


def measure(talk, q, lost=0, told=True, unread=0):
    words = all_strings(q.N)
    M = CommunicationMatrix.of(lambda x, y: np.take_along_axis(*np.broadcast_arrays(x, y), axis=-1)[..., 0],
                               words * (np.arange(q.N) < q.N - unread), np.arange(q.N)[:, None])
    sums = talk.numerators(words)
    found = (sums if told else sums[:, :1]) > 0  # not told, she sums as if asked for the first
    return {rows: M.distinct_rows, columns: CommunicationMatrix(M.answers.T).distinct_rows, rank: M.rank,
            one_way: int((one_message(words, lost) != words).sum()), both: int((found != words).sum()),
            bits: talk.bits(sums)}


def at_worst(talk, q):
    return {margin: talk.margin(), bits: talk.bits(talk.numerators(np.ones((1, q.N), dtype=int)))}


silent = [one_way.equals(0), both.equals(0)]
outweighs = margin >= (2 - exp(half)) * (2 * k) ** k
uniform = Control("uniform weights", breaks=margin, construct=lambda q: Talk(Talk.of(q.N).e ** 0), asserts=[outweighs])
claim = Claim(
    "Index lookup, one way and both",
    role="necessity", source="derived here: index lookup as communication",
    scope={"every N": "points", "every input": "enumeration"},
    lets={k: log(N) / log(2)}, grid=points("N", (2,), (4,), (8,)),
    asserts=[rows.equals(2**N), columns.equals(N), rank.equals(N), *silent, bits.equals(formula)],
    construct=construct, measure=measure, controls=[
        Control("a bit less one way", breaks=one_way, asserts=silent, measure=lambda talk, q: measure(talk, q, lost=1)),
        Control("Alice not told the position", breaks=both, asserts=silent,
                measure=lambda talk, q: measure(talk, q, told=False)),
        Control("uniform weights", breaks=both, where=N >= 4, asserts=silent, construct=uniform.construct),
        Control("a bit that no column reads", breaks=[rows, rank], asserts=[rows.equals(2**N), rank.equals(N)],
                measure=lambda talk, q: measure(talk, q, unread=1)),
    ],
)
long = Claim(
    "Index lookup, fewer bits both ways",
    role="necessity", source="derived here: index lookup as communication",
    scope={"every N": "proof", "some protocol": "exhibited", "every input": "closed form"},
    lets={k: log(N) / log(2)}, grid=points("N", (64,), (256,)),
    requires=[N >= 64],
    asserts=[bits <= N, bits.equals(formula), outweighs], construct=construct, measure=at_worst, controls=[
        uniform,
        Control("all weights sent", breaks=bits, asserts=[bits <= N],
                measure=lambda talk, q: {bits: sum(int(e).bit_length() for e in talk.e[0])}),
    ],
)
