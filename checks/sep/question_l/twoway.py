r"""Equality stays hard for sparsemax and top-$k$ attention: a layer with a threshold is a short conversation.

Setting    As in question_l; scores $0..2^p-1$. Alice and Bob bisect the threshold: at each step she sends her part of
           $\sum_j[s_j-c]_+$, or the number of her positions above $c$, and he answers which half to take.
Statement  Bob computes the output; at most $2^B$ transcripts, $B=O(p(p+\log n))$ bits a head as in two_way_rules.
           Equality has a fooling set of $2^n$ pairs, so $B\ge n$ for a layer that decides it: with fewer transcripts,
           $(x,x)$ and $(x',x')$ share one, and the output of $(x',x')$ is that of $(x,x')$. The heads that look up an
           index in question_l_thresholds take fewer bits than $N$ at the lengths tried.
Adversary  Random tables of scores and values.
Measured   Bob's output against the definition of the rule, on all $4^n$ pairs; transcripts on equal pairs; two inputs;
           the bits of the conversation at the lengths named.
Control    Bob's own scores left out; different transcripts; a transcript of one number; a tenth of the length; the
           score of every token sent.
Reads      Derived here. So thresholds undo the lower bounds that rest on one message (an index that the other party
           holds, question_l_thresholds), and keep those that rest on rank or a fooling set, up to a factor of order
           $\log n$: equality, disjointness, bounded Dyck.
"""

from itertools import product

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.network import changed
from theorytools.papers.sep.communication.table_layers import SplitLayer
from theorytools.papers.sep.communication.threshold_lookup import SparsemaxLookup, TopLookup
from theorytools.papers.sep.communication.top_k_and_sparsemax import split_rule
from theorytools.papers.sep.communication.two_way_protocol import TwoWayProtocol, conversation_bits

from ..notation import B, N, n, p, sent

rebuilt = Quantity("rebuilt wrongly", r"\#\{\hat o\ne o\}", "pairs where Bob's output is not the layer's", (0, None))
transcripts = Quantity("transcripts", r"|\mathcal T|", "on equal pairs, different ones", (1, None))
apart = Quantity("outputs apart", r"\#\{o\ne o'\}", "of two inputs after one transcript, executed", (0, 1))
bits = Quantity("bits", "B", "of the conversations of all heads", (1, None))


def construct(q) -> TwoWayProtocol:
    return TwoWayProtocol(SplitLayer.drawn(split_rule(q.rule, q.size), q.n, q.p, 1, q.rng("tables")), q.p)


def compared(talk, q):
    strings = list(product((0, 1), repeat=q.n))
    return {rebuilt: sum(talk.run(x, y)[1] != talk.layer.executed(x, y) for x in strings for y in strings)}


def equal(talk, q):
    found = {}
    for x in product((0, 1), repeat=q.n):
        found.setdefault(talk.run(x, x)[0], []).append(x)
    return found


def outputs(talk, pairs):
    return {apart: int(any(talk.layer.executed(x, y) != talk.layer.executed(y, y) for x, y in pairs))}


def measure(talk, q):
    found = equal(talk, q)
    shared = [(c[0], y) for c in found.values() for y in c[1:]]
    return {transcripts: len(found), **compared(talk, q), **outputs(talk, shared)}


claim = Claim(
    "Question (l), thresholds as conversations",
    role="variant", source="derived here: question (l)",
    scope={"every rule and size n, p": "points", "every one-layer model": "drawn",
           "every pair of strings": "enumeration"},
    asserts=[transcripts <= 2**B, rebuilt.equals(0), apart.equals(0)],
    requires=[sent < 2**n], derived=[B, sent], derive=lambda talk, q: {B: talk.bits, sent: len(equal(talk, q))},
    construct=construct, measure=measure,
    grid=points("rule size n p", ("sparsemax", 3, 4, 2), ("sparsemax", 8, 5, 3), ("top", 3, 5, 2), ("top", 5, 5, 1)),
    controls=[
        Control("Bob's own scores left out", breaks=rebuilt, where=n >= 5, measure=compared,
                asserts=[rebuilt.equals(0)], construct=lambda q: changed(construct(q), share=0)),
        Control("a transcript of one number", breaks=transcripts, where=(n >= 5) & (p <= 2),
                asserts=[transcripts <= 2**p], measure=lambda talk, q: {transcripts: len(equal(talk, q))}),
        Control("different transcripts", breaks=apart, asserts=[apart.equals(0)], measure=lambda talk, q: outputs(
            talk, product([c[0] for c in equal(talk, q).values()], repeat=2))),
    ],
)


def said(layer, q):
    R = layer.R if q.rule == "sparsemax" else None
    return {bits: layer.heads * conversation_bits(q.N, layer.bits, R)}


excluded = Claim(
    "Question (l), equality by layers with a threshold",
    role="variant", source="derived here: question (l)", scope={"every rule, N": "points"},
    asserts=bits <= N - 1, requires=[N >= 4096], measure=said,
    grid=points("rule N", ("sparsemax", 4096), ("sparsemax", 2**20), ("top", 4096), ("top", 2**20)),
    construct=lambda q: {"sparsemax": SparsemaxLookup, "top": TopLookup}[q.rule](q.N), controls=[
        Control("the score of every token is sent", breaks=bits,
                measure=lambda layer, q: {bits: layer.heads * q.N * layer.bits}),
        Control("a tenth of the length", breaks=bits, where=N <= 4096, asserts=[bits <= N / 10]),
    ],
)
