r"""Chaining: the expected supremum over a finite set is a sum over scales of radius times root of the entropy.

Setting    $N$ vectors in $\mathbb{R}^n$, whose $m=Nn$ numbers are $x$; $D$ their diameter, $r_k=2^{-k}D$, $N(r)$ the
           least number of closed balls around members that hold all, $K$ the first $k$ whose balls hold one vector each
           (equal ones count once), $\delta$ the least distance of two different ones.
Statement  $E\max_a\langle\sigma,a\rangle\le2\sqrt2\Gamma$ for $\Gamma=\sum_{k=1}^Kr_k\sqrt{\log N(r_k)}$; 0 and all
           sign vectors attain 0.67, 0.78, 0.82 of it in 1, 2, 3 dimensions.
Proof      Let $\pi_K(a)=a$, and $\pi_{k-1}(a)$ the centre of scale $k-1$ nearest to $\pi_k(a)$; $\pi_0$ is one vector,
           of mean 0. At most $N(r_k)$ steps $\pi_k(a)-\pi_{k-1}(a)$ differ, of norm at most $r_{k-1}=2r_k$: Massart's
           lemma for each $k$.
Measured   The average over all $2^n$ signs, a rational.
Control    Steps of norm $r_k$; one scale, $\delta\sqrt{\log N}$ for $\Gamma$, which Sudakov has on the other side; the
           diameter forgotten; 0.8 of the bound.
Reads      Dudley (1967), as textbooks discretise it; the constant is derived above.
"""

from sympy import Eq, Rational, log, sqrt

from theorytools import Claim, Control, Enclosure, Quantity, points
from theorytools.measures import chaining_sum, rademacher_complexity, sign_vectors, squared_distance
from theorytools.search.kinds import Vectors

from ._shared import rows
from .notation import D, G, N, delta, m, n

largest = Quantity("largest", r"E\max_a\langle\sigma,a\rangle", "over all signs", (0, None))
stars = [(0,) * size + sum(sign_vectors(size), ()) for size in (1, 2, 3)]
wrong = {"steps of norm r_k": (sqrt(2) * G, N >= 5), "no diameter": (2 * sqrt(2) * G / D, N >= 5),
         "0.8": (Rational(8, 5) * sqrt(2) * G, N >= 9), "one scale": (sqrt(8 * log(N)) * delta, 4 * delta < D)}


def derive(T, p):
    squares = {squared_distance(v, w) for v in T for w in T}
    return {D: lambda: Enclosure(max(squares)).sqrt(), G: lambda: chaining_sum(T),
            delta: lambda: Enclosure(min(squares - {0}, default=0)).sqrt()}


claim = Claim(
    "Dudley's bound for a finite class", role="statement", source="derived here: dudley", uses=("classics.massart",),
    scope={"every N, n, m": "proof", "every x, with its D, G, delta": "proof"}, requires=[Eq(m, N * n)],
    objects={"x": (Vectors(denominator=1), m, [(0, 1), (0, 1, 8), *stars])}, construct=lambda p: rows(p.x, p.n),
    derive=derive, derived=[D, G, delta], measure=lambda T, p: {largest: p.n * rademacher_complexity(T)},
    asserts=largest <= 2 * sqrt(2) * G, grid=points("N n m", (2, 1, 2), (3, 1, 3), (5, 2, 10), (9, 3, 27)), controls=[
        Control(name, asserts=[largest <= bound], breaks=largest, where=on) for name, (bound, on) in wrong.items()],
)
