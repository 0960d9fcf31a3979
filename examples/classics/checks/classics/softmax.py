r"""Softmax moves two vectors of scores by half of their distance at most; in $\ell_1$ by their $\ell_\infty$ distance.

Setting    Scores $x\ne y$ in $\mathbb{R}^N$, $N\ge2$, and their softmax $\sigma$.  $L_{p\to q}$ is the quotient of
           $\|\sigma(x)-\sigma(y)\|_q$ by $\|x-y\|_p$.
Statement  $L_{2\to2}\le\frac12$, $L_{\infty\to\infty}\le\frac12$, $L_{\infty\to1}\le1$, $L_{1\to\infty}\le\frac14$.
Proof      A difference is the mean of $J(x-y)$ along the segment, $J=\operatorname{diag}(p)-pp^\top$ the Jacobian at
           $p=\sigma$; so norms of $J$ are asked.  $u^\top Ju$ is the variance of $u$ under $p$, a quarter of the
           squared range at most; entries of a unit vector differ by at most $\sqrt2$.  In row $i$ the moduli sum to
           $2p_i(1-p_i)\le\frac12$, and none is above $p_i(1-p_i)\le\frac14$.  $\|Ju\|_1=\sum p_i|u_i-\bar u|$ is
           convex in $u$, and at signs it is $4a(1-a)\le1$ with $a$ the mass of $+1$.
Witness    $(t,-t,-40,\dots)$ and its negative in two entries: all four quotients tend to their bounds as $t\to0$ and
           the other scores fall.
Measured   The quotients, in ball arithmetic.
Control    A quarter in $\ell_2$; a half from $\ell_\infty$ to $\ell_1$.
"""

from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, enclosed, grid
from theorytools.measures import lipschitz_constant, softmax
from theorytools.search.kinds import Vectors

from .notation import N

NORMS = {"two": (2, 2), "sup": ("inf", "inf"), "far": ("inf", 1), "near": (1, "inf")}
BEST = {"two": Rational(1, 2), "sup": Rational(1, 2), "far": 1, "near": Rational(1, 4)}
moved = {k: Quantity(k, rf"L_{{{a}\to {b}}}".replace("inf", r"\infty"), "how far softmax moves", (0, None))
         for k, (a, b) in NORMS.items()}  # fmt: skip
bounds, t = [moved[k] <= BEST[k] for k in NORMS], Fraction(1, 16)


def measure(pair, p):
    return {moved[k]: enclosed(lambda k=k: lipschitz_constant(softmax, pair, norms=NORMS[k])) for k in NORMS}


claim = Claim(
    "Softmax is Lipschitz", role="statement", source="derived here: softmax", asserts=bounds, requires=[N >= 2],
    scope={"every N and scores x, y": "proof"}, such_that={"x and y differ": lambda p: p.x != p.y}, objects={
        "x": (Vectors(), N, [(t, -t), (t, -t, -40)]), "y": (Vectors(), N, [(-t, t), (0, 0), (-t, t, -40)])},
    grid=grid(N=[2, 3]), construct=lambda p: [(p.x, p.y)], measure=measure, controls=[
        Control("a quarter in l2", asserts=[moved["two"] <= Rational(1, 4)], breaks=moved["two"]),
        Control("a half for the largest score", asserts=[moved["far"] <= Rational(1, 2)], breaks=moved["far"])],
)
