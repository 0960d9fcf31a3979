r"""Softmax moves two vectors of scores by at most half of their distance, in $\ell_1$ by at most their $\ell_\infty$ distance.

Setting    Scores $x\ne y$ in $\mathbb{R}^N$, $\sigma$ their softmax, $p$ a law; $J=\operatorname{diag}(p)-pp^\top$.
Statement  $\|\sigma(x)-\sigma(y)\|_2\le\frac12\|x-y\|_2$, $\|\sigma(x)-\sigma(y)\|_\infty\le\frac12\|x-y\|_\infty$,
           $\|\sigma(x)-\sigma(y)\|_1\le\|x-y\|_\infty$, $\|\sigma(x)-\sigma(y)\|_\infty\le\frac14\|x-y\|_1$; all four are best.
Proof      $J$ is the Jacobian at $p=\sigma(x)$; a difference is the mean of $J(x-y)$ along the segment, so that norms of $J$
           are what is asked.  $u^\top Ju$ is the variance of $u$ under $p$, and a unit vector has a range of at most
           $\sqrt2$: $\le\frac12$.  Row $i$ has the sum of moduli $2p_i(1-p_i)\le\frac12$ and no entry above $p_i(1-p_i)\le
           \frac14$.  $\|Ju\|_1=\sum p_i|u_i-\bar u|$, convex in $u$; at signs it is $4a(1-a)\le1$, $a$ the mass of $+1$.
           Equality for $p=(\frac12,\frac12,0,\dots)$, the limit of $\sigma$ as the other scores fall.
Measured   The quotients, in ball arithmetic; the norms of $J$ from extreme points of the balls, exactly.
Control    A quarter in $\ell_2$; a half from $\ell_\infty$ to $\ell_1$; a quarter within $\ell_\infty$.
"""
from dataclasses import replace
from fractions import Fraction
from sympy import Rational
from theorytools import Claim, Control, Quantity, enclosed, grid
from theorytools.measures import induced_norm, lipschitz_constant, softmax
from theorytools.search.kinds import Laws, Vectors
from .notation import N

NORMS = {"two": (2, 2), "sup": ("inf", "inf"), "far": ("inf", 1), "near": (1, "inf")}
BEST = {"two": Rational(1, 2), "sup": Rational(1, 2), "far": 1, "near": Rational(1, 4)}
most = {k: Quantity(k, rf"L_{{{a}\to {b}}}".replace("inf", r"\infty"), "how far softmax moves", (0, None))
        for k, (a, b) in NORMS.items()}
bounds, h = [most[k] <= BEST[k] for k in NORMS], Fraction(1, 16)

def jacobian(law, sign=-1):
    return [[p * (i == j) + sign * p * q for j, q in enumerate(law)] for i, p in enumerate(law)]

claim = Claim(
    "Softmax is Lipschitz", role="statement", source="derived here: softmax", scope={"every N and scores x, y": "proof"},
    asserts=bounds, requires=[N >= 2], such_that={"x and y differ": lambda p: p.x != p.y}, grid=grid(N=[2, 3]),
    objects={"x": (Vectors(), N, [(h, -h), (h, -h, -40)]), "y": (Vectors(), N, [(-h, h), (0, 0), (-h, h, -40)])},
    construct=lambda p: [(p.x, p.y)],
    measure=lambda pair, p: {most[k]: enclosed(lambda k=k: lipschitz_constant(softmax, pair, norms=NORMS[k])) for k in NORMS},
    controls=[Control("a quarter in l2", asserts=[most["two"] <= Rational(1, 4)], breaks=most["two"]),
              Control("a half from the largest score", asserts=[most["far"] <= Rational(1, 2)], breaks=most["far"])],
)
slope = replace(
    claim, label="Softmax's Jacobian", role="variant", source="derived here: softmax", scope={"every N and law p": "proof"},
    such_that={}, grid=grid(N=[2, 3]), objects={"p": (Laws(), N, 6)}, construct=lambda p: jacobian(p.p),
    measure=lambda J, p: {most[k]: enclosed(lambda k=k: induced_norm(J, *NORMS[k])) for k in NORMS},
    controls=[Control("the outer product added", asserts=bounds[1:], breaks=list(most.values())[1:],
                      construct=lambda p: jacobian(p.p, 1))],
)
attained = replace(
    slope, label="Softmax's constants are best", role="sharpness", source="derived here: softmax", scope={"every N": "proof"},
    grid=grid(N=[2, 3, 6]), objects={}, construct=lambda p: jacobian([Fraction(1, 2)] * 2 + [0] * (p.N - 2)), asserts=[most[k].equals(BEST[k]) for k in NORMS],
    controls=[Control("a hundredth off", breaks=list(most.values()),
                      construct=lambda p: jacobian([Fraction(51, 100), Fraction(49, 100), *[0] * (p.N - 2)]))],
)
