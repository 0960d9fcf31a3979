r"""What strings with one message cost: each of them makes at least one pair go wrong, and no fewer pairs can.

Setting    As in onelayer_protocol: Bob may answer by any function of Alice's message and his string.
Statement  The least number of pairs $(x,y)$ on which equality goes wrong is $\sum_{|c|\ge2}|c|$, $c$ the classes of
           strings with one message: for $y\in c$ one pair is equal, the $|c|-1$ others are not.
Proof      For $|c|\ge2$ and $y\in c$ one answer is given on the $|c|$ pairs of $c$ with $y$, of which one is equal: it
           is wrong on one at least, and to reject is wrong on one alone. For other $y$ rejecting is right, for
           $|c|=1$ accepting its string.
Witness    Bob accepts $y$ only where the message has no other string than $y$.
Measured   For each message and $y$ the smaller of the numbers of equal and unequal pairs, all $4^n$ counted.
Control    One error for each class; for each message that is missing; a Bob who accepts $y$ in every class.
Reads      Derived here.
"""

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.communication.protocol import OneLayerProtocol

from .._layers import split, tables
from ..notation import colliding, n, sent

wrong = Quantity("least number of errors", r"\min_f\#\{f\ne\mathrm{EQ}\}", "over all read-outs of Bob", (0, None))


def construct(q) -> OneLayerProtocol:
    return split(tables(q))


def counted(protocol):
    label = np.unique(protocol.messages(), axis=0, return_inverse=True)[1].ravel()
    equal = (label[None] == np.arange(label.max() + 1)[:, None]).astype(int)  # message, y: is y among its strings
    return equal, equal.sum(axis=1, keepdims=True) - equal


def measure(protocol, q):
    return {wrong: int(np.minimum(*counted(protocol)).sum())}


def accepting(protocol, q):
    equal, unequal = counted(protocol)
    return {wrong: int(np.where(equal > 0, unequal, 0).sum())}


def derive(protocol, q):
    return {colliding: protocol.colliding(), sent: protocol.count()}


claim = Claim(
    "Strings with one message make equality go wrong",
    role="variant", source="derived here: one layer on equality",
    scope={"every n, p, d_v, H": "proof", "every one-layer model": "proof", "every read-out": "proof"},
    asserts=wrong.equals(colliding), requires=[sent < 2**n],
    grid=points("n p d_v H", (6, 1, 1, 1), (8, 2, 1, 1), (8, 2, 1, 2), (10, 2, 2, 1)), construct=construct,
    measure=measure, derive=derive, derived=[colliding, sent], controls=[
        Control("one error for each class", breaks=wrong, asserts=[wrong.equals(sent)]),
        Control("one for each missing message", breaks=wrong, asserts=[wrong.equals(2**n - sent)]),
        Control("accepting in every class", breaks=wrong, where=sent < 2 ** (n - 1), measure=accepting),
    ],
)
