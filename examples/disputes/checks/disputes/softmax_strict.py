r"""The local Lipschitz constant of softmax in the Euclidean norm is below one half everywhere, says an abstract.

Setting    Softmax of $n\ge2$ scores at a point where its weights are $s$; Jacobian $J=\operatorname{diag}(s)-ss^\top$.
Statement  $\|J\|_2<\frac12$ at every point: the supremum $\frac12$ "is achieved only in the limit" for $1<p<\infty$.
Measured   $\max\|Ju\|^2/\|u\|^2$ over the differences $u=e_i-e_j$: exact, and at most $\|J\|_2^2$.
Control    A fourth in place of a half.
"""
from fractions import Fraction as F
from itertools import combinations
from sympy import Rational
from theorytools import Claim, Control, Quantity, grid
from theorytools.search.kinds import Laws
from .notation import n

stretch = Quantity("stretch", r"\max_{i\ne j}\|J(e_i-e_j)\|^2/2", "how far softmax moves, squared", (0, 1))

def moved(s, i, j):
    mean = s[i] - s[j]
    return sum((w * ((k == i) - (k == j) - mean)) ** 2 for k, w in enumerate(s)) / 2

claim = Claim(
    "Strictly below one half", role="statement", scope={"every n, s": "points"},
    source="published: arXiv 2510.23012v1, abstract; prose", asserts=stretch < Rational(1, 4), requires=[n >= 2],
    objects={"s": (Laws(positive=True), n, [(F(1, 3), F(2, 3)), (F(1, 3),) * 3, (F(1, 2), F(1, 4), F(1, 4))])},
    construct=lambda p: p.s, grid=grid(n=[2, 3]),
    measure=lambda s, p: {stretch: max(moved(s, i, j) for i, j in combinations(range(p.n), 2))},
    controls=[Control("a fourth", asserts=[stretch < Rational(1, 16)], breaks=stretch)],
)
