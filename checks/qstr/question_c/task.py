r"""The construction on handwritten digits: attention from the proof, a token head fitted on other images, exact risk.

Setting    Prompts of $N$ images drawn independently from the 500 held-out handwritten digits, index $t$ uniform, label
           $g$ the digit of image $t$. One head of Lemma 11 at odds $\kappa$ on orthonormal codes, leakage $L$, and the
           token head $h(x)=\langle c,x\rangle+b$ of least squares on the 1297 images for learning.
Statement  $R\le R_0+2L\operatorname{Cov}(g,h)$, $R_0=E(g-h)^2$ the risk of the head on the token itself; and $R$ is
           below $(1-\frac1N)\operatorname{Var}g$, below which no function goes that does not see the index, whatever
           the law of the tokens is.
Witness    The network, with rational weights; nothing is learned but the token head.
Measured   $R=(Eg-Eh)^2+\operatorname{Var}g-2w_t\operatorname{Cov}(g,h)+\sum_jw_j^2\operatorname{Var}h$, in rationals
           from all held-out images; the mean over all prompts of three images, in a test.
Control    Uniform attention; two positions with one code; a head fitted to the digits counted from 9 down.
Proof      Tokens are independent and the weights sum to 1, which gives $R$; $R-R_0=2L\operatorname{Cov}(g,h)-
           (1-\sum_jw_j^2)\operatorname{Var}h$. Without the index the best prediction is the mean of $g$ over the
           prompt's tokens.
Reads      A task that nobody here made. A linear function reads digits badly: $R_0$ is more than half of the variance.
           Where $L$ is not small $R$ is below $R_0$, as averaging shrinks the head.
"""

from fractions import Fraction
from functools import cache

import numpy as np
from sympy import log

from theorytools import Claim, Control, Quantity, letter, points
from theorytools.constructions.attention.layer import AttentionLayer
from theorytools.numbers import rational_product, solve_rational, total
from theorytools.tasks.digits import digit_images

from ..notation import N, leak, odds, risk_0, v_g

risk = Quantity("risk", "R", "squared error of the digit", (0, None))
cov_gh = letter("cov_gh", "covariance of digit and head over the held-out images", latex=r"\operatorname{Cov}(g,h)")


@cache
def head(reverse=False) -> list[Fraction]:
    """Least squares with a decay of 1 on the images for learning, in rationals."""
    X, digits = digit_images()
    digits = 9 - digits if reverse else digits
    F = np.column_stack([X, np.ones(len(X), dtype=np.int64)])
    gram = (F.T @ F + np.eye(65, dtype=np.int64)).astype(object)
    solved = solve_rational(gram, (F.T @ digits)[:, None].astype(object))
    return [Fraction(round(row[0] * 2**20), 2**20) for row in solved]


def construct(p, uniform=False, twin=False, reverse=False):
    """The moments of digit and head, and the weights of the attention."""
    c = head(reverse)
    X, g = digit_images(held_out=True)
    h = rational_product(np.column_stack([X, np.ones(len(X), dtype=np.int64)]), c)
    scores = (np.arange(p.N) < 1 + twin).astype(int) * (not uniform)  # products with the code of the index
    return h, g.astype(object), AttentionLayer(scores[None], log(p.odds)).weights(0)


def moments(h, g):
    k = len(g)
    mean = [sum(x, Fraction(0)) / k for x in (g, h, g * h, h * h, g * g)]
    return {"bias": mean[0] - mean[1], "cov": mean[2] - mean[0] * mean[1], "var_h": mean[3] - mean[1] ** 2,
            "var_g": mean[4] - mean[0] ** 2}


def measure(network, p):
    h, g, w = network
    m = moments(h, g)

    def value():  # E(g - sum_j w_j h_j)^2 with independent tokens
        return m["bias"] ** 2 + m["var_g"] - w[0] * 2 * m["cov"] + total(x * x for x in w) * m["var_h"]
    return {risk: value}


def derive(network, p):
    h, g, w = network
    m = moments(h, g)
    own = sum(((x - y) ** 2 for x, y in zip(g, h, strict=True)), Fraction(0)) / len(g)
    return {leak: 1 - w[0], cov_gh: m["cov"], v_g: m["var_g"], risk_0: own}


transferred, below = risk <= risk_0 + 2 * leak * cov_gh, risk <= (1 - 1 / N) * v_g
claim = Claim(
    "Question (c), handwritten digits",
    role="variant", source="derived here: question (c)",
    scope={"every N, odds": "points", "every held-out image": "enumeration", "every prompt": "closed form"},
    asserts=[transferred, below], requires=[odds >= N**2, N >= 4], derive=derive,
    derived=[leak, cov_gh, v_g, risk_0], grid=points("N odds", (4, 16), (16, 256), (64, 4096), (1024, 2**20)),
    construct=construct, measure=measure, controls=[
        Control("uniform attention", breaks=[transferred, below], where=N >= 16,
                construct=lambda p: construct(p, uniform=True)),
        Control("two positions with one code", asserts=[transferred], breaks=transferred, where=N >= 16,
                construct=lambda p: construct(p, twin=True)),
        Control("a head fitted to the digits counted from 9 down", breaks=[transferred, below], where=N >= 16,
                construct=lambda p: construct(p, reverse=True)),
    ],
)
