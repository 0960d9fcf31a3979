r"""Uniform convergence over recurrent networks: twice the complexity and a deviation proportional to the truncation.

Setting    Recurrent networks, truncated losses in $[0,\tau]$, $n$ independent prompts of one law,
           $G=\sup_\Theta(R_\tau-\hat R_n)-2\hat{\mathfrak R}_n$.
Statement  $G\le3\tau\sqrt{\log(2/\delta_n)/(2n)}$ with probability at least $1-\delta_n$, so for the minimiser of the
           empirical risk $R_\tau(\hat\Theta)\le\hat R_n(\hat\Theta)+2\hat{\mathfrak R}_n
           +3\tau\sqrt{\log(2/\delta_n)/(2n)}$; with the complexity of lemma_32 and tokens no longer than $r_x$ (Lemma
           12), $R_z^2=r_x^2+q+1$, with probability $1-\delta_n-(nN)^{-1/2}$.
Proof      Another draw in place of one moves $\sup(R_\tau-\hat R_n)$ and $\hat{\mathfrak R}_n$ by at most $\frac\tau
           n$, so each exceeds, or falls below, its mean by $\tau\sqrt{\log(2/\delta_n)/(2n)}$ with probability at most
           $\frac{\delta_n}2$ (McDiarmid); the second counts twice. $\mathbb E\sup(R_\tau-\hat R_n)\le2\,\mathbb
           E\hat{\mathfrak R}_n$ by a second sample and signs. Lemma 12 costs $(nN)^{-1/2}$.
Adversary  Linear recurrences that hold one weight, 0 or $\sqrt\tau$, per kind of prompt: all of them, or one that errs
           on one kind, or two opposite ones.  As in corollary_19, losses $\frac\tau2$ off a finite set of prompts and
           0 on it, under a law without atoms, where the 2 is sharp.
Measured   The quantile of $G$ that is exceeded with probability at most $\delta_n$, and the mean of the supremum, over
           all kinds of samples and all signs, in rationals; the complexity once more, by sums of signs.
Control    $\tau$ left out; the constant 3 lowered; $\delta_n$ read as $1-\delta_n$; one complexity, in $G$ and in the
           mean of the supremum; a sign too few.
Reads      The constants are derived here, as in corollary_19. Printed is the condition $\sqrt{3C_xed\log(nN)}+q+1\le
           R$ on the radius; $R_z\le r_x+q+1$.
"""

from fractions import Fraction
from math import isqrt

from sympy import Rational, log, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.capacity.exact_rademacher import FiniteClass, expectations, quantile

from .corollary_19 import by_sums, off_finite_sets
from .lemma_32._recurrent_class import memories
from .notation import N, R_bar, fail, n, tau

excess = Quantity("excess", r"q_{1-\delta_n}(G)", "exceeded with probability at most delta_n", (None, tau))
mean = Quantity("mean deviation", r"\mathbb{E}\sup_\Theta(R_\tau-\hat R_n)", "over samples", (0, tau))
twice = Quantity("complexity", r"\mathbb{E}\hat{\mathfrak R}_n", "by sums of signs", (0, tau))
deviation = 3 * tau * sqrt(log(2 / fail) / (2 * n))
SUMS = {"one": "one", "opposite": "two", "all": "three", "off_finite_sets": "off"}
KINDS = {"one": 2, "opposite": 2, "all": 3}


def construct(p) -> list[tuple[Fraction, Fraction, Fraction]]:
    """The law of the supremum and the complexity over the kinds of samples."""
    if p.family == "off_finite_sets":
        return off_finite_sets(p.n, Fraction(p.tau, 2))
    kinds = KINDS[p.family]
    predictions = memories((Fraction(0), Fraction(isqrt(p.tau))), kinds, p.N)
    if p.family != "all":  # of (0, 0), (0, c), (c, 0), (c, c)
        predictions = predictions[2:3] if p.family == "one" else predictions[1:3]
    losses = tuple(tuple(min(y**2, Fraction(p.tau)) for y in row) for row in predictions)
    return FiniteClass(losses, (Fraction(1, kinds),) * kinds).law(p.n)


def measure(law, p, times=2, fewer=0):
    return {excess: quantile(law, Fraction(p.fail), times=times), mean: expectations(law)[0],
            twice: p.tau * by_sums(SUMS[p.family], p.n - fewer)}


alone = (n >= 100) & (fail < Rational(1, 10**5))
claim = Claim(
    "Corollary 33",
    role="statement", source="published: Corollary 33; prose",
    scope={"every tau, n, N, fail": "proof", "every class family of losses": "proof", "every sample": "enumeration"},
    asserts=[excess <= deviation, mean <= 2 * R_bar, twice.equals(R_bar)], requires=[fail < 1, N >= 2],
    derive=lambda law, p: {R_bar: expectations(law)[1]}, derived=[R_bar],
    grid=points("family tau n N fail", ("one", 4, 100, 3, "1/1000000"), ("one", 16, 150, 9, "1/1000000"),
                ("opposite", 4, 30, 5, "1/1000"), ("all", 9, 12, 4, "1/10"),
                ("off_finite_sets", 4, 1000, 3, "1/10")),
    construct=construct, measure=measure,
    controls=[
        Control("tau left out", breaks=excess, where=alone & (tau >= 16), asserts=[excess <= deviation / tau]),
        Control("the constant 3 lowered to 3/4", breaks=excess, where=alone, asserts=[excess <= deviation / 4]),
        Control("delta read as 1 - delta", breaks=excess, where=alone,
                asserts=[excess <= 3 * tau * sqrt(log(2 / (1 - fail)) / (2 * n))]),
        Control("one complexity in the mean", breaks=mean, where=n >= 1000, asserts=[mean <= R_bar]),
        Control("one complexity in place of two", breaks=excess, where=n >= 1000,
                measure=lambda law, p: measure(law, p, times=1)),
        Control("a sign too few", breaks=twice, where=(n >= 12) & (n <= 30),
                measure=lambda law, p: measure(law, p, fewer=1)),
    ],
)
