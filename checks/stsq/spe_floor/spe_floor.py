r"""Gaussian encodings of finite length leave the dual query a positive loss, whatever the scale and the temperature.

Setting    SPE with unconditioned Gaussian encodings, dual query, $d_e\ge q$, $n=T-q$; losses relative to that of
           predicting 0, $qL/d$; $\kappa$ the cross-talk, $P=\Pr(\kappa\ge1)>0$.
Statement  $\frac P{q+1}\le\inf_{\alpha,\beta\ge0}\frac{qL}d\le\lim_{\beta\to\infty}\frac{qL}d\big|_{\alpha=1}=(q+1)P
           \le\frac{(q+1)n}2(1+\frac1q)^{-(d_e-q+1)/2}$, and $P\ge1-F$, one token's part, $F=\Pr(t_\nu\le\sqrt{\nu/q})$
           by Student's law, $\nu=d_e-q+1$.  Of this half is asserted.  At three sizes, up to half the median length
           $d_{50}(1)$, $q\le8$, the least loss is above a tenth (claim short).
Proof      If $\kappa\ge1$ some unselected $a_j$ is at least the common selected weight $a$, and
           $q[q(\alpha a-\frac1q)^2+\alpha^2a_j^2]\ge q\min_x[q(x-\frac1q)^2+x^2]=\frac1{q+1}$.  As $\beta\to\infty$
           attention goes to the selected tokens alike if $\kappa<1$, to one unselected token if $\kappa>1$, which costs
           $q(1+\frac1q)$.  The tail is encodings_average at $c=1$, and one token's part its law for $n=1$.
Witness    SelectionFloor: $P$ by quadrature with proved error.
Measured   The limit, and the least loss between its two bounds.
Control    The exponent not halved; the least loss zero; the factor $n$ lost; encodings eight times as long;
           conditioned encodings.
Reads      Derived here.  The lower bound is ours and far from sharp: at $(64,4,32)$ it gives 0.052, the least over
           $\beta$ at $\alpha=1$ is about 0.29.
"""

from fractions import Fraction

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import Budget
from theorytools.papers.stsq.selection.cross_talk import median_length
from theorytools.papers.stsq.selection.finite_encodings import SelectionFloor

from .._student import student
from ..notation import T, d_e, d_half, q, t_cdf

least = Quantity("least loss", r"\inf_{\alpha,\beta}\tfrac{qL}d", "over all scales and temperatures", (0, 1))
limit = Quantity("limit loss", r"\tfrac{qL_\infty}d", "at scale 1 and infinite inverse temperature", (0, q + 1))

positive = least >= (1 - t_cdf) / (2 * (q + 1))


def tail(n, power=1):
    return (q + 1) * n / 2 * (1 + 1 / q) ** (-(d_e - q + 1) * Rational(power, 2))


def construct(p, length=1) -> SelectionFloor:
    return SelectionFloor(p.T, p.q, length * p.d_e)


def measure(floor, p):
    return {least: floor.least(), limit: floor.limit}


claim = Claim(
    "Finite encodings",
    role="statement", source="derived here: finite encodings",
    scope={"every T, q and dimension d_e": "proof", "every scale and temperature": "proof"},
    asserts=[limit <= tail(T - q), least <= tail(T - q), positive],
    requires=[q < T, d_e >= q], budget=Budget(bits=128), construct=construct, measure=measure, derived=[t_cdf],
    derive=lambda floor, p: {t_cdf: lambda: student(p.d_e - p.q + 1, Fraction(1, p.q))},
    grid=points("T q d_e", (2, 1, 1), (64, 4, 32), (64, 4, 64), (64, 4, 120), (200, 3, 48), (512, 4, 96)),
    controls=[
        Control("the exponent not halved", breaks=limit, where=d_e >= 32,
                asserts=[limit <= tail(T - q, 2)]),
        Control("the factor n lost", breaks=limit, where=T >= 60, asserts=[limit <= tail(1)]),
        Control("no floor at all", breaks=[limit, least], asserts=[limit.equals(0), least.equals(0)]),
        Control("conditioned encodings", breaks=least, asserts=[positive],
                construct=lambda p: SelectionFloor(p.T, p.q, p.d_e, True)),
    ],
)

short = Claim(
    "Finite encodings, up to half the median length",
    role="variant", source="derived here: finite encodings",
    scope={"every T, q, d_e": "points", "every scale and temperature": "proof"},
    asserts=least >= Rational(1, 10),
    requires=[q < T, q <= 8, 2 * d_e <= d_half], budget=Budget(bits=128),
    derive=lambda floor, p: {d_half: median_length(p.T, p.q)}, derived=[d_half], construct=construct, measure=measure,
    grid=points("T q d_e", (16, 2, 4), (64, 4, 12), (2048, 8, 50)),
    controls=[Control("eight times as long", breaks=least, construct=lambda p: construct(p, 8))],
)
