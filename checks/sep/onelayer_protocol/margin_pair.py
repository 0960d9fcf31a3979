r"""With a margin too, a message that is too short shows a layer wrong: two strings, outputs within $2\tau$.

Setting    As in onelayer_protocol_margin: real arithmetic, $H$ heads of width $d_v$, a margin $\tau$ of the answer.
Statement  If $B_R<n$, two of Alice's $2^n$ strings have one message. With one of them for Bob, the outputs on the two
           inputs are within $2\tau$ and both within $\tau$ of the one that Bob rebuilds: a layer whose answers have the
           margin $\tau$ answers both alike, but only one pair is equal.
Proof      At most $2^{B_R}<2^n$ messages (onelayer_protocol_margin), and Bob's output depends on the message and on his
           string: it is within $\tau$ of both outputs. The pairs $(x,x)$ and $(x',x)$ have different targets.
Adversary  Instances: random logits and values in tenths; the width-1 network for equality with a margin claimed too
           large.
Measured   The messages of all strings; the pair that the search returns, executed: its distance, in balls, and the
           number of equal pairs among the two.
Control    The network for equality with its true margin, whose messages all differ; two strings with different
           messages; both pairs equal.
Reads      Derived here. A model with such a pair is wrong on one of two inputs, or its margin is less than it says.
"""

from fractions import Fraction

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.constructions.attention.attention_tables import MarginEquality, MarginTables
from theorytools.theory.communication.margin_protocol import MarginProtocol
from theorytools.theory.communication.matrix import all_strings, equality

from ..notation import B, n, tau
from .onelayer_protocol import messages

apart = Quantity("distance of two outputs", r"\|o-o'\|_\infty", "on two inputs with one message", (0, None))
equal = Quantity("equal pairs", r"\#\{x=y\}", "of the two inputs, which get one answer", (0, 2))


def construct(p) -> MarginProtocol:
    if p.model == "equality":
        return MarginProtocol(MarginEquality(p.n, p.tau), range(p.n))
    rng, shape, tenth = p.rng("tables"), (2 * p.n, 2, p.H), Fraction(1, 10)
    logits, values = rng.integers(-10 * p.S, 10 * p.S + 1, shape), rng.integers(-10, 11, (*shape, p.d_v))
    return MarginProtocol(MarginTables(logits * tenth, values * tenth, p.tau, S=p.S, V=1), range(p.n))


def measure(protocol, p):
    x = all_strings(p.n)
    found = protocol.wrong_pair(equality, x, x)
    return {messages: protocol.count(protocol.inputs(x, 0 * x)), equal: sum(found.targets) if found else 0,
            apart: enclosed(lambda: found.distance) if found else 0}


def different(protocol, p):  # Alice's zeros and ones: uniform attention over values of two signs
    x = np.repeat([[0], [1]], p.n, axis=1)
    values = protocol.model.values(protocol.inputs(x, x[[0, 0]]))[:, :, 0, 0]
    return {apart: abs(values[0].sum() - values[1].sum()) / values.shape[1]}


claim = Claim(
    "One layer with a margin, too short a message",
    role="variant", source="derived here: one layer as a protocol",
    scope={"every n, H, d_v, S": "proof", "every margin tau": "proof", "every one-layer model": "proof"},
    derive=lambda protocol, p: {B: protocol.bits}, derived=[B],
    asserts=[messages <= 2**B, equal.equals(1), apart <= 2 * tau], requires=[n > B],
    grid=points("model n H d_v tau S", ("tables", 4, 1, 1, 1, 1), ("tables", 6, 1, 1, "1/4", 0),
                ("tables", 5, 2, 1, 1, 0), ("equality", 5, 1, 1, "1/4", 0), ("equality", 7, 1, 1, "1/16", 0),
                ("equality", 9, 1, 1, "1/64", 0)),
    construct=construct, measure=measure, controls=[
        Control("the true margin", breaks=[messages, equal], asserts=[messages <= 2**B, equal.equals(1)], where=n <= 5,
                construct=lambda p: MarginProtocol(MarginEquality(p.n, Fraction(1, p.n << p.n)), range(p.n))),
        Control("two strings with different messages", breaks=apart, where=tau < Rational(1, 8),
                asserts=[apart <= 2 * tau], measure=different),
        Control("two equal pairs", breaks=equal, asserts=[equal.equals(2)]),
    ],
)
