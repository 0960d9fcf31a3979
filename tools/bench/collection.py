"""The 27 statements made by hand: ten around the three papers, seventeen from textbooks."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import sympy
from sympy import Min, Rational

from theorytools.claims.language.grid import grid
from tools.bench.handmade import HandMade
from tools.bench.textbook import TEXTBOOK, N, codewords, dyck, k, m, n, softmax, uneven

PAPERS = (
    HandMade(
        "leakage_of_a_head",
        "index off by one",
        "attention outside the indexed slot, orthogonal codes",
        "<=",
        (N - 2) / (N - 2 + m),
        grid(N=[4, 8, 64], m=[10, 100]),
        lambda p: softmax([p.m] + [1] * (p.N - 1), 0),
        {"N": 8, "m": 10},
        1 - Fraction(10, 17),
        "N - 1 slots leak, not N - 2.",
        [N >= 3],
    ),
    HandMade(
        "leakage_of_the_best_slot",
        "quantifiers exchanged",
        "largest attention outside its slot over N slots",
        "<=",
        1 - 8 / (8 + sympy.Integer(1)),
        grid(N=[2, 4, 16]),
        lambda p: max(uneven(p.N)),
        {"N": 2},
        Fraction(2, 10),
        "The bound is that of the slot with the fewest rivals, the statement is about every slot.",
    ),
    HandMade(
        "unread_labels",
        "index off by one",
        "share of labels that H heads cannot read",
        ">=",
        1 - (k - 1) / n,
        grid(n=[2, 8, 32], k=[1, 2]),
        lambda p: Fraction(sum(i >= p.k for i in range(p.n)), p.n),
        {"n": 8, "k": 2},
        Fraction(6, 8),
        "k heads read k labels and not k - 1.",
        [k <= n],
    ),
    HandMade(
        "energy_outside_a_span",
        "index off by one",
        "mean of 1 - |P e_i|^2 over the N axes, P onto n of them",
        "==",
        1 - (n + 1) / N,
        grid(N=[4, 16], n=[1, 3]),
        lambda p: Fraction(sum(i >= p.n for i in range(p.N)), p.N),
        {"N": 4, "n": 1},
        1 - Fraction(1, 4),
        "The trace of a projection onto n axes is n.",
        [n <= N],
    ),
    HandMade(
        "states_of_a_network", "index off by one", "states of m units of k bits", "<=", 2 ** (m * (k - 1)),
        grid(m=[1, 2, 3], k=[1, 2, 3]), lambda p: len(list(product(range(2**p.k), repeat=p.m))) if p.m * p.k < 13
        else 2 ** (p.m * p.k), {"m": 2, "k": 2}, Fraction(16), "A sign is a bit too.",
    ),
    HandMade(
        "functions_to_store",
        "horizon",
        "subsets of N slots",
        "<=",
        N**4,
        grid(N=[2, 4, 8, 16]),
        lambda p: 2**p.N,
        {"N": 17},
        Fraction(131072),
        "2^N meets N^4 at 16 and leaves it behind.",
        [N >= 2],
    ),
    HandMade(
        "boolean_functions",
        "exponent",
        "Boolean functions of k bits",
        "==",
        2 ** (k**2),
        grid(k=[2, 4]),
        lambda p: 2 ** len(list(product((0, 1), repeat=p.k))),
        {"k": 3},
        Fraction(256),
        "2^k and k^2 agree at 2 and at 4 only.",
        [k <= 12],
    ),
    HandMade(
        "balanced_words",
        "exponent 1/4 off",
        "balanced words of n pairs of brackets",
        "<=",
        4**n / n ** Rational(7, 4),
        grid(n=[1, 2, 4, 8]),
        lambda p: dyck(p.n),
        {"n": 64},
        Fraction(math.comb(128, 64), 65),
        "The power of n is 3/2, and the constant 1/sqrt(pi) hides it for small n.",
    ),
    HandMade(
        "distinct_messages",
        "index off by one",
        "distinct rows of the equality of strings of k bits",
        "==",
        2**k - 1,
        grid(k=[1, 3, 5]),
        lambda p: codewords(p.k),
        {"k": 3},
        Fraction(8),
        "Every string has its own row, that of zeros too.",
        [k <= 7],
    ),
    HandMade(
        "rounded_twice",
        "min for max",
        "the larger of two rounding errors 2^-k and 2^-m",
        "<=",
        Min(2 ** (-k), 2 ** (-m)),
        grid(k=[2, 4], m=[2, 8]),
        lambda p: max(Fraction(1, 2**p.k), Fraction(1, 2**p.m)),
        {"k": 2, "m": 8},
        Fraction(1, 4),
        "The coarser of the two roundings decides.",
    ),
)  # fmt: skip

COLLECTION = (*PAPERS, *TEXTBOOK)
