r"""The networks for bounded Dyck compute exactly in half precision.

Setting    DyckRNN as in dyck_recurrent, every number and operation rounded to float64 or float16.
Statement  For eight networks and languages no partial sum of a step exceeds $2^{11}$, so all are integers of float16
           and the network recognises the language at every length in this arithmetic too.
Witness    DyckRNN in the arithmetic named.
Measured   A bound on the partial sums in any order, for states and inputs of zeros and ones; disagreements over all
           reachable pairs, computed in that arithmetic: observed.
Control    The stack as one number in base $n+1$: depth 12 takes 4095, which float16 does not have.
Reads      Derived here.  The sums grow with the language: a stack of ten types and depth 1 has partial sums up to 2642,
           so the statement is about the languages of the grid.
"""

from dataclasses import dataclass, replace

import numpy as np
from sympy import Eq

from theorytools import Claim, Control, Quantity, observed, points
from theorytools.papers.sep.memory.recognised_language import recognition

from .._dyck import bad, language, network
from ..notation import depth, types

sums = Quantity("partial sums", r"\max|\sum|", "bound on all partial sums of a step", (0, None))


@dataclass(frozen=True)
class _OneNumber:
    """A stack kept as one number in base n + 1, and an error flag."""

    n: int
    k: int
    dtype: str

    @property
    def start(self):
        return np.zeros(2, dtype=self.dtype)

    @property
    def largest_sum(self):
        return (self.n + 1) ** self.k - 1

    def step(self, h, symbols):
        s, error = h.T
        digit = (symbols % self.n + 1).astype(self.dtype)
        opens, base = symbols < self.n, np.asarray(self.n + 1, dtype=self.dtype)
        full = s >= base ** (self.k - 1)
        error = np.maximum(error, np.where(opens, full, s % base != digit))
        moved = np.where(opens & ~full, s * base + digit, np.floor(s / base))
        return np.column_stack([np.where(error > 0, 0, moved), error])

    def accepting(self, h):
        return ~h.any(axis=1)


def construct(p):
    return replace(network(p), dtype=p.arithmetic)


def measure(net, p):
    return {bad: observed(recognition(net, language(p).automaton).disagreements, "numpy"), sums: net.largest_sum}


claim = Claim(
    "Bounded Dyck, half precision",
    role="precision", source="derived here: recurrent networks on bounded Dyck",
    scope={"every arithmetic": "points", "every language types, depth": "points", "some network": "exhibited",
           "every word of every length": "automaton"},
    asserts=[bad.equals(0), sums <= 2**11],
    grid=points("network arithmetic types depth", ("one_hot", "float16", 2, 2), ("one_hot", "float64", 3, 2),
                ("stack", "float16", 2, 3), ("stack", "float16", 1, 12), ("stack", "float16", 9, 1),
                ("stack", "float64", 3, 2), ("binary", "float16", 3, 2), ("binary", "float16", 7, 2)),
    listed=["network", "arithmetic", "types", "depth"],
    construct=construct, measure=measure,
    controls=[Control("the stack as one number", breaks=[bad, sums], where=Eq(types, 1) & (depth >= 12),
                      construct=lambda p: _OneNumber(p.types, p.depth, p.arithmetic))],
)
