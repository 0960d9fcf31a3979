r"""One layer of any kind must pass $n\log_2|Y|$ bits for a two-step look-up; for one step the bits of one label.

Setting    $n$ tokens with labels, Alice's; token $a$, whose pointer names one of them, Bob's; a public last token that
           points to $a$ and asks for the label at $t_a$. $H$ heads, numerators and values of $p$ bits, exact sums, any
           function of them and of the last token; numerators may see everything of the key's token.
Statement  This is INDEX, with $|Y|^n$ different rows. The model's message takes $B$ bits, as in sep.onelayer_protocol;
           if it has fewer than $|Y|^n$ values, two labellings with one message differ at some place, and the model is
           wrong on one of two inputs.
Adversary  Random tables of numerators and values; a model that may compute anything from its sums.
Measured   The rows of the matrix of answers; all messages; Bob's answers against the model's; the two inputs, executed.
Control    One step: the label at a public place; a pointer that never names one place; labels as digits of one long
           value, which is right; two layers; the bits without the logarithm of $n$.
Reads      Derived here. Under exact fixed-point accumulation, with a public last token. Labels as digits of one value
           show that the bound is one in bits. That a second layer is enough: question_e_second_layer.
"""

import numpy as np

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.constructions.attention.attention_tables import FixedPointTables
from theorytools.theory.communication.matrix import CommunicationMatrix, all_strings
from theorytools.theory.communication.protocol import OneLayerProtocol

from ..notation import B_1, H, Y, d_v, others, p_bits, sent
from ._pointed import SecondLayer, pointed, split

rows = Quantity("rows", r"\#\text{rows}", "different rows of answers, one for each labelling", (1, None))
messages = Quantity("messages", r"|\mathcal M|", "different messages of Alice", (1, None))
rebuilt = Quantity("rebuilt wrongly", r"\#\{\hat f\ne f\}", "inputs where Bob's answer is not the model's", (0, None))
errors = Quantity("wrong inputs", r"\#\{f\ne y\}", "at least one of the two with one message, executed", (0, 2))


def construct(q) -> OneLayerProtocol:
    top, shape, rng = 1 << (q.p_bits - 1), (q.others + 1, max(q.others, q.Y), q.H), q.rng("tables")
    e, v = rng.integers(1, 2 * top, shape), rng.integers(-top, top, (*shape, q.d_v))
    return split(q, FixedPointTables(e, v, q.p_bits, lambda N, D: (N[:, 0, 0] ** 2 + D[:, 0]) % q.Y))


def digits(q):  # labels are digits of one number; Bob's value says which digit
    v, base = np.zeros((q.others + 1, max(q.others, q.Y), 1, 1), dtype=int), q.Y**q.others
    v[:-1, :, 0, 0] = np.arange(v.shape[1]) % q.Y * q.Y ** np.arange(q.others)[:, None]
    v[-1, :, 0, 0] = np.arange(v.shape[1]) * base
    return split(q, FixedPointTables(v[..., 0] * 0 + 1, v, int(v.max()).bit_length() + 1,
                                     lambda s, D: s[:, 0, 0] // q.Y ** (s[:, 0, 0] // base) % q.Y))


def compared(protocol, q):
    labels, rng = all_strings(q.others, q.Y), q.rng("pairs")
    some, named = rng.integers(0, len(labels), 500), rng.integers(0, q.others, (500, 1))
    return {rebuilt: exactly(protocol.mismatches(labels[some], named))}


def measure(protocol, q, task=pointed, least=0):
    labels, named = all_strings(q.others, q.Y), np.arange(least, q.others)[:, None]
    pair, count = protocol.wrong_pair(pointed, labels, named), CommunicationMatrix.of(task, labels, named).distinct_rows
    found = {rows: count, messages: protocol.count(labels), errors: pair.wrong if pair else 0}
    return {name: exactly(int(value)) for name, value in found.items()} | compared(protocol, q)


claim = Claim(
    "Question (e), one message",
    role="necessity", source="derived here: question (e)",
    scope={"every others, Y, p_bits, d_v, H": "points", "every size of the message": "points",
           "every one-layer model": "drawn"},
    asserts=[rows.equals(Y**others), messages <= 2**B_1, rebuilt.equals(0), errors >= 1],
    requires=[sent < Y**others], derived=[B_1, sent],
    derive=lambda protocol, q: {B_1: protocol.bits, sent: protocol.count(all_strings(q.others, q.Y))},
    grid=points("others Y p_bits d_v H", (12, 2, 1, 1, 1), (14, 2, 1, 1, 1), (12, 2, 2, 1, 1), (7, 3, 1, 1, 1)),
    construct=construct, measure=measure, controls=[
        Control("one step", breaks=rows,
                measure=lambda protocol, q: measure(protocol, q, lambda x, y: pointed(x, 0 * y))),
        Control("a place that is never named", breaks=rows, asserts=[rows.equals(Y**others)],
                measure=lambda protocol, q: measure(protocol, q, least=1)),
        Control("digits of one value", breaks=errors, asserts=[rebuilt.equals(0), errors >= 1], construct=digits),
        Control("two layers", breaks=rebuilt, asserts=[rebuilt.equals(0)], measure=compared, where=Y < 3,
                construct=lambda q: split(q, SecondLayer(q.others, 5))),
        Control("without the logarithm of n", breaks=messages, where=p_bits >= 2,
                asserts=[messages <= 2 ** (p_bits * H * (1 + d_v))]),
    ],
)
