r"""Sampling without replacement beats sampling with it: a mean of products is at most the power of the mean.

Setting    $n\ge2$ matrices $A_i=u_iu_i^\top+s\,(I-e_ie_i^\top-\frac1{n-1}v_iv_i^\top)$ of size $n$, positive
           semidefinite, with $v_i=\mathbf1-e_i$ and $u_i=xe_i+yv_i$, $s\ge0$.
Statement  $\|\frac1{n!}\sum_\pi A_{\pi(1)}\cdots A_{\pi(n)}\|\le\|(\frac1n\sum A_i)^n\|$, spectral norms.
Proof      Of $n=2$: $2(AB+BA)=(A+B)^2-(A-B)^2$ lies between $-(A-B)^2$ and $(A+B)^2$, and $-(A+B)\le A-B\le A+B$.
Witness    Small numbers.
Measured   Both norms, rationals: by symmetry both matrices are $aI+bJ$, of norm $\max(|a|,|a+nb|)$.
Control    A half, for $x=y$ and $s=0$, where both sides are equal; repair: the power of the trace of one matrix.
"""
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import factorial

from sympy import Eq

from theorytools import Claim, Control, Quantity, exactly, grid

from .notation import n, s, trace, x, y

without = Quantity("without", r"\|\frac1{n!}\sum_\pi\prod A_{\pi(i)}\|", "sampling without replacement", (0, None))
withal = Quantity("with", r"\|\bar A^n\|", "sampling with replacement", (0, None))

def product(A, B):
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*B, strict=True)] for row in A]

def total(matrices):
    return [[sum(entries) for entries in zip(*rows, strict=True)] for rows in zip(*matrices, strict=True)]

def norm(M):
    return max(abs(M[0][0] - M[0][1]), abs(sum(M[0])))

def entry(p, i, j, k):
    part = (j == k != i) - Fraction(j != i != k, p.n - 1)
    return (p.x if j == i else p.y) * (p.x if k == i else p.y) + p.s * part

def measure(A, p):
    ordered = {(): [[Fraction(i == j) for j in range(p.n)] for i in range(p.n)]}
    power = ordered[()]
    for size in range(1, p.n + 1):
        power = product(total(A), power)
        ordered |= {S: total([product(A[i], ordered[tuple(j for j in S if j != i)]) for i in S])
                    for S in combinations(range(p.n), size)}
    every = ordered[tuple(range(p.n))]
    return {without: exactly(norm(every) / factorial(p.n)), withal: exactly(norm(power) / p.n**p.n)}

half = Control("half", breaks=without, asserts=[without <= withal / 2], where=Eq(x, y) & Eq(s, 0) & (x > 0))
claim = Claim(
    "Recht and Ré's conjecture", role="statement", source="published: arXiv 2006.01510, introduction; prose",
    scope={"every n, x, y, s": "points"}, requires=[n >= 2], expect="REFUTED", asserts=without <= withal,
    construct=lambda p: [[[entry(p, i, j, k) for k in range(p.n)] for j in range(p.n)] for i in range(p.n)],
    measure=measure, lets={trace: x**2 + (n - 1) * y**2 + (n - 2) * s},
    grid=grid(n=[2, 3], x=[0, 1, 2], y=[0, 1], s=[0, 1]),
    controls=[half, Control("the trace", asserts=[without <= trace**n])],
)
repaired = replace(
    claim, label="Two matrices", role="statement", source="derived here: two matrices", expect="HOLDS",
    requires=[Eq(n, 2)], statement=r"$\|\frac12(A_1A_2+A_2A_1)\|\le\|(\frac12(A_1+A_2))^2\|$.",
    scope={"every n, x, y, s": "proof"}, grid=grid(n=[2], x=[0, 1, 2], y=[0, 1], s=[0, 1]), controls=[half],
)
