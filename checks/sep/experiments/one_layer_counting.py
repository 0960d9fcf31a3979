r"""On equality of 16 bits and words of 32 brackets one wide layer learnt less than counting, which one layer can do.

Setting    As in two_heads: one layer of width 64, two heads, 8000 steps. Counting is the layer of uniform attention of
           experiments_dyck_counting, which answers whether every symbol occurs as often as its partner.
Statement  The accuracy of every trained network of one layer is at most $\frac35$, that of counting at least $\frac23$:
           it accepts every right word, rejects every flip and no exchange or swap, so
           $\mathrm{acc}=\frac12(1+\frac1E)$ with $E$ kinds of edits, $\frac34$ for equality, $\frac23$ for Dyck-(2,2).
           One head, values of width 1 or 2 and of two bits: far less than the trained layer has.
Witness    Four trained networks for each task; counting.
Measured   Largest accuracy of the four, Clopper-Pearson for every sort of words of every network, at level $10^{-9}$
           together; counting, executed on 512 drawn words of each sort.
Control    Two layers; no flip among the edits; the direction of a bracket alone.
Reads      Chosen after the record of two_heads was read. Accuracy counts an answer that is no number as a rejection.
           Three of the four networks of equality end so: trained again from the same draws they are lost at steps 1050,
           1619 and 2233. Their scores then differ by 200; numerators relative to the largest score of the table
           underflow in float32 in a word that lacks its symbol, and the quotient of sums or its gradient is no number.
           The fourth, and those of Dyck, which accept all right words, stay finite and did not learn to count. So one
           layer in two_heads stands for how it was trained, and a gap to two layers would show no separation.
"""

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.statistics.intervals import clopper_pearson
from theorytools.statistics.sampled import recorded_interval

from ..notation import depth, types
from . import dyck_counting
from .two_heads import ONE, TWO
from .two_heads import construct as record_of

LEVEL, TESTS, DRAWN = 1e-9, 2048, 512
learnt = Quantity("learnt", r"\max\mathrm{acc}", "largest over the networks", (0, 1))
counted = Quantity("counting", r"\mathrm{acc}", "of counting, on drawn words", (0, 1))


def largest(p, who=ONE):
    trials = record_of(p).of(f"{p.task}, {who}")
    edits = [edit for edit in trials[0].result["rejected"] if edit != "random"]
    rows = [[t.result["accepted"], *(t.result["rejected"][edit] for edit in edits)] for t in trials]
    each = clopper_pearson(np.ravel(rows), TESTS, LEVEL / np.size(rows))
    weights = np.array([1 / 2, *[1 / (2 * len(edits))] * len(edits)])
    low, high = (float((ends.reshape(len(rows), -1) @ weights).max()) for ends in each)
    return {learnt: recorded_interval(low, high, alpha=LEVEL, samples=TESTS * np.size(rows))}


def counting(p, kinds=True, without=()):
    words, model, rng = dyck_counting.words(p), dyck_counting.construct(p, kinds), p.rng("words")
    edits = [edit for edit in words.edits if edit not in ("random", *without)]
    wrong = sum(int((~model.execute(words.edited(rng, DRAWN, edit))).sum()) for edit in edits)
    good = int(model.execute(words.draw(rng, DRAWN)).sum())
    return {counted: exactly(Rational(good * len(edits) + wrong, 2 * DRAWN * len(edits)))}


def measure(p, **changes):
    return {**largest(p), **counting(p, **changes)}


claim = Claim(
    "Experiments: one wide layer against counting",
    role="variant", source="derived here: experiments on equality and bounded Dyck",
    scope={"every task": "points", "every repeat": "drawn", "every word": "drawn"},
    asserts=[learnt <= Rational(3, 5), counted >= Rational(2, 3)], listed=["task", "N", types, depth],
    grid=points("task N types depth", ("equality", 32, 1, 1), ("dyck", 32, 2, 2)),
    construct=lambda p: p, measure=lambda p, q: measure(q), controls=[
        Control("two layers", breaks=learnt, measure=lambda p, q: {**largest(q, TWO), **counting(q)}),
        Control("no flips", breaks=counted, measure=lambda p, q: measure(q, without=("flip",))),
        Control("directions alone", breaks=counted, where=types >= 2, measure=lambda p, q: measure(q, kinds=False)),
    ],
)
