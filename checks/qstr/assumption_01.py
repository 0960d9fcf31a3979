r"""Moments of Gaussian tokens are at most $\sqrt{C_xdr}$, $C_x\le1$, those of labels of the order of $r^{s/2}$.

Setting    $x\sim N(0,I_d)$; a label $y$ of one of the links, with different indices or all $q$ equal ($\mu_t=q$).
Statement  $\sup_{r\ge1}E[\|x\|^r]^{2/r}/(dr)=C_x(d)=2\Gamma(\frac{d+1}2)^2/(d\,\Gamma(\frac d2)^2)\le1$, attained at
           $r=1$ only. With a $C_y$ of the link alone, whatever $d$ and $q$ are, $E[|y|^r]^{2/r}/r^s\le C_y\mu_t$:
           $(s,C_y)=(1,1)$ for lin, $(2,2)$ for sq, $(2,1)$ for he2. At the points judged, and for $r\le400$, the
           supremum of the latter is $(E|y|)^2$.
Proof      With $a=\frac d2$, $t=\frac r2$ the logarithm of $E[\|x\|^r]^{2/r}/r$ has the slope
           $\frac1t(\frac1t\int_0^tv\psi'(a+v)dv-1)<0$ in $t$, for $\psi'(z)<1/(z-\frac12)$ (Hermite-Hadamard on
           $\sum_n(z+n)^{-2}$) and $a\ge\frac12$: the supremum is at $r=1$, where $(E\|x\|)^2\le d$. A label of degree
           $k$ in Gaussians has $E[|y|^r]^{2/r}\le (r-1)^kE[y^2]$ for $r\ge2$ and at most $E[y^2]$ below, and
           $E[y^2]=\mu_t$ for lin and he2, $2\mu_t$ for sq.
Witness    The chi and chi-square laws.
Measured   The supremum over all real $r\in[1,400]$: moments of integer orders by recurrences, and between them
           their logarithm below its chord, as it is convex. At $r=1$ central binomial coefficients.
Control    $C_x=\frac12$; tokens with exponential tails; $s$ one less; the factor $\mu_t$ dropped.
Reads      Printed as here, for some $C_x$, $C_y$ and $s$, before any order: here they are named, $C_y$ and $s$ by the
           link alone, and derived here.
"""

from fractions import Fraction

from sympy import Eq, Rational, gamma

from theorytools import Claim, Control, Quantity, grid, points
from theorytools.theory.moment_growth import KnownMoments

from .notation import C_y, d, first, mult, q

ORDERS = 400
tokens = Quantity("token moments", r"\sup_rE[\|x\|^r]^{2/r}/(dr)", "over real orders in [1, 400]", (0, None))
label = Quantity("label moments", r"\sup_rE[|y|^r]^{2/r}/r^s", "over real orders in [1, 400]", (0, None))
C_x = 2 * gamma((d + 1) / 2) ** 2 / (d * gamma(d / 2) ** 2)
TABLE = {"lin": (1, 1), "sq": (2, 2), "he2": (2, 1)}  # s, C_y


def construct(p) -> KnownMoments:
    return KnownMoments.gaussian_norm(p.d, ORDERS)


def measure(law, p):
    return {tokens: law.largest_ratio(over=p.d)}


def exponential(p):
    return KnownMoments.exponential(ORDERS, Fraction(p.d, 2))


def of_link(p) -> KnownMoments:
    alike = p.q // p.mult  # different indices
    if p.link == "lin":
        return KnownMoments.gaussian_norm(1, ORDERS, Fraction(p.mult))
    squares, scale = (alike * p.d, Fraction(1, p.q * p.d)) if p.link == "sq" else (alike, Fraction(1, 2 * p.q))
    return KnownMoments.centred_chi_square(squares, ORDERS, scale * p.mult**2)


def growth(law, p, less=0):
    return {label: law.largest_ratio(TABLE[p.link][0] - less)}


def derive(law, p):
    return {C_y: TABLE[p.link][1], first: lambda: law.moments()[1] ** 2 * law.squared_scale}


claim = Claim(
    "Assumption 1, tokens",
    role="statement", source="published: Assumption 1; prose",
    scope={"every dimension d": "proof", "every order of moment": "proof"},
    asserts=[tokens.equals(C_x, within=C_x / 10**9), tokens <= 1],
    grid=grid(d=[1, 3, 10, 1000]), construct=construct, measure=measure, controls=[
        Control("one half", breaks=tokens, asserts=[tokens <= Rational(1, 2)]),
        Control("exponential tails", breaks=tokens, construct=exponential),
    ],
)
labels = Claim(
    "Assumption 1, labels",
    role="statement", source="published: Assumption 1; prose",
    scope={"every link": "points", "every d, q, mult": "points", "every order of moment": "closed form"},
    asserts=[label <= C_y * mult, label.equals(first, within=first / 10**9)],
    requires=[Eq(mult, 1) | Eq(mult, q)], derive=derive, derived=[C_y, first],
    grid=points("link d q mult", ("lin", 10, 3, 1), ("lin", 10, 3, 3), ("sq", 1, 1, 1), ("sq", 10, 3, 1),
                ("sq", 10, 3, 3), ("sq", 20, 2, 1), ("he2", 10, 1, 1), ("he2", 10, 3, 1), ("he2", 10, 3, 3),
                ("lin", 100, 3, 3), ("sq", 100, 3, 3)),
    construct=of_link, measure=growth, controls=[
        Control("s one less", breaks=label, measure=lambda law, p: growth(law, p, less=1)),
        Control("indices always differ", breaks=label, where=mult >= 3, asserts=[label <= C_y]),
    ],
)
