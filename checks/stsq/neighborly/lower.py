r"""With at most $2q-1$ encoding dimensions and $T\ge d_e+1+q$ no query map and no value matrix select every subset.

Setting    Any encodings in $\mathbb{R}^{d_e}$, $d_e\le2q-1$, any query map, any $V$; attention sees positions only.
           Tokens are independent, of mean 0 and covariance $I_d$.
Statement  $\max_y\mathbb{E}_X\|f-s\|^2\ge\frac d{2q^2}$, at a subset $y\supseteq A$, $y\cap B=\emptyset$, where
           $A\cup B$ is a Radon partition of $d_e+2$ encodings, $|A|\le q$.  The constant is attained in the
           limit for $q=1$.
Proof      $d_e+2\le2q+1$ encodings have a Radon partition, one part of at most $q$; $B$ has at most $d_e+1\le T-q$, so
           $y$ exists. $\sum_A\lambda_ie_i=\sum_B\mu_je_j$ with weights of sum 1: some $b\in B$ scores at least as much
           as some $a\in A$, whatever the query. So $w_b\ge w_a$ for their attention, and every diagonal entry $v$ of
           $V$ has $(vw_a-\frac1q)^2+(vw_b)^2\ge\frac1{2q^2}$.
Adversary  The moment curve without one coordinate and the polynomial query; the curve of dimension $2q-2$ with the
           query of $q-1$ of the tokens ($\alpha=\frac{q-1}q$), which comes within a factor 2 of the bound; random
           encodings with the lp query; random queries and values; for $q=1$, $(-100,0,\frac1{1000})$.
Measured   The loss of all subsets from their attention weights, in rationals or balls; that of the Radon subset; and
           $\|\sum_A\lambda_ie_i-\sum_B\mu_je_j\|^2$ of the partition, rational.
Control    One coordinate more, $d_e=2q$; the average over $y$ in place of the maximum; a hundredth above the
           constant at $q=1$.
Reads      Derived here.  $T\ge d_e+1+q$ follows from $T\ge3q$; for $T\le d_e+1$ the bound fails.
"""

from fractions import Fraction

from sympy import Eq, Rational, log

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.codes.encodings import exact_encodings, gaussian_encodings, moment_curve
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.attention.selector_queries import polynomial_query
from theorytools.papers.stsq.selection.loss import population_loss, worst_loss
from theorytools.papers.stsq.selection.set_geometry import radon_partition

from ..notation import T, d, d_e, q
from .loss import worst

radon = Quantity("loss of the Radon subset", r"\mathbb{E}_X\|f-s\|^2(y_R)", "y contains A and avoids B", (0, None))
defect = Quantity("defect", r"\|\sum_A\lambda_ie_i-\sum_B\mu_je_j\|^2", "of the Radon partition", (0, None))
bound = d / (2 * q**2)


def partial(E, y):
    return polynomial_query(E, y, partial=True)


def fewer(E, y):  # the query of all selected tokens but the last
    return polynomial_query(E, y[:-1])


def three(E, y):  # in units of 1/1000; the outer tokens are extreme and are selected, the middle one competes
    return [{0: -1000, 1: 60, 2: 10**8}[y[0]]]


def construct(p, full=False) -> SparseSelector:
    rng, wide = p.rng("network"), moment_curve(p.T, 2 * p.q)
    if full:
        return SparseSelector(wide, 9, p.q, p.d, "polynomial")
    if p.code == "three":
        return SparseSelector(exact_encodings([[-100], [0], [Fraction(1, 1000)]]), 1, 1, p.d, three)
    if p.code == "fewer":
        return SparseSelector(moment_curve(p.T, p.d_e), 9, p.q, p.d, fewer, alpha=Fraction(p.q - 1, p.q))
    if p.code == "random":
        table = {}
        V = rng.integers(-2, 3, (p.d, p.d + p.d_e)).astype(object)
        return SparseSelector(gaussian_encodings(p.T, p.d_e, rng), 1, p.q, p.d, values=V, query=lambda E, y:
                              table.setdefault(y, [int(x) for x in rng.integers(-9, 10, p.d_e)]))
    if p.code == "lp":
        return SparseSelector(gaussian_encodings(p.T, p.d_e, rng), 9, p.q, p.d, "lp")
    return SparseSelector(wide.dropped(int(p.code.removeprefix("without_")) - 1), 9, p.q, p.d, partial)


def short(p):  # scores 1 on y and 0 off it, up to the score 0 of the first token
    rows = [[int(i == k + 1) for k in range(p.d_e)] for i in range(p.d_e + 1)]
    return SparseSelector(exact_encodings(rows), log(64), p.q, p.d,
                          lambda E, y: [int(i in y) - int(0 in y) for i in range(1, E.T)])


def measure(net, p, over=worst_loss):
    partition = radon_partition(construct(p).E)
    y = partition.subset(p.T, p.q)
    return {worst: enclosed(lambda: over(net)), radon: enclosed(lambda: net.loss(y)),
            defect: partition.defect(construct(p).E)}


claim = Claim(
    "Fewer than 2q dimensions, all subsets",
    role="statement", source="derived here: encodings of dimension 2q",
    scope={"every code, d, d_e": "proof", "every T and q": "proof", "every encoding": "proof", "every query": "proof",
           "some subset": "exhibited"},
    asserts=[worst >= bound, radon >= bound, defect.equals(0)],
    requires=[d_e <= 2 * q - 1, d_e + 1 + q <= T],
    grid=points("code T q d d_e", ("three", 3, 1, 2, 1), ("without_1", 6, 2, 1, 3), ("without_3", 6, 2, 3, 3),
                ("without_4", 7, 2, 1, 3), ("without_1", 9, 3, 1, 5), ("without_6", 9, 3, 1, 5), ("fewer", 6, 2, 1, 2),
                ("fewer", 8, 3, 2, 4), ("random", 6, 2, 2, 3), ("lp", 6, 2, 1, 3), ("lp", 6, 2, 1, 2)),
    construct=construct, measure=measure,
    controls=[
        Control("one coordinate more", breaks=[worst, radon], construct=lambda p: construct(p, full=True)),
        Control("d_e + 1 tokens with affinely independent encodings", breaks=worst, where=q <= d_e,
                asserts=[worst >= bound], construct=short,
                measure=lambda net, p: {worst: enclosed(lambda: worst_loss(net))}),
        Control("the average over the subsets", breaks=worst, where=Eq(q, 1),
                measure=lambda net, p: measure(net, p, population_loss)),
        Control("a hundredth above the constant", breaks=[worst, radon], where=Eq(q, 1),
                asserts=[worst >= Rational(101, 100) * bound, radon >= Rational(101, 100) * bound, defect.equals(0)]),
    ],
)
