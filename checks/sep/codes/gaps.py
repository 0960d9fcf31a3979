r"""Binary, quadratic and circle codes separate positions in width $\lceil\log_2N\rceil$, 2 and 2.

Setting    Keys and queries: the index in binary as signs; $(i,i^2)$ against $(2p,-1)$; points of the circle.
Statement  The target score minus the largest other one is 2 (binary), 1 (quadratic), $1-\cos\frac{2\pi}N$ (circle),
           which lies between $8/N^2$ and $2\pi^2/N^2$.
Witness    All scores $\langle q_p,t_j\rangle$.
Measured   The least gap over all $p\ne j$, an integer; for the circle it is enclosed, all $p$ being alike by rotation;
           that of the layer, observed.
Control    A code used twice; queries shifted by one; the circle's asymptotic value taken as exact.
Reads      Derived here. Nearly orthogonal codes are not needed for a positive gap, nor for logarithmic width.
"""

from fractions import Fraction

import numpy as np
from sympy import Rational, cos, pi

from theorytools import Claim, Control, Quantity, enclosed, observed, points
from theorytools.numbers import maximum
from theorytools.numbers import pi as circle
from theorytools.papers.sep.attention.index_lookup import IndexLookup

from ..notation import Delta, N

gap = Quantity("gap", r"\min_{p\ne j}(\langle q_p,t_p\rangle-\langle q_p,t_j\rangle)", "target minus others")
around = Quantity("gap on the circle", r"1-\max_{j\ne0}\cos\tfrac{2\pi j}N", "target minus others", (0, 2))
made = Quantity("gap of the layer",
                r"\min_{p\ne j}(\langle q_p,t_p\rangle-\langle q_p,t_j\rangle)", "in doubles", (0, 2))


def construct(p, shift=0) -> IndexLookup:
    net = IndexLookup.of(p.code, p.N, 2)
    return IndexLookup(net.keys, np.roll(net.queries, shift, axis=0), 2)


def twice(p):
    net, order = construct(p), [0, 0, *range(2, p.N)]
    return IndexLookup(net.keys[order], net.queries[order], 2)


def measure(net, p):
    scores = net.queries @ net.keys.T
    others = scores[~np.eye(net.N, dtype=bool)].reshape(net.N, -1)
    return {gap: int((scores.diagonal()[:, None] - others).min())}


claim = Claim(
    "Gaps of integer codes",
    role="variant", source="derived here: nearly orthogonal vectors",
    scope={"every code, N, Delta": "points", "every pair of positions": "enumeration"},
    asserts=gap.equals(Delta), listed=["code", Delta],
    grid=points("code N Delta", ("binary", 2, 2), ("binary", 3, 2), ("binary", 64, 2), ("binary", 300, 2),
                ("quadratic", 2, 1), ("quadratic", 64, 1), ("quadratic", 300, 1)),
    construct=construct, measure=measure,
    controls=[
        Control("a code used twice", breaks=gap, construct=twice),
        Control("queries shifted by one", breaks=gap, construct=lambda p: construct(p, shift=1)),
    ],
)


def turn(p, least=1):
    def farther():  # the other positions at least ``least`` steps away, either way round
        return 1 - maximum((2 * circle() * j / p.N).apply("cos") for j in range(least, p.N - least + 1))
    return {around: enclosed(farther)}


def executed(net):
    scores = net.queries @ net.keys.T
    others = scores[~np.eye(net.N, dtype=bool)].reshape(net.N, -1)
    return {made: observed(Fraction(float((scores.diagonal()[:, None] - others).min())), "numpy")}


as_built = made.equals(1 - cos(2 * pi / N), within=Rational(1, 10**12))
on_circle = Claim(
    "Gap of the circle code",
    role="variant", source="derived here: nearly orthogonal vectors",
    scope={"every N": "points", "every pair of positions": "closed form"},
    asserts=[around >= 8 / N**2, around <= 2 * pi**2 / N**2, as_built],
    grid=points("N", (3,), (4,), (12,), (64,), (400,)),
    construct=lambda p: IndexLookup.of("circle", p.N, 2), measure=lambda net, p: {**turn(p), **executed(net)},
    controls=[
        Control("the asymptotic value as exact", breaks=around, asserts=[around.equals(2 * pi**2 / N**2)]),
        Control("queries shifted by one", breaks=made, asserts=[as_built], measure=lambda net, p: executed(
            IndexLookup(net.keys, np.roll(net.queries, 1, axis=0), 2))),
        Control("twenty for eight", breaks=around, asserts=[around >= 20 / N**2]),
        Control("the nearest neighbours left out", breaks=around, where=N >= 4,
                measure=lambda net, p: turn(p, least=2), asserts=[around <= 2 * pi**2 / N**2]),
    ],
)
