r"""With a uniform second layer the margin is the least violation over $2n+1$, which falls like $1/n$.

Setting    As in bool_twolayer, equality; layer 2 has uniform attention.
Statement  Output 0 where the answer is 1. Elsewhere at least $c/L$, attained.
Witness    TwoLayerBoolean.
Measured   The extremes over all $4^n$ inputs, rational.
Control    No first layer; codes swapped; half of $16k$.
Reads      Derived here.
"""

from theorytools import Claim, Control, grid
from theorytools.papers.sep.attention.boolean import TwoLayerBoolean

from ..notation import S_code, k, n
from .bool_twolayer import L, bottom, derive, empty, measure, rho, swapped, top


def construct(p, **spoiled) -> TwoLayerBoolean:
    return TwoLayerBoolean(p.n, p.task, **{"scale": 0, **spoiled})


claim = Claim(
    "Two layers, uniform attention",
    role="variant", source="derived here: equality by two layers",
    scope={"every task, n": "points", "some network": "exhibited", "every pair of strings": "enumeration"},
    asserts=[top.equals(0), bottom.equals(rho(0) / L)], derive=derive, derived=[k, S_code],
    grid=grid(task=["equality"], n=[1, 2, 3, 4, 5, 8]), construct=construct, measure=measure,
    controls=[
        Control("no first layer", breaks=bottom, construct=lambda p: empty(construct(p))),
        Control("codes of two positions swapped", breaks=[top, bottom], where=n >= 2,
                construct=lambda p: swapped(construct(p))),
        Control("half of 16 k", breaks=bottom, construct=lambda p: construct(p, base=8 * construct(p).k)),
    ],
)
