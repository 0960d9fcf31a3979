r"""Two-layer ReLU networks compute a sum of squares up to $h^2/4$ each, $h$ the width of a cell.

Setting    Links $g$ of $v=(v_1,\dots,v_q)\in\mathbb{R}^{qd}$; networks $a^\top\sigma(Wv+b)$ with $m$ units,
           $A=\|a\|_2$, $B=\|(W,b)\|_F$; the ball $\|v\|\le Z$.
Statement  For $g=\sqrt c\sum_{k\le K}(\langle w_k,v\rangle^2-1)$ with orthonormal
           $w_k$ (he2: $K=q$, $c=\frac1{2q}$; sq: $K=qd$, $c=\frac1{qd}$) interpolation on $M$ cells of width
           $h=2Z/M$, $M^2\ge K$, has the error $\sqrt cKh^2/4$: for he2 $\sqrt{2q}\,h^2/8$. It takes $m\le KM+1$ units
           and $AB\le\sqrt cK(2Z\sqrt{1+Z^2}+2\operatorname{arsinh}Z+1)$.
Witness    LinkHead: slope jumps $2h$ at the inner ends of the cells.
Measured   Largest error between two kinks by calculus, in rationals; it is attained in the ball. Norms enclosed.
Control    $h^2/8$ for $h^2/4$; half of the cells; knots a quarter cell off; a unit missing.
Reads      The display was not seen; the networks and constants are derived here. With the radius of the paper
           $Z^2$ grows like $\log(nN)$, and so does $AB=r_ar_w$: for squares these are constants up to logarithms only.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import log, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.feedforward.link_heads import LinkHead, link_head

from ..notation import Z, c_2, cells, k_2

error = Quantity("error", r"\sup_{\|v\|\le Z}|g(v)-\hat g(v)|", "of the network", (0, None))
width = Quantity("units", "m", "hidden units", (1, None))
product = Quantity("product of norms", "AB", "output weights times the rest", (0, None))
h = 2 * Z / cells
formula = sqrt(c_2) * k_2 * h**2 / 4


def construct(p, cells=None, line=None) -> LinkHead:
    u = None if p.link == "sq" else [1] + [0] * (p.d - 1)
    return link_head(p.link, u, p.q, p.d, radius=p.Z, cells=cells or p.cells, line=line)


def measure(head, p):
    return {error: lambda: head.sup_error(p.Z), width: head.m, product: head.path_norm}


def derive(head, p):
    return {k_2: head.K, c_2: head.squared_scale}


def knots_off(p):
    step, line = Fraction(2 * p.Z) / p.cells / 4, construct(p).line
    return construct(p, line=replace(line, units=tuple((c, w, b - step * w) for c, w, b in line.units)))


claim = Claim(
    "Assumption 2, squares",
    role="statement", source="published: Assumption 2; prose",
    scope={"every link, d, q, Z, cells": "points", "some network": "exhibited", "every input": "closed form"},
    derive=derive, derived=[k_2, c_2], requires=[k_2 <= cells**2],
    asserts=[error.equals(formula, within=formula / 10**9), width <= k_2 * cells + 1,
             product <= sqrt(c_2) * k_2 * (2 * Z * sqrt(1 + Z**2) + 2 * log(Z + sqrt(1 + Z**2)) + 1)],
    grid=points("link d q Z cells",
                ("he2", 3, 1, 5, 16), ("he2", 3, 1, 5, 64), ("he2", 10, 3, 20, 33), ("he2", 2, 4, "7/2", 256),
                ("sq", 3, 1, 5, 16), ("sq", 10, 3, 20, 64), ("sq", 1, 2, 1, 2)),
    construct=construct, measure=measure, controls=[
        Control("h^2/8 for h^2/4", breaks=error, asserts=[error.equals(formula / 2, within=formula / 10**9)]),
        Control("half of the cells", breaks=error, construct=lambda p: construct(p, cells=(p.cells + 1) // 2)),
        Control("knots a quarter cell off", breaks=error, construct=knots_off),
        Control("a unit missing", breaks=error, construct=lambda p: construct(p, line=replace(
            construct(p).line, units=construct(p).line.units[:-1]))),
    ],
)
