r"""The plateau ends after about $\frac{d_eT}{2d}$ with the scale frozen, after half of that at its best scale.

Setting    As in dynamics; the time at which the loss falls to half of that of predicting 0, $\frac d{2q}$.
Statement  Frozen: between 1 and $1+\frac{3q}T\log\frac Tq$ times $\frac{d_eT}{2d}$; at the best scale the same with
           $\frac{d_eT}{4d}$.  So it grows like $T$ and $d_e$ and falls like $d$.  On the way
           $\alpha^*\le\frac12(1+\sqrt{T/q})$, attained at $p=\sqrt{q/T}$.
Witness    SelectionFlow; half of the loss is reached at $\epsilon^2=\frac n{2T}$ and at $\frac\epsilon p=\sqrt{n/q}$.
Measured   The closed-form times, enclosed; $\alpha^*$ at that attention and a hundredth off it, rational.
Control    Half the metric; the leading terms exchanged; a loss near that of predicting 0; no overshoot.
Reads      Derived here.  The factor 3 is read off these sizes, at $T\ge6q$.  That the scale trained together with the
           attention takes a time between the two is observed in simulations for $d_e\gg d$, and false for
           $d_e\lesssim d$.
"""

from fractions import Fraction

from sympy import Rational, log, sqrt

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.errors import DomainError
from theorytools.papers.stsq.selection.flow import SelectionFlow

from ..notation import T, d, d_e, q

frozen = Quantity("half-loss time, scale frozen", "t_1", "until the loss is half of that of predicting 0", (0, None))
best = Quantity("half-loss time, best scale", "t_*", "until the loss is half of that of predicting 0", (0, None))
top = Quantity("best scale there", r"\alpha^*(\sqrt{q/T})", "at the attention of the statement", (0, None))
beside = Quantity("best scale beside it", r"\alpha^*", "the larger one of those a hundredth off", (0, None))
late = 1 + 3 * q / T * log(T / q)
lead = d_e * T / (2 * d)


def construct(p, more=0, metric=1) -> SelectionFlow:
    return SelectionFlow(p.T + more, p.q, p.d, Fraction(p.d_e) * metric)


def measure(flow, p, share=Fraction(1, 2)):
    half = Enclosure(flow.n * share / flow.T).sqrt()  # L = dT/(qn) eps^2 is the share of d/q
    odds = Enclosure(flow.n * share / (flow.q * (1 - share))).sqrt()  # L = d/q r/(1 + r), r = q eps^2/(n p^2)
    return {frozen: enclosed(lambda: flow.frozen_time(1 - half)),
            best: enclosed(lambda: flow.slaved_time(1 / (1 + odds)))}


claim = Claim(
    "Dynamics, escape from the plateau",
    role="growth", source="derived here: gradient flow of the reduced model", scope={"every T, q, d, d_e": "points"},
    asserts=[frozen >= lead, frozen <= late * lead, best >= lead / 2, best <= late * lead / 2],
    requires=[6 * q <= T, d_e >= T], construct=construct, measure=measure,
    grid=points("T q d d_e", (20, 3, 5, 64), (64, 4, 8, 128), (200, 3, 10, 200), (20, 1, 5, 20), (2000, 1, 5, 2000),
                (10**6, 1, 1, 10**6), (10**6, 100, 5, 10**6)),
    controls=[
        Control("half the metric", breaks=[frozen >= lead, best >= lead / 2],
                construct=lambda p: construct(p, metric=Fraction(1, 2))),
        Control("the leading terms exchanged", breaks=[frozen, best],
                asserts=[frozen <= late * lead / 2, best >= lead]),
        Control("nearly the loss of predicting 0", breaks=[frozen >= lead, best >= lead / 2], where=T >= 2000,
                measure=lambda flow, p: measure(flow, p, Fraction(999, 1000))),
    ],
)


def scales(flow, p, shift=0):
    exact = sqrt(Rational(flow.q, flow.T))
    if not exact.is_Rational:
        raise DomainError(f"the attention sqrt({flow.q}/{flow.T})", required="a rational one, T q a square",
                          why="its best scale is compared exactly")
    root = Fraction(exact) + shift
    return {top: flow.best_alpha(root),
            beside: max(flow.best_alpha(root + step) for step in (Fraction(-1, 100), Fraction(1, 100)))}


overshoot = Claim(
    "Dynamics, overshoot of the scale",
    role="variant", source="derived here: gradient flow of the reduced model",
    scope={"every T, q, d, d_e": "points", "every attention": "points"},
    asserts=[top.equals((1 + sqrt(T / q)) / 2), beside <= (1 + sqrt(T / q)) / 2],
    construct=construct, measure=scales, requires=[q < T, d_e >= T],
    grid=points("T q d d_e", (4, 1, 1, 4), (64, 4, 8, 128), (900, 9, 1, 900), (9, 4, 2, 9)),
    controls=[
        Control("a fiftieth off", breaks=top, measure=lambda flow, p: scales(flow, p, Fraction(1, 50)),
                asserts=[top.equals((1 + sqrt(T / q)) / 2)]),
        Control("no overshoot", breaks=beside, asserts=[beside <= 1]),
    ],
)
