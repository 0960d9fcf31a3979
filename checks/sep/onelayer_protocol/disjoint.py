r"""A single layer of few bits errs on disjointness: two strings with one message, and the complement of one of them.

Setting    As in onelayer_protocol, $2n$ bits; the answer is whether no position holds two ones.
Statement  If two strings $x\ne x'$ of Alice have one message, the model errs on exactly one of $(x,y)$, $(x',y)$, where
           $y=\bar x$ if $x'\not\subseteq x$, else $y=\overline{x'}$. At $B<n$ there are such strings: $B\ge n$ for
           every exact model, the bound of equality, by the fooling set $(x,\bar x)$ in place of $(x,x)$;
           $B=H(\lceil\log_2(n(2^p-1)+1)\rceil+d_v\lceil\log_2(2n(2^p-1)2^{p-1}+1)\rceil)$.
Proof      $(x,\bar x)$ is disjoint, $(x',\bar x)$ is not where $x'\not\subseteq x$, and not both contain each other;
           with one message the sums are equal (onelayer_protocol) and so are the answers: exactly one is right.
           $2^B<2^n$ messages are too few.
Adversary  Instances: random tables of numerators and values, as in onelayer_protocol; $n$ from 20 to 400.
Measured   Two strings with one message, searched among 1024 drawn ones; the sums that differ between the two inputs;
           the model executed on both.
Control    Bob's string all ones, where both intersect; two strings with different messages; a layer that sends all of
           Alice's string; the number of bits without its logarithm.
Reads      Constants derived here. The claim is about layers for which the search finds such strings; that there are
           some at $B<n$ follows from the count. Every grid point has $B<n$.
"""

import numpy as np
from sympy import ceiling, log

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.papers.sep.attention.equality import OneLayerEquality
from theorytools.papers.sep.tasks.boolean import TASKS
from theorytools.theory.communication.protocol import OneLayerProtocol

from .._layers import split, tables
from ..notation import H, colliding, d_v, n, p

errors = Quantity("wrong inputs", r"\#\{f\ne\mathrm{DISJ}\}", "of the two inputs, executed", (0, 2))
apart = Quantity("sums apart", r"\#\{(N,D)\ne(N',D')\}", "of Alice's tokens, between the two inputs", (0, None))
bits = Quantity("bits", "B", "of the message, counted by the protocol", (1, None))


def construct(q) -> OneLayerProtocol:
    return split(tables(q))


def strings(q):
    return np.unique(q.rng("strings").integers(0, 2, (1024, q.n)), axis=0)


def pair(protocol, x):
    """The first two strings with one message; where all differ, the first one twice."""
    order = np.unique(protocol.messages(x), axis=0, return_inverse=True)[1].ravel()
    ranked = np.argsort(order, kind="stable")
    same = np.flatnonzero(order[ranked][1:] == order[ranked][:-1])
    return x[ranked[same[0] : same[0] + 2]] if len(same) else x[[0, 0]]


def measure(protocol, q, two=None, bob=None):
    x, other = pair(protocol, strings(q)) if two is None else two(protocol, strings(q))
    y = (1 - x if (other > x).any() else 1 - other) if bob is None else bob(x)
    inputs, ys = np.stack([x, other]), np.stack([y, y])
    wrong = int((protocol.executed(inputs, ys) != TASKS["disjointness"](inputs, ys)).sum())
    sent = protocol.messages(inputs)
    found = {errors: wrong if (x != other).any() else 0, apart: int((sent[0] != sent[1]).sum()), bits: protocol.bits}
    return {name: exactly(value) for name, value in found.items()}


def different(protocol, x):
    sent = protocol.messages(x)
    return x[0], x[(sent != sent[0]).any(axis=1).argmax()]


def size(layer):
    return bits.equals(H * (ceiling(log(n * layer + 1, 2)) + d_v * ceiling(log(2 * n * layer * 2 ** (p - 1) + 1, 2))))


claim = Claim(
    "One layer on disjointness",
    role="statement", source="published: disjointness by one layer; prose",
    scope={"every n, p, d_v, H": "proof", "every one-layer model": "proof", "every pair with one message": "proof"},
    asserts=[errors.equals(1), apart.equals(0), size(2**p - 1)], requires=[colliding >= 1],
    derive=lambda protocol, q: {colliding: protocol.colliding(strings(q))}, derived=[colliding],
    grid=points("n p d_v H", (20, 1, 1, 1), (50, 2, 1, 1), (100, 1, 2, 2), (100, 3, 1, 1), (200, 1, 1, 2),
                (400, 3, 1, 1), (400, 1, 2, 1), (1300, 2, 1, 1)),
    construct=construct, measure=measure, controls=[
        Control("Bob's string of ones", breaks=errors, asserts=[errors.equals(1), apart.equals(0)],
                measure=lambda protocol, q: measure(protocol, q, bob=np.ones_like)),
        Control("two strings with different messages", breaks=apart, asserts=[apart.equals(0)],
                measure=lambda protocol, q: measure(protocol, q, two=different)),
        Control("a layer that sends all strings", breaks=errors, asserts=[errors.equals(1)], where=n <= 20,
                construct=lambda q: split(OneLayerEquality(q.n))),
        Control("without the logarithm of n", breaks=bits, asserts=[bits <= p * H * (1 + d_v)]),
    ],
)
