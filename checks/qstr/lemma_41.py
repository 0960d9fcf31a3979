r"""Packing numbers of balls and ellipsoids: bounded by volume, and by a norm of the map that makes the body.

Setting    $P(\eta)$ is the largest number of points at mutual distance at least $\eta$ in the unit ball of $\mathbb{R}^D$,
           or in the ellipsoid $\{Uh:\|h\|\le1\}$; the ball has $U=I$.
Statement  Volume: $\eta^{-D}\le P(\eta)\le(1+2/\eta)^D$ in the ball; the lower bound holds for the size of every set that
           leaves no point of the ball farther than $\eta$.  Sparsification, read with the operator norm:
           $P(\eta)\le(2D+1)^{C\|U\|_{\mathrm{op}}^2/\eta^2}$; read with the Frobenius norm:
           $\log P(\eta)\le6\log(1+\sqrt2)\,\|U\|_F^2/\eta^2$.
Witness    Points on a line; sets grown until no point can be added; the 240 roots of $E_8$ and the centre; Reed-Muller
           codes RM(2, m), for $m=5$ of $2^{16}$ unit vectors in $\mathbb{R}^{32}$, and the centre; a BCH code of $2^{334}$
           words; lattice points in the ellipsoid with semi-axes $1/i$; sets that exist by volume.
Measured   Number of points, least squared distance, largest $\|U^{-1}x\|^2$, squared distance of the ball from the set:
           exact, from integers; distances of codes by enumeration, of the BCH code by its proof.
Control    Constants halved; exponent $D-1$; a point too many, twice, left out; points outside the body;
           $\|U\|_{\mathrm{op}}^2\log(2D+1)$ in place of $\|U\|_F^2$; $\|U\|_F$ not squared.
Reads      The display was not available to us; the form of its second bound is inferred from the proof text that uses
           it.  For the Euclidean ball the operator-norm reading fails, also for distances above $\eta$
           ($\eta=\frac{99}{100}$), and for every constant, as $P(\frac12)\ge2^D$.  The Frobenius-norm bound holds, with the
           constant derived here and without a logarithm.  The difference may be one norm symbol.
"""

import numpy as np
from sympy import Eq, Rational, floor, log

from theorytools import Claim, Control, Quantity, points
from theorytools.algebra.estimate import enclosed
from theorytools.codes import bch, e8_roots, reed_muller
from theorytools.quantities import Packing, lattice_points, line_points, maximal_points, packing_constant, unit_axes

from .notation import C, D, eta, norm_F, norm_op, spacing

size = Quantity("size", "|S|", "number of points", (1, None))
log_size = Quantity("log size", r"\log|S|", "logarithm of the number of points", (0, None))
distance = Quantity("distance", r"\min_{x\ne y}\|x-y\|^2", "least squared distance of two points", (0, None))
gauge = Quantity("gauge", r"\max_x\|U^{-1}x\|^2", "at most 1 for points of the body", (0, None))
reach = Quantity("reach", r"\max_z\min_x\|z-x\|^2", "squared distance of the ball from the set", (0, None))
apart, inside, volume, kappa = distance >= eta**2, gauge <= 1, size <= (1 + 2 / eta)**D, packing_constant()


def construct(p) -> Packing:
    axes = [Rational(1, i**2) for i in range(1, p.D + 1)] if p.family == "harmonic" else unit_axes(p.D)
    return {"line": lambda: Packing.of_points(*line_points(p.eta, p.axes.get("spacing", 1))),
            "maximal": lambda: Packing.of_points(*maximal_points(p.D, p.eta)),
            "e8": lambda: Packing.of_points(np.pad(e8_roots(), ((0, 1), (0, 0))), 8),
            "reed_muller": lambda: Packing.of_code(reed_muller(2, p.D.bit_length() - 1), centre=True),
            "bch": lambda: Packing.of_code(bch(2**334, one_sided=True)), "volume": lambda: Packing.by_volume(axes, p.eta),
            "harmonic": lambda: Packing.of_points(*lattice_points(axes, p.eta), axes2=axes)}[p.family]().in_dimension(p.D)


def measure(s, p, extra=0):
    return {size: s.size + extra, log_size: enclosed(s.log_size), distance: s.separation2, gauge: s.gauge2, reach: s.reach2}


def derive(s, p):
    return {norm_F: s.frobenius_norm, norm_op: s.operator_norm}


def twice(p):
    return construct(p).changed(lambda z: np.vstack([z, z[:1]]))


dense, far = Eq(spacing, 1) & (D <= 3) & (eta <= Rational(2, 5)), (D >= 1000) & (eta <= Rational(1, 2))
spoiled = [Control("a point twice", asserts=[apart], breaks=apart, where=D <= 8, construct=twice),
           Control("points outside the body", asserts=[inside], breaks=inside, construct=lambda p: construct(p).scaled(3))]
claim = Claim(
    "Lemma 41, by volume", asserts=[volume, size >= eta**-D, apart, inside, reach <= eta**2], requires=[eta <= 1],
    grid=points("family D eta spacing", ("line", 1, 1, 1), ("line", 1, "2/5", 1), ("line", 1, "1/64", 1), ("line", 1, "1/3", 2),
                ("line", 1, "1/64", 2), ("maximal", 2, "2/5", 1), ("maximal", 2, "1/5", 1), ("maximal", 3, "2/5", 1),
                ("e8", 8, 1, 1), ("reed_muller", 32, 1, 1)),
    construct=construct, measure=measure, controls=[
        Control("the constant 2 halved", asserts=[size <= (1 + 1 / eta)**D], breaks=size, where=dense),
        Control("the exponent D - 1", asserts=[size <= (1 + 2 / eta)**(D - 1)], breaks=size, where=dense),
        Control("one more in the lower bound", asserts=[size >= (1 + 1 / eta)**D], breaks=size, where=Eq(spacing, 2)),
        Control("a point too many", breaks=volume, measure=lambda s, p: measure(s, p, extra=1),
                where=Eq(D, 1) & Eq(spacing, 1) & Eq(floor(2 / eta), 2 / eta)),
        Control("a point left out", breaks=[f"size >= {eta**-D}", reach], where=Eq(spacing, 2),
                construct=lambda p: construct(p).changed(lambda z: z[1:])), *spoiled],
)
readings = {"derive": derive, "derived": [norm_F, norm_op], "construct": construct, "measure": measure}
operator_reading = Claim(
    "Lemma 41, operator-norm reading", expect="REFUTED", note="The second bound, read with the operator norm.",
    asserts=[size <= (2 * D + 1)**(C * norm_op**2 / eta**2), apart, inside],
    grid=points("family D eta C", ("e8", 8, 1, 1), ("e8", 8, "99/100", 1), ("reed_muller", 8, 1, 1), ("reed_muller", 32, 1, 1),
                ("reed_muller", 64, 1, 3), ("bch", 4096, 1, 25), ("volume", 1000, "1/2", 20)),
    controls=[Control("the Frobenius norm", asserts=[log_size <= kappa * norm_F**2 / eta**2, apart, inside]),
              Control("the bound by volume", asserts=[volume, apart, inside]), *spoiled], **readings,
)
frobenius_reading = Claim(
    "Lemma 41, Frobenius-norm reading", force="corroborates", note="The second bound, read with the Frobenius norm.",
    asserts=[log_size <= kappa * norm_F**2 / eta**2, apart, inside],
    grid=points("family D eta", ("line", 1, 2), ("line", 1, "1/8"), ("harmonic", 16, "1/6"), ("e8", 8, 1), ("reed_muller", 32, 1),
                ("reed_muller", 64, 1), ("bch", 4096, 1), ("volume", 1000, "1/2")),
    controls=[
        Control("half the constant", asserts=[log_size <= kappa / 2 * norm_F**2 / eta**2], breaks=log_size, where=Eq(D, 1) & Eq(eta, 2)),
        Control("operator norm and a logarithm", asserts=[log_size <= kappa * norm_op**2 / eta**2 * log(2 * D + 1)], breaks=log_size,
                where=D >= 1000),
        Control("Frobenius norm not squared", asserts=[log_size <= kappa * norm_F / eta], breaks=log_size, where=far), *spoiled],
    **readings,
)
