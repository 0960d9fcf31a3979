r"""A second layer of one head is right on the two-step look-up with $1+\lceil\log_2n\rceil$ bits.

Setting    As in question_e_message, labels 0 and 1, $n$ a power of 2; a first layer has handed the last token the
           pointer, as question_e does up to a leakage.
Statement  One head whose numerators are $2^p-1$ at the position named and 1 elsewhere, read by a majority, is right
           on all $2^nn$ inputs if $p=1+\log_2n$.
Witness    SecondLayer in fixed point, exact sums.
Measured   The inputs on which it is wrong, all enumerated.
Control    A bit less; uniform attention.
Reads      Derived here. One layer must pass a message of $n$ bits instead: question_e_message.
"""

import numpy as np

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.theory.communication.matrix import all_strings

from ..notation import others
from ._pointed import SecondLayer, pointed

wrong = Quantity("wrong inputs", r"\#\{f\ne y\}", "among all labellings and pointers", (0, None))


def construct(q, extra=1) -> SecondLayer:
    return SecondLayer(q.others, extra + (q.others - 1).bit_length())


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
