r"""One layer too small for Dyck of depth 2 is shown wrong on a word; one of linear size decides Dyck-$(1,2)$.

Setting    As in dyck_onelayer_lb and onelayer_protocol: exact fixed-point accumulation (semantics E), a public last
           token after the word, Boolean answers, Alice at the odd positions; $B$ bits of her message.
Statement  Depth 2. If $2^B$ is less than the number $n(2n)^{N/2-1}+1$ of rows, two strings $a,a'$ have one message and
           different rows: the model gives $(a,b(a))$ and $(a',b(a))$ one answer, and exactly one is wrong. For
           Dyck-$(1,2)$ one uniform head with $\frac N2+1$-bit values is right on all words,
           $B\le\frac32N+2\lceil\log_2N\rceil+1$.
Proof      Take one string of each row: more strings than messages, so two of different rows have one message.  One of
           them, $a$, has a completion $b(a)$, which completes no other string (dyck_onelayer_lb_every_length).  The
           sums on both words are equal (onelayer_protocol), the answers too, and $(a,b(a))$ alone is in the language.
           The head: a word of depth 2 opens, has different symbols at places $2i$, $2i+1$, and closes. With values
           $\pm2^{i-1}$ there and $-2^{N/2}$ at a wrong end the sum is $2\sum d_i2^{i-1}$, $d_i\in\{-1,0,1\}$, less
           than $2^{N/2}$, minus what the ends cost: 0 for words alone. Alice's $2^{N/2}$ sums differ, and
           $p=\frac N2+1$ in the formula of $B$ gives $3p+2\lceil\log_2\frac N2\rceil$ at most.
Adversary  Instances: random tables of numerators and values.  one_layer_dyck for the other direction.
Measured   Different messages; the two words, executed; all $2^N$ words.
Control    The network of linear size in place of the small ones; its two least weights equal; depth 3; too few bits.
Reads      Derived here: we derive that one bracket type and depth 2 suffice; whether the paper covers this we did not
           check.
"""

import numpy as np
from sympy import Eq, ceiling, log

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.attention.attention_tables import FixedPointTables
from theorytools.constructions.network import changed
from theorytools.papers.sep.tasks.dyck import BoundedDyck, all_words, interleave
from theorytools.theory.communication.protocol import OneLayerProtocol

from .._dyck import deep_rank, language
from ..notation import B, N, d_v, depth, p, types
from ..onelayer_protocol.onelayer_protocol import messages
from ._one_length_layer import one_layer_dyck

wrong = Quantity("wrong inputs", r"\#\{\hat f\ne f\}", "of the two words with one message, executed", (0, 2))
errors = Quantity("wrong words", r"\#\{w:\hat f\ne f\}", "of all words", (0, 2**N))
size = Quantity("bits", "B", "of a message", (1, None))


def split(model, letters=2) -> OneLayerProtocol:
    length = model.length - 1
    return OneLayerProtocol(model, range(0, length, 2), range(1, length, 2), public={length: 0}, letters=letters)


def construct(q) -> OneLayerProtocol:
    top, shape, rng = 1 << (q.p - 1), (q.N + 1, 2 * q.types, 1), q.rng("tables")
    e, v = rng.integers(1, 2 * top, shape), rng.integers(-top, top, (*shape, q.d_v))
    return split(FixedPointTables(e, v, q.p, lambda S, D: (S[:, 0, 0] ** 2 + D[:, 0]) % 3 == 0), 2 * q.types)


def measure(protocol, q):
    words = language(q)
    a = words.halves(q.N)
    order, first, number = np.unique(protocol.messages(a), axis=0, return_index=True, return_inverse=True)[:3]
    second = next((i for i in range(len(a)) if first[number.ravel()[i]] != i), 0)
    two = a[[first[number.ravel()[second]], second]]
    pair = protocol.wrong_pair(lambda x, y: words.accepts(interleave(x, y)), two, words.partner(two[:1]))
    return {messages: len(order), wrong: pair.wrong if pair else 0}


def repeated(q):  # all weights halved but the least, so that two are equal
    model = one_layer_dyck(q.N)
    v = model.v.copy()
    v[3 : q.N - 1] //= 2
    return split(changed(model, v=v))


def decided(protocol, q, k=2):
    w = all_words(2, q.N)
    tokens = np.column_stack([w, np.zeros(len(w), dtype=np.int64)])
    return {errors: int((protocol.model.execute(tokens) != BoundedDyck(1, k).accepts(w)).sum()),
            messages: protocol.count(), size: protocol.bits}


claim = Claim(
    "Bounded Dyck, one layer too small",
    role="statement", source="published: one layer on bounded Dyck needs linear size; prose",
    scope={"every types, depth, N, p, d_v": "proof", "every one-layer model": "proof"},
    asserts=[messages <= 2**B, wrong.equals(1)], derived=[B],
    requires=[deep_rank + 1 > 2**B, Eq(depth, 2)], derive=lambda protocol, q: {B: protocol.bits},
    grid=points("types depth N p d_v", (1, 2, 22, 1, 1), (1, 2, 28, 1, 1), (2, 2, 14, 1, 1), (2, 2, 14, 2, 1),
                (3, 2, 10, 1, 1)),
    construct=construct, measure=measure, controls=[
        Control("linear size", breaks=wrong, where=Eq(types, 1), asserts=[wrong.equals(1)],
                construct=lambda q: split(one_layer_dyck(q.N))),
        Control("too few bits", breaks=messages, asserts=[messages <= 2 ** (p * d_v)]),
    ],
)
linear = Claim(
    "Dyck-(1,2) by one layer of linear size",
    role="sharpness", source="derived here: one layer on bounded Dyck",
    scope={"every N": "proof", "some network": "exhibited", "every word": "proof"},
    asserts=[
        errors.equals(0), messages.equals(2 ** (N / 2)), size >= N / 2, size <= 3 * N / 2 + 2 * ceiling(log(N, 2)) + 1],
    grid=points("N", (2,), (4,), (6,), (8,), (12,)), construct=lambda q: split(one_layer_dyck(q.N)), measure=decided,
    controls=[
        Control("two weights equal", breaks=[errors, messages], where=N >= 6,
                construct=repeated),
        Control("depth 3", breaks=errors, where=N >= 6, measure=lambda protocol, q: decided(protocol, q, 3)),
    ],
)
