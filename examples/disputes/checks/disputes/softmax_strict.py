r"""The local Lipschitz constant of softmax in the Euclidean norm is below one half everywhere, says an abstract.

Setting    Softmax of $n\ge2$ scores at a point where its weights are $s$; Jacobian $J=\operatorname{diag}(s)-ss^\top$.
Statement  $\|J\|_2<\frac12$ at every point: the supremum $\frac12$ "is achieved only in the limit" for $1<p<\infty$.
Proof      Of the repair, $n\ge3$: $\|J\|_2$ is the variance under $s$ of the entries of a unit vector $u$, at most a
           quarter of their range squared, which is at most 2. Equality asks for two entries $\pm\frac1{\sqrt2}$, zeros,
           and all of the weight on the two; but the weight of the zeros is positive.
Measured   $\max\|Ju\|^2/\|u\|^2$ over the differences $u=e_i-e_j$: exact, at most $\|J\|_2^2$; of the repair the norm.
Control    A fourth in place of a half; repair: "at most", or three scores and more.
"""
from dataclasses import replace
from fractions import Fraction as F
from itertools import combinations

from sympy import Rational

from theorytools import Claim, Control, Quantity, enclosed, grid
from theorytools.measures import operator_norm
from theorytools.search.kinds import Laws

from .notation import n

stretch = Quantity("stretch", r"\max_{i\ne j}\|J(e_i-e_j)\|^2/2", "how far softmax moves, squared", (0, 1))
norm = Quantity("norm", r"\|J\|_2", "local Lipschitz constant", (0, 1))

def jacobian(s):
    return [[a * (i == j) - a * b for j, b in enumerate(s)] for i, a in enumerate(s)]

def moved(s):
    return max(sum((row[i] - row[j]) ** 2 for row in jacobian(s)) / 2 for i, j in combinations(range(len(s)), 2))

claim = Claim(
    "Strictly below one half", role="statement", expect="REFUTED", scope={"every n, s": "points"},
    source="published: arXiv 2510.23012v1, abstract; prose", asserts=stretch < Rational(1, 4), requires=[n >= 2],
    objects={"s": (Laws(positive=True), n, [(F(1, 3), F(2, 3)), (F(1, 3),) * 3, (F(1, 2), F(1, 4), F(1, 4))])},
    construct=lambda p: p.s, measure=lambda s, p: {stretch: moved(s)}, grid=grid(n=[2, 3]), controls=[
        Control("a fourth", asserts=[stretch < Rational(1, 16)], breaks=stretch),
        Control("at most", asserts=[stretch <= Rational(1, 4)])],
)
repaired = replace(
    claim, label="Of three scores or more", role="variant", expect="HOLDS", source="derived here: softmax, strictly",
    scope={"every n, s": "proof"}, asserts=norm < Rational(1, 2), requires=[n >= 3], grid=grid(n=[3, 4]),
    objects={"s": (Laws(positive=True), n)}, measure=lambda s, p: {norm: enclosed(lambda: operator_norm(jacobian(s)))},
    controls=[Control("a fifth", asserts=[norm < Rational(1, 5)], breaks=norm)],
    statement=r"$\|J\|_2<\frac12$ for $n\ge3$.",
)
