r"""GRU, LSTM, a diagonal state space and a gated recurrence in torch: bits counted, two words in one state.

Setting    Index lookup of $N$ symbols. Torch modules in float32, float16, bfloat16 with weights of the law that torch
           gives them (the state space's decay fixed), and a drawn linear read-out; carried are $m=w$, $2w$, $4w$, $4w$
           numbers.
Statement  At $mw_{\mathrm{bits}}<N\log_2|\Sigma|$ two words end in one state, whatever the weights, and at a position
           where they differ one is answered wrong. Beyond it the count excludes nothing; networks as they are drawn
           merge words there too, because they forget the first symbol.
Proof      $2^B<|\Sigma|^N$: fewer states than words, also if every bit pattern counts as a state.
Adversary  The four modules, lengths 20 to 400.
Measured   Bits of the tensors carried after a word; two words that differ in their first symbol, searched among
           $|\Sigma|$ with one rest, each then run alone; numbers in which the states differ; wrong answers of the two.
Control    A width with bits enough; a carried tensor not counted; words that differ in the last symbol too late to be
           forgotten; another symbol asked for, where they agree.
Reads      Derived here; words are run alone, as a sum in floats may depend on what is read in one batch;
           index_lookup_recurrent_lb_pair has rounded states, all words. Runs in floats are observed. Beyond the bound
           the claim is about layers for which the search finds a pair: a GRU or LSTM of width 64 in float32 came down
           to a few last bits at 100 and 400 symbols, and no pair was equal. Below it a pair was found at every point of
           the grid; the count promises one, not that it differs in the first symbol only.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from sympy import Eq, log

from theorytools import Claim, Control, Quantity, observed, points

from ..notation import N, colliding, m, symbols, width, word
from ._cells import Merged, after, carried, flat, made, run, word_bits

bits = Quantity("bits carried", "B", "of all tensors after a word", (1, None))
wrong = Quantity("wrong answers", r"\#\{f(h)\ne s_1\}", "of the two words, executed", (0, 2))
apart = Quantity("numbers apart", r"\#\{h_N\ne h'_N\}", "of the two states, each word run alone", (0, None))
asked = Quantity("different targets", r"[s_p\ne s'_p]", "at the position asked", (0, 1))
needed = N * log(symbols) / log(2)


def words(p, at=0):
    """|Sigma| words that differ in one symbol."""
    every = np.tile(p.rng("rest").integers(0, p.symbols, p.N), (p.symbols, 1))
    every[:, at] = np.arange(p.symbols)
    return every


def drawn(p, wider=1):
    return made(p.cell, p.symbols, wider * p.width, p.dtype, int(p.rng("weights").integers(2**31)))


def construct(p) -> Merged:
    """The first of four pairs, in one state when all words are run together, that is in one state also run alone."""
    cell, every = drawn(p), words(p)
    label = np.unique(flat(after(cell, every)), axis=0, return_inverse=True)[1].ravel()
    order = np.argsort(label, kind="stable")
    near = [[i, j] for i, j in pairwise(order) if label[i] == label[j]][:4]
    pairs = [run(cell, every[pair]) for pair in near or [[0, 1]]]
    return next((pair for pair in pairs if pair.equal), pairs[0])


def measure(pair, p, ask=0, forgotten=None):
    h = [flat(state)[0] for state in pair.states]
    R = p.rng("read-out").standard_normal((p.symbols, len(h[0])))
    answers = [int((R @ x).argmax()) for x in h]
    targets = pair.words[:, ask].tolist()
    return {bits: carried(pair.states[0][:forgotten]), asked: int(targets[0] != targets[1]),
            wrong: observed(sum(a != t for a, t in zip(answers, targets, strict=True)), "numpy", "torch"),
            apart: observed(int((h[0] != h[1]).sum()), "torch")}


def derive(pair, p):
    numbers = {"gru": 1, "lstm": 2, "diagonal": 4, "gated": 4}[p.cell] * p.width
    return {m: numbers, word: word_bits(p.dtype), colliding: 2 * pair.equal}


one_state = [wrong >= 1, apart.equals(0), asked.equals(1)]
late = Control("words that differ in the last symbol", breaks=apart, asserts=[apart.equals(0)],
               construct=lambda p: run(drawn(p), words(p, at=p.N - 1)[:2]))
agreeing = Control("asked where they agree", breaks=asked, asserts=[asked.equals(1)],
                   measure=lambda pair, p: measure(pair, p, ask=1))
claim = Claim(
    "Index lookup, recurrent layers as torch computes them",
    role="variant", source="derived here: index lookup by recurrent models",
    scope={"every cell, dtype, N, symbols": "points", "every width below the bound": "proof", "every layer": "drawn",
           "some pair of words": "exhibited"},
    asserts=[*one_state, bits.equals(m * word), bits <= needed],
    requires=[m * word < needed, colliding >= 2], derive=derive, derived=[m, word, colliding],
    grid=points("cell dtype N symbols width", ("gru", "float32", 20, 64, 2), ("gru", "float32", 400, 16, 32),
                ("gru", "bfloat16", 50, 16, 8), ("lstm", "float16", 50, 16, 4), ("lstm", "float32", 100, 16, 4),
                ("diagonal", "bfloat16", 50, 16, 2), ("diagonal", "float32", 400, 16, 8),
                ("gated", "bfloat16", 20, 64, 1), ("gated", "float32", 100, 16, 2)),
    construct=construct, measure=measure, controls=[
        Control("8 times as wide", breaks=bits, asserts=[bits <= needed], construct=lambda p: drawn(p, wider=8),
                measure=lambda cell, p: {bits: carried(after(cell, words(p)[:1, :1]))}),
        Control("a tensor not counted", breaks=bits, asserts=[bits.equals(m * word)], where=Eq(m, 2 * width),
                measure=lambda pair, p: measure(pair, p, forgotten=1)),
        late, agreeing,
    ],
)
wider = replace(
    claim, label="Index lookup, recurrent layers beyond the bound",
    role="precision", source="derived here: index lookup by recurrent models",
    scope={"every size cell, dtype, N, symbols, width beyond the bound": "points", "every layer": "drawn",
           "some pair of words": "exhibited"},
    asserts=[*one_state, bits.equals(m * word), bits >= needed], requires=[m * word >= needed, colliding >= 2],
    grid=points("cell dtype N symbols width", ("gru", "bfloat16", 20, 64, 64), ("lstm", "bfloat16", 100, 16, 64),
                ("diagonal", "float32", 400, 16, 64), ("gated", "float32", 100, 16, 64),
                ("gated", "bfloat16", 20, 64, 64)),
    controls=[
        Control("a number of one bit", breaks=bits, asserts=[bits >= needed],
                measure=lambda pair, p: {bits: measure(pair, p)[bits] // 32}, where=m < needed),
        late, agreeing,
    ],
)
