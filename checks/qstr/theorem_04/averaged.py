r"""All labels of a prompt: $n$ prompts are worth $nN^2/(2N-1+(q-1)^2)$ independent labels, not $nN$.

Setting    Tokens $N(0,I_d)$, tuples of $q$ different indices, uniform and independent over positions; a fixed
           prediction whose error at $i$ is $q^{-1/2}\sum_h\langle e,x_{t_{ih}}\rangle$, risk $R=\|e\|^2$: the linear
           link and a read-out of the indexed tokens. $\hat R_{n,N}$ (2.2) averages all $N$ positions of $n$ prompts.
Statement  $\operatorname{Var}\hat R_{n,N}=\frac{2R^2}n\cdot\frac{2N-1+(q-1)^2}{N^2}$, where $nN$ independent labels
           would have $\frac{2R^2}{nN}$ and one label of each prompt has $\frac{2R^2}n$. In independent labels, $2R^2$
           over the variance: about $\frac12nN$ at $q=1$, $\frac13nN$ at $q-1=\sqrt N$, $n(N/q)^2$ beyond, $n$ at
           $q=N$.
Witness    Any such error: neither $d$ nor $e$ enters.
Measured   The law of the number $K$ of indices that two tuples share, counted by binomials: two positions have errors
           of covariance $RK/q$ given the tuples, and squares of covariance $2R^2K^2/q^2$.
Control    Labels that are independent; positions other than $i$ that never share an index; a pair of different
           slots that is not counted; $q^2$ for $(q-1)^2$; one tuple for the whole prompt.
Proof      $E[K^2]=\frac{q^2}N(1+\frac{(q-1)^2}{N-1})$: $q^2$ pairs of slots agree with probability $\frac1N$, and two
           pairs without a common slot, $q^2(q-1)^2$ of them in order, with probability $\frac1{N(N-1)}$. A position
           agrees with itself, $K=q$, and $\frac1N+\frac{N-1}NE[K^2]/q^2=\frac{2N-1+(q-1)^2}{N^2}$. The mean of the loss
           given the tuples is $R$, so they add no variance.
Reads      Derived here; the variances $V_p$, $V_j$ of definition_02_risks in closed form. That the bound counts $n$
           prompts loses up to a factor of $N/2$ at $q=1$, for one fixed prediction.
"""

from fractions import Fraction
from math import comb

from theorytools import Claim, Control, Quantity, points

from ..notation import N, n, q

worth = Quantity("independent labels", r"2R^2/\operatorname{Var}\hat R_{n,N}", "with the variance of the averaged risk",
                 (0, None))


def construct(p) -> list[Fraction]:
    """Return the law of the number of indices that two independent tuples share."""
    total = comb(p.N, p.q)
    return [Fraction(comb(p.q, k) * comb(p.N - p.q, p.q - k), total) for k in range(p.q + 1)]


def never(p):
    return [Fraction(1), *[Fraction(0)] * p.q]


def one_tuple(p):
    return [*[Fraction(0)] * p.q, Fraction(1)]


def measure(law, p, square=lambda k: k * k):
    shared = sum(square(k) * mass for k, mass in enumerate(law)) / p.q**2
    return {worth: p.n / (Fraction(1, p.N) + Fraction(p.N - 1, p.N) * shared)}


claim = Claim(
    "Theorem 4, worth of all labels of a prompt",
    role="variant", source="derived here: Theorem 4, eqs. (2.2) and (2.3)",
    scope={"every n": "points", "every error": "proof", "every N and q": "proof", "every sample": "closed form"},
    asserts=[worth.equals(n * N**2 / (2 * N - 1 + (q - 1) ** 2)), worth >= n], requires=[q <= N, N >= 2],
    grid=points("N q n", (2, 1, 5), (12, 12, 1), (16, 5, 3), (64, 2, 10), (1024, 1, 100), (1024, 33, 7),
                (4096, 100, 10), (10**5, 200, 1)),
    construct=construct, measure=measure, controls=[
        Control("labels that are independent", asserts=[worth >= n * N], breaks=worth),
        Control("positions that never share an index", breaks=worth, construct=never,
                asserts=[worth.equals(n * N**2 / (2 * N - 1 + (q - 1) ** 2))]),
        Control("a single pair of slots", breaks=worth, where=q >= 2, measure=lambda law, p: measure(law, p, int),
                asserts=[worth.equals(n * N**2 / (2 * N - 1 + (q - 1) ** 2))]),
        Control("q^2 for (q - 1)^2", asserts=[worth.equals(n * N**2 / (2 * N - 1 + q**2))], breaks=worth),
        Control("one tuple for the whole prompt", breaks=worth, where=q < N, construct=one_tuple,
                asserts=[worth.equals(n * N**2 / (2 * N - 1 + (q - 1) ** 2))]),
    ],
)
