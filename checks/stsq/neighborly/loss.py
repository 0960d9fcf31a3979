r"""With encodings of dimension $2q$ the loss of the worst subset falls exponentially in the temperature.

Setting    As in neighborly, with $V=[I_d\ 0]$, $W=\mathrm{diag}(0,\beta I)$; $m=(\lfloor\frac q2\rfloor!\,\lceil\frac
           q2\rceil!)^2$, $n=T-q$.
Statement  $\max_y\mathbb{E}_X\|f-s\|^2\le d(1+\frac1q)\bigl(\frac n{n+qe^{\beta m}}\bigr)^2$; equal at $T=q+1$.
Witness    SparseSelector on the moment curve with the polynomial query.
Measured   The loss of every subset from its attention weights; rational, for rational $e^\beta$.
Control    A coordinate of the curve dropped; half the temperature; twice the margin.
Reads      Derived here.  Half the temperature is a control at $T=q+1$ only: elsewhere the bound has slack.
"""

from dataclasses import replace

from sympy import Eq, Rational, exp, log

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.selection.loss import worst_loss

from ..notation import T, beta, d, q, u
from .neighborly import construct as curve
from .neighborly import dropped, least

worst = Quantity("worst loss", r"\max_y\mathbb{E}_X\|f-s\|^2", "loss of the worst subset", (0, None))


def bound(times=1):
    return d * (1 + 1 / q) * ((T - q) / (T - q + q * exp(times * beta * least))) ** 2


def construct(p, scale=1, make=curve) -> SparseSelector:
    return replace(make(p), beta=scale * log(p.u), d=p.d)


claim = Claim(
    "Encodings of dimension 2q, loss",
    role="variant", source="derived here: encodings of dimension 2q",
    scope={"every T, q, d, u, drop": "points", "some encoding": "exhibited", "every subset": "enumeration"},
    asserts=worst <= bound(), requires=[q < T, u > 1], lets={beta: log(u)},
    grid=points("T q d u drop", (2, 1, 3, 16, 1), (3, 2, 1, 16, 4), (4, 3, 2, "9/4", 3), (8, 1, 1, 256, 2),
                (5, 2, 1, 4, 1), (6, 2, 2, 4, 3)),
    construct=construct, measure=lambda net, p: {worst: enclosed(lambda: worst_loss(net))},
    controls=[
        Control("a coordinate dropped", breaks=worst, construct=lambda p: construct(p, make=dropped)),
        Control("half the temperature", breaks=worst, where=Eq(T, q + 1),
                construct=lambda p: construct(p, Rational(1, 2))),
        Control("twice the margin", breaks=worst, where=Eq(T, q + 1), asserts=[worst <= bound(2)]),
    ],
)
