r"""Linear size is enough for one layer: labels as the digits of one value, read at the nearest vector's place.

Setting    As in nn_onelayer: separate tokens, a public query equal to the first codeword.
Statement  With uniform weights, values $y_jY^{j-1}$ on labels and $(i-1)Y^N$ on the first codeword at slot $i$, the sum
           shows all labels and $i$: the answer is right on all $N|Y|^N$ inputs, with $|Y|^N$ messages of
           at most $3N\log_2|Y|+5\log_2N+8$ bits.
Witness    FixedPointTables.
Measured   All messages and their bits; the model executed on all inputs.
Control    A digit that holds two labels; one message more; a bit for each bit of the labels.
Reads      Derived here: the bound of nn_onelayer is attained up to a constant factor.
"""

import numpy as np
from sympy import log

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.communication.matrix import all_strings

from ..notation import N, Y
from .nn_onelayer import digits, messages, nearest, slots

misread = Quantity("misread", r"\#\{(y,i):f\ne y_i\}", "wrong answers over all labellings and slots", (0, None))
size = Quantity("bits", "B", "of a message", (1, None))


def executed(protocol, q):
    labels, columns = all_strings(q.N, q.Y), slots(q)
    x, y = np.repeat(labels, q.N, axis=0), np.tile(columns, (len(labels), 1))
    return {messages: protocol.count(labels), size: protocol.bits,
            misread: int((protocol.executed(x, y) != nearest(x, y)).sum())}


claim = Claim(
    "Nearest neighbour, one layer of linear size",
    role="sharpness", source="derived here: nearest neighbour by one layer",
    scope={"every N, Y": "points", "some network": "exhibited", "every input": "enumeration"},
    asserts=[messages.equals(Y**N), misread.equals(0), size <= 3 * N * log(Y, 2) + 5 * log(N, 2) + 8],
    grid=points("N Y", (4, 2), (9, 2), (4, 3)), construct=digits, measure=executed, controls=[
        Control("a digit holds two labels", breaks=[messages, misread], construct=lambda q: digits(q, twice=1)),
        Control("one message more", breaks=messages, asserts=[messages >= Y**N + 1]),
        Control("as many bits as the labels have", breaks=size, asserts=[size <= N * log(Y, 2)]),
    ],
)
