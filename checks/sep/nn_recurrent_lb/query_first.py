r"""Asked before it reads, a nearest-neighbour model keeps the query, the best similarity and one label.

Setting    The query, one of $N$ binary codewords of length $k$, comes first; then the $N$ vectors with their labels.
Statement  A running best is right on all $N|Y|^N$ inputs with $1+N+N(1+\frac k2)|Y|$ states at $N=2^k$: one vector, one
           similarity and one label in place of $N$ labels. (For query $i$ the similarity rises in steps of 2 through
           $1+|i|$ values, $|i|$ the ones of $i$ in binary: the first vector that shares $r$ of them has the lowest.)
Witness    The running best, in integers.
Measured   States, and the ends (state, query, label) with a wrong answer, by a search over what can be reached.
Control    The last label kept instead of the nearest; asked last, with a register of all labels.
Reads      Derived here. A bound was asserted first, $1+N+N(k+1)|Y|$; the formula was read off and then proved.
"""

from sympy import log

from theorytools import Claim, Control, points
from theorytools.codes.families import binary_index
from theorytools.papers.sep.memory.query_first import QueryFirst, query_first
from theorytools.papers.sep.recurrent.asked_first import RunningBest
from theorytools.papers.sep.recurrent.registers import SymbolRegister
from theorytools.theory.memory.counting import count_states

from .._pairs import LastLabel
from ..index_lookup_recurrent_lb.index_lookup_recurrent_lb import states
from ..index_lookup_recurrent_lb.query_first import errors
from ..notation import N, Y, k


def construct(q, kind=RunningBest) -> QueryFirst:
    return query_first(kind(binary_index(q.N).signs), q.N, q.Y)


def measure(found, q):
    return {states: found.states, errors: found.errors}


def asked_last(found, q):
    count = count_states(SymbolRegister(q.Y, q.N), q.N, q.Y)
    return {states: count.S, errors: int(count.accuracy < 1)}


claim = Claim(
    "Nearest neighbour, the query first",
    role="necessity", source="derived here: recurrent models of nearest neighbour",
    scope={"every N, Y": "points", "some recurrent model": "exhibited", "every labelling": "automaton"},
    lets={k: log(N) / log(2)},
    asserts=[states.equals(1 + N + N * (1 + k / 2) * Y), errors.equals(0)],
    grid=points("N Y", (2, 2), (8, 3), (16, 2), (64, 2), (128, 2)), construct=construct, measure=measure, controls=[
        Control("the last label", breaks=errors, asserts=[errors.equals(0)],
                construct=lambda q: construct(q, LastLabel)),
        Control("asked last", breaks=states, where=(N >= 4) & (N * log(Y) < 12), measure=asked_last),
    ],
)
