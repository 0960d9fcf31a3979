r"""Softmax, linear, ReLU, sigmoid and hard attention: one layer is one message of $O(p+\log n)$ bits a head.

Setting    As in onelayer_protocol: $2n$ bits, the first $n$ Alice's, a public last token, one head of value width 1,
           scores and values of $p$ bits. Rules: softmax to base 2; weights $s_j$, $[s_j]_+$, or a sigmoid's, without a
           denominator; the mean over all maxima; the mean over the $k$ best; the sparsemax of scores over $R$.
Statement  Alice's summary (sums; maximum, number and sum; the $k$ best; $R$ levels below the maximum) determines the
           output together with Bob's. It takes at most $2^B$ values, $B$ as in the table of split_rules, and where
           these are fewer than $2^n$ the layer errs on equality: two inputs $(x,x)$, $(x',x)$ have one output.
Adversary  Random tables of scores and values; any read-out.
Measured   Bob's outputs against the definition of the rule on all $4^n$ pairs, on 100 for $n>5$; all messages; two
           inputs with one message, executed.
Control    Outputs of the two halves averaged; the maximum alone sent, of sparsemax; $2^p$ messages; different messages.
Reads      Derived here. For the first five rules the linear lower bound stands, with their constants. For the others
           $B$ grows with $k$ and $R$: question_l_thresholds shows that the bound fails there, question_l_twoway what
           remains. Linear attention with a public query needs no more than its output: $d_v$ sums, whatever the number
           of features.
"""

from fractions import Fraction
from itertools import product

from sympy import Eq

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.network import changed
from theorytools.papers.sep.communication.table_layers import SplitLayer
from theorytools.papers.sep.communication.top_k_and_sparsemax import split_rule

from ..notation import B, n, p, sent, size

MOST = Fraction(4, 5)  # of the seeds: a few tables show no difference
messages = Quantity("messages", r"|\mathcal M|", "different summaries of Alice", (1, None))
rebuilt = Quantity("rebuilt wrongly", r"\#\{\hat o\ne o\}", "pairs where Bob's output is not the layer's", (0, None))
apart = Quantity("outputs apart", r"\#\{o\ne o'\}", "of two inputs with one message, executed", (0, 1))


def construct(q, levels=None) -> SplitLayer:
    rule = split_rule(q.rule, q.size)
    return SplitLayer.drawn(changed(rule, levels=levels) if levels else rule, q.n, q.p, 1, q.rng("tables"))


def classes(layer):
    found = {}
    for x in product((0, 1), repeat=layer.n):
        found.setdefault(layer.message(x), []).append(x)
    return found


def compared(layer, q, halves=False):
    every = product(*[list(product((0, 1), repeat=q.n))] * 2) if q.n <= 5 else (
        map(tuple, pair) for pair in q.rng("pairs").integers(0, 2, (100, 2, q.n)).tolist())
    return {rebuilt: sum((layer.halves(x, y) if halves else layer.rebuilt(layer.message(x), y)) != layer.executed(x, y)
                         for x, y in every)}


def measure(layer, q):
    found = classes(layer)
    x, other = next(c for c in found.values() if len(c) > 1)[:2]
    return {messages: len(found), **compared(layer, q), apart: int(layer.executed(x, x) != layer.executed(other, x))}


def different(layer, q):
    x, *others = strings = [c[0] for c in classes(layer).values()]
    return {apart: int(any(layer.executed(x, y) != layer.executed(other, y) for other in others for y in strings))}


claim = Claim(
    "Question (l), rules that split",
    role="variant", source="derived here: question (l)",
    scope={"every rule and size n, p": "points", "every one-layer model": "drawn", "every pair of strings": "drawn"},
    asserts=[messages <= 2**B, rebuilt.equals(0), apart.equals(0)],
    requires=[sent < 2**n], derived=[B, sent],
    derive=lambda layer, q: {B: layer.rule.bits(q.n, q.p, 1), sent: len(classes(layer))},
    construct=construct, measure=measure,
    grid=points("rule size n p", ("softmax", 1, 5, 2), ("softmax", 1, 9, 2), ("linear", 1, 5, 2), ("linear", 1, 9, 2),
                ("relu", 1, 5, 2), ("relu", 1, 9, 3), ("sigmoid", 1, 5, 1), ("sigmoid", 1, 9, 2), ("hard", 1, 5, 2),
                ("hard", 1, 9, 1), ("top", 2, 5, 1), ("top", 2, 9, 1), ("sparsemax", 1, 9, 1),
                ("sparsemax", 3, 5, 2), ("sparsemax", 3, 9, 2)), controls=[
        Control("halves averaged", breaks=rebuilt, asserts=[rebuilt.equals(0)],
                measure=lambda layer, q: compared(layer, q, halves=True)),
        Control("the maximum alone", breaks=rebuilt, where=size >= 3, asserts=[rebuilt.equals(0)], measure=compared,
                construct=lambda q: construct(q, levels=1), share=MOST),
        Control("a message of one number", breaks=messages, where=(n >= 9) & Eq(p, 2),
                asserts=[messages <= 2**p], measure=lambda layer, q: {messages: len(classes(layer))}),
        Control("different messages", breaks=apart, asserts=[apart.equals(0)], measure=different, where=n >= 9,
                share=MOST),
    ],
)
