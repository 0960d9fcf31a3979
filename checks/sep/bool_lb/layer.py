r"""One layer whose message is shorter than $n$ bits errs on disjointness and inner product too: two inputs, executed.

Setting    As in onelayer_protocol: $x$ is Alice's, $y$ Bob's, a public last token; exact fixed-point sums, Boolean
           answers.
Statement  Alice's messages are at most $2^B$. If $B<n$, two strings $x\ne x'$ have one, and some $y$ tells their rows
           apart: the model is wrong on exactly one of $(x,y)$, $(x',y)$.
Proof      $2^B<2^n$, and sums split (onelayer_protocol). Say $x_i=1$, $x'_i=0$. A $y$ that tells them apart is $x$ for
           equality, and the $i$-th unit string for disjointness and for the inner product. The sums on both inputs are
           equal, so the answers are, and the targets are not.
Adversary  Instances: random tables of numerators and values.
Measured   Alice's messages, all $2^n$; the two inputs, executed on the model.
Control    Binary weights, $2^n$ messages: no such pair; the number of strings asserted of the messages.
Reads      Under exact fixed-point accumulation, with a public last token. Constants derived here, and the inner
           product.
"""


from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.attention.equality import OneLayerEquality
from theorytools.papers.sep.tasks.boolean import TASKS
from theorytools.theory.communication.protocol import OneLayerProtocol

from .._layers import split, tables
from ..notation import B, n

messages = Quantity("messages", r"|\mathcal M|", "different messages of Alice", (1, 2**n))
errors = Quantity("wrong inputs", r"\#\{f\ne f^*\}", "of two inputs with one message, executed", (0, 2))


def construct(q) -> OneLayerProtocol:
    return split(tables(q))


def measure(protocol, q):
    pair = protocol.wrong_pair(TASKS[q.task])
    return {messages: protocol.count(), errors: pair.wrong if pair else 0}


claim = Claim(
    "Equality and disjointness, one layer",
    role="statement", source="published: equality and disjointness, lower bounds; prose",
    scope={"every task, n, p, d_v, H": "proof", "every one-layer model": "proof"},
    asserts=[messages <= 2**B, errors.equals(1)], requires=[n > B],
    derive=lambda protocol, q: {B: protocol.bits}, derived=[B],
    grid=points("task n p d_v H", ("disjointness", 12, 1, 1, 1),
                ("equality", 12, 1, 1, 1), ("inner_product", 12, 1, 1, 1), ("disjointness", 14, 1, 1, 1),
                ("disjointness", 16, 2, 1, 1)),
    construct=construct, measure=measure,
    controls=[
        Control("binary weights", breaks=[messages, errors], construct=lambda q: split(OneLayerEquality(q.n))),
        Control("as many messages as strings", breaks=messages, asserts=[messages >= 2**n]),
    ],
)
