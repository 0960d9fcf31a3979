r"""Encodings of dimension $2q$ let one query map select every $q$-subset at any length: a certificate in integers.

Finding    Encodings of dimension $2q$ let one query map select every $q$-subset at any length, in free real arithmetic;
           shorter ones do not for $T\ge3q$.
Setting    $e_t=(t,t^2,\dots,t^{2q})$, $t=1,\dots,T$; the query is minus the coefficients of $\prod_{j\in y}(X-j)^2$.
Statement  The scores are $-\prod_{j\in y}(t-j)^2$ up to a constant: equal on $y$, and below by at least
           $(\lfloor\frac q2\rfloor!\,\lceil\frac q2\rceil!)^2$ off it, for all $\binom Tq$ subsets; attained.
Proof      $\prod_{j\in y}(t-j)^2$ has degree $2q$ in $t$: its coefficients without the constant one are the query. Off
           $y$ the $q$ factors $|t-j|$ are positive integers, each at most twice: their product is least with
           $1,1,2,2,\dots$, the $q$ neighbours of $t$, half on either side, which exist for $T>q$.
Witness    SparseSelector on the moment curve with the polynomial query; 4060 subsets at $q=3$, $T=30$.
Measured   The least margin and the largest spread on $y$ over all subsets, in integers, from the inner products
           $\langle e_y,e_t\rangle$, not from the product.
Control    One coordinate of the curve dropped, each in turn; the dual query on the same curve; a square less.
Reads      Derived here, in exact real arithmetic: entries reach $T^{2q}$, so this says nothing at bounded precision.
"""

from dataclasses import replace

from sympy import Eq, ceiling, factorial, floor

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.encodings import moment_curve
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.attention.selector_queries import polynomial_query
from theorytools.papers.stsq.tasks.sparse_selection import subsets

from ..notation import T, q

margin = Quantity("margin", r"\min_y(\min_{y}\sigma-\max_{y^c}\sigma)", "least lead of a selected token", (None, None))
spread = Quantity("spread", r"\max_y(\max_y\sigma-\min_y\sigma)", "largest difference of selected scores", (0, None))
least = (factorial(floor(q / 2)) * factorial(ceiling(q / 2))) ** 2


def construct(p) -> SparseSelector:
    return SparseSelector(moment_curve(p.T, 2 * p.q), 1, p.q, 1, "polynomial")


def dropped(p):  # the coordinate p.drop of the curve, and the query's coefficient on it
    return replace(construct(p), E=moment_curve(p.T, 2 * p.q).dropped(p.drop - 1),
                   query=lambda E, y: polynomial_query(E, y, partial=True))


def measure(net, p):
    leads, spreads = [], []
    for y in subsets(p.T, p.q):
        sigma = net.scores(y)
        on, off = [sigma[i] for i in y], [x for i, x in enumerate(sigma) if i not in y]
        leads.append(min(on) - max(off))
        spreads.append(max(on) - min(on))
    return {margin: min(leads), spread: max(spreads)}


claim = Claim(
    "Encodings of dimension 2q, all subsets",
    role="statement", source="derived here: encodings of dimension 2q",
    scope={"every T, q, drop": "proof", "some encoding": "exhibited", "every subset": "proof"},
    asserts=[margin.equals(least), spread.equals(0)], requires=[q < T],
    grid=points("T q drop", (2, 1, 1), (40, 1, 2), (12, 2, 1), (9, 2, 4), (4, 3, 2), (9, 3, 1), (9, 3, 3), (9, 3, 5),
                (9, 3, 6), (30, 3, 2), (9, 4, 8), (8, 5, 5), (128, 1, 2)),
    construct=construct, measure=measure,
    controls=[
        Control("a coordinate dropped", breaks=[margin, spread], where=q >= 2, construct=dropped),
        Control("a coordinate dropped, one token", breaks=margin, where=Eq(q, 1), construct=dropped),
        Control("the dual query", breaks=margin, where=T <= 12,
                construct=lambda p: replace(construct(p), query="dual")),
        Control("a square less", breaks=margin, where=q >= 3, asserts=[
            margin.equals(least / (factorial(floor(q / 2)) * factorial(ceiling(q / 2)))), spread.equals(0)]),
    ],
)
