r"""The Rademacher average of finitely many vectors grows with the root of the logarithm of their number.

Setting    A finite set $A\subset\mathbb{R}^n$ of $N$ vectors of norm at most $r$; signs $\sigma$ uniform.
Statement  $E\max_{a\in A}\frac1n\langle\sigma,a\rangle\le\frac rn\sqrt{2\log N}$.
Witness    All $2^n$ sign vectors, whose average is 1; the unit vectors; a few drawn integer vectors.
Measured   The average over all $2^n$ signs, a rational.
Control    $\sqrt{\log N}$ in place of $\sqrt{2\log N}$, and no logarithm at all, for the sign vectors.
Reads      Massart, Some applications of concentration inequalities to statistics (2000), Lemma 5.2.
"""

import numpy as np
from sympy import log, sqrt

from theorytools import Claim, Control, Enclosure, Quantity, points
from theorytools.measures import rademacher_complexity, sign_vectors

from .notation import N, n, r

average = Quantity("average", r"E\max_a\frac1n\langle\sigma,a\rangle", "over all signs", (0, None))


def construct(p) -> np.ndarray:
    if p.set == "signs":
        return np.array(list(sign_vectors(p.n)))
    if p.set == "units":
        return np.eye(p.n, dtype=int)
    return p.rng("vectors").integers(-9, 10, (12, p.n))


def derive(vectors, p):
    largest = int((vectors**2).sum(axis=1).max())
    return {N: len(vectors), r: lambda: Enclosure(largest).sqrt()}


def measure(vectors, p):
    return {average: rademacher_complexity(vectors)}


claim = Claim(
    "Massart's finite class lemma", role="statement", source="published: Massart (2000), Lemma 5.2; none",
    scope={"every set and n": "points", "every sign": "enumeration"}, requires=[N >= 2], derive=derive, derived=[N, r],
    asserts=[average <= r * sqrt(2 * log(N)) / n], construct=construct, measure=measure,
    grid=points("set n", ("signs", 2), ("signs", 6), ("units", 4), ("units", 8), ("drawn", 8)), controls=[
        Control("half of the logarithm", asserts=[average <= r * sqrt(log(N)) / n], breaks=average, where=2**n <= N),
        Control("no logarithm", asserts=[average <= r / n], breaks=average, where=(2**n <= N) & (n >= 3)),
    ],
)
