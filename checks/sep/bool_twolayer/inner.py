r"""Two layers compute the inner product of two strings modulo 2, with a hidden layer of $n$ units at the end.

Setting    As in bool_twolayer, copies rounded, layer 2 uniform: $u=L\cdot\mathrm{out}$ counts the common ones.
Statement  $\mathrm{ReLU}(u)+2\sum_{j=1}^{n-1}(-1)^j\mathrm{ReLU}(u-j)$ is the inner product on all $4^n$ inputs.
Witness    TwoLayerBoolean. The attention has width $2k+6$, the read-out does not have logarithmic size.
Measured   The largest distance of the output from the answer over all inputs, rational.
Control    Copies not rounded; no first layer; codes of two positions swapped; layer 2 sharp.
Reads      Derived here; a unit at $j=n$ would never be active.
"""

from theorytools import Claim, Control, Quantity, grid
from theorytools.papers.sep.attention.boolean import TwoLayerBoolean

from ..notation import n
from .bool_twolayer import empty, swapped

error = Quantity("largest error", r"\max_{x,y}|\mathrm{out}-f|", "distance of output and answer", (0, 1))


def construct(p, **spoiled) -> TwoLayerBoolean:
    return TwoLayerBoolean(p.n, "inner_product", **spoiled)


claim = Claim(
    "Inner product by two layers",
    role="variant", source="derived here: inner product by two layers",
    scope={"every n": "points", "some network": "exhibited", "every pair of strings": "enumeration"},
    asserts=error.equals(0), grid=grid(n=[1, 2, 3, 4, 5, 8]), construct=construct,
    measure=lambda net, p: {error: net.largest_error()},
    controls=[
        Control("copies not rounded", breaks=error, where=n <= 5, construct=lambda p: construct(p, rounded=False)),
        Control("no first layer", breaks=error, where=n <= 5,
                construct=lambda p: empty(construct(p))),
        Control("codes of two positions swapped", breaks=error, where=(n >= 2) & (n <= 5),
                construct=lambda p: swapped(construct(p))),
        Control("layer 2 sharp", breaks=error, where=n <= 5, construct=lambda p: construct(p, scale=2)),
    ],
)
