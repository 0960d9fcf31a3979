r"""Two positions with one code cannot be told apart: at least half of all words are answered wrongly somewhere.

Setting    As in index_lookup_transformer, with $t_1=t_2$ and $q_1=q_2$, at any base.
Statement  The outputs at $p=1$ and $p=2$ are equal on every word, so each of the $|\Sigma|^N-|\Sigma|^{N-1}$ words with
           $s_1\ne s_2$ has a wrong answer; with different codes and a large base there is none.
Adversary  Binary, quadratic and nearly orthogonal codes, bases from 1 to 50.
Measured   All words run through the layer's matrices in rationals; the differences of the two outputs, wrong answers.
Control    Different codes; only the two queries made equal, or only the two keys, whose outputs differ.
Reads      Derived here. One wrong answer for each such word is the least possible: a layer may name one of the two.
"""

from dataclasses import replace

from sympy import Eq

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.papers.sep.attention.index_lookup import IndexLookup

from ..notation import N, b, symbols

apart = Quantity("difference", r"\max_s|o(s,1)-o(s,2)|", "of the two outputs, over all words", (0, 2))
wrong = Quantity("wrong answers", r"\#\{(s,p):\text{wrong}\}", "over all words, p = 1 and 2", (0, None))


def construct(p, keys=True, queries=True) -> IndexLookup:
    net = IndexLookup.of(p.code, p.N, p.b, rng=p.rng("codes"), symbols=p.symbols)
    order = [0, 0, *range(2, p.N)]
    return replace(net, keys=net.keys[order if keys else ...], queries=net.queries[order if queries else ...])


def measure(net, p):
    words = net.task.words()
    first, second = (net.exact(words, q) for q in (0, 1))
    margins = [*net.margins(first, words, 0), *net.margins(second, words, 1)]
    return {apart: exactly(abs(first - second).max()), wrong: sum(m <= 0 for m in margins)}


claim = Claim(
    "Index lookup, a code used twice",
    role="necessity", source="derived here: index lookup by one layer",
    scope={"every N, symbols, b": "points", "every code with a repeat": "points", "every word": "enumeration"},
    asserts=[apart.equals(0), wrong >= symbols**N - symbols ** (N - 1)],
    grid=points("code N symbols b", ("binary", 4, 2, 50), ("binary", 7, 2, 3), ("binary", 4, 4, 5),
                ("quadratic", 3, 3, 2), ("jl", 5, 2, "5/4"), ("binary", 4, 2, 1), ("binary", 4, 2, 100)),
    construct=construct, measure=measure,
    controls=[
        Control("different codes", breaks=[apart, wrong], where=b > 1,
                construct=lambda p: construct(p, keys=False, queries=False)),
        Control("only the keys equal", breaks=apart, where=(b > 1) & (symbols <= 4), asserts=[apart.equals(0)],
                construct=lambda p: construct(p, queries=False)),
        Control("two wrong answers a word", breaks=wrong, where=Eq(b, 50),
                asserts=[wrong >= 2 * (symbols**N - symbols ** (N - 1))]),
    ],
)
