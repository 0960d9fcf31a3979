r"""The bits that recurrent models carry from token to token, all tensors counted; a cache of keys and values grows.

Setting    One layer of width $d$ in numbers of $w$ bits: LSTM; GRU; a selective state space with a convolution of
           window 4 (Mamba, 16 numbers a channel); linear attention (RetNet, 4 heads); softmax attention with its cache,
           after $N$ tokens.
Statement  $B=mw$ with $m=2d$, $d$, $19d$, $\frac{d^2}4$, $2Nd$: an LSTM of width 64 in 32 bits has 4096. What is
           carried suffices: cut after $N$ tokens and resumed from it alone, a model gives the outputs of one run. Each
           tensor is needed.
Witness    The five recurrences, weights drawn.
Measured   The carried numbers, counted, and by the formula of the model; numbers of 3 further outputs that differ from
           those of one run, bit by bit: observed.
Control    A tensor forgotten, the first or the second; a bit more for each number; a cache that stops at 5 tokens.
Reads      `apart` is 0 by the signature of a step; that each tensor is needed is the content (controls).
           The sizes are ours. That torch's own cells carry as much is tested with the adapter.
"""

import numpy as np
from sympy import Eq, Ne

from theorytools import Claim, Control, Quantity, observed, points
from theorytools.theory.memory.state_bits import state_bits

from .._carried import models
from ..notation import N, channels, m, word

bits = Quantity("bits carried", "B", "from token N to the next, all tensors", (1, None))
formula = Quantity("bits by size", "B", "from the sizes of the model", (1, None))
apart = Quantity("numbers apart", r"\#\{o\ne o'\}", "of 3 outputs, resumed and in one run", (0, None))


def construct(q):
    rng = q.rng("weights")
    return {name: rng.standard_normal((4 * q.channels, q.channels)) / np.sqrt(q.channels) for name in "ab"}


def run(W, q, state, tokens):
    outputs = []
    for x in tokens:
        o, *state = models[q.model][0](W, x, *state)
        outputs.append(o)
    return np.array(outputs), state


def measure(W, q, forgotten=None):
    _, start, sizes = models[q.model]
    tokens = q.rng("tokens").standard_normal((q.N + 3, q.channels))
    carried = run(W, q, start(q.channels), tokens[: q.N])[1]
    resumed = [np.zeros_like(part) if i == forgotten else part for i, part in enumerate(carried)]
    differ = run(W, q, resumed, tokens[q.N:])[0] != run(W, q, start(q.channels), tokens)[0][q.N:]
    return {bits: sum(part.size for part in carried) * q.word, apart: observed(int(differ.sum()), "numpy"),
            formula: state_bits(q.model, bits=q.word, **sizes(q.channels, q.N))}


def numbers(W, q):
    d = q.channels
    sizes = {"lstm": 2 * d, "gru": d, "mamba": 19 * d, "linear_attention": d * d // 4, "cache": 2 * q.N * d}
    return {m: sizes[q.model]}


def forgetting(which):
    return lambda W, q: measure(W, q, forgotten=which)


two = Ne(m, channels) & Ne(4 * m, channels**2)  # the models with a second tensor
claim = Claim(
    "Models, bits carried",
    role="foundation", source="derived here: models and precision",
    scope={"every N, word": "points", "every model and width channels": "points"},
    asserts=[bits.equals(m * word), formula.equals(m * word), apart.equals(0)],
    grid=points("model N channels word", ("lstm", 20, 64, 32), ("gru", 20, 8, 32), ("mamba", 20, 32, 16),
                ("linear_attention", 20, 8, 16), ("cache", 20, 64, 32), ("cache", 5, 64, 32),
                ("gru", 20, 512, 32), ("cache", 320, 8, 32)),
    requires=[channels >= 4, N >= 1], derive=numbers, derived=[m], construct=construct, measure=measure, controls=[
        Control("the first tensor forgotten", breaks=apart, measure=forgetting(0)),
        Control("the second tensor forgotten", breaks=apart, where=two, measure=forgetting(1)),
        Control("a bit more", breaks=[bits, formula], asserts=[bits.equals(m * (word + 1)),
                                                               formula.equals(m * (word + 1))]),
        Control("no longer than 5 tokens", breaks=[bits, formula], where=Eq(N, 20) & Eq(m, 2560),
                asserts=[bits.equals(10 * channels * word), formula.equals(10 * channels * word)]),
    ],
)
