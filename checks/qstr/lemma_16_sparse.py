r"""The attention parameters have a covering by sparse averages, with few dimensions and a logarithm of the sample size.

Setting    $\sum|\Theta_{ab}|\le R_{1,1}$: $\Theta$ is the mean of a random vertex $\pm R_{1,1}E_{ab}$; averages of $k$
           independent ones; $n$ sampled tokens with $\|z\|\le r_z$.
Statement  An average misses a token by $\varepsilon$ or more with probability at most
           $2e^{-k\varepsilon^2/(8R_{1,1}^2r_z^2)}$. So at
           $k=\lceil8R_{1,1}^2r_z^2\log(2n+1)/\varepsilon^2\rceil$ less than one token of $n$ is missed on average, some
           average misses none, and $\log\mathcal{C}\le k\log(2HD_e^2+1)$. In the root mean square over the sample
           $k=\lceil R_{1,1}^2r_z^2/\varepsilon^2\rceil$ is enough.
Witness    One entry, signs of mean $\theta$, by binomial sums; small matrices, by all sequences of $k$ vertices.
Measured   Probabilities and mean squares, rational.
Control    $k$ without $\log(2n+1)$; $\frac12$ for 8; the mean square over $k^2$; $r_z$ left out; fewer vertices.
Reads      Derived here for the entrywise class, with its constants, in place of a cited lemma (lemma_16_distances).
"""

from fractions import Fraction

from sympy import Eq, Rational, ceiling, exp, log

from theorytools import Claim, Control, Quantity, points
from theorytools.bounds import sparse_attention_parameters
from theorytools.bounds.sparsified import MatrixAverage, ScalarAverage

from .notation import R_11, D_e, H, eps_c, n, r_z, terms, theta

missed = Quantity("missed tokens", r"n\Pr(\|(\bar\Theta-\Theta)^\top z\|\ge\varepsilon)", "mean number of n", (0, n))
mean = Quantity("mean square", r"\mathbb{E}\,\overline{\|(\bar\Theta-\Theta)^\top z_j\|^2}", "mean over the tokens")
least = Quantity("least square", r"\min_{\bar\Theta}\overline{\|(\bar\Theta-\Theta)^\top z_j\|^2}", "best average")
size = Quantity("averages", r"|\mathcal{N}|", "how many averages there are", (1, None))
step = sparse_attention_parameters(eps_c, n=n, H=H, D_e=D_e, R_1=R_11, r_z=r_z)
k = step.factors["terms"]


def construct(p, terms=None) -> ScalarAverage:
    return ScalarAverage(Fraction(p.theta), terms or p.terms, Fraction(p.R_11) * p.r_z)


def fewer(formula):
    """The average with as many terms as this formula says."""
    def shorter(p):
        letters = {eps_c: p.eps_c, n: p.n, R_11: p.R_11, r_z: p.r_z}
        return construct(p, int(formula.subs({x: Rational(v) for x, v in letters.items()})))
    return shorter


def matrices(p) -> MatrixAverage:
    entries = {"zero": [[0, 0], [0, 0]], "full": [["1/2", 0], ["-1/4", "1/4"]], "part": [[0, "1/4"], ["1/8", 0]]}
    Theta = tuple(tuple(p.R_11 * Fraction(x) for x in row) for row in entries[p.matrix])
    return MatrixAverage(Theta, ((Fraction(p.r_z), Fraction(0)), (Fraction(3, 5) * p.r_z, Fraction(4, 5) * p.r_z))
                         if p.matrix != "zero" else ((Fraction(p.r_z), Fraction(0)),), Fraction(p.R_11), p.terms)


tail = Claim(
    "Lemma 16, probability of a miss", asserts=missed <= 2 * n * exp(-terms * eps_c**2 / (8 * R_11**2 * r_z**2)),
    requires=[theta <= 1, theta >= -1],
    grid=points("n R_11 r_z eps_c theta terms", (1, 1, 1, 1, 0, 1), (1, 1, 1, "3/2", "1/2", 1), (1, 2, 3, 2, 0, 9),
                (10, 2, 3, 3, 0, 100), (1000, 1, 1, "1/2", "1/2", 80), (1, 1, 1, 1, 0, 100)),
    construct=construct, measure=lambda avg, p: {missed: p.n * avg.miss(Fraction(p.eps_c))}, controls=[
        Control("1/2 for 8", asserts=[missed <= 2 * n * exp(-2 * terms * eps_c**2 / (R_11**2 * r_z**2))],
                breaks=missed, where=Eq(theta, 0)),
        Control("r_z left out", asserts=[missed <= 2 * n * exp(-terms * eps_c**2 / (8 * R_11**2))], breaks=missed,
                where=(r_z >= 3) & (terms >= 100)),
        Control("a single token", asserts=[missed <= exp(-terms * eps_c**2 / (8 * R_11**2 * r_z**2))], breaks=missed,
                where=Eq(terms, 1)),
    ],
)
claim = Claim(
    "Lemma 16, by sparsification", asserts=missed <= 2 * n / (2 * n + 1),
    requires=[theta <= 1, theta >= -1], lets={terms: k},
    grid=points("n R_11 r_z eps_c theta", (1, 1, 1, 1, 0), (10, 2, 3, 6, 0), (10, 2, 3, 3, 0), (10**4, 1, 1, 1, 0),
                (10**4, 1, 2, 1, 0), (10**4, 1, 1, "1/2", "1/2")),
    construct=construct, measure=lambda avg, p: {missed: p.n * avg.miss(Fraction(p.eps_c))}, controls=[
        Control("the logarithm left out", breaks=missed, where=Eq(theta, 0) & (n >= 10**4),
                construct=fewer(ceiling(8 * R_11**2 * r_z**2 / eps_c**2))),
        Control("1/2 for 8", breaks=missed, where=Eq(theta, 0) & (n >= 10),
                construct=fewer(ceiling(R_11**2 * r_z**2 * log(2 * n + 1) / (2 * eps_c**2)))),
    ],
)
root_mean_square = Claim(
    "Lemma 16, by sparsification in the root mean square",
    asserts=[mean <= R_11**2 * r_z**2 / terms, least <= R_11**2 * r_z**2 / terms,
             size <= (2 * H * D_e**2 + 1) ** terms],
    grid=points("matrix H D_e R_11 r_z terms", ("zero", 1, 2, 1, 1, 1), ("zero", 1, 2, 2, 3, 6),
                ("full", 1, 2, 2, 3, 4), ("part", 1, 2, 1, 1, 4), ("part", 1, 2, 2, "1/2", 1)),
    construct=matrices, controls=[
        Control("divided by the square", asserts=[mean <= R_11**2 * r_z**2 / terms**2], breaks=mean, where=terms >= 4),
        Control("r_z left out", asserts=[mean <= R_11**2 / terms], breaks=mean, where=r_z >= 3),
        Control("the vertex 0 left out", asserts=[size <= (2 * H * D_e**2) ** terms], breaks=size, where=Eq(terms, 1)),
        Control("two entries for four", asserts=[size <= (H * D_e + 1) ** terms], breaks=size, where=terms <= 4),
    ],
    measure=lambda avg, p: {mean: avg.mean_square(), least: avg.least_square(), size: avg.count()},
)
