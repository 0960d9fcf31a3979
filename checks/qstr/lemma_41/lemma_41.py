r"""Packing numbers of balls and ellipsoids: bounded by volume, and by the Frobenius norm of the map to the body.

Finding    The printed Lemma 41 bounds packings of the unit ball of $\mathbb R^d$ by volume and by Maurey's argument,
           and the printed proof of Proposition 8 takes the second for a Euclidean ball. There it is false for every
           constant; it is right for the $\ell_1$ ball, and for $\{Uh:\|h\|\le1\}$ with the Frobenius norm of $U$.
Setting    $P(\eta)$ is the largest number of points at mutual distance at least $\eta$ in the unit ball of
           $\mathbb{R}^D$, or in the ellipsoid $\{Uh:\|h\|\le1\}$; the ball has $U=I$.
Statement  Volume: in the ball $\eta^{-D}\le P(\eta)\le(1+2/\eta)^D$ for every $\eta>0$, the first for every set that
           leaves no point of the ball farther than $\eta$. Maurey's bound, for the Euclidean ball:
           $P(\eta)\le(2D+1)^{C\|U\|_{\mathrm{op}}^2/\eta^2}$. With the Frobenius norm, for every $U$: $\log
           P(\eta)\le6\log(1+\sqrt2)\,\|U\|_F^2/\eta^2$.
Proof      (1) Volume: open balls of radius $\frac\eta2$ around the points are disjoint and lie in a ball of radius
           $1+\frac\eta2$; balls of radius $\eta$ around them cover the unit ball if no point of it is farther.
           (2) Maurey's bound fails for every $C$: $P(\frac12)\ge2^D$ by volume, and $2^D>(2D+1)^{4C}$ for large $D$.
           (3) Frobenius: let $a_i$ be the semi-axes and $\theta=6^{-1/2}$. If those up to $\theta\eta$ are dropped a
           difference of two points loses at most $2\theta\eta$, so $s^2=\eta^2-(2\theta\eta)^2=\frac13\eta^2$ is left
           of its square. The rest $E$ of the body contains $\theta\eta$ times the unit ball, so the disjoint balls of
           radius $\frac s2$ lie in $(1+\frac s{2\theta\eta})E$: there are at most
           $\prod_{a_i>\theta\eta}\frac{a_i}\eta f$ points, $f=2\sqrt3+\sqrt6$. As $f\theta=1+\sqrt2\ge\sqrt e$,
           $\log(ft)/t^2$ falls for $t\ge\theta$, and each factor has a logarithm of at most
           $6\log(1+\sqrt2)\,(a_i/\eta)^2$.
Witness    Points on a line; sets grown until no point can be added; the 240 roots of $E_8$ and RM(2, m) (at $m=5$:
           $2^{16}$ unit vectors in $\mathbb{R}^{32}$), each with the centre; $2^{334}$ words of a BCH code; a lattice
           in the ellipsoid with semi-axes $1/i$; sets that exist by volume.
Measured   Size, least squared distance, largest $\|U^{-1}x\|^2$, squared distance of the ball from the set, in
           integers. Distances of codes by enumeration, of the BCH code by its proof.
Control    Constants halved; exponent $D-1$; a point too many, twice, left out; the points times $\frac13$, 3;
           $\|U\|_{\mathrm{op}}^2\log(2D+1)$ in place of $\|U\|_F^2$; $\|U\|_F$ not squared.
Reads      The display was not seen: the lemma's prose says the unit ball, by volume and by Maurey, and the exponent is
           that of Maurey's argument. The bound fails for distances above $\eta$ too (the row $\eta=\frac{99}{100}$).
           The repair for $\{Uh\}$ is derived here, with no logarithm; that for the $\ell_1$ ball is lemma_41_l1_ball.
"""

import numpy as np
from sympy import Eq, Rational, floor, log

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import enclosed
from theorytools.errors import DomainError
from theorytools.papers.qstr.memory.ellipsoid_packing import packing_constant
from theorytools.papers.qstr.memory.packing import Packing
from theorytools.papers.qstr.memory.packing_sets import named_packing

from ..notation import C, D, eta, norm_F, norm_op, spacing

size = Quantity("size", "|S|", "number of points", (1, None))
log_size = Quantity("log size", r"\log|S|", "logarithm of the number of points", (0, None))
distance = Quantity("distance", r"\min_{x\ne y}\|x-y\|^2", "least squared distance of two points", (0, None))
gauge = Quantity("gauge", r"\max_x\|U^{-1}x\|^2", "at most 1 for points of the body", (0, None))
reach = Quantity("reach", r"\max_z\min_x\|z-x\|^2", "squared distance of the ball from the set", (0, None))
apart, inside, many, few = distance >= eta**2, gauge <= 1, size >= eta**-D, size <= (1 + 2 / eta) ** D
operator, frobenius = (packing_constant() * norm**2 / eta**2 for norm in (norm_op, norm_F))


def construct(p) -> Packing:
    return separated(named_packing(p.family, p.D, p.eta, spacing=p.axes.get("spacing", 1)), p.eta)


def separated(s, least) -> Packing:
    """Return the set if its points are as far apart; else it is no packing at this distance, and says nothing."""
    if s.separation2 < least**2:
        given = f"points at the squared distance {s.separation2}"
        raise DomainError(given, required=f"eta^2 <= {s.separation2}", why="packings at the distance eta are bounded")
    return s


def measure(s, p, extra=0):
    return {size: s.size + extra, log_size: enclosed(s.log_size), distance: s.separation2, gauge: s.gauge2,
            reach: s.reach2}


def changed(change):
    return {"construct": lambda p: change(construct(p))}


dense, sparse = Eq(spacing, 1) & (D <= 3) & (eta <= Rational(2, 5)), Eq(spacing, 2) & Eq(D, 1)
moved = [Control(f"points times {f}", asserts=[a], breaks=a, **changed(lambda s, f=f: s.scaled(f)))
         for a, f in ((apart, Rational(1, 3)), (inside, Rational(3)))]
shared = {"construct": construct, "measure": measure, "derived": [norm_F, norm_op],
          "derive": lambda s, p: {norm_F: s.frobenius_norm, norm_op: s.operator_norm}}
claim = Claim(
    "Lemma 41, by volume",
    role="statement", source="published: Lemma 41; prose",
    scope={"every family, D, spacing, eta": "proof", "every packing": "proof"},
    asserts=[few, many, apart, inside, reach <= eta**2],
    grid=points("family D spacing eta", ("line", 1, 1, 1), ("line", 1, 1, "2/5"), ("line", 1, 1, "1/64"),
                ("line", 1, 2, "1/3"), ("line", 1, 2, "1/64"), ("maximal", 2, 1, "2/5"),
                ("maximal", 2, 1, "1/5"), ("maximal", 3, 1, "2/5"), ("e8", 8, 1, 1),
                ("reed_muller", 32, 1, 1)),
    construct=construct, measure=measure, controls=[
        Control("2 halved", asserts=[size <= (1 + 1 / eta) ** D], breaks=size, where=dense),
        Control("exponent D - 1", asserts=[size <= (1 + 2 / eta) ** (D - 1)], breaks=size, where=dense),
        Control("a point too many", breaks=few, measure=lambda s, p: measure(s, p, extra=1),
                where=Eq(D, 1) & Eq(spacing, 1) & Eq(floor(2 / eta), 2 / eta)),
        Control("a point left out", breaks=[many, reach], where=sparse,
                **changed(lambda s: s.changed(lambda z: z[1:]))),
        Control("a point twice", asserts=[apart], breaks=apart, where=D <= 3,
                **changed(lambda s: s.changed(lambda z: np.vstack([z, z[:1]])))), *moved],
)
operator_reading = Claim(
    "Lemma 41, Maurey's bound for the Euclidean ball",
    role="pitfall", source="published: Lemma 41, second bound, for the ball of the printed proof; prose",
    scope={"some C": "proof", "every family, D, eta": "points", "every packing": "points"},
    expect="REFUTED", note="The printed lemma and the printed proof of Proposition 8 say it of a ball of R^d.",
    asserts=[size <= (2 * D + 1) ** (C * norm_op**2 / eta**2), apart, inside],
    grid=points("family D eta C", ("e8", 8, 1, 1), ("e8", 8, "99/100", 1), ("reed_muller", 16, 1, 1),
                ("reed_muller", 32, 1, 1), ("reed_muller", 64, 1, 3), ("bch", 4096, 1, 25),
                ("volume", 1000, "1/2", 20)),
    controls=[Control("the Frobenius norm", asserts=[log_size <= frobenius, apart, inside]),
              Control("by volume", asserts=[log_size <= D * log(1 + 2 / eta), apart, inside]), *moved],
    **shared,
)
frobenius_reading = Claim(
    "Lemma 41, with the Frobenius norm",
    role="statement", source="derived here: Lemma 41",
    scope={"every family, D, eta": "proof", "every packing": "proof"},
    note="The second bound, repaired: for every ellipsoid.",
    asserts=[log_size <= frobenius, apart, inside],
    grid=points("family D eta", ("line", 1, 2), ("line", 1, "1/8"), ("harmonic", 16, "1/6"), ("e8", 8, 1),
                ("reed_muller", 32, 1), ("reed_muller", 64, 1), ("bch", 4096, 1), ("volume", 1000, "1/2")),
    controls=[
        Control("constant halved", asserts=[log_size <= frobenius / 2], breaks=log_size,
                where=Eq(D, 1) & Eq(eta, 2)),
        Control("the operator norm and a logarithm", asserts=[log_size <= operator * log(2 * D + 1)],
                breaks=log_size, where=D >= 1000),
        Control("the norm not squared", asserts=[log_size <= frobenius * eta / norm_F], breaks=log_size,
                where=(D >= 1000) & (eta <= Rational(1, 2))), *moved], **shared,
)
