r"""On a typical sample no loss of the class lies far below its mean: twice the complexity and a deviation.

Setting    Losses in $[0,1]$ of a class of functions, $n$ independent draws,
           $G=\sup_f(P-P_n)\ell_f-2\hat{\mathfrak R}_n$. For $R_\tau$ the losses are $(\hat y-y)^2\wedge\tau$ and
           $\hat\Theta$ has least empirical risk in a class with a network that is off by at most
           $\sqrt{\varepsilon_{2NN}}+\eta$ where no token is longer than $r_x$ (Lemma 11).
Statement  $G\le3\sqrt{\log(2/\delta_n)/(2n)}$ with probability at least $1-\delta_n$, since
           $\mathbb{E}\sup_f(P-P_n)\ell_f\le2\,\mathbb{E}\hat{\mathfrak R}_n$ and both sides move little with one draw.
           With Lemmas 11 and 12, $R_\tau(\hat\Theta)\le(\sqrt{\varepsilon_{2NN}}+\eta)^2+2\hat{\mathfrak R}_n
           +3\tau\sqrt{\log(2/\delta_n)/(2n)}$ with probability $1-\delta_n-(nN)^{-1/2}$.
Proof      A second sample and signs give $\mathbb{E}\sup_f(P-P_n)\ell_f\le2\,\mathbb{E}\hat{\mathfrak R}_n$. One draw
           moves the supremum and $\hat{\mathfrak R}_n$ by at most $\frac1n$ each, so by McDiarmid's inequality with
           probability $1-\frac{\delta_n}2$ each the one exceeds its mean, and the mean of the other it, by at most
           $\sqrt{\log(2/\delta_n)/(2n)}$: once, and twice. Losses over $\tau$ are in $[0,1]$; where no token is long,
           $P_n\ell_{\hat\Theta}$ is at most the empirical risk of $\hat\Theta$, and that at most the network's.
Adversary  One function; two opposite ones; all sets of three outcomes; losses $\frac12$ off a finite set, all finite
           sets, under a law without atoms: the supremum is $\frac12$, $\hat{\mathfrak R}_n=\frac14$ on every
           sample, so the 2 is sharp.
Measured   The quantile of $G$ that is exceeded with probability at most $\delta_n$, and the two means, over all kinds
           of samples and all signs, in rationals; off the finite sets the losses on a sample are chosen one by one, so
           eight prompts, all signs listed, show every $n$. The complexity once more, by
           $\mathbb{E}|S_c|=c\binom{c-1}{\lfloor c/2\rfloor}2^{1-c}$ of sums of $c$ signs.
Control    The factor 2 dropped; $\delta_n$ read as $1-\delta_n$; the constant 3 lowered; $n$ outside the root; a sign
           too few.
Reads      Printed with $r_z=\sqrt{r_x^2+d(1+\frac1q)}$ and probability $1-\delta-(nN)^{-1/2}$, as here; the same, with
           constants derived here. For $nN=1$ that probability is negative: the statement says nothing there.
"""

from fractions import Fraction
from itertools import product
from math import comb

from sympy import Rational, log, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.capacity.exact_rademacher import FiniteClass, expectations, quantile, rademacher_complexity

from .notation import R_bar, fail, n

excess = Quantity("excess", r"q_{1-\delta_n}(G)", "exceeded with probability at most delta_n", (None, 1))
mean = Quantity("mean deviation", r"\mathbb{E}\sup_f(P-P_n)\ell_f", "over samples", (0, 1))
twice = Quantity("complexity", r"\mathbb{E}\hat{\mathfrak R}_n", "by sums of signs", (0, 1))
deviation = 3 * sqrt(log(2 / fail) / (2 * n))
FAMILIES = {
    "one_function": (((1, 0),), 2), "two_functions": (((1, 0), (0, 1)), 2),
    "all_sets": (tuple(product((0, 1), repeat=3)), 3),
}
SUMS = {"one_function": "one", "two_functions": "two", "all_sets": "three", "finite_sets": "off"}


def off_finite_sets(n, off) -> list[tuple[Fraction, Fraction, Fraction]]:
    """One kind of sample, no point twice: every choice of ``off`` and 0 is made, and the mean is ``off`` for each."""
    rows = list(product((Fraction(0), Fraction(off)), repeat=min(n, 8)))
    return [(Fraction(1), max(off - sum(row) / len(row) for row in rows), rademacher_complexity(rows))]


def by_sums(classes, n) -> Fraction:
    """The mean complexity from means of absolute sums of signs: no class or sample is listed."""
    def absolute(c):
        return Fraction(c * comb(c - 1, c // 2), 2 ** (c - 1)) if c else Fraction(0)
    if classes == "one":  # the signs have mean zero
        return Fraction(0)
    if classes == "off":  # a prompt's largest of 0 and half of its sign, whatever the others are
        return absolute(1) / 4
    if classes == "two":  # max(S, T) = (S + T + |S - T|)/2, and S - T is a sum of n signs
        return absolute(n) / (2 * n)
    return sum(3 * comb(n, c) * 2 ** (n - c) * absolute(c) for c in range(n + 1)) / (3**n * 2 * n)


def construct(p) -> list[tuple[Fraction, Fraction, Fraction]]:
    """The law of the supremum and the complexity over the kinds of samples."""
    if p.family == "finite_sets":
        return off_finite_sets(p.n, Fraction(1, 2))
    losses, outcomes = FAMILIES[p.family]
    return FiniteClass(losses, (Fraction(1, outcomes),) * outcomes).law(p.n)


def measure(law, p, times=2, fewer=0):
    return {excess: quantile(law, Fraction(p.fail), times=times), mean: expectations(law)[0],
            twice: by_sums(SUMS[p.family], p.n - fewer)}


claim = Claim(
    "Corollary 19",
    role="statement", source="published: Corollary 19; prose",
    scope={"every n, fail": "proof", "every class family of losses": "proof", "every sample": "enumeration"},
    asserts=[excess <= deviation, mean <= 2 * R_bar, twice.equals(R_bar)], requires=[fail < 1],
    derive=lambda law, p: {R_bar: expectations(law)[1]}, derived=[R_bar],
    grid=points("family n fail", ("one_function", 100, "1/1000000"), ("two_functions", 30, "1/1000"),
                ("all_sets", 12, "1/10"), ("finite_sets", 1000, "1/10"), ("finite_sets", 10**6, "1/1000000")),
    construct=construct, measure=measure,
    controls=[
        Control("one complexity in place of two", breaks=excess, where=n >= 1000,
                measure=lambda law, p: measure(law, p, 1)),
        Control("one complexity in the mean", breaks=mean, where=n >= 1000, asserts=[mean <= R_bar]),
        Control("delta read as 1 - delta", breaks=excess, where=(n <= 100) & (fail < Rational(1, 10**5)),
                asserts=[excess <= 3 * sqrt(log(2 / (1 - fail)) / (2 * n))]),
        Control("the constant 3 lowered to 3/4", breaks=excess, where=(n <= 100) & (fail < Rational(1, 10**5)),
                asserts=[excess <= deviation / 4]),
        Control("n outside the root", breaks=excess, where=(n <= 100) & (fail < Rational(1, 10**5)),
                asserts=[excess <= deviation / sqrt(n)]),
        Control("a sign too few", breaks=twice, where=(n >= 12) & (n <= 30),
                measure=lambda law, p: measure(law, p, fewer=1)),
    ],
)
