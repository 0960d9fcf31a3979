r"""The temperature that Lemma 11 needs grows as $\log N$, at a rate set by the coherence.

Setting    As in lemma_11_temperature; $\hat\beta(N)$ is the least temperature of $N$ codes with one common product
           $\rho\ge0$.
Statement  $\hat\beta(N^2)-\hat\beta(N)=\frac{\log(N+1)}{1-\rho}$, hence $\hat\beta\sim\frac1{1-\rho}\log N$.  The
           necessary temperature grows as $\log N$, the one for a squared error $\epsilon$ as
           $\frac1{2(1-\rho)}\log N$; only $\log N$ is halved: at $\epsilon=\delta^2$ both grow as
           $\frac1{1-\rho}\log\frac1\delta$.
Witness    Equiangular codes, which need the temperature that suffices for all.
Measured   Least temperatures at $N$ and $N^2$, in steps of $10^{-9}$; exponents of $e^\beta$ as $N\to\infty$, by sympy.
Control    The rate without $1-\rho$; the squared error not halved, or halved in $1/\delta$ too; twice the leakage at
           the shorter length.
Reads      Derived here.
"""

from fractions import Fraction
from functools import cache

from sympy import Rational, Symbol, exp, log

from theorytools import Bound, Claim, Control, Quantity, points
from theorytools.codes.equiangular import EquiangularCode
from theorytools.constructions.attention.least_temperature import LeastTemperature, minimal_temperature
from theorytools.numbers import Enclosure

from ..notation import N, delta, rho, risk_0
from .temperature import sufficient

growth = Quantity("growth", r"\frac{\hat\beta(N^2)-\hat\beta(N)}{\log N}", "least temperature per log N")
upper = Quantity("rate, sufficient", r"\lim\beta/\log N", "temperature that suffices for a leakage", (0, None))
lower = Quantity("rate, necessary", r"\lim\beta/\log N", "temperature that is necessary for it", (0, None))
half = Quantity("rate, squared error", r"\lim\beta/\log N", "temperature for a risk, readout rescaled", (0, None))
sharp = Quantity("rate in 1/delta", r"\lim\beta/\log\tfrac1\delta", "temperature for leakage delta", (0, None))
same = Quantity("rate in 1/delta, squared error", r"\lim\beta/\log\tfrac1\delta", "for risk delta squared", (0, None))
squared = log((N - 1) * (1 / risk_0 - 1)) / (2 * (1 - rho))
step, x = Fraction(1, 10**9), Symbol("x", positive=True)  # x = 1/delta


def construct(p, times=1) -> LeastTemperature:
    return minimal_temperature(EquiangularCode(p.N, p.rho), times * p.delta, step=step)


@cache
def rate(temperature, letter=N):
    return Bound(Bound(exp(temperature)).exponent(letter))


def measure(best, p):
    later = minimal_temperature(EquiangularCode(p.N**2, p.rho), p.delta, step=step)
    rates = {upper: rate(sufficient(rho)), lower: rate((1 - 1 / N) * sufficient(0)), half: rate(squared),
             sharp: rate(sufficient(rho).subs(delta, 1 / x), x), same: rate(squared.subs(risk_0, 1 / x**2), x)}
    return {growth: lambda: Enclosure(later.beta - best.beta) / Enclosure(p.N).log(),
            **{quantity: limit.enclosure(rho=p.rho) for quantity, limit in rates.items()}}


claim = Claim(
    "Lemma 11, temperature against length",
    role="growth", source="derived here: Lemma 11",
    scope={"every delta": "points", "every coherence rho": "points", "every large N": "closed form"},
    asserts=[growth.equals(log(N + 1) / log(N) / (1 - rho), within=2 * Rational(step) / log(N)),
             upper.equals(1 / (1 - rho)), lower.equals(1), half.equals(1 / (2 * (1 - rho))),
             sharp.equals(1 / (1 - rho)), same.equals(1 / (1 - rho))],
    requires=[N >= 2, rho >= 0, rho < 1, (N - 1) * (1 / delta - 1) > 1],
    grid=points("N rho delta", (16, 0, "1e-3"), (1024, 0, "1e-6"), (64, "1/2", "1e-3"), (64, "9/10", "1e-3")),
    construct=construct, measure=measure, controls=[
        Control("twice the leakage at the shorter length", breaks=growth, construct=lambda p: construct(p, 2)),
        Control("the rate without 1 - rho", asserts=[growth <= 1 + 1 / log(N) / N, upper.equals(1)],
                breaks=[growth, upper], where=rho > 0),
        Control("the squared error not halved", asserts=[half.equals(1 / (1 - rho))], breaks=half),
        Control("halved in 1/delta too", asserts=[same.equals(1 / (2 * (1 - rho)))], breaks=same),
    ],
)
