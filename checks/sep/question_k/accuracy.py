r"""Nine of ten lookups right: the least state is known within 8 %, between Fano's curve and blocks of a code.

Setting    As in question_k_recurrent; accuracy over uniform words and positions.
Statement  An accuracy of $1-\varepsilon$ takes an LSTM of width
           $w\ge w_F=\frac N{2p}(\log_2|\Sigma|-h_2(\varepsilon)-\varepsilon\log_2(|\Sigma|-1))$. Blocks of a Hamming
           code with two checks over the field of $|\Sigma|$ letters lose $(|\Sigma|-1)|\Sigma|^{-2}$ of their symbols;
           with what is not in a block guessed they reach 0.9 with
           $w\le\frac{27}{25}w_F+\frac{|\Sigma|\log_2|\Sigma|}{2p}+1$: at $N=10^6$, $|\Sigma|=16$ and 32 bits a width
           between 49068 and 52550, against 62500 for all symbols. An error of a tenth saves a constant factor, not an
           order.
Witness    BlockStore, over the fields of 16 and 32 elements.
Measured   Its width and accuracy, exact; the most errors in a block of a drawn word.
Control    A table of symbols, the rest guessed; half of the blocks.
Reads      Derived here. $w_F$ is the rate-distortion function of the symbols, so of the right order for long words; the
           8 % are of one code, the other terms of a block begun and of rounding up. A trained network above $w_F$ may
           miss the accuracy, one below it must.
"""

from fractions import Fraction

from sympy import Eq, Rational, log

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.recurrent.stores import BlockStore, PerfectBlocks

from ..notation import N, eps, p, symbols

held = Quantity("width", "w", "of the LSTM that holds the blocks", (1, None))
accuracy = Quantity("accuracy", r"\Pr[f=s_p]", "over uniform words and positions", (0, 1))
spread = Quantity("errors in a block", r"\max\#\{f\ne s\}", "of a drawn word", (0, None))
rate = (log(symbols) + eps * log(eps) + (1 - eps) * log(1 - eps) - eps * log(symbols - 1)) / log(2)
fano = N * rate / (2 * p)
short = held <= Rational(27, 25) * fano + symbols * log(symbols) / log(2) / (2 * p) + 1
right = [accuracy >= 1 - eps, held >= fano, spread <= 1]


def blocks(q, fewer=0) -> BlockStore:
    found = BlockStore.least(q.N, 1 - Fraction(q.eps), PerfectBlocks(q.symbols, 2))
    return BlockStore(q.N, found.code, found.blocks - fewer, found.plain)


def table(q):  # kept as they are, the rest guessed
    need = (1 - Fraction(q.eps) - Fraction(1, q.symbols)) / (1 - Fraction(1, q.symbols)) * q.N
    return BlockStore(q.N, PerfectBlocks(q.symbols, 2), 0, -(-need.numerator // need.denominator))


def answered(memory, q):
    words = q.rng("words").integers(0, q.symbols, (1, q.N))
    coded = memory.blocks * memory.code.n
    wrong = (memory.answers(words) != words)[:, :coded].reshape(-1, memory.code.n).sum(axis=1)
    return {held: -(-memory.bits // (2 * q.p)), accuracy: memory.accuracy, spread: int(wrong.max(initial=0))}


claim = Claim(
    "Question (k), right on nine of ten",
    role="variant", source="derived here: question (k)",
    scope={"every N, p, symbols, eps": "points", "some recurrent model": "exhibited", "every word": "drawn"},
    asserts=[*right, short], construct=blocks, measure=answered,
    requires=[N >= 1000, symbols >= 16, symbols <= 32, Eq(eps, Rational(1, 10))],
    grid=points("N p symbols eps", (1000, 8, 16, "1/10"), (1000, 32, 16, "1/10"), (10**4, 16, 32, "1/10"),
                (10**5, 32, 32, "1/10"), (10**6, 8, 16, "1/10"), (10**6, 32, 16, "1/10")), controls=[
        Control("a table", breaks=short, construct=table),
        Control("half of the blocks", breaks=[accuracy, held], asserts=right,
                construct=lambda q: blocks(q, fewer=blocks(q).blocks // 2)),
    ],
)
