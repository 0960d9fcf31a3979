r"""One attention layer of width $c+2k+1$ answers every index lookup, and its worst input is known in closed form.

Finding    One attention layer of logarithmic width answers every index lookup; its worst margin over all inputs is
           known in closed form.
Setting    Symbols $s_1\dots s_N$, then a position $p$; the answer is $s_p$; $N,|\Sigma|\ge2$. One head, scores
           $\beta\langle q_p,t_j\rangle$, $b=e^\beta$ rational with $b^{\min(\Delta,g)}\ge3N$; the last token has key
           and value 0.
Statement  Every answer is right; $a^*\ge\frac34$; the worst margin over all inputs is
           $\rho_{\mathrm{ex}}=\min_pa_p\bigl(1-\sum_{j\ne p}b^{-(\langle q_p,t_p\rangle-\langle
           q_p,t_j\rangle)}\bigr)\ge\frac12$.
Proof      Beside the target $N-1$ positions weigh at most $b^{-\Delta}$ of it and the last token $b^{-g}$, $g$ the
           target's score: $N\cdot\frac1{3N}$ together, so $a^*\ge\frac34$. The output is linear in the symbols: all
           other positions with the opposite sign, or with one other symbol, are worst and give $\rho_{\mathrm{ex}}$,
           which is at least $\frac34(1-\frac{N-1}{3N})$ and, with the last token counted against it, $2a^*-1$.
Witness    IndexLookup with binary, nearly orthogonal and quadratic codes, read by signs or one-hot.
Measured   All $N|\Sigma|^N$ inputs run through the layer's matrices in rationals; wrong answers counted; the width.
Control    No scale; a position's code used twice; one code block for keys and queries, with and without a symbol in the
           last token; a hundredth off the formula; a width of $c+k+1$.
Reads      The abstract says one layer of logarithmic width; weights and constants are ours. Without a bound on the
           precision that width is not necessary: keys $(i,i^2)$ and queries $(2p,-1)$ have length 2 for every $N$, with
           entries of $2\log_2N$ bits; a query takes $N$ values, so length times bits is $\log_2N$ or more. $b=3,6$ at
           $N=3$, 2 (binary) are equality cases of $b^{\min(\Delta,g)}\ge3N$; the one of $a^*\ge\frac34$ is $N=3$.
"""

from dataclasses import replace

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.constructions.network import changed
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.attention.lookup_margin import LookupMargin

from ..notation import Delta, N, a_min, b, c_sym, k, rho_ex

worst = Quantity("worst margin", r"\rho", "over all inputs", (-1, 1))
wrong = Quantity("wrong answers", r"\#\{(s,p):\text{wrong}\}", "over all inputs", (0, None))
weight = Quantity("target weight", r"\min_pa_p", "weight of the position asked for", (0, 1))
width = Quantity("width", "m", "coordinates of the residual stream", (1, None))
half = Rational(1, 2)


def construct(p, b=None, **spoiled) -> IndexLookup:
    net = IndexLookup.of(p.code, p.N, p.b if b is None else b, rng=p.rng("codes"), symbols=p.symbols,
                         one_hot=p.read == "onehot")
    return replace(net, **spoiled)


def twice(p):
    net, order = construct(p), [0, 0, *range(2, p.N)]
    return replace(net, keys=net.keys[order], queries=net.queries[order])


def one_block(p):  # the last token has the key of the position that it asks for
    net = construct(p)
    return changed(net, last_keys=net.keys)


def inputs(net, q):
    """All words; where they are too many, those with one symbol at q and another elsewhere: the worst is there."""
    if net.symbols**net.N <= 2**20:
        return net.task.words()
    words = np.array([[other] * net.N for own in range(net.symbols) for other in range(net.symbols) if own != other])
    words[:, q] = [own for own in range(net.symbols) for other in range(net.symbols) if own != other]
    return words


def measure(net, p, asked=(None,)):
    margins = []
    for q in range(net.N):
        words = inputs(net, q)
        margins += [m for symbol in asked for m in net.margins(net.exact(words, q, asked=symbol), words, q)]
    return {worst: exactly(min(margins)), wrong: sum(m <= 0 for m in margins),
            weight: exactly(LookupMargin.of(net).weight(net.b)), width: net.projections()[0].shape[1]}


def derive(net, p):
    exact = LookupMargin.of(net)
    least = int(min(*exact.gaps[exact.counts.any(axis=0)], *exact.query))
    return {rho_ex: exact.worst(p.b), a_min: exact.weight(p.b), Delta: least, c_sym: net.values.shape[1], k: net.k}


claim = Claim(
    "Index lookup, all inputs",
    role="statement", source="published: index lookup by one layer of width O(log N); prose",
    scope={"every code, read, N, symbols, b": "proof", "some network": "exhibited", "every input": "proof"},
    asserts=[worst.equals(rho_ex), worst >= half, worst >= 2 * a_min - 1, wrong.equals(0), weight >= Rational(3, 4),
             width.equals(c_sym + 2 * k + 1)],
    grid=points("code read N symbols b", ("binary", "signs", 2, 2, 6), ("binary", "signs", 3, 2, 3),
                ("binary", "signs", 7, 2, 5), ("binary", "signs", 4, 3, 4), ("binary", "onehot", 3, 4, 3),
                ("binary", "onehot", 5, 2, 4), ("quadratic", "signs", 5, 2, 15), ("jl", "signs", 6, 2, "13/10")),
    derive=derive, derived=[rho_ex, a_min, Delta, c_sym, k], requires=[b > 1, b**Delta >= 3 * N], construct=construct,
    measure=measure,
    controls=[
        Control("no scale", breaks=[worst, wrong, weight], construct=lambda p: construct(p, b=1)),
        Control("a code used twice", breaks=[worst, wrong, weight], construct=twice),
        Control("one code block for keys and queries", breaks=[worst, weight],
                construct=one_block),
        Control("one code block and a symbol in the last token", breaks=[worst, wrong, weight],
                construct=one_block,
                measure=lambda net, p: measure(net, p, asked=range(p.symbols))),
        Control("a hundredth off the formula", breaks=worst, asserts=[worst.equals(rho_ex * Rational(101, 100))]),
        Control("a width of one code block", breaks=width, asserts=[width.equals(c_sym + k + 1)]),
    ],
)
