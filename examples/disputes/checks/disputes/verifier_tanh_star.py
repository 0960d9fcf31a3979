r"""A verifier hands the set of inputs of a tanh neuron on as its set of outputs.

Setting    An input $x\in[\ell,u]$ of one neuron.
Statement  $\ell\le\tanh x\le u$: the set of inputs contains all outputs.
Proof      Of the repair, $\min(\ell,0)\le\tanh x\le\max(u,0)$: $\tanh x$ lies between 0 and $x$.
Measured   The output at $x=\ell+w(u-\ell)$, in ball arithmetic.
Control    The neuron $2x$; repair: zero joined to the set.
"""
from dataclasses import replace

from sympy import Max, Min

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, grid

from .notation import high, low, w

output = Quantity("output", r"\tanh x", "of the neuron")

joined = [output >= Min(low, 0), output <= Max(high, 0)]
twice = Control("twice the input", breaks=output <= high, where=2 * w > 1, measure=lambda x, p: {output: 2 * x})
claim = Claim(
    "A tanh star", role="statement", expect="REFUTED", scope={"every low, high, w": "points"},
    source="published: NNV, issue 447; prose", asserts=[output >= low, output <= high],
    requires=[low <= high, w <= 1], construct=lambda p: p.low + p.w * (p.high - p.low),
    measure=lambda x, p: {output: enclosed(lambda: Enclosure(x).apply("tanh"))},
    grid=grid(low=[-2, -1], high=[1, 2], w=["1/8", "7/8"]), controls=[twice, Control("zero joined", asserts=joined)],
)
repaired = replace(
    claim, label="With zero joined", role="variant", expect="HOLDS", asserts=joined,
    scope={"every low, high, w": "proof"}, source="derived here: a star through tanh",
    statement=r"$\min(\ell,0)\le\tanh x\le\max(u,0)$ for $\ell\le u$, $w\le1$.",
    controls=[replace(twice, breaks=joined[1])], grid=grid(low=[-2, 1], high=[1, 2], w=["7/8"]),
)
