r"""The lower bound bites on a trained head: rounded to one or two bits, it errs on a pair that its protocol finds.

Setting    Equality of two strings of 16 bits; a trained head of width 1 over tables of logits and values, one number
           out, one hidden layer. Numerators and values are rounded to $p$ bits, sums are exact (semantics E).
Statement  Alice's sums take at most $2^B$ values, $B=11$ for $p=1$ and 14 for $p=2$, fewer than her $2^{16}$ strings:
           two send one message, and the model is wrong on one of $(x,x)$, $(x',x)$; strings that share their message,
           at least $2^{16}-2^B$, give as many wrong inputs.
Adversary  Four heads trained by the sweep, with their own read-outs.
Measured   All $2^{16}$ messages of every head, the largest number of different ones, the least number of strings that
           share theirs; Bob's answers against the model's on 2000 pairs; the two inputs, executed.
Control    The number of bits without its logarithm; the width-1 construction for equality; the heads at 16 bits.
Reads      Derived here. The heads are what training left, the statement about them is exact. That a head of few bits
           errs needs no training: what this adds is the whole way from training to the pair.
"""

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.papers.sep.attention.equality import OneLayerEquality
from theorytools.theory.communication.matrix import equality

from .._layers import split
from ..notation import B, n, p
from ..onelayer_protocol.onelayer_protocol import messages, rebuilt
from ..sweeps._small_heads import rounded_head
from .equality import read

shared = Quantity("sharing", r"\#\{x:\exists x'\}", "strings that share their message, least over heads", (0, None))
errors = Quantity("wrong inputs", r"\#\{f\ne\mathrm{EQ}\}", "of the two with one message, least over heads", (0, 2))


def construct(q, bits=0):
    trials = read().of("equality, small head")
    return [split(rounded_head(trial.result["tables"], 2, bits or q.p)) for trial in trials]


def measure(protocols, q):
    x, y = q.rng("pairs").integers(0, 2, (2, 2000, q.n))
    y[::2] = x[::2]
    pairs = [protocol.wrong_pair(equality) for protocol in protocols]
    found = {messages: max(protocol.count() for protocol in protocols),
             shared: min(protocol.colliding() for protocol in protocols),
             errors: min(pair.wrong if pair else 0 for pair in pairs),
             rebuilt: sum(protocol.mismatches(x, y) for protocol in protocols)}
    return {name: exactly(int(value)) for name, value in found.items()}


claim = Claim(
    "Experiments: a trained head of few bits errs on equality",
    role="variant", source="derived here: one-layer lower bound on equality",
    scope={"every n, p": "points", "every trained head": "recorded", "every string": "enumeration",
           "every pair of strings": "drawn"},
    asserts=[messages <= 2**B, shared >= 2**n - 2**B, errors.equals(1), rebuilt.equals(0)], requires=[n > B],
    derive=lambda protocols, q: {B: protocols[0].bits}, derived=[B], grid=points("n p", (16, 1), (16, 2)),
    construct=construct, measure=measure, controls=[
        Control("without the logarithm of n", breaks=messages, asserts=[messages <= 2 ** (2 * p)]),
        Control("the network for equality", breaks=errors, asserts=[errors.equals(1), rebuilt.equals(0)],
                construct=lambda q: [split(OneLayerEquality(q.n))]),
        Control("16 bits", breaks=[messages, shared], construct=lambda q: construct(q, bits=16),
                asserts=[messages <= 2**B, shared >= 2**n - 2**B]),
    ],
)
