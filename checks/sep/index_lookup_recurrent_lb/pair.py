r"""With fewer than $|\Sigma|^N$ states two words share one; executed on both, the model errs on one where they differ.

Setting    As in index_lookup_recurrent_lb; the model has a read-out $f(h_N,p)$ of its own.
Statement  If $|\mathcal H_N|<|\Sigma|^N$ there are words $s\ne s'$ with one state. For each $p$ with $s_p\ne s'_p$ the
           answers are equal and the targets are not: at least one of the two is wrong, whatever the read-out. A
           read-out that is right on one of the two exists; the one that is best for all words of the state is wrong
           on one or on both.
Proof      There are more words than states. The answer is a function of the state and of $p$, so both words get one
           answer $a$, which is not both $s_p$ and $s'_p$; $a=s_p$ is right on one of the two.
Adversary  Instances: tanh networks with Gaussian weights, rounded states and a Gaussian linear read-out; the register.
Measured   The pair that the search over all words returns; each word then run alone through the model. Of all
           answers that a read-out can give in that state, the fewest wrong: one of two. The best for all words of a
           state errs on one at least, and from three symbols on it may err on both of a pair.
Control    A register of all symbols; two words in different states; a position at which the words agree; two words of
           one target.
Reads      Derived here. A step whose rounded sums depend on the batch is no function of state and symbol: refused.
           A rounded GRU and an LSTM of a deep learning library go through the same search in the tests.
"""

from itertools import islice, product

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.recurrent.registers import SymbolRegister
from theorytools.theory.memory.counting import StateCount, count_states
from theorytools.theory.memory.integer_states import run

from ..notation import N, m, p, reached, symbols
from .index_lookup_recurrent_lb import machine, told

wrong = Quantity("wrong answers", r"\#\{f(h,p)\ne s_p\}", "of the two words, executed", (0, 2))
best = Quantity("wrong best answers", r"\#\{f^*(h,p)\ne s_p\}", "of the two words, best possible read-out", (0, 2))
fewest = Quantity("fewest wrong answers", r"\min_a\#\{a\ne s_p\}", "of the two words, over all read-outs", (0, 2))
apart = Quantity("numbers apart", r"\#\{h_N\ne h'_N\}", "of the two states, each word run alone", (0, None))
asked = Quantity("different targets", r"[s_p\ne s'_p]", "at the position asked", (0, 1))


def construct(q) -> StateCount:
    return count_states(machine(q), q.N, q.symbols)


def readout(q):
    R = q.rng("read-out").standard_normal((q.N, q.symbols, q.m))
    return lambda h, position: ((2 * h + 1 - 2**q.p)[:, None] * R[position]).sum(axis=2).argmax(axis=1)


def measure(count, q, words=None, at=None):
    pair = count.wrong_pair(readout(q))
    words, at = words or (pair.first, pair.second), pair.position if at is None else at
    ends = np.concatenate([run(count.machine, [word], q.symbols) for word in words])  # one word at a time
    position, targets = np.full(2, at), [word[at] for word in words]
    given = {wrong: readout(q)(ends, position), best: count.best(ends, position)}
    every = [sum(answer != target for target in targets) for answer in range(q.symbols)]
    return {fewest: min(every), **told(q, {**{name: int((answers != targets).sum()) for name, answers in given.items()},
                       apart: int((ends[0] != ends[1]).sum())}), asked: int(targets[0] != targets[1])}


def other_states(count, q):
    words = np.array(list(islice(product(range(q.symbols), repeat=q.N), 2**14)))
    ends = run(count.machine, words, q.symbols)
    one, two = (tuple(words[i].tolist()) for i in (0, (ends != ends[0]).any(axis=1).argmax()))
    return measure(count, q, words=(one, two), at=[a != b for a, b in zip(one, two, strict=True)].index(True))


def agreeing(count, q):
    pair = count.wrong_pair()
    return measure(count, q, at=[a == b for a, b in zip(pair.first, pair.second, strict=True)].index(True))


def none_shared(count, q):
    return {wrong: 0 if count.wrong_pair() is None else 1, best: int(count.accuracy < 1)}


claim = Claim(
    "Index lookup, two words in one state",
    role="statement", source="published: any recurrent model needs linear state; prose",
    scope={"every N, symbols, m, p": "proof", "every recurrent model": "proof", "every word": "proof",
           "every position": "proof", "every read-out": "proof"},
    asserts=[wrong >= 1, best >= 1, fewest.equals(1), apart.equals(0), asked.equals(1)],
    requires=[reached < symbols**N], derive=lambda count, q: {reached: count.S}, derived=[reached],
    grid=points("model N symbols m p", ("tanh", 10, 2, 2, 3), ("tanh", 12, 2, 4, 3), ("tanh", 14, 2, 3, 3),
                ("tanh", 7, 3, 3, 2), ("tanh", 6, 4, 2, 3), ("register", 10, 2, 6, 1)),
    construct=construct, measure=measure, controls=[
        Control("a register of all symbols", breaks=[wrong, best], where=m * p < N,
                asserts=[wrong >= 1, best >= 1], measure=none_shared,
                construct=lambda q: count_states(SymbolRegister(q.symbols, q.N), q.N, q.symbols)),
        Control("two words in different states", breaks=apart, where=reached >= 2, asserts=[apart.equals(0)],
                measure=other_states),
        Control("asked where they agree", breaks=[asked, fewest], measure=agreeing,
                asserts=[apart.equals(0), fewest.equals(1), asked.equals(1)]),
    ],
)
