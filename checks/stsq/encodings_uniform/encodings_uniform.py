r"""Encodings with a small restricted isometry constant have, for each set, a query of small scores off it.

Setting    Encodings of $T$ positions, $\delta=\delta_{3q}$ the largest $\|E_S^\top E_S-I\|$ over $|S|\le\min(3q,T)$.
Statement  If $\delta<\frac12$, every set $y$ of $q$ has a query with score 1 on $y$ and scores of modulus at most
           $\frac\delta{1-2\delta}$ off it: $w=w_0-w_1+w_2-\dots$, where $w_0$ is the dual query and $w_{k+1}$
           cancels the $q$ largest scores of $w_k$.  With $r=\frac\delta{1-\delta}$ these have norm at most
           $r^{k+1}\sqrt q$, so after $K$ corrections $r^{K+1}\sqrt q$ is to be added.
Proof      Let $S_k$ hold the $q$ largest scores of $w_k$ off $y$ and $S_{k-1}$, $c_k$ these scores; $w_{k+1}$ in the
           span of $y\cup S_k$ has scores 0 on $y$, $c_k$ on $S_k$. Blocks of $E^\top E-I$ within $3q$ encodings have
           norm at most $\delta$, so $w_{k+1}$ has coefficients of norm $\frac{\|c_k\|}{1-\delta}$ and $\|c_{k+1}\|\le
           r\|c_k\|$; $\|c_0\|\le r\sqrt q$. At $i\notin y$ the scores of $w_k$ and $w_{k+1}$ cancel where $i\in S_k$;
           elsewhere (nowhere if $S_k$ is smaller than $q$) that of $w_k$ is at most the least of $S_k$, $\|c_k\|/\sqrt
           q\le r^{k+1}$, and $\sum r^{k+1}\le \frac\delta{1-2\delta}$. Of the last, not cancelled, one is at most
           $\|c_K\|$.
Witness    Instances: drawn signs and Gaussians; $q$ orthonormal encodings and one more whose part in their span has
           length $\frac7{25}$ and the same product with each.
Measured   The queries of all sets in rationals; $\delta$ by elimination in integers over all subsets of its order.
Control    The dual query, whose score $\frac7{25}\sqrt q$ grows with $q$; corrections added, not alternated;
           $\delta^2$ for $\delta$; a planted duplicate $e_j=e_i$, $i\in y$, $j\notin y$.
Reads      The iteration is that of compressed sensing; the paper's display was not available and the constants are
           derived here.  The number of corrections only has to make the added term small.
"""

from fractions import Fraction

import numpy as np
from sympy import Eq, Rational, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.encodings import Encodings, exact_encodings, named_encodings
from theorytools.errors import DomainError
from theorytools.papers.stsq.attention.corrected_query import dual_certificate
from theorytools.papers.stsq.selection.restricted_isometry import restricted_isometry
from theorytools.papers.stsq.tasks.sparse_selection import subsets

from ..notation import T, d_e, delta_3, q, steps

off = Quantity("largest score", r"\max_y\max_{i\notin y}|\langle w,e_i\rangle|", "off the set, all sets", (0, None))
on = Quantity("error on the set", r"\max_y\max_{i\in y}|\langle w,e_i\rangle-1|", "over all sets", (0, None))
last = Quantity("last correction", r"\max_y\|c_K\|^2", "squared norm of the scores that it cancels", (0, None))
r = delta_3 / (1 - delta_3)


def spread(size):  # size is a square
    share = Fraction(7, 25) / round(size**0.5)
    return exact_encodings([*np.eye(size, size + 1, dtype=int).tolist(), [share] * size + [Fraction(24, 25)]])


def construct(p) -> Encodings:
    if p.code == "spread" and p.q + 1 != p.T:
        raise DomainError(f"T = {p.T}", required=f"T = q + 1 = {p.q + 1} for the code spread")
    return spread(p.q) if p.code == "spread" else named_encodings(p.code, p.T, p.d_e, p.rng("encodings"))


def measure(E, p, count=None, sign=-1, sets=None):
    count = p.steps if count is None else count
    found = [dual_certificate(E, y, count, sign=sign) for y in sets or subsets(p.T, p.q)]
    return {off: max(w.largest for w in found), on: max(abs(w.scores[i] - 1) for w in found for i in w.y),
            last: max(w.corrections[p.steps - 1] if len(w.corrections) >= p.steps else 0 for w in found)}


def derive(E, p):
    found = restricted_isometry(E, 3 * p.q)
    return {delta_3: lambda: found}


def duplicate(E, p):  # the sets of which one copy is a member
    return measure(E.duplicated(0, 1), p, 0, sets=[y for y in subsets(p.T, p.q) if 0 in y and 1 not in y])


bound = off <= delta_3 / (1 - 2 * delta_3) + r ** (steps + 1) * sqrt(q)
claim = Claim(
    "Encodings, a query for every set",
    role="statement", source="published: encodings for every set; prose",
    scope={"every code, T, q, d_e, steps": "proof", "every encoding": "proof", "every set": "proof"},
    asserts=[bound, on.equals(0), last <= q * r ** (2 * steps)],
    requires=[q < T, steps >= 1, delta_3 < Rational(1, 2)], derived=[delta_3], construct=construct, measure=measure,
    derive=derive,
    grid=points("code T q d_e steps", ("spread", 5, 4, 5, 2), ("spread", 10, 9, 10, 5), ("rad", 9, 2, 2000, 5),
                ("gauss", 8, 2, 3000, 5), ("rad", 8, 1, 512, 1)),
    controls=[
        Control("the dual query", breaks=off, where=q >= 9, measure=lambda E, p: measure(E, p, 0), asserts=[bound]),
        Control("corrections added", breaks=off, where=Eq(T, q + 1), measure=lambda E, p: measure(E, p, sign=1)),
        Control("the square of the constant", breaks=off, where=Eq(q, 2),
                asserts=[off <= delta_3**2 / (1 - 2 * delta_3**2) + r ** (steps + 1) * sqrt(q)]),
        Control("a planted duplicate", breaks=off, where=d_e >= 512, asserts=[bound], measure=duplicate),
    ],
)
