r"""For any encodings and any value matrix the population loss is a quadratic form in $V$ with two moments of attention.

Setting    As in loss, with any encodings and query, $V=[V_1\ V_2]$ any matrix, $W=\mathrm{diag}(0,\beta I)$.
Statement  $L=A\|V_1\|_F^2-\frac{2B}q\operatorname{tr}V_1+\frac dq+\mathbb{E}\|V_2Ea\|^2$, $A=\mathbb{E}\|a\|_2^2$,
           $B=\mathbb{E}\,a(y)$; and $B^2\le qA$.
Witness    Random sign encodings with the sum query, where some subsets are badly separated, and the moment curve; $V$
           random and rational.
Measured   All subsets, forward passes on the unit prompts; rational, with $\beta=d_e\log2$ on sign encodings.
           $A$, $B$ and the last term come from the attention weights alone.
Control    $V_2$ dropped; the query column attended to; $V_1$ doubled; $\|V_1\|^2$ in place of its trace.
Reads      Derived here.
"""

from math import isqrt

from sympy import Integer, log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.encodings import named_encodings
from theorytools.constructions.network import changed
from theorytools.errors import DomainError
from theorytools.numbers import ball_matmul, total
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.selection.loss import attention_moments
from theorytools.papers.stsq.tasks.sparse_selection import subsets

from ..notation import A_2, V_11, V_22, B_y, T, V_tr, d, q
from .loss import loss, mean_loss

square = Quantity("squared mass", r"B^2/(qA)", "what a best scale gains, relative to d/q", (0, None))


def construct(p, keep=1, times=1) -> SparseSelector:
    if p.code == "rad" and isqrt(p.d_e) ** 2 != p.d_e:
        raise DomainError(f"d_e = {p.d_e}", required="a square", why="sign encodings of length 1 are rational then")
    E = named_encodings(p.code, p.T, p.d_e, p.rng("encodings"))
    V = p.rng("values").integers(-9, 10, (p.d, p.d + p.d_e))
    V[:, : p.d] *= times
    V[:, p.d :] *= keep
    beta, query = (p.d_e * log(2), "sum") if p.code == "rad" else (log(2), "polynomial")
    return SparseSelector(E, beta, p.q, p.d, query, values=V.astype(object))


def positional(net):  # the mean over y of the squared norm of V_2 E a
    parts = []
    for y in subsets(net.T, net.q):
        mean = ball_matmul([net.attention(y)], net.E.vectors.tolist())
        parts += [x[0] ** 2 for x in ball_matmul(net.V[:, net.d :].tolist(), [[x] for x in mean[0]])]
    return (net.E.squared_scale * total(parts) / len(list(subsets(net.T, net.q)))).fraction()


def derive(net, p):
    A, B = (x.fraction() for x in attention_moments(net))
    V_1 = net.V[:, : p.d]
    return {A_2: A, B_y: B, V_11: (V_1**2).sum(), V_tr: V_1.trace(), V_22: positional(net)}


def measure(net, p):
    A, B = (x.fraction() for x in attention_moments(net))
    return {loss: mean_loss(net), square: B**2 / (p.q * A)}


claim = Claim(
    "Population loss, any encodings and values",
    role="variant", source="derived here: population loss",
    scope={"every code, T, q, d, d_e": "points", "every encoding and value matrix": "drawn",
           "every prompt": "closed form"},
    asserts=[loss.equals(A_2 * V_11 - 2 * B_y / q * V_tr + d / q + V_22), square <= Integer(1)],
    requires=[q < T], derive=derive, derived=[A_2, B_y, V_11, V_tr, V_22],
    grid=points("code T q d d_e", ("rad", 6, 2, 2, 4), ("rad", 7, 3, 1, 4), ("rad", 5, 1, 3, 16), ("rad", 4, 3, 2, 1),
                ("moment", 4, 2, 2, 4), ("moment", 4, 1, 1, 2)),
    construct=construct, measure=measure,
    controls=[
        Control("the encoding block dropped", breaks=loss, construct=lambda p: construct(p, keep=0)),
        Control("the query column attended to", breaks=loss,
                construct=lambda p: changed(construct(p), attends_query=True)),
        Control("the token block doubled", breaks=loss, where=d >= 2, construct=lambda p: construct(p, times=2)),
        Control("the squared norm for the trace", breaks=loss, where=d >= 2,
                asserts=[loss.equals(A_2 * V_11 - 2 * B_y / q * V_11 + d / q + V_22), square <= Integer(1)]),
    ],
)
