r"""How often a state of counted bits can look up an index, at lengths that no enumeration reaches.

Setting    Index lookup of $N$ uniform symbols; the state has $m$ numbers of $p$ bits, $B=mp$. Update and read-out are
           any functions, and may depend on the position; $|\Sigma|\ge2$.
Statement  The accuracy is at most $\mathrm{acc}(B/N)$, Fano's ceiling of index_lookup_recurrent_lb. Blocks of a Hamming
           code with two checks, symbols kept as they are, and guesses reach $1-\varepsilon$ with the bits they need.
Proof      Let $\varepsilon_p$ be the error at position $p$. By Fano $h_2(\varepsilon_p)+\varepsilon_p\log_2(|\Sigma|-1)
           \ge H(s_p\mid h)$, and $\sum_pH(s_p\mid h)\ge H(s\mid h)\ge N\log_2|\Sigma|-B$. The left side is concave in
           $\varepsilon_p$, so it is at least that at the mean error.
Adversary  BlockStore with as many blocks and symbols as its bits allow; a witness for the second part.
Measured   The largest accuracy of these memories, rational; their bits.
Control    Twice the bits; the line from guessing to remembering; nothing kept; bits counted twice.
Reads      Derived here. The code is counted with the block in the making.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import log

from theorytools import Claim, Control, Quantity, points
from theorytools.errors import DomainError
from theorytools.papers.sep.recurrent.stores import BlockStore, PerfectBlocks
from theorytools.theory.memory.fano import fano_accuracy

from ..notation import N, acc_B, eps, m, p, symbols

best = Quantity("accuracy", r"\Pr[f(h,p)=s_p]", "the largest of the memories, over uniform words", (0, 1))
held = Quantity("bits", "B", "of the memory", (0, None))


def memories(q, times=1):
    """Every number of blocks, and the symbols that then fit."""
    code, each = PerfectBlocks(q.symbols, 2), q.symbols.bit_length() - 1
    for blocks in range(q.N // code.n + 1):
        room = times * q.m * q.p // each - blocks * code.kept - (code.r - 1 if blocks else 0)
        if room >= 0:
            yield BlockStore(q.N, code, blocks, min(room, q.N - blocks * code.n))


def construct(q, times=1) -> BlockStore:
    return max(memories(q, times), key=lambda store: store.accuracy)


def measure(store, q):
    return {best: store.accuracy}


def table(q):
    return BlockStore(q.N, PerfectBlocks(q.symbols, 2), 0, min(q.N, q.m * q.p // (q.symbols.bit_length() - 1)))


line = 1 / symbols + (1 - 1 / symbols) * m * p * log(2) / log(symbols) / N
claim = Claim(
    "Index lookup, accuracy of counted bits",
    role="statement", source="derived here: index lookup by recurrent models",
    scope={"every N, symbols, m, p": "proof", "every recurrent model": "proof", "every read-out": "proof"},
    asserts=best <= acc_B, derive=lambda store, q: {acc_B: lambda: fano_accuracy(Fraction(q.m * q.p, q.N), q.symbols)},
    derived=[acc_B], construct=construct, measure=measure,
    grid=points("N symbols m p", (64, 16, 4, 8), (64, 16, 32, 4), (512, 16, 64, 24), (1000, 32, 500, 8)), controls=[
        Control("twice the bits", breaks=best, where=m * p >= N, construct=lambda q: construct(q, times=2)),
        Control("the line from guessing to remembering", breaks=best, where=m * p >= 128, asserts=[best <= line]),
    ],
)


def reaching(q) -> BlockStore:
    goal = 1 - Fraction(q.eps)
    found = [store for store in memories(q) if store.accuracy >= goal]
    if not found:
        raise DomainError(f"{q.m * q.p} bits", required=f"bits for an accuracy of {goal}", why="blocks need them")
    return min(found, key=lambda store: (store.bits, store.blocks))


def twice(store, q):
    return {best: store.accuracy, held: q.m * q.p + 1 + store.bits}


reached = replace(
    claim, label="Index lookup, a memory of counted bits",
    role="sharpness", source="derived here: index lookup by recurrent models",
    scope={"every N, symbols, m, p, eps": "points", "some recurrent model": "exhibited", "every word": "closed form"},
    asserts=[best >= 1 - eps, held <= m * p], derive=None, derived=[], construct=reaching,
    measure=lambda store, q: {best: store.accuracy, held: store.bits},
    grid=points("N symbols m p eps", (64, 16, 64, 4, "1/10"), (512, 16, 76, 24, "1/10"), (512, 16, 512, 4, "1/100"),
                (1000, 32, 600, 8, "1/10")), controls=[
        Control("nothing kept", breaks=best, asserts=[best >= 1 - eps],
                construct=lambda q: replace(reaching(q), blocks=0, plain=0)),
        Control("bits counted twice", breaks=held, asserts=[held <= m * p], measure=twice),
    ],
)
