r"""The linear link is a two-layer ReLU network with two units, exactly.

Setting    $g(v)=q^{-1/2}\sum_j\langle u,v_j\rangle$, $\|u\|=1$; networks $a^\top\sigma(Wv+b)$ with $m$ units,
           $A=\|a\|_2$, $B=\|(W,b)\|_F$; the ball $\|v\|\le Z$.
Statement  $g(v)=\sigma(\langle w,v\rangle)-\sigma(-\langle w,v\rangle)$ with $w=(u,\dots,u)/\sqrt q$: no error, $m=2$,
           $A=B=\sqrt2$.
Witness    LinkHead for the link lin.
Measured   Largest error between two kinks by calculus, in rationals; norms enclosed.
Control    One unit; $1/\sqrt q$ forgotten.
Reads      The display was not seen; the network is derived here. $r_a=2$, $r_w=1$, whatever $N$ and $n$.
"""

from sympy import Eq, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.feedforward.link_heads import LinkHead, link_head
from theorytools.constructions.feedforward.piecewise_linear import LineUnits

from ..notation import q
from .assumption_02 import error, width

output = Quantity("output norm", "A", "Euclidean", (0, None))
inner = Quantity("inner norm", "B", "Frobenius, with biases", (0, None))


def construct(p, line=None) -> LinkHead:
    return link_head("lin", [1] + [0] * (p.d - 1), p.q, p.d, line=line)


def measure(head, p):
    return {error: lambda: head.sup_error(p.Z), width: head.m, output: lambda: head.layer_norms()[0],
            inner: lambda: head.layer_norms()[1]}


claim = Claim(
    "Assumption 2, linear link",
    role="statement", source="published: Assumption 2; prose",
    scope={"every q, Z": "points", "every dimension d": "points", "some network": "exhibited",
           "every input": "closed form"},
    asserts=[error.equals(0), width.equals(2), *(
        norm.equals(sqrt(2), within=sqrt(2) / 10**9) for norm in (output, inner))],
    grid=points("d q Z", (1, 1, 1), (3, 2, 5), (10, 4, 100)), construct=construct, measure=measure, controls=[
        Control("one unit", breaks=[error, width, output, inner],
                construct=lambda p: construct(p, line=LineUnits(((1, 1, 0),)))),
        Control("1/sqrt(q) forgotten", breaks=[error, output, inner], where=Eq(q, 4),
                construct=lambda p: construct(p, line=LineUnits(((2, 1, 0), (-2, -1, 0))))),
    ],
)
