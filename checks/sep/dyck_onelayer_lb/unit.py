r"""One kind of bracket and depth 1: two rows, and one uniform head recognises the language.

Setting    Dyck-$(1,1)$, the words $()()\dots()$, of even length $N$.
Statement  $M$ has 2 different rows and rank 1; uniform attention over the flags $[s_i\ne i\bmod2]$, $i=0,\dots,N-1$,
           has output 0 iff the word is in the language.
Witness    The head, in rationals.
Measured   Words on which the head errs, of all $2^N$; different rows and rank.
Control    Flags without the position, which count the brackets; depth 2.  The first half for Alice changes nothing.
Reads      Derived here: the bound is about $n\ge2$ or $k\ge2$.
"""

from fractions import Fraction

import numpy as np
from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.tasks.dyck import all_words
from theorytools.theory.communication.acceptance_matrix import AcceptanceMatrix

from .._dyck import matrix, rank, rows, table
from ..notation import N, depth, types

errors = Quantity("errors of the head", r"\#\{w:\text{head errs}\}", "words on which the head errs", (0, 2**N))


def construct(p) -> AcceptanceMatrix:
    return matrix(p)


def flags(words):
    return words != [i % 2 for i in range(words.shape[1])]


def counted(words):  # opening brackets 1, closing ones -1
    return 1 - 2 * words


def measure(M, p, value=flags):
    words = all_words(2, p.N)
    totals, which = np.unique(value(words).sum(axis=1), return_inverse=True)
    zero = np.array([Fraction(int(total), p.N) == 0 for total in totals])[which]
    return {errors: int((zero != M.automaton.accepts(words)).sum()), **table(M, p)}


claim = Claim(
    "Dyck with one kind of bracket and depth 1",
    role="necessity", source="derived here: one layer on bounded Dyck",
    scope={"every types, depth, N": "points", "some network": "exhibited", "every word": "enumeration"},
    asserts=[errors.equals(0), rows.equals(2), rank.equals(1)],
    grid=points("types depth N", *((1, 1, length) for length in (2, 4, 8, 12))), construct=construct, measure=measure,
    requires=[Eq(types, 1), Eq(depth, 1)], controls=[
        Control("flags without the position", breaks=errors, measure=lambda M, p: measure(M, p, counted)),
        Control("depth 2", breaks=[errors, rows, rank], where=N >= 4, construct=lambda p: matrix(p, k=2)),
        Control("the first half for Alice", construct=lambda p: matrix(p, "contiguous")),
    ],
)
