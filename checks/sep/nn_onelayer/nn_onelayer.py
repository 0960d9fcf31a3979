r"""One layer must pass every label to the query when vectors and labels are separate tokens: $N\log_2|Y|$ bits.

Setting    $N$ label tokens, Alice's; $N$ vector tokens, Bob's, a permutation of $N$ known codewords; a public query,
           the first codeword. $H$ heads, numerators and values of $p$ bits, exact sums (semantics E), any function of
           them.
Statement  Where the first codeword stands at slot $i$ the answer is $y_i$: this is INDEX, with $|Y|^N$ different rows.
           The model's message takes $B$ bits, as in onelayer_protocol; if its values are fewer than $|Y|^N$, two
           labellings with one message differ at some $i$, and the model errs on one of two inputs or on both.
Proof      The query is public, so Alice's and Bob's integer sums add up to the model's and hers take $2^B$ values at
           most (onelayer_protocol). The $i$-th entry of the row of $y$ is $y_i$: the row is $y$. Two labellings with
           one message and $y_i\ne y'_i$ give equal sums, hence one answer, with the codeword at slot $i$; it is not
           both $y_i$ and $y'_i$.
Adversary  Instances: random tables of numerators and values; a model that may compute anything from its sums.
Measured   The rows of the matrix of answers; all messages; Bob's answers against the model's; the two inputs, executed.
Control    A slot that never holds the codeword; labels packed as digits of one long value, which is right; the bits
           without the logarithm of $N$.
Reads      Derived here. Under exact fixed-point accumulation, with a public final token: with joint tokens
           $(x_j,y_j)$ one layer suffices (nn_transformer_direct), and this partition does not exist.
"""

import numpy as np

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.constructions.attention.attention_tables import FixedPointTables
from theorytools.theory.communication.matrix import CommunicationMatrix, all_strings
from theorytools.theory.communication.protocol import OneLayerProtocol

from ..notation import B, H, N, Y, d_v, p, sent

rows = Quantity("rows", r"\#\text{rows}", "different rows of answers, one for each labelling", (1, None))
messages = Quantity("messages", r"|\mathcal M|", "different messages of Alice", (1, None))
rebuilt = Quantity("rebuilt wrongly", r"\#\{\hat f\ne f\}", "inputs where Bob's answer is not the model's", (0, None))
errors = Quantity("wrong inputs", r"\#\{f\ne y_i\}", "at least one of the two with one message, executed", (0, 2))


def nearest(x, y):  # the label at the slot of codeword 0
    x, slot = np.broadcast_arrays(x, np.argmin(y, axis=-1)[..., None])
    return np.take_along_axis(x, slot[..., :1], axis=-1)[..., 0]


def slots(q, used=None):  # rotations put codeword 0 at each slot; the codewords are Bob's tokens
    return (np.arange(q.N) - np.arange(used or q.N)[:, None]) % q.N


def split(q, model) -> OneLayerProtocol:
    return OneLayerProtocol(model, range(q.N), range(q.N, 2 * q.N), letters=max(q.N, q.Y))


def construct(q) -> OneLayerProtocol:
    top, shape, rng = 1 << (q.p - 1), (2 * q.N, max(q.N, q.Y), q.H), q.rng("tables")
    e, v = rng.integers(1, 2 * top, shape), rng.integers(-top, top, (*shape, q.d_v))
    return split(q, FixedPointTables(e, v, q.p, lambda N, D: (N[:, 0, 0] ** 2 + D[:, 0]) % q.Y))


def digits(q, twice=0):  # labels are digits of one number; the place of Bob's codeword 0 says which digit
    v = np.zeros((2 * q.N, max(q.N, q.Y), 1, 1), dtype=int)
    v[: q.N, :, 0, 0] = np.arange(v.shape[1]) * q.Y ** np.minimum(np.arange(q.N), q.N - 1 - twice)[:, None]
    v[q.N:, 0, 0, 0] = np.arange(q.N) * q.Y**q.N
    need = int(v.max()).bit_length() + 1
    return split(q, FixedPointTables(v[..., 0] * 0 + 1, v, need, lambda s, D: s[:, 0, 0] // q.Y ** (
        s[:, 0, 0] // q.Y**q.N) % q.Y))


def measure(protocol, q, used=None):
    labels, columns = all_strings(q.N, q.Y), slots(q, used)
    pair = protocol.wrong_pair(nearest, labels, columns)
    picked = q.rng("pairs").integers(0, len(labels), 500), q.rng("slots").integers(0, len(columns), 500)
    wrong = protocol.mismatches(labels[picked[0]], columns[picked[1]])
    return {name: exactly(int(value)) for name, value in {
        rows: CommunicationMatrix.of(nearest, labels, columns).distinct_rows, messages: protocol.count(labels),
        rebuilt: wrong, errors: pair.wrong if pair else 0}.items()}


claim = Claim(
    "Nearest neighbour, one layer",
    role="statement", source="derived here: nearest neighbour by one layer",
    scope={"every N, Y, p, d_v, H": "proof", "every one-layer model": "proof", "every labelling and slot": "proof"},
    asserts=[rows.equals(Y**N), messages <= 2**B, rebuilt.equals(0), errors >= 1], requires=[sent < Y**N],
    derive=lambda protocol, q: {B: protocol.bits, sent: protocol.count(all_strings(q.N, q.Y))}, derived=[B, sent],
    grid=points("N Y p d_v H", (10, 2, 1, 1, 1), (12, 2, 1, 1, 1), (12, 2, 2, 1, 1), (7, 3, 1, 1, 1), (6, 4, 1, 1, 1)),
    construct=construct, measure=measure, controls=[
        Control("a slot that never holds it", breaks=rows, asserts=[rows.equals(Y**N)],
                measure=lambda protocol, q: measure(protocol, q, q.N - 1)),
        Control("labels as digits of one value", breaks=errors, construct=digits,
                asserts=[rebuilt.equals(0), errors >= 1]),
        Control("without the logarithm of N", breaks=messages, where=p >= 2,
                asserts=[messages <= 2 ** (p * H * (1 + d_v))]),
    ],
)
