r"""A second layer of one head is right on the two-step look-up with $1+\lceil\log_2n\rceil$ bits.

Setting    As in question_e_message, labels 0 and 1, $n$ a power of 2; a first layer has handed the last token the
           pointer, as question_e does up to a leakage.
Statement  One head whose numerators are $2^p-1$ at the position named and 1 elsewhere, read by a majority, is right
           on all $2^nn$ inputs if $p=1+\log_2n$. The message of one such layer has $5\log_2n+3$ bits, fewer than $n$
           from $n=32$ on: no readout makes one layer of this size right (question_e_message).
Witness    SecondLayer in fixed point, exact sums.
Measured   The inputs on which it is wrong, all enumerated; the bits of a message of one head.
Control    A bit less; uniform attention; $n$ heads.
Reads      Derived here.
"""

import numpy as np
from sympy import log

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.errors import DomainError
from theorytools.theory.communication.matrix import all_strings
from theorytools.theory.communication.protocol import message_bits

from ..notation import others
from ._pointed import SecondLayer, pointed

wrong = Quantity("wrong inputs", r"\#\{f\ne y\}", "among all labellings and pointers", (0, None))
bits = Quantity("bits", r"B_{1\mathrm{layer}}", "of the message of one such layer", (1, None))


def construct(q, extra=1) -> SecondLayer:
    return SecondLayer(q.others, extra + (q.others - 1).bit_length())


def power_of_two(q, **spoiled) -> SecondLayer:
    if q.others & (q.others - 1):
        raise DomainError(f"{q.others} labels", required="a power of 2")
    return construct(q, **spoiled)


def measure(model, q):
    labels, count = all_strings(q.others), 0
    for named in range(q.others):
        tokens = np.append(labels, np.full((len(labels), 1), named), axis=1)
        count += int((model.execute(tokens) != pointed(labels, tokens[:, -1:])).sum())
    return {wrong: exactly(count)}


claim = Claim(
    "Question (e), a second layer",
    role="variant", source="derived here: question (e)",
    scope={"every others": "points", "every n": "points", "some network": "exhibited", "every input": "enumeration"},
    asserts=wrong.equals(0), requires=[others >= 2], grid=points("others", (2,), (4,), (8,), (16,)),
    construct=construct, measure=measure, controls=[
        Control("a bit less", breaks=wrong, construct=lambda q: construct(q, extra=0)),
        Control("uniform attention", breaks=wrong, construct=lambda q: SecondLayer(q.others, 1)),
    ],
)
smaller = Claim(
    "Question (e), one layer of this size",
    role="variant", source="derived here: question (e)", scope={"every others": "points", "every n": "points"},
    asserts=[bits.equals(5 * log(others) / log(2) + 3), bits <= others - 1],
    requires=[others >= 32], grid=points("others", (32,), (64,), (1024,), (2**20,)), construct=power_of_two,
    measure=lambda model, q: {bits: message_bits(q.others, model.p)}, controls=[
        Control("as many heads as positions", breaks=bits,
                measure=lambda model, q: {bits: message_bits(q.others, model.p, heads=q.others)}),
        Control("as many bits as positions", breaks=bits, construct=lambda q: SecondLayer(q.others, q.others)),
    ],
)
