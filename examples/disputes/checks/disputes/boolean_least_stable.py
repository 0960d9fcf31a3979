r"""Of all homogeneous linear threshold functions majority is the least stable against noise, says a conjecture.

Setting    $n$ odd, $f(x)=\operatorname{sgn}(w\cdot x)$ on $\{-1,1\}^n$, whole weights of odd sum; $y$ differs from
           $x$ in each place with probability $\frac{1-\rho}2$, independently.
Statement  $E f(x)f(y)\ge E\,\mathrm{Maj}_n(x)\mathrm{Maj}_n(y)$ for every $w$ and every $0\le\rho\le1$.
Proof      Of the repair $E f(x)f(y)=\sum_S\rho^{|S|}\hat f(S)^2\ge\rho\sum_i\hat f(i)^2\ge\frac\rho2$: for $|w|=1$
           $\sum_i\hat f(i)^2\ge(\sum w_i\hat f(i))^2=(E|w\cdot x|)^2$, at least $\frac12$ (Szarek 1976).
Measured   Both sides over all $2^n$ words, exactly; the noise acts on one place after the other.
Control    Parity, which is no threshold function, in place of $f$; repair: at least $\frac\rho2$.
"""
from dataclasses import replace
from fractions import Fraction

from theorytools import Claim, Control, Quantity, grid
from theorytools.search.kinds import Vectors

from .notation import n, rho

stable, majority = Quantity("stable", "E f(x)f(y)", "of f"), Quantity("majority", "E M(x)M(y)", "of majority")

def threshold(w):
    return [1 if sum(a if x >> i & 1 else -a for i, a in enumerate(w)) > 0 else -1 for x in range(2 ** len(w))]

def stability(f, p):
    noisy = [Fraction(a) for a in f]
    for i in range(p.n):
        noisy = [((1 + p.rho) * a + (1 - p.rho) * noisy[x ^ 1 << i]) / 2 for x, a in enumerate(noisy)]
    return sum(a * b for a, b in zip(f, noisy, strict=True)) / 2**p.n

def measure(f, p):
    return {stable: stability(f, p), majority: stability(threshold([1] * p.n), p)}

parity = Control("parity", breaks=stable, construct=lambda p: [(-1) ** x.bit_count() for x in range(2**p.n)])
claim = Claim(
    "Majority is least stable", role="statement", expect="REFUTED", scope={"every n, w, rho": "points"},
    source="published: O'Donnell (2014), Analysis of Boolean Functions, section 5.5; none", asserts=stable >= majority,
    requires=[rho <= 1], objects={"w": (Vectors(low=0, denominator=1), n)},
    such_that={"n is odd": lambda p: p.n % 2 == 1, "the sum of w is odd": lambda p: sum(p.w) % 2 == 1},
    construct=lambda p: threshold(p.w), measure=measure, grid=grid(n=[3, 5], rho=["1/4", "1/2"]),
    controls=[parity, Control("half of rho", asserts=[stable >= rho / 2])],
)
repaired = replace(
    claim, label="At least half of the correlation", role="variant", expect="HOLDS", asserts=stable >= rho / 2,
    source="published: Gotsman and Linial (1994), Spectral properties of threshold functions; none",
    scope={"every n, w, rho": "proof"}, controls=[parity], measure=lambda f, p: {stable: stability(f, p)},
    statement=r"$E f(x)f(y)\ge\frac\rho2$ for $n$ odd, whole weights of odd sum, $\rho\le1$.",
)
