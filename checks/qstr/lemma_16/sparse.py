r"""Averages of few random vertices approximate the attention parameters at every sampled token.

Setting    $\sum|\Theta_{ab}|\le R_{1,1}$: $\Theta$ is the mean of a random vertex $\pm R_{1,1}E_{ab}$; averages of $k$
           independent ones; $n$ sampled tokens with $\|z\|\le r_z$.
Statement  At $k=\lceil8R_{1,1}^2r_z^2\log(2n+1)/\varepsilon^2\rceil$ an average misses less than one token of $n$ by
           $\varepsilon$ or more on average, so some average misses none, and $\log\mathcal{C}\le k\log(2HD_e^2+1)$.
Proof      $(\bar\Theta-\Theta)^\top z$ is a mean of $k$ independent vectors of mean 0 and length at most $2R_{1,1}r_z$;
           in a Hilbert space such a mean is $\varepsilon$ long or longer with probability at most
           $2e^{-k\varepsilon^2/(8R_{1,1}^2r_z^2)}$ (Pinelis, Annals of Probability 22, 1994, Theorem 3.5). At that $k$
           a token is missed with probability at most $\frac2{2n+1}$.
Witness    One entry: signs of mean $\theta$, by binomial sums.
Measured   $n$ times the probability of a miss, rational.
Control    $k$ without $\log(2n+1)$; $\frac12$ for 8.
Reads      Derived here for the entrywise class, with its constants, in place of a cited lemma (lemma_16_distances).
"""

from fractions import Fraction

from sympy import Eq, Rational, ceiling, log

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.capacity.covering import sparse_attention_parameters
from theorytools.papers.qstr.capacity.maurey import ScalarAverage

from ..notation import R_11, D_e, H, eps_c, n, r_z, terms, theta

missed = Quantity("missed tokens", r"n\Pr(\|(\bar\Theta-\Theta)^\top z\|\ge\varepsilon)", "mean number of n", (0, n))
unit = R_11**2 * r_z**2 / eps_c**2
step = sparse_attention_parameters(eps_c, n=n, H=H, D_e=D_e, R_1=R_11, r_z=r_z)


def construct(p, terms=None) -> ScalarAverage:
    return ScalarAverage(Fraction(p.theta), terms or p.terms, Fraction(p.R_11) * p.r_z)


def measure(average, p):
    return {missed: p.n * average.miss(Fraction(p.eps_c))}


def fewer(formula):
    """The average with as many terms as this formula says."""
    letters = (eps_c, n, R_11, r_z)
    return lambda p: construct(p, int(formula.subs({x: Rational(getattr(p, x.name)) for x in letters})))


claim = Claim(
    "Lemma 16, by sparsification",
    role="variant", source="derived here: Lemma 16",
    scope={"every n, R_11, r_z, eps_c, theta": "proof", "every sample of tokens": "proof", "every matrix": "proof"},
    asserts=missed <= 2 * n / (2 * n + 1),
    requires=[theta <= 1, theta >= -1], lets={terms: step.factors["terms"]},
    grid=points("n R_11 r_z eps_c theta", (1, 1, 1, 1, 0), (10, 2, 3, 6, 0), (10, 2, 3, 3, 0), (10**4, 1, 1, 1, 0),
                (10**4, 1, 2, 1, 0), (10**4, 1, 1, "1/2", "1/2")),
    construct=construct, measure=measure, controls=[
        Control("the logarithm left out", breaks=missed, where=Eq(theta, 0) & (n >= 10**4),
                construct=fewer(ceiling(8 * unit))),
        Control("1/2 for 8", breaks=missed, where=Eq(theta, 0) & (n >= 10),
                construct=fewer(ceiling(unit * log(2 * n + 1) / 2))),
    ],
)
