r"""One layer of attention with exact sums is one short message: where it is too short, two inputs show the model wrong.

Setting    $2n$ bits, the first $n$ Alice's, and a public last token; $H$ heads, numerators $e_j\in\{1..2^p-1\}$, values
           of width $d_v$ with entries in $[-2^{p-1},2^{p-1}-1]$, exact sums (semantics E), any Boolean
           function of them.
Statement  Alice's $\sum_{j\le n}e_j$, $\sum_{j\le n}e_jv_j$ determine the answer together with Bob's sums. They take at
           most $2^B$ values, $B=H(\lceil\log_2(n(2^p-1)+1)\rceil+d_v\lceil\log_2(2n(2^p-1)2^{p-1}+1)\rceil)$.
           If fewer than $2^n$, the model errs on equality: on one of $(x,x)$, $(x',x)$ with one message.
Proof      The last token is public, so $e_j$ and $v_j$ depend on place and symbol alone, and integer sums split: the
           model's sums are Alice's plus Bob's. Hers are $n(2^p-1)$ at most, and $n(2^p-1)2^{p-1}$ in modulus for each
           coordinate: the two factors of $2^B$. With fewer than $2^n$ messages two strings $x\ne x'$ have one; then
           all sums on $(x,x)$ and $(x',x)$ are equal, the answers too, and the targets are 1 and 0.
Adversary  Instances: random tables of numerators and values; the answer is whether 3 divides $N^2+D$: sensitive.
Measured   All $2^n$ messages; Bob's answers against the model's on 2000 pairs, half of them equal;
           the two inputs, executed.
Control    The number of bits without its logarithm of $n$; two layers; numerators relative to the maximum of the input;
           the width-1 network for equality; two inputs with different messages.
Reads      No display was seen; constants derived here. Under exact fixed-point accumulation, with a public last token.
"""

import numpy as np

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.papers.sep.attention.equality import OneLayerEquality
from theorytools.theory.communication.matrix import equality
from theorytools.theory.communication.protocol import OneLayerProtocol

from .._layers import CopyThenCompare, GlobalMaximum, split, tables
from ..notation import B, H, d_v, n, p, sent

messages = Quantity("messages", r"|\mathcal M|", "different messages of Alice", (1, None))
rebuilt = Quantity("rebuilt wrongly", r"\#\{\hat f\ne f\}", "pairs where Bob's answer is not the model's", (0, None))
errors = Quantity("wrong inputs", r"\#\{f\ne\mathrm{EQ}\}", "of the two inputs with one message, executed", (0, 2))
apart = Quantity("outputs apart", r"\#\{(N,D)\ne(N',D')\}", "sums that differ between the two inputs", (0, None))


def construct(q) -> OneLayerProtocol:
    return split(tables(q))


def compared(protocol, q):
    x, y = q.rng("pairs").integers(0, 2, (2, 2000, q.n))
    y[::2] = x[::2]
    return {rebuilt: protocol.mismatches(x, y)}


def executed(protocol, x, other):
    one, two = (np.concatenate([s.ravel() for s in protocol.model.sums(protocol.inputs(z, x))]) for z in (x, other))
    return {apart: int((one != two).sum())}


def measure(protocol, q):
    pair = protocol.wrong_pair(equality)
    found = {messages: protocol.count(), errors: pair.wrong if pair else 0, **compared(protocol, q)}
    x, other = (np.array([z]) for z in ((pair.x, pair.other) if pair else ((0,) * q.n,) * 2))
    return {name: exactly(int(value)) for name, value in {**found, **executed(protocol, x, other)}.items()}


def different(protocol, q):
    x = np.zeros((1, q.n), dtype=int)
    other = next(z for z in np.eye(q.n, dtype=int)[:, None] if (protocol.messages(z) != protocol.messages(x)).any())
    return executed(protocol, x, other)


claim = Claim(
    "One layer is one message",
    role="statement", source="published: one layer as a protocol; prose",
    scope={"every n, p, d_v, H": "proof", "every one-layer model": "proof", "every pair of strings": "proof"},
    asserts=[messages <= 2**B, rebuilt.equals(0), errors.equals(1), apart.equals(0)],
    requires=[sent < 2**n], derive=lambda protocol, q: {B: protocol.bits, sent: protocol.count()}, derived=[B, sent],
    grid=points("n p d_v H", (12, 1, 1, 1), (16, 1, 1, 1), (16, 2, 1, 1), (18, 3, 1, 1), (10, 2, 1, 2), (16, 2, 1, 2)),
    construct=construct, measure=measure, controls=[
        Control("without the logarithm of n", breaks=messages, where=(d_v * H < 2) & (n >= 16),
                asserts=[messages <= 2 ** (p * (1 + d_v))], measure=lambda protocol, q: {messages: protocol.count()}),
        Control("two layers", breaks=rebuilt, asserts=[rebuilt.equals(0)], measure=compared,
                construct=lambda q: split(CopyThenCompare(q.n))),
        Control("relative to the maximum of the input", breaks=rebuilt, asserts=[rebuilt.equals(0)], where=p >= 2,
                measure=compared, construct=lambda q: split(tables(q, GlobalMaximum))),
        Control("the network for equality", breaks=errors, asserts=[rebuilt.equals(0), errors.equals(1)], where=n <= 12,
                construct=lambda q: split(OneLayerEquality(q.n))),
        Control("two inputs with different messages", breaks=apart, asserts=[apart.equals(0)], measure=different),
    ],
)
