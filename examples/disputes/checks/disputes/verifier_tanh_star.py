r"""A verifier hands the set of inputs of a tanh neuron on as its set of outputs.

Setting    An input $x\in[\ell,u]$ of one neuron.
Statement  $\ell\le\tanh x\le u$: the set of inputs contains all outputs.
Measured   The output at $x=\ell+w(u-\ell)$, in ball arithmetic.
Control    The neuron $2x$.
"""
from theorytools import Claim, Control, Enclosure, Quantity, enclosed, grid

from .notation import high, low, w

output = Quantity("output", r"\tanh x", "of the neuron")

def tanh(x):
    return 1 - 2 / (1 + Enclosure(2 * x).exp())

claim = Claim(
    "A tanh star", role="statement", scope={"every low, high, w": "points"},
    source="published: verivital/nnv, issue 447; prose", asserts=[output >= low, output <= high],
    requires=[low <= high, w <= 1], construct=lambda p: p.low + p.w * (p.high - p.low),
    measure=lambda x, p: {output: enclosed(lambda: tanh(x))}, grid=grid(low=[-2, -1], high=[1, 2], w=["1/8", "7/8"]),
    controls=[Control("twice the input", breaks=output <= high, where=2 * w > 1, measure=lambda x, p: {output: 2 * x})],
)
