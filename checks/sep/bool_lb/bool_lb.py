r"""Equality, disjointness and inner product need $n$ bits: $2^n$ rows; the first two have fooling sets of size $2^n$.

Setting    The matrix of answers over $x,y\in\{0,1\}^n$.
Statement  $2^n$ different rows, so one message takes at least $n$ bits, hence what an exact layer (fixed-point sums, a
           public last token: onelayer_protocol) sends or the state of an exact recurrent network after $x$. The pairs
           $(x,x)$ for equality and $(x,\bar x)$ for disjointness fool, so conversations take $n$ bits too. The rank is
           $2^n$, for the inner product $2^n-1$.
Proof      Equality is the identity matrix; disjointness the $n$-th Kronecker power of the regular $\binom{1\;1}{1\;0}$.
           Of the inner product $1-2M$ is a symmetric Hadamard matrix with one row of ones, which is lost in $M$: rank
           $2^n-1$, and $2^n$ different rows. $(x,\bar x)$ is disjoint, and $(x,\bar x')$, $(x',\bar x)$ both are only
           if $x=x'$: with Bob's strings complemented both ways mean $x\subseteq x'\subseteq x$, and Möbius' matrix,
           $(-1)^{|x'\setminus x|}$ where $x\subseteq x'$, inverts $M$ in integers, so that its rank is $2^n$ over every
           field.
Witness    The matrices.
Measured   Rows by comparison. The rank by elimination modulo a prime, from below, and no more than the rows that are
           not zero. The fooling set pair by pair.
Control    The index function: $2^n$ rows, rank $n$; the fooling set of the other function; bits left out of $x$.
Reads      The bounds are deterministic. That one layer is such a message needs exact fixed-point sums or a margin, and
           a public last token: onelayer_protocol.
"""

import numpy as np

from theorytools import Claim, Control, Quantity, grid
from theorytools.papers.sep.tasks.boolean import TASKS, bit_strings, fooling_pairs
from theorytools.theory.communication.matrix import CommunicationMatrix

from ..notation import n

rows = Quantity("different rows", r"\#\mathrm{rows}", "of the matrix of answers", (1, 2**n))
rank = Quantity("rank", r"\operatorname{rank}M", "over the rationals", (1, 2**n))
clashes = Quantity("pairs that do not fool", r"\#\mathrm{clashes}", "answer 0, or both mixed pairs 1", (0, None))


def construct(p) -> CommunicationMatrix:
    """Return the matrix with the pairs of the fooling set on its diagonal."""
    X, Y = fooling_pairs(p.task, p.n) if p.task != "inner_product" else (bit_strings(p.n),) * 2
    return CommunicationMatrix.of(TASKS[p.task], X, Y)


def nonzero(M):  # a zero row adds nothing to the rank
    return CommunicationMatrix(M.answers[M.answers.any(axis=1)])


def matrix(M, p):
    return {rows: M.distinct_rows, rank: nonzero(M).rank}


def measure(M, p):
    same = M.answers == 1
    mixed = same & same.T & ~np.eye(len(same), dtype=bool)
    return {**matrix(M, p), clashes: int((~same.diagonal()).sum() + mixed.sum() // 2)}


def index(p):  # M_xi = x_i
    return CommunicationMatrix(bit_strings(p.n))


def other(p):
    X, Y = fooling_pairs("disjointness" if p.task == "equality" else "equality", p.n)
    return CommunicationMatrix.of(TASKS[p.task], X, Y)


def forgetful(p):  # the last bit of x is not read
    X, Y = fooling_pairs(p.task, p.n) if p.task != "inner_product" else (bit_strings(p.n),) * 2
    return CommunicationMatrix.of(TASKS[p.task], X * (np.arange(p.n) < p.n - 1), Y)


full = [rows.equals(2**n), rank.equals(2**n)]
claim = Claim(
    "Equality and disjointness, lower bounds",
    role="statement", source="published: equality and disjointness, lower bounds; prose",
    scope={"every task, n": "proof", "every pair of strings": "proof"},
    asserts=[*full, clashes.equals(0)],
    grid=grid(task=["equality", "disjointness"], n=[1, 2, 4, 6, 8]), construct=construct, measure=measure,
    controls=[
        Control("the index function", breaks=rank, construct=index, measure=matrix, asserts=full),
        Control("the fooling set of the other function", breaks=clashes, where=n <= 6, construct=other),
        Control("a bit of x not read", breaks=[rows, rank, clashes], where=n <= 6, construct=forgetful),
    ],
)
inner = Claim(
    "Inner product, lower bounds",
    role="variant", source="derived here: equality and disjointness, lower bounds",
    scope={"every task, n": "points", "every pair of strings": "enumeration"},
    asserts=[rows.equals(2**n), rank.equals(2**n - 1)],
    grid=grid(task=["inner_product"], n=[1, 2, 4, 6, 8]), construct=construct, measure=matrix,
    controls=[
        Control("the index function", breaks=rank, where=n >= 2, construct=index),
        Control("a bit of x not read", breaks=[rows, rank], where=(n >= 2) & (n <= 6), construct=forgetful),
    ],
)
