r"""With a uniform second layer the margin is the least violation over $2n+1$; rounded copies make it rational.

Setting    As in bool_twolayer, equality or disjointness; layer 2 uniform or sharp, the copied sign rounded or not.
Statement  Output 0 where the answer is 1. Elsewhere at least $c/L$ with uniform attention, which decays like $1/n$;
           $\frac{16L^2}{16L^2+L-1}$ with sharp attention and rounded copies; $\frac1L$ with both changes. All attained.
Witness    TwoLayerBoolean.
Measured   The extremes over all $4^n$ inputs, rational.
Control    No first layer; codes swapped; half of $16k$; copies not rounded; half of the score; a token fewer.
Reads      Derived here.
"""

from theorytools import Claim, Control, grid
from theorytools.papers.sep.attention.boolean import TwoLayerBoolean

from ..notation import S_code, k, n
from .bool_twolayer import L, bottom, derive, empty, measure, rho, swapped, top

exact = [top.equals(0)]


def construct(p, **spoiled) -> TwoLayerBoolean:
    return TwoLayerBoolean(p.n, p.task, **{"rounded": True, "scale": 0, **spoiled})


def plain(p, **spoiled) -> TwoLayerBoolean:
    return construct(p, **{"rounded": False, **spoiled})


def rounded(p, **spoiled) -> TwoLayerBoolean:
    return construct(p, **{"scale": 2, **spoiled})


def controls(make, *more):
    return [
        Control("no first layer", breaks=bottom, construct=lambda p: empty(make(p))),
        Control("codes of two positions swapped", breaks=[top, bottom], where=n >= 2,
                construct=lambda p: swapped(make(p))),
        *more,
    ]


claim = Claim(
    "Two layers, uniform attention",
    role="variant", source="derived here: equality by two layers",
    scope={"every task, n": "points", "some network": "exhibited", "every pair of strings": "enumeration"},
    asserts=[*exact, bottom.equals(rho(0) / L)], derive=derive, derived=[k, S_code],
    grid=grid(task=["equality"], n=[1, 2, 3, 4, 5, 8]), construct=plain, measure=measure,
    controls=controls(plain, Control("half of 16 k", breaks=bottom, construct=lambda p: plain(p, base=8 * plain(p).k))),
)
both = Claim(
    "Two layers, uniform attention on rounded copies",
    role="variant", source="derived here: equality and disjointness by two layers",
    scope={"every task, n": "points", "some network": "exhibited", "every pair of strings": "enumeration"},
    asserts=[*exact, bottom.equals(1 / L)],
    grid=grid(task=["equality", "disjointness"], n=[1, 2, 4, 5]), construct=construct, measure=measure,
    controls=controls(construct, Control("copies not rounded", breaks=bottom, construct=plain)),
)
sharp = Claim(
    "Two layers, rounded copies",
    role="variant", source="derived here: equality and disjointness by two layers",
    scope={"every task, n": "points", "some network": "exhibited", "every pair of strings": "enumeration"},
    asserts=[*exact, bottom.equals(16 * L**2 / (16 * L**2 + L - 1))],
    grid=grid(task=["equality", "disjointness"], n=[1, 2, 4, 5]), construct=rounded, measure=measure,
    controls=controls(
        rounded,
        Control("half of the score", breaks=bottom, construct=lambda p: rounded(p, scale=1)),
        Control("a token fewer", breaks=bottom, asserts=[*exact, bottom.equals(16 * L**2 / (16 * L**2 + L - 2))]),
    ),
)
