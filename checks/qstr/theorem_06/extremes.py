r"""For almost every data set the best and the worst link lie on the two sides of $1-n/(Nd)$.

Setting    As in Theorem 6; $D(u)=1-\frac1Nu^\top Mu$ is the Bayes loss left by the $n\le Nd$ training inputs.
Statement  $\inf_uD\le1-\frac n{Nd}\le\sup_uD$ with probability 1, with equalities at $d=1$.
Proof      The mean of $D$ over a basis is $1-\operatorname{rank}X/(Nd)$ (theorem_06), between the least and the largest
           value; at $d=1$ there is one link up to its sign. The rank is $n$ with probability 1, and where it is less
           only the side of the supremum is left.
Adversary  Gaussian prompts in steps of $1/64$.
Measured   $\sup_uD=1-\lambda_{\min}(M)/N$, $\inf_uD=1-\lambda_{\max}(M)/N$; $M$ is rational, each eigenvalue enclosed
           by bisection through the signs of exact pivots.
Control    Further rows of relative size $10^{-6}$ off the span; one prompt more or less.
Reads      The paper has the lower bound on the supremum; the rest is derived here.
"""

import numpy as np
from sympy import Eq

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.tasks.sparse_regression import sample
from theorytools.theory.first_layers.exact_span import InputSpan

from ..notation import N, d, n

top = Quantity("supremum", r"\sup_uD(u)", "largest Bayes loss over all unit vectors", (0, 1))
bottom = Quantity("infimum", r"\inf_uD(u)", "smallest Bayes loss over all unit vectors", (0, 1))
floor = 1 - n / (N * d)


def prompts(p, count, role):
    return np.rint(64 * sample(p.rng(role), count, p.N, p.d, 1, True)[0]).astype(int)


def construct(p) -> InputSpan:
    return InputSpan.of(prompts(p, p.n, "prompts"), p.N, p.d)


def noisy(p):
    rows = np.concatenate([prompts(p, p.n, "prompts"), np.zeros((p.N * p.d, p.N, p.d), dtype=int)])
    return InputSpan.of(10**6 * rows + prompts(p, len(rows), "noise"), p.N, p.d)


claim = Claim(
    "Theorem 6, best and worst link",
    role="variant", source="derived here: Theorem 6",
    scope={"every N, d, n": "proof", "every data set": "drawn", "every link": "closed form"},
    asserts=[top >= floor, bottom <= floor], requires=[n <= N * d],
    grid=points("N d n", (4, 1, 3), (4, 3, 5), (6, 4, 9), (20, 5, 40), (4, 3, 1), (33, 2, 64)),
    construct=construct,
    measure=lambda span, p: {top: enclosed(span.supremum), bottom: enclosed(span.infimum)},
    controls=[
        Control("noise off the span", breaks=top, where=n < N * d, construct=noisy),
        Control("one prompt more or less", breaks=[top, bottom], where=Eq(d, 1) | Eq(n, N * d),
                asserts=[top >= 1 - (n - 1) / (N * d), bottom <= 1 - (n + 1) / (N * d)]),
    ],
)
