r"""Minimisers over two parameters of attention, for the codes and for the token, and a read-out: risk at most $1/N$.

Setting    One head, $d=q=1$, tokens and labels $\pm1$, orthogonal codes, scores $\beta\langle\omega_t,\omega_j\rangle+
           \gamma x_j$: attention on $(\omega_j,x_j)$. The class: $0\le\beta\le2\log N$, $|\gamma|\le\frac12\log16$,
           read-outs $|v|\le V$, $V\ge2$.
Statement  If both labels occur among $n\ge8$ prompts, every minimiser of the empirical risk has $R\le\frac1N$, at $N$
           up to 64. If only one occurs, it has not: a bias towards that token fits the sample.
Adversary  Every parameter, by cells in integers: all with an empirical risk within $2^{-17}$ of the least.
Measured   The range of $R$ over them, over the law of the prompts ($B\sim\mathrm{Bin}(N-1,\frac12)$); both ends of
           $\sup(R-\hat R_n)$ over the class.
Control    One label only; temperatures up to $\log\frac N2$; uniform attention; labels of another position.
Reads      Samples are drawn, so nothing is said of all samples. theorem_04_erm has codes of products up to $\frac12$,
           and one parameter of attention; more than two are not searched.
"""

from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, enclosed_between, letter, points

from .._biased_attention import BiasedAttention
from ..notation import N, n
from ..theorem_10._composition import BOUNDS, FORMULAS, factors
from ..theorem_10.erm import V, deviation, risk

labels = letter("labels", "values that the labels of the sample take", integer=True, positive=True)


def construct(p, **spoiled) -> BiasedAttention:
    return BiasedAttention.drawn(p, **spoiled)


def measure(learner, p):
    low, high = learner.risk(Fraction(1, 2**17))
    return {risk: enclosed_between(lambda: low, lambda: high)}


def deviates(learner, p):
    low, high = learner.deviation()
    return {deviation: enclosed_between(lambda: low, lambda: high)}


claim = Claim(
    "Theorem 4, minimisers over two parameters of attention",
    role="statement", source="published: Theorem 4; prose",
    scope={"every N, n, d, q, V, trial": "points", "every sample": "drawn", "every minimiser": "enumeration"},
    asserts=risk <= 1 / N, requires=[n >= 8, N >= 16, V >= 2, labels >= 2, N <= 64], measure=measure,
    derive=lambda learner, p: {labels: len(set(learner.y.tolist()))}, derived=[labels], construct=construct,
    grid=points("N n d q V trial", *((N, n, 1, 1, 2, s) for N, n, s in (
        (16, 8, 0), (16, 8, 1), (16, 32, 0), (32, 16, 0), (64, 8, 0), (64, 8, 1), (64, 32, 0)))),
    controls=[
        Control("one label only", breaks=risk, asserts=[risk <= 1 / N],
                construct=lambda p: construct(p, sign=1)),
        Control("temperatures up to log(N/2)", breaks=risk,
                construct=lambda p: construct(p, coldest=Fraction(2, p.N))),
        Control("uniform attention", breaks=risk, construct=lambda p: construct(p, coldest=Fraction(1))),
        Control("labels of another position", breaks=risk, where=N <= 32,
                construct=lambda p: construct(p, foreign=True)),
    ],
)
deviations = Claim(
    "Theorem 10, two parameters of attention",
    role="variant", source="published: Theorem 10; prose",
    scope={"every N, n, d, q, V, trial": "points", "every sample": "drawn", "every parameter": "enumeration"},
    asserts=[deviation <= BOUNDS["dudley"] - Rational(1, 100)], construct=construct, measure=deviates,
    derive=lambda learner, p: factors(p), derived=list(FORMULAS),
    grid=points("N n d q V trial", *((N, n, 1, 1, 1, 0) for N, n in ((4, 4), (16, 8), (16, 32), (64, 8)))),
    controls=[Control("without what the sample costs", asserts=[deviation <= 0], breaks=deviation)],
)
