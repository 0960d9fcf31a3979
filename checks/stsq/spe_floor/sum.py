r"""With the sum as query the loss falls only like $1/d_e$: equal scores on the subset would be needed.

Setting    SPE with random signs, query $\sum_{i\in y}e_i$, $q\ge3$, relative losses, $n=T-q$.
Statement  Selected scores differ, by variance $K=\frac{(q-1)(q-2)}{q\,d_e}$ to leading order, and large $\beta$ puts
           attention on one of them, small $\beta$ leaks.  At every $\alpha$ and each $\beta$ of the grid the loss is at
           least $\frac45$ of the leading-order floor $\min_\beta[K\beta^2+\frac nqe^{-2\beta}]$; at
           $d_e=17\approx q\log T$ it is above one half up to $T=100$ (claim short).
Witness    Drawn encodings; the bracket at $\beta_0$ near its least.
Measured   $\mathbb{E}\min_\alpha q\sum_i(\alpha a_i-\tau_i)^2=\mathbb{E}[1-\frac{a(y)^2}{q\|a\|^2}]$, below the loss at
           every common $\alpha$, by empirical-Bernstein intervals on $[0,1]$.
Control    The dual query; a floor twice as high; orthonormal encodings.
Reads      Derived here.  $\frac45$ allows for higher orders; drawn scores put the formula 7 % off at $d_e=64$.  A
           finite grid of $\beta$ is tested; the theory has the least over all $\beta$.
"""

from sympy import Rational, exp, log

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import Budget
from theorytools.papers.stsq.selection.population_descent import draw_scores, least_relative_loss
from theorytools.statistics.sampled import bounded_mean

from ..notation import T, beta, beta_0, d_e, q

best = Quantity("loss at the best scales", r"\mathbb{E}\min_\alpha\tfrac{qL}d", "each draw at its own", (0, 1))
K = (q - 1) * (q - 2) / (q * d_e)
leak = (T - q) / q * exp(-2 * beta_0)  # equal to K beta_0 at the least of the floor
floor = K * beta_0**2 + leak


def measure(law, p):
    def draw(rng, size):
        scores = draw_scores(law, rng, size, T=p.T, q=p.q, d_e=p.d_e)
        return least_relative_loss(scores, p.q, beta=float(p.beta))
    return {best: bounded_mean(draw, p.seed("scores"), low=0, high=1)}


claim = Claim(
    "Finite encodings, sum query",
    role="variant", source="derived here: finite encodings",
    scope={"every q, beta, beta_0": "points", "every T and dimension d_e": "points", "every scale": "closed form",
           "every draw of encodings": "drawn"},
    asserts=best >= Rational(4, 5) * floor,
    requires=[q >= 3, 8 * q <= T, d_e >= 16 * q, leak <= 2 * K * beta_0, leak >= K * beta_0 / 2],
    construct=lambda p: "rad_sum", measure=measure, budget=Budget(samples=20_000),
    grid=points("T q d_e beta beta_0", (64, 4, 64, 2, "11/4"), (64, 4, 64, "11/4", "11/4"), (64, 4, 64, "7/2", "11/4"),
                (64, 4, 64, 6, "11/4"), (32, 4, 128, "11/4", "11/4"), (32, 4, 128, 4, "11/4")),
    controls=[
        Control("the dual query", breaks=best, where=beta >= 6, construct=lambda p: "gauss_dual"),
        Control("orthonormal encodings", breaks=best, where=beta >= Rational(7, 2), construct=lambda p: "orth"),
        Control("a floor twice as high", breaks=best, where=(beta > 2) & (beta < 4), asserts=[best >= 2 * floor]),
    ],
)

short = Claim(
    "Finite encodings, sum query at q log T",
    role="variant", source="derived here: finite encodings",
    scope={"every T, q, d_e": "points", "every temperature beta": "points", "every scale": "closed form",
           "every draw of encodings": "drawn"},
    asserts=best >= Rational(1, 2),
    requires=[q >= 4, 16 * q <= T, T <= 100, d_e <= q * log(T) + 1],
    construct=lambda p: "rad_sum", measure=measure, budget=Budget(samples=20_000),
    grid=points("T q d_e beta", (64, 4, 17, 1), (64, 4, 17, 2), (64, 4, 17, 3), (64, 4, 17, 5)),
    controls=[Control("orthonormal encodings", breaks=best, where=beta >= 3, construct=lambda p: "orth")],
)
