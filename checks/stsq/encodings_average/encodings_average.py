r"""Gaussian encodings separate a random set with a probability that is one integral; a closed form bounds it.

Setting    $e_i\sim N(0,I/d_e)$, the dual query of a set of $q$ of $T$ positions, $d_e\ge q$, $\nu=d_e-q+1$, $n=T-q$,
           $\kappa$ the largest $\langle e_y,e_i\rangle$ off $y$.
Statement  $\Pr(\kappa<c)=\mathbb{E}\,\Phi(c\sqrt{\chi^2_\nu/q})^n$; for $c\ge0$
           $\Pr(\kappa\ge c)\le\frac n2(1+\frac{c^2}q)^{-\nu/2}$, so for $c>0$ this is at most $\delta$ from
           $d_e=q-1+2\log\frac n{2\delta}/\log(1+\frac{c^2}q)$ on.  For $n=1$ it is the law of Student's $t_\nu$.
Proof      Of $q$ Gaussian encodings with Gram matrix $G$, $\|e_y\|^2=\mathbf1^\top G^{-1}\mathbf1$, and $q
           d_e/\|e_y\|^2$ is $\chi^2_\nu$ (Wishart). Given them the scores off $y$ are independent,
           $N(0,\|e_y\|^2/d_e)$: the integral. Union bound, $\Pr(g\ge x)\le\frac12e^{-x^2/2}$ for $x\ge0$, and
           $\mathbb{E}e^{-s\chi^2_\nu}=(1+2s)^{-\nu/2}$ at $s=\frac{c^2}{2q}$; at most $\delta$ is solved for $\nu$.
Witness    The law of $\kappa$ for these sizes.
Measured   The integral over $x=\sqrt{\chi^2}$, whose density has no singularity, with proved error.  For $n=1$
           the finite sum for $t_\nu$, a second route.  Equality in the bound at $c=0$, $n=1$.
Control    $\chi^2$ replaced by its mean; a dimension more; the bound with $d_e$ for $\nu$; half of the factor;
           $\frac{2c^2}q$ for $\frac{c^2}q$; half of the sufficient length; a quarter of the margin.
Reads      Derived here. $\kappa<1$ is enough for selection, not needed: with signs, $d_e=q=T-1$ odd, selected encodings
           that agree with the other one, $u$, in the $\frac{q+1}2$ places of a cyclic interval are a basis, $e_y=u$ and
           $\kappa=q$; under $-e_y$ each selected token leads by $q-1$. The tolerance $10^{-12}$ is the number of digits
           to which enclosures are compared.
"""

from fractions import Fraction

from sympy import Eq, Max, Rational, ceiling, sqrt

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.papers.stsq.selection.cross_talk import CrossTalk, cross_talk_bound, sufficient_length

from .._student import student
from ..notation import T, c, d_e, delta, q, t_cdf

below = Quantity("separation", r"\Pr(\kappa<c)", "probability that a random set is separated", (0, 1))
miss = Quantity("failure", r"\Pr(\kappa\ge c)", "probability that it is not", (0, 1))
bound = miss <= cross_talk_bound(T, q, d_e, c)


def construct(p, more=0) -> CrossTalk:
    return CrossTalk(p.T, p.q, p.d_e + more)


def measure(law, p):
    return {below: enclosed(lambda: law.below(p.c)), miss: enclosed(lambda: 1 - law.below(p.c))}


def at_mean(law, p):  # the plug-in value
    nu = law.d_e - law.q + 1
    value = enclosed(lambda: ((1 + (nu * p.c**2 / Enclosure(2 * p.q)).sqrt().apply("erf")) / 2) ** (p.T - p.q))
    return {below: value}


claim = Claim(
    "Encodings, average case",
    role="statement", source="derived here: encodings, average case",
    scope={"every c": "proof", "every T, q and dimension d_e": "proof", "every draw of encodings": "closed form"},
    asserts=bound, requires=[q < T, d_e >= q], construct=construct, measure=measure,
    grid=points("T q d_e c", (2, 1, 1, 0), (4, 3, 3, 1), (64, 4, 16, 1), (64, 4, 64, 1), (24, 2, 60, "1/2"),
                (200, 3, 48, 1), (10**6, 4, 120, 1)),
    controls=[
        Control("d_e degrees of freedom", breaks=miss, where=Eq(T, q + 1) & (c > 0),
                asserts=[miss <= cross_talk_bound(T, q, d_e + q - 1, c)]),
        Control("a quarter of the margin", breaks=miss, where=Eq(T, q + 1) & (c > 0),
                measure=lambda law, p: {miss: enclosed(lambda: 1 - law.below(Fraction(p.c) / 4))}),
        Control("a quarter of n", breaks=miss, where=Eq(T, q + 1), asserts=[miss <= bound.rhs / 2]),
        Control("2 c^2/q for c^2/q", breaks=miss, where=d_e >= 48,
                asserts=[miss <= cross_talk_bound(T, q, d_e, sqrt(2) * c)]),
    ],
)
length = sufficient_length(T, q, delta, c)
enough = Claim(
    "Encodings, a sufficient length",
    role="statement", source="derived here: encodings, average case",
    scope={"every T, q, delta, c": "proof", "every draw of encodings": "closed form"},
    asserts=miss <= delta, requires=[q < T, c > 0], lets={d_e: Max(q, ceiling(length))},
    construct=construct, measure=measure, note="The closed form solved for the length.",
    grid=points("T q delta c", (64, 4, "1/10", 1), (24, 3, "1/100", "1/2"), (2, 1, "19/40", "1/20"),
                (10**6, 4, "1/100", 1)),
    controls=[Control("half of the length", breaks=miss, where=T >= 24,
                      construct=lambda p: construct(p, -(p.d_e // 2)))],
)
single = Claim(
    "Encodings, one token off the set",
    role="variant", source="derived here: encodings, average case",
    scope={"every T, q, c": "points", "every dimension d_e": "points", "every draw of encodings": "closed form"},
    asserts=below.equals(t_cdf, within=Rational(1, 10**12)), derived=[t_cdf],
    requires=[Eq(T, q + 1), d_e >= q], construct=construct, measure=measure,
    grid=points("T q d_e c", (2, 1, 1, 1), (4, 3, 4, 1), (3, 2, 9, "1/2"), (5, 4, 24, 1), (9, 8, 40, 2),
                (2, 1, 80, "1/4")),
    derive=lambda law, p: {t_cdf: lambda: student(p.d_e - p.q + 1, Fraction(p.c) ** 2 / p.q)},
    controls=[
        Control("the chi-square number replaced by its mean", breaks=below, measure=at_mean),
        Control("a dimension more", breaks=below, construct=lambda p: construct(p, 1)),
    ],
)
