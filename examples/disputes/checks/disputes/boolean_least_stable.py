r"""Majority is the least stable linear threshold function.

Setting    $f(x)=\operatorname{sgn}(w\cdot x)$ on $\{-1,1\}^n$, $n$ odd, with non-negative integer weights of odd sum, so
           that $w\cdot x$ is never 0; $\operatorname{Stab}_\rho f=\sum_S\rho^{|S|}\hat f(S)^2$.
Statement  $\operatorname{Stab}_\rho f\ge\operatorname{Stab}_\rho\operatorname{Maj}_n$ for every such $f$ and every $\rho\in[0,1]$.
Proof      Of the twin, $\operatorname{Stab}_\rho f\ge\rho/2$: with $|w|=1$, $\sum w_i\hat f(i)=E|w\cdot x|\ge1/\sqrt2$ (Khintchine's inequality
           with the constant of Szarek, 1976), so $\sum\hat f(i)^2\ge\frac12$ by Cauchy and Schwarz; no term is negative.
Witness    The first weights of odd sum.
Measured   Both stabilities, rationals, by a fast transform.
Control    A function of one input in the place of majority, for majority itself; the twin as the repair.
"""
from dataclasses import replace
from sympy import Eq, Mod
from theorytools import Claim, Control, Quantity, exactly, grid
from theorytools.measures import sign_vectors
from theorytools.search.kinds import Vectors
from .notation import n, rho

stable = Quantity("stability", r"\operatorname{Stab}_\rho f", "of the threshold function", (0, 1))
majority = Quantity("majority", r"\operatorname{Stab}_\rho\operatorname{Maj}_n", "of majority", (0, 1))

def transform(a):
    if len(a) == 1:
        return a
    low, high = transform(a[: len(a) // 2]), transform(a[len(a) // 2 :])
    return [x + y for x, y in zip(low, high)] + [x - y for x, y in zip(low, high)]

def stability(w, at):
    table = transform([1 if sum(a * b for a, b in zip(w, x)) > 0 else -1 for x in sign_vectors(len(w))])
    return exactly(sum(c * c * at ** s.bit_count() for s, c in enumerate(table)) / 4 ** len(w))

claim = Claim(
    "Majority is least stable", role="statement", source="published: Benjamini, Kalai, Schramm (1999), the conjecture; none",
    scope={"every n, w, rho": "points"}, requires=[rho <= 1, Eq(Mod(n, 2), 1)], expect="REFUTED", asserts=stable >= majority,
    objects={"w": (Vectors(low=0, denominator=1), n)}, such_that={"the sum of w is odd": lambda p: sum(p.w) % 2 == 1},
    grid=grid(n=[1, 3, 5], rho=["1/4", "1/2", "3/4"]), construct=lambda p: p.w,
    measure=lambda w, p: {stable: stability(w, p.rho), majority: stability([1] * p.n, p.rho)},
    controls=[one := Control("one input", breaks=stable, asserts=[stable >= rho], construct=lambda p: [1] * p.n, where=n >= 3),
              Control("half of the correlation", asserts=[stable >= rho / 2])],
)
repaired = replace(
    claim, label="Half of the correlation", role="statement", source="derived here: noise stability", expect="HOLDS",
    statement=r"$\operatorname{Stab}_\rho f\ge\rho/2$ for every such $f$ and every $\rho\in[0,1]$.",
    scope={"every n, w, rho": "proof"}, asserts=stable >= rho / 2, controls=[one],
)
