r"""A recurrent state of $B$ bits answers every lookup up to the length $B/\log_2|\Sigma|$: no longer, and a table does.

Setting    As in index_lookup_recurrent_lb: any update, any read-out. An LSTM of width $w$ carries $2w$ numbers of $p$
           bits, $B=2wp$.
Statement  The longest words with no more of them than states have $\frac{2wp}{\log_2|\Sigma|}$ symbols: 16384 of 16
           letters for width 1024 and 32 bits, 4096 for 8 bits. A table of so many symbols is such a state; with a
           symbol more, two words end in one state and one of them is answered wrong.
Witness    TableStore, filled and read back, at width up to $2^{16}$ and length up to 262144.
Measured   The length, by integers; positions of a drawn word answered wrong; the two words, executed.
Control    A symbol more; a number more.
Reads      Derived here. Beyond this length no LSTM of this size is right on all inputs; below it some state is, though
           training need not find it. What trained networks do at such lengths is not answered.
"""

import numpy as np
from sympy import log

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.recurrent.stores import TableStore

from ..notation import p, symbols, width

longest = Quantity("longest", r"\max\{N:|\Sigma|^N\le2^B\}", "length with no more words than states", (1, None))
lost = Quantity("lost", r"\#\{f\ne s_p\}", "positions of a drawn word of that length answered wrong", (0, None))
errors = Quantity("wrong words", r"\#\{f\ne s_1\}", "of two words in one state, a symbol longer", (0, 2))


def construct(q) -> TableStore:
    return TableStore(2 * q.width, q.p, q.symbols)


def capacity(bits, letters):
    low, high = 0, bits
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if letters**middle <= 1 << bits else (low, middle - 1)
    return low


def drawn(table, q):
    word = q.rng("word").integers(0, q.symbols, capacity(table.numbers * table.bits, q.symbols) + 1)
    word[[0, -1]] = 0, 1  # the last one is written over the first
    return word


def read_back(table, word):
    return {lost: int((np.resize(table.answers(table.after(word)), len(word)) != word).sum())}


def measure(table, q):
    word = drawn(table, q)
    found = {longest: len(word) - 1, errors: 0, **read_back(table, word[:-1])}
    ends = [table.after(one) for one in (word, [1, *word[1:]])]
    if (ends[0] == ends[1]).all():
        found[errors] = sum(int(table.answers(end)[0] != symbol) for end, symbol in zip(ends, (0, 1), strict=True))
    return found


at_most = longest.equals(2 * width * p * log(2) / log(symbols))
claim = Claim(
    "Question (k), right on all inputs",
    role="variant", source="derived here: question (k)",
    scope={"every width, p, symbols": "points", "some recurrent model": "exhibited", "every word": "drawn"},
    construct=construct, measure=measure,
    asserts=[at_most, lost.equals(0), errors.equals(1)],
    grid=points("width p symbols", (64, 32, 16), (1024, 8, 16), (1024, 16, 16), (1024, 32, 16), (1024, 32, 2),
                (1024, 32, 256), (2**16, 8, 16)), controls=[
        Control("a symbol more", breaks=lost, asserts=[lost.equals(0)],
                measure=lambda table, q: read_back(table, drawn(table, q))),
        Control("a number more", breaks=longest, asserts=[at_most], construct=lambda q: TableStore(
            2 * q.width + 1, q.p, q.symbols), measure=lambda table, q: {longest: len(drawn(table, q)) - 1}),
    ],
)
