r"""Sparsemax and top-$k$ escape the one-layer bound: size $O(\log N)$ where a softmax layer needs linear size.

Setting    Alice holds $x_0..x_{N-1}$, Bob an index $p$, the last token is public; the answer is $x_p$. The matrix of
           answers has $|\Sigma|^N$ rows, so a layer that splits needs $B\ge N\log_2|\Sigma|$ (question_l,
           onelayer_protocol).
Statement  One layer of sparsemax attention with three heads, value width 1 and scores of at most $2\log_2(N+2)$ bits is
           right on all inputs: Bob's token sets the threshold $t$, the heads are $F(t)=\sum_j[-j-t]_+x_j$ over
           $R=\frac{N(N+1)}2$, and $F(-p-1)-2F(-p)+F(-p+1)=x_p$. Two heads of top-$k$ with $k=N,N+1$ do it too, when
           Bob's $N$ tokens write $p$ in unary. A softmax layer with as many heads sends fewer than $N$ bits from
           $N=256$ on, if its numerators have as many bits, or if its logits are at most $2^p$ and its margin is not
           smaller.
Witness    SparsemaxLookup, TopLookup.
Measured   The combined weights on Alice's tokens, by the definition of each rule and for every $p$: they do not depend
           on $x$, so this decides all inputs. All $N2^N$ inputs for $N\le8$, and Alice's summaries.
Control    Heads combined as a first difference, or $k=N+2$; scores too coarse, or $k=N$ twice; a fifth of $N$ bits.
Reads      Derived here, so the linear lower bound does not hold for every mechanism: it is one of rules that split.
           Thresholds depend on both parties, so a summary lists candidates. Exact arithmetic; the outputs differ by
           $1/R$, so the margin is polynomial, where that of a softmax layer has to be exponentially small. Equality
           stays hard for these rules: question_l_twoway.
"""

from itertools import product

from sympy import log

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.communication.threshold_lookup import SparsemaxLookup, TopLookup, answers
from theorytools.papers.sep.communication.top_k_and_sparsemax import split_rule
from theorytools.theory.communication.margin_protocol import margin_bits
from theorytools.theory.communication.protocol import message_bits

from ..notation import N

off = Quantity("weights off", r"\max_{p,j}|w_{pj}-[j=p]|", "combined weights against the index", (0, None))
bits = Quantity("bits", "p", "of a score", (1, None))
softmax = Quantity("softmax message", "B", "bits of a softmax layer, numerators of as many bits", (1, None))
real = Quantity("softmax message, margin", "B_R", "bits of a softmax layer with the same margin", (1, None))
wrong = Quantity("wrong inputs", r"\#\{f\ne x_p\}", r"of all $N2^N$", (0, None))
summaries = Quantity("summaries", r"|\mathcal M|", "of Alice, different ones", (1, None))


def construct(q, **spoiled):
    return {"sparsemax": SparsemaxLookup, "top": TopLookup}[q.rule](q.N, **spoiled)


def measure(layer, q):
    gaps = (abs(w - 1 if j == at else w) for at in range(q.N) for j, w in enumerate(layer.combined(at)))
    return {off: max(gaps), bits: layer.bits, softmax: message_bits(q.N, layer.bits, layer.heads, 1),
            real: margin_bits(layer.margin, 1, 2**layer.bits, layer.heads)}


def executed(layer, q):
    words = list(product((0, 1), repeat=q.N))
    rule = split_rule(q.rule, layer.R if q.rule == "sparsemax" else q.N + 1)
    sent = {rule.summary(range(0, -q.N, -1), [[x] for x in word], range(q.N)) for word in words}
    return {wrong: sum(a != x for word in words for a, x in zip(answers(layer, word), word, strict=True)),
            summaries: len(sent)}


def spoiled(broken):
    return [
        Control("a first difference, or k = N + 2", breaks=broken, where=N <= 300, construct=lambda q: construct(
            q, **{"sparsemax": {"coefficients": (0, 1, -1)}, "top": {"more": 2}}[q.rule])),
        Control("scores too coarse, or k = N twice", breaks=broken, where=N <= 300, construct=lambda q: construct(
            q, **{"sparsemax": {"R": q.N}, "top": {"more": 0}}[q.rule])),
    ]


claim = Claim(
    "Question (l), rules with a threshold",
    role="variant", source="derived here: question (l)",
    scope={"every rule, N": "points", "some network": "exhibited", "every input": "closed form"},
    construct=construct, measure=measure,
    asserts=[off.equals(0), bits <= 2 * log(N + 2) / log(2), softmax <= N - 1, real <= N - 1],
    requires=[N >= 256],
    grid=points("rule N", ("sparsemax", 256), ("sparsemax", 320), ("top", 256), ("top", 512)),
    controls=[
        *spoiled(off), Control("a fifth of the length", breaks=[softmax, real], where=N <= 300,
                               asserts=[off.equals(0), softmax <= N / 5, real <= N / 5]),
    ],
)
small = Claim(
    "Question (l), rules with a threshold, all inputs",
    role="variant", source="derived here: question (l)",
    scope={"every rule, N": "points", "some network": "exhibited", "every input": "enumeration"},
    construct=construct, measure=executed,
    asserts=[wrong.equals(0), summaries.equals(2**N)],
    grid=points("rule N", ("sparsemax", 2), ("sparsemax", 4), ("sparsemax", 7), ("top", 2), ("top", 4),
                ("top", 7)), controls=spoiled(wrong),
)
