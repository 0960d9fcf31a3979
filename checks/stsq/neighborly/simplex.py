r"""With one encoding dimension fewer than tokens every subset is selected, however many tokens are selected.

Setting    As in neighborly_lower; $e_1=0$ and $e_{k+1}$ the $k$-th unit vector, $T=d_e+1$ affinely independent
           encodings; $V=[I_d\ 0]$, temperature $\log u$, $n=T-q$.
Statement  The query $w_k=[k+1\in y]-[1\in y]$ scores one more on $y$ than off it, so that
           $\max_y\mathbb{E}_X\|f-s\|^2=d\epsilon^2\bigl(\frac1n+\frac1q\bigr)$, $\epsilon=\frac n{n+qu}$ at $T>q$.
Witness    SparseSelector with these encodings and queries.
Measured   The loss of every subset from its attention weights, rational for rational $u$.
Control    A coordinate dropped; half of the temperature; the loss without its selected part.
Reads      Derived here. neighborly_lower asks for $T\ge d_e+1+q$, so it says nothing of these sizes.
"""

from sympy import log

from theorytools import Claim, Control, enclosed, points
from theorytools.codes.encodings import exact_encodings
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.selection.loss import worst_loss

from ..notation import T, d, d_e, q, u
from .loss import worst

leaked = (T - q) / (T - q + q * u)


def construct(p, scale=1, dropped=0) -> SparseSelector:
    rows = [[int(i == k + 1) for k in range(p.d_e - dropped)] for i in range(p.T)]
    return SparseSelector(exact_encodings(rows), log(p.u) / scale, p.q, p.d, lambda E, y: [
        int(i in y) - int(0 in y) for i in range(1, p.d_e - dropped + 1)])


claim = Claim(
    "Encodings of dimension T - 1, loss",
    role="necessity", source="derived here: encodings of dimension 2q",
    scope={"every T, q, d, d_e, u": "points", "some encoding": "exhibited", "every subset": "enumeration"},
    asserts=worst.equals(d * leaked**2 * (1 / (T - q) + 1 / q)), requires=[q < T, d_e + 1 >= T, d_e + 1 <= T, u > 1],
    grid=points("T q d d_e u", (2, 1, 1, 1, 16), (5, 4, 2, 4, 9), (6, 3, 1, 5, 256), (7, 1, 3, 6, "9/4")),
    construct=construct, measure=lambda net, p: {worst: enclosed(lambda: worst_loss(net))},
    controls=[
        Control("a coordinate dropped", breaks=worst, where=d_e >= 2, construct=lambda p: construct(p, dropped=1)),
        Control("half of the temperature", breaks=worst, construct=lambda p: construct(p, scale=2)),
        Control("without the selected part", breaks=worst, asserts=[worst.equals(d * leaked**2 / (T - q))]),
    ],
)
