r"""One kind of bracket and depth 2 are already string equality, with alternating positions.

Setting    As in dyck_onelayer_lb with $n=1$, symbols 0 (open) and 1 (close).
Statement  For $k=2$ a word is accepted iff $a_1$ opens, $b_{N/2}$ closes and $a_{i+1}=1-b_i$: equality of strings of
           $N/2-1$ bits, $2^{N/2-1}+1$ different rows.  For $k=1$ there are 2 rows at every length.
Witness    All $2^N$ words.
Measured   Words on which equality and the language differ; different rows and rank.
Control    The same bits compared without the complement; depth 1; depth 3; the first half for Alice.
Reads      We derive that one bracket type and depth 2 suffice; whether the paper covers this we did not check.  That
           one kind of bracket leaves at most $|Q|$ rows is REFUTED from $N=6$; it holds for the cut in the middle.
"""

from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.tasks.dyck import all_words
from theorytools.theory.communication.acceptance_matrix import AcceptanceMatrix

from .._dyck import language, matrix, rank, rows, table
from ..notation import N, Q_dyck, depth, types

wrong = Quantity("wrong words", r"\#\{w:\ldots\}", "words on which equality and the language differ", (0, 2**N))


def construct(p) -> AcceptanceMatrix:
    return matrix(p)


def equality(p, complement=1):
    w = all_words(2, p.N)
    a, b = w[:, ::2], w[:, 1::2]
    return (a[:, 0] == 0) & (b[:, -1] == 1) & (a[:, 1:] == (b[:, :-1] ^ complement)).all(axis=1), w


def measure(M, p, complement=1):
    equal, w = equality(p, complement)
    return {wrong: int((equal != M.automaton.accepts(w)).sum()), **table(M, p)}


claim = Claim(
    "Dyck with one kind of bracket and depth 2",
    role="variant", source="derived here: one layer on bounded Dyck",
    scope={"every types, depth, N": "points", "every word": "enumeration"},
    asserts=[wrong.equals(0), rows.equals(2 ** (N / 2 - 1) + 1), rank.equals(2 ** (N / 2 - 1))],
    grid=points("types depth N", *((1, 2, length) for length in (4, 6, 8, 10, 12))),
    requires=[Eq(types, 1), Eq(depth, 2)], construct=construct, measure=measure,
    derived=[Q_dyck], derive=lambda M, p: {Q_dyck: language(p).states}, controls=[
        Control("no complement", breaks=wrong, measure=lambda M, p: measure(M, p, 0)),
        Control("depth 1", breaks=[wrong, rows, rank], construct=lambda p: matrix(p, k=1)),
        Control("depth 3", breaks=wrong, where=N >= 6, construct=lambda p: matrix(p, k=3)),
        Control("at most as many rows as states", breaks=rows, where=N >= 6, asserts=[rows <= Q_dyck]),
        Control("the first half for Alice", breaks=[rows, rank], where=N >= 6,
                construct=lambda p: matrix(p, "contiguous")),
    ],
)
