r"""Counted in floats, networks of the usual size have more bits than index lookup needs: the bound says nothing there.

Setting    A layer of width $w$ carries $m=w$ (GRU) or $m=2w$ (LSTM) numbers of 32 bits; $N$ symbols are to be kept.
Statement  States of floats do not fall below $N\log_2|\Sigma|$: an LSTM of width 64 has 4096 bits, the task at $N=400$,
           $|\Sigma|=64$ needs 2400. That trained networks fail there does not follow from the bound. It begins to
           exclude at $\lfloor N\log_2|\Sigma|/m\rfloor$ bits a number, there 18 (one less where that is equality).
Witness    The numbers carried, by their formula; counted in models_state_bits.
Measured   Bits of the state; the numbers that a cell with drawn weights hands from a token to the next, counted.
Control    Floats; a bit a number more; two less; the other cell.
Reads      Derived here. "Effective bits" must be measured: round a trained state until its accuracy drops.
"""

import numpy as np
from sympy import log

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.memory.state_bits import state_bits

from .._carried import models
from ..notation import N, m, symbols

numbers = Quantity("numbers carried", "m", "arrays that one step returns for the next, executed", (1, None))
bits = Quantity("bits", "B", "of the recurrent state", (1, None))
needed = N * log(symbols) / log(2)


def construct(q) -> int:
    return state_bits(q.cell, width=q.width, bits=q.word)


def measure(found, q):
    return {bits: found}


def executed(q, cell=None):
    """The numbers that a step of the cell hands on, its output left out."""
    step, start, _ = models[cell or q.cell]
    w = np.zeros((4 * q.width, q.width))
    return sum(part.size for part in step({"a": w, "b": w}, np.zeros(q.width), *start(q.width))[1:])


def measure_both(found, q, cell=None):
    return {bits: found, numbers: executed(q, cell)}


def carried(q):
    return state_bits(q.cell, width=q.width, bits=1)


def most(q, more=0):  # 2^B <= |Sigma|^N iff B is less than the bit length of the right side
    return state_bits(q.cell, width=q.width, bits=((q.symbols**q.N).bit_length() - 1) // carried(q) + more)


claim = Claim(
    "Index lookup, states of floats are too small",
    role="pitfall", source="derived here: index lookup by recurrent models",
    scope={"every cell, symbols, width, word": "points", "every N": "points"},
    asserts=[bits <= needed], expect="REFUTED",
    grid=points("cell N symbols width word", ("lstm", 400, 64, 64, 32), ("gru", 100, 16, 64, 32),
                ("gru", 25, 64, 64, 32), ("lstm", 10**4, 64, 1024, 32)),
    construct=construct, measure=measure, controls=[
        Control("states rounded to fewer bits", breaks=(), construct=most),
    ],
)
rounded = Claim(
    "Index lookup, states rounded to what is needed",
    role="precision", source="derived here: index lookup by recurrent models",
    scope={"every cell, symbols, width": "points", "every N": "points"},
    asserts=[bits <= needed, bits >= needed - m, numbers.equals(m)],
    requires=[m <= needed], derive=lambda found, q: {m: carried(q)}, derived=[m], construct=most, measure=measure_both,
    grid=points("cell N symbols width", ("lstm", 400, 64, 64), ("lstm", 384, 64, 64), ("gru", 100, 16, 64),
                ("gru", 128, 10, 32), ("lstm", 10**6, 64, 1024), ("gru", 10**5, 10, 64)),
    controls=[
        Control("floats of 32 bits", breaks=bits, where=32 * m > needed, asserts=[bits <= needed],
                construct=lambda q: 32 * carried(q)),
        Control("a bit more", breaks=bits, asserts=[bits <= needed], construct=lambda q: most(q, more=1)),
        Control("two bits less", breaks=bits, asserts=[bits >= needed - m], construct=lambda q: most(q, more=-2)),
        Control("the other cell", breaks=numbers, measure=lambda found, q: measure_both(
            found, q, "gru" if q.cell == "lstm" else "lstm")),
    ],
)
