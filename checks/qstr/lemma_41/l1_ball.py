r"""For the ball of the $\ell_1$ norm Maurey's bound on packings is right, and its order is attained.

Setting    As in lemma_41, Euclidean distances at least $\eta$, in the ball $\{\|x\|_1\le1\}$ of $\mathbb R^D$.
Statement  $P(\eta)\le(2D)^k$, $k=\lceil4/\eta^2\rceil$, for every $D$ and $\eta>0$. For an odd prime $p$, $D=p^2$ and
           $\eta^2\le\frac{p+1}{p^2}$, $P(\eta)\ge D^{(p+1)/4}$: up to its constant the exponent $1/\eta^2$ is right.
Proof      (1) A point $x$ of the ball is the mean of a random vector $\pm e_i$, of $2D$ values. The mean of $k$
           independent ones takes at most $(2D)^k$ values and has squared distance $\frac1k(1-\|x\|^2)$ from $x$ on
           average, so one of its values is as near: nearer than $k^{-1/2}\le\frac\eta2$, except at $x=0$. Two points
           at a distance of at least $\eta$ are not so near one value, of which at most one is 0.
           (2) Let the $p^2$ coordinates be the pairs of $\mathbb F_p$, and $x_f=\frac1p\sum_ae_{(a,f(a))}$ for each
           polynomial $f$ of degree below $\frac{p+1}2$. Two agree at $\frac{p-1}2$ places at most, so their squared
           distance is at least $\frac2{p^2}\cdot\frac{p+1}2$; there are $p^{(p+1)/2}$.
Witness    All $\pm e_i$ and $\frac12(\pm e_i\pm e_j)$, $2D^2$ points; the polynomials, for $p=3,5,7$.
Measured   Size, least squared distance and the largest $\ell_1$ norm, from the points in integers.
Control    The roots of $E_8$, of unit Euclidean norm; a sixteenth of the exponent; polynomials of one degree more or
           less.
Reads      The $\ell_1$ ball is the body for which the printed lemma's second bound holds as Maurey's argument gives
           it.
"""

from fractions import Fraction
from itertools import product
from math import isqrt

import numpy as np
from sympy import Eq, ceiling, isprime, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.errors import DomainError
from theorytools.papers.qstr.memory.packing import Packing
from theorytools.papers.qstr.memory.packing_sets import named_packing

from ..notation import D, eta
from .lemma_41 import separated

size = Quantity("size", "|S|", "number of points", (1, None))
distance = Quantity("distance", r"\min_{x\ne y}\|x-y\|^2", "least squared distance of two points", (0, None))
gauge = Quantity("gauge", r"\max_x\|x\|_1^2", "at most 1 for points of the ball", (0, None))
maurey, apart, inside = size <= (2 * D) ** ceiling(4 / eta**2), distance >= eta**2, gauge <= 1


def pairs(D):
    """Twice the points e_i and (e_i + e_j)/2 with all signs."""
    found = {tuple(a * (c == i) + b * (c == j) for c in range(D))
             for i, j in product(range(D), repeat=2) for a, b in product((-1, 1), repeat=2)}
    return np.array([z for z in sorted(found) if any(z)]), 4


def polynomials(D, more=0):
    """The points x_f times p for the polynomials f of degree below (p + 1)/2."""
    p = isqrt(D)
    if p * p != D or p < 3 or not isprime(p):
        raise DomainError(f"D = {D}", required="the square of an odd prime", why="polynomials over the field of p")
    powers = np.arange(p)[:, None] ** np.arange((p + 1) // 2 + more) % p
    values = np.array(list(product(range(p), repeat=powers.shape[1]))) @ powers.T % p
    return np.eye(p, dtype=int)[values].reshape(len(values), -1), p * p


def construct(p) -> Packing:
    return separated(Packing.of_points(*(pairs(p.D) if p.family == "pairs" else polynomials(p.D))), p.eta)


def degree(more):
    return lambda p: Packing.of_points(*polynomials(p.D, more))


def measure(s, p):
    longest = int(abs(s.points).sum(axis=1).max())
    return {size: s.size, distance: s.separation2, gauge: Fraction(longest**2, s.scale)}


claim = Claim(
    "Lemma 41, Maurey's bound for the l1 ball",
    role="statement", source="derived here: Lemma 41",
    scope={"every family, D, eta": "proof", "every packing": "proof"},
    note="The second bound, for the body of which Maurey's argument proves it.",
    asserts=[maurey, apart, inside], construct=construct, measure=measure,
    grid=points("family D eta", ("pairs", 1, 1), ("pairs", 2, "7/10"), ("pairs", 8, "7/10"), ("pairs", 24, "7/10"),
                ("polynomials", 9, "2/3"), ("polynomials", 25, "12/25"), ("polynomials", 49, "2/5")),
    controls=[
        Control("the roots of E_8", breaks=gauge, where=Eq(D, 8),
                construct=lambda p: named_packing("e8", 8, p.eta)),
        Control("a sixteenth of the exponent", breaks=size, where=Eq(D, 8),
                asserts=[size <= (2 * D) ** ceiling(1 / (4 * eta**2))]),
    ],
)
attained = Claim(
    "Lemma 41, the order of Maurey's bound",
    role="sharpness", source="derived here: Lemma 41",
    scope={"every family, D, eta": "proof", "some packing": "exhibited"},
    asserts=[size >= D ** ((sqrt(D) + 1) / 4), apart, inside], construct=construct, measure=measure,
    grid=points("family D eta", ("polynomials", 9, "2/3"), ("polynomials", 25, "12/25"), ("polynomials", 49, "2/5")),
    controls=[Control("polynomials of one degree more", breaks=distance, where=D <= 25, construct=degree(1)),
              Control("polynomials of one degree less", breaks=size, construct=degree(-1))],
)
