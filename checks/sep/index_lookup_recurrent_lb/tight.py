r"""A register of $B$ symbols has $|\Sigma|^B$ states and guesses the rest; with $|\Sigma|^N$ states nothing is guessed.

Setting    As in index_lookup_recurrent_lb.
Statement  A shift register of $B$ symbols has $|\Sigma|^B$ states and best accuracy $\frac1N(B+\frac{N-B}{|\Sigma|})$,
           for two letters $\frac12(1+\frac BN)$; at $B=N$, and for $h\leftarrow|\Sigma|h+s_t$, there are $|\Sigma|^N$
           states and accuracy 1: the lower bound is tight.
Witness    Both, in integers.
Measured   States and accuracy over all $|\Sigma|^N$ words, exact.
Control    A symbol less; digits in a base too small; what is gone counted as always wrong.
Reads      Derived here.
"""

from sympy import Eq

from theorytools import Claim, Control, points
from theorytools.errors import DomainError
from theorytools.papers.sep.recurrent.registers import SymbolRegister, TightEncoder
from theorytools.theory.memory.counting import StateCount, count_states

from ..notation import N, kept, symbols
from .index_lookup_recurrent_lb import accuracy, measure, states


def construct(q, less=0) -> StateCount:
    if q.model == "digits" and q.kept < q.N:
        raise DomainError(f"kept = {q.kept}", required=f"kept = N = {q.N}", why="digits keep every symbol")
    machine = SymbolRegister(q.symbols, q.kept - less) if q.model == "register" else TightEncoder(q.symbols - less)
    return count_states(machine, q.N, q.symbols)


claim = Claim(
    "Index lookup, tightness",
    role="sharpness", source="derived here: index lookup by recurrent models",
    scope={"every N, symbols, kept": "points", "some recurrent model": "exhibited", "every word": "enumeration"},
    asserts=[states.equals(symbols**kept), accuracy.equals((kept + (N - kept) / symbols) / N)],
    requires=[kept <= N], construct=construct, measure=measure,
    grid=points("model N symbols kept", ("register", 10, 2, 4), ("register", 10, 2, 6), ("register", 6, 3, 2),
                ("register", 5, 4, 0), ("register", 12, 2, 12), ("digits", 12, 2, 12), ("digits", 7, 3, 7),
                ("digits", 4, 5, 4)),
    controls=[
        Control("a symbol less, or a base too small", breaks=[states, accuracy], where=kept >= 1,
                construct=lambda q: construct(q, less=1)),
        Control("what is gone is wrong", breaks=accuracy, where=kept < N, asserts=[accuracy.equals(kept / N)]),
        Control("remembered always", breaks=states, where=Eq(kept, 0), asserts=[states.equals(symbols**N)]),
    ],
)
