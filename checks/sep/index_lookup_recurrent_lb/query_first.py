r"""Asked before it reads, a recurrent model needs $N+|\Sigma|+1$ states: the bound is about the order of the input.

Setting    The position $p$ comes first, then $s_1\dots s_N$; the answer is $s_p$ after the last symbol.
Statement  A countdown of $N+|\Sigma|+1$ states is right on all $N|\Sigma|^N$ inputs: about $\log_2N$ bits.
Witness    The countdown, in integers.
Measured   States, and the ends (state, position, symbol) with a wrong answer, by a search over what can be reached.
Control    A countdown that ends late; the start counted out; a register of all symbols asked last instead.
Reads      Derived here. Not minimal: the start could be the state of a stored symbol.
"""

import numpy as np
from sympy import log

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.network import changed
from theorytools.papers.sep.memory.query_first import QueryFirst, query_first
from theorytools.papers.sep.recurrent.asked_first import Countdown
from theorytools.papers.sep.recurrent.registers import SymbolRegister
from theorytools.theory.memory.counting import count_states

from ..notation import N, symbols
from .index_lookup_recurrent_lb import states

errors = Quantity("wrong ends", r"\#\{\text{wrong}\}", "ends (state, position, symbol) with a wrong answer", (0, None))


def construct(q) -> QueryFirst:
    return query_first(Countdown(q.N), q.N, q.symbols)


def late(q):  # one symbol too many is passed over
    return query_first(changed(Countdown(q.N), passed=np.minimum(np.arange(q.N) + 1, q.N - 1)), q.N, q.symbols)


def measure(found, q):
    return {states: found.states, errors: found.errors}


def asked_last(found, q):
    count = count_states(SymbolRegister(q.symbols, q.N), q.N, q.symbols)
    return {states: count.S, errors: int(count.accuracy < 1)}


claim = Claim(
    "Index lookup, the position first",
    role="necessity", source="derived here: index lookup by recurrent models",
    scope={"every N, symbols": "points", "some recurrent model": "exhibited", "every word": "automaton"},
    asserts=[states.equals(N + symbols + 1), errors.equals(0)],
    grid=points("N symbols", (2, 3), (8, 2), (64, 2), (512, 2), (10, 5)),
    construct=construct, measure=measure, controls=[
        Control("a countdown that ends late", breaks=errors, where=N <= 64, construct=late),
        Control("without the start", breaks=states, where=N <= 64,
                asserts=[states.equals(N + symbols), errors.equals(0)]),
        Control("asked last", breaks=states, where=N * log(symbols) < 10, measure=asked_last),
    ],
)
