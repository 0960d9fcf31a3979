r"""The loss falls like $d_e/(4t)$, whatever the length, the subset size and the token dimension.

Setting    As in dynamics; the scale is trained from 0 together with the attention, or frozen at 1.  Times and losses
           when the attention leaves $\varepsilon$, $\varepsilon/2$, $\varepsilon/4$ outside: over a decade of time.
Statement  $4tL/d_e\to1$; the slope of $\log L$ against $\log t$ tends to $-1$; each halving of $\varepsilon$ takes four
           times as long as the one before.  $e^{2\beta}/t\to\frac{4dn}{q^2d_e}$, frozen $\frac{4dnT}{q^3d_e}$: so
           $\beta=\frac12\log t+O(1)$.
Witness    FlowBracket: the trained flow is caught between two curves of the $(\alpha,p)$ plane which the field provably
           cannot cross, so its time and its loss lie between quadratures.  Frozen: the closed form.
Measured   Both ends enclosed; no step of an ODE solver is trusted.
Control    Half the metric; the loss with a factor $\frac12$; exponential convergence (each halving as long as the one
           before); the rates $t^{-2}$ and $t^{-1/2}$.
Reads      Derived here, under our conventions.  The closed form of the frozen scale gives $4tL/d_e=1+4\varepsilon$ up
           to $2\varepsilon^2(\frac Tq+3\log\frac n{q\varepsilon})$, asked to be at most $\varepsilon$; that of the best
           scale has no first order; hence $5\varepsilon$, and $8\varepsilon$ for $e^{2\beta}$, by
           $e^\beta=n(1-\varepsilon)/(q\varepsilon)$.  $\frac1{20}$ for the slope is the theory's.  The curves are
           proved for $d_e$ of at least about $2d$; below, nothing is claimed of the trained scale.
"""

from fractions import Fraction
from functools import cache

from sympy import Rational, log

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import enclosed_between
from theorytools.numbers import Enclosure, at_precision
from theorytools.papers.stsq.selection.flow import SelectionFlow

from ..notation import T, eps, part_e, q
from ._flow_bracket import FlowBracket

prefactor = Quantity("prefactor", r"4tL/d_e", "time times loss over the limit", (0, None))
slope = Quantity("slope", r"\Delta\log L/\Delta\log t", "log-log slope over the decade", (None, 0))
heat = Quantity("temperature", r"e^{2\beta}t_0/t", "squared weight of a selected token over its limit", (0, None))
growth = Quantity("growth of times", r"\Delta t_2/\Delta t_1", "second halving over the first", (0, None))
late = 2 * eps * (T / q + 3 * log((T - q) / (q * eps)))  # the plateau and the escape are over
tail = [prefactor.equals(1, within=5 * eps), slope.equals(-1, within=Rational(1, 20)),
        growth.equals(4, within=20 * eps), heat.equals(1, within=8 * eps)]


def construct(p, metric=1) -> SelectionFlow:
    return SelectionFlow(p.T, p.q, p.d, Fraction(p.d_e) * metric)


@cache
def curve(flow, scale, eps):
    """Bounds of time and of loss at the three leaks."""
    masses = [1 - Fraction(eps) / k for k in (1, 2, 4)]
    if scale == "frozen":
        return [(at_precision(96, lambda m=m: [flow.frozen_time(m)] * 2), [flow.loss(1, m)] * 2) for m in masses]
    bracket = FlowBracket(flow)
    return list(zip(at_precision(40, lambda: bracket.times(masses)), map(bracket.loss, masses), strict=True))


def measure(flow, p):
    (t, L), (t_2, _), (t_4, L_4) = curve(flow, p.scale, p.eps)

    def steepness(fallen, passed):  # the quotients L_4/L and t_4/t
        return lambda: Enclosure(fallen).log() / passed.log()
    u, n = (1 / Fraction(p.eps) - 1) * (p.T - p.q) / p.q, p.T - p.q
    share = Fraction(u) ** 2 * p.q**2 * p.d_e / (4 * p.d * n) * (Fraction(p.q, p.T) if p.scale == "frozen" else 1)
    return {heat: enclosed_between(lambda: share / t[1], lambda: share / t[0]),
            prefactor: enclosed_between(lambda: 4 * t[0] * L[0] / p.d_e, lambda: 4 * t[1] * L[1] / p.d_e),
            slope: enclosed_between(steepness(L_4[0] / L[1], t_4[0] / t[1]), steepness(L_4[1] / L[0], t_4[1] / t[0])),
            growth: enclosed_between(lambda: (t_4[0] - t_2[1]) / (t_2[1] - t[0]),
                                     lambda: (t_4[1] - t_2[0]) / (t_2[0] - t[1]))}


claim = Claim(
    "Dynamics, universal tail",
    role="growth", source="derived here: gradient flow of the reduced model",
    scope={"every T, q, d, d_e": "points", "every late time scale, part_e": "points"},
    asserts=tail, requires=[q < T, late <= 1], lets={eps: 1 / part_e},
    construct=construct, measure=measure,
    grid=points("scale T q d d_e part_e", ("frozen", 20, 3, 5, 64, 256), ("frozen", 200, 3, 10, 200, 2048),
                ("trained", 20, 3, 5, 64, 64), ("trained", 200, 3, 10, 200, 256),
                ("trained", 24, 1, 4, 48, 256), ("frozen", 20, 3, 5, 64, 4096)),
    controls=[
        Control("half the metric", breaks=[prefactor, heat], construct=lambda p: construct(p, Fraction(1, 2))),
        Control("the loss with a factor 1/2", breaks=[prefactor, heat], construct=lambda p: construct(p, 2)),
        Control("exponential convergence", breaks=growth, asserts=[growth.equals(1, within=20 * eps)]),
        Control("the rate 1/t^2", breaks=[slope, growth],
                asserts=[slope.equals(-2, within=Rational(1, 20)), growth.equals(2, within=20 * eps)]),
        Control("the rate 1/sqrt(t)", breaks=[slope, growth],
                asserts=[slope.equals(Rational(-1, 2), within=Rational(1, 20)), growth.equals(16, within=20 * eps)]),
    ],
)
