r"""The loss is not monotone in the temperature: past its least it rises to the limit, like $1/\beta$.

Setting    As in spe_floor, $\alpha=1$, relative losses; $n=1$ unselected token for the first claim.
Statement  $\frac qd(L_\infty-L(\beta))\simeq(q+1)(1+\log q)\frac{f_\kappa(1)}\beta(1-\lambda)>0$ with $f_\kappa$ the
           density of the cross-talk, $\lambda=\frac{d_e-q+2}{(q+1)\beta}\cdot\frac{m_1}{1+\log q}$ and
           $m_1=\frac12\log^2q+\log q+\frac{\pi^2}6$: large temperatures lie strictly below the limit, and
           a trained $\beta$ stays finite.  For many tokens too some $\beta\le8$ has less loss than 4096 (claim many).
Witness    SelectionFloor: one integral with proved error for $n=1$, and $P(\kappa\ge1)$ from another; drawn scores.
Measured   The gap times $\beta$ and its leading term, enclosed; for many tokens the mean rise from $\beta$ to 4096 on
           the same draws, at least $\frac1{100}$, by empirical-Bernstein intervals on the range $\pm(q+1)$.
Control    $\log q$ dropped; four dimensions more; a loss above its limit; the temperatures exchanged; one temperature.
Reads      Derived here, with the second term $\lambda$ of Laplace's method; $4\lambda^2$ is allowed for the rest, at
           $\lambda\le\frac18$.  An allowance of $7/\beta$ without $\lambda$ is wrong for long encodings. For many
           tokens $d_e=64$ at $(64,4)$ is open at 50000 draws: its rise is 0.03.
"""

from fractions import Fraction

import numpy as np
from sympy import Rational, log, pi

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import Budget
from theorytools.papers.stsq.selection.finite_encodings import SelectionFloor
from theorytools.papers.stsq.selection.population_descent import draw_scores, relative_loss
from theorytools.statistics.sampled import bounded_mean

from ..notation import L_infty, T, beta, d_e, f_kappa, q

gap = Quantity("gap", r"\beta\tfrac qd(L_\infty-L(\beta))", "distance from the limit, times the temperature")
loss = Quantity("loss", r"\tfrac{qL(\beta)}d", "relative loss at scale 1", (0, q + 1))
rise = Quantity("rise", r"\tfrac qd(L(\beta_{\mathrm{hi}})-L(\beta))", "what is lost by a larger temperature")
least_rise = Rational(1, 100)
first, second = 1 + log(q), log(q) ** 2 / 2 + log(q) + pi**2 / 6  # moments of 1[x >= 0] - (1 + q e^-x)^-2
lead, late = (q + 1) * first * f_kappa, (d_e - q + 2) / (q + 1) * second / first / beta  # lambda, by -f'/f at 1


def construct(p, longer=0) -> SelectionFloor:
    return SelectionFloor(p.q + 1, p.q, p.d_e + longer)


def derive(floor, p):
    return {L_infty: floor.limit, f_kappa: floor.density_at_one}


def measure(floor, p):
    b = Fraction(p.beta)
    return {loss: lambda: floor.loss(b), gap: lambda: (floor.limit() - floor.loss(b)) * b}


claim = Claim(
    "Finite encodings, the limit is no infimum",
    role="growth", source="derived here: finite encodings",
    scope={"every q": "points", "every dimension d_e": "points", "every large temperature beta": "points"},
    asserts=[gap.equals(lead * (1 - late), within=4 * late**2 * lead), loss <= L_infty],
    requires=[d_e >= q, late <= Rational(1, 8)], derive=derive, derived=[L_infty, f_kappa], budget=Budget(bits=256),
    construct=construct, measure=measure,
    grid=points("q d_e beta", (3, 6, 80), (3, 6, 320), (2, 8, 160), (5, 12, 640)),
    controls=[
        Control("log q dropped", breaks=gap,
                asserts=[gap.equals(lead * (1 - late) / first, within=4 * late**2 * lead)]),
        Control("four dimensions more", breaks=gap, construct=lambda p: construct(p, 4)),
        Control("a loss above its limit", breaks=loss, asserts=[loss >= L_infty]),
    ],
)


def compare(thing, p, low=None, high=4096):
    def draw(rng, size):  # the same encodings at two temperatures
        scores = draw_scores("gauss_dual", rng, size, T=p.T, q=p.q, d_e=p.d_e)
        above, below = (relative_loss(scores, p.q, alpha=1.0, beta=float(b)) for b in (high, low or p.beta))
        return np.clip(above - below, -p.q - 1, p.q + 1)  # rounding only
    return {rise: bounded_mean(draw, p.seed("scores"), low=-p.q - 1, high=p.q + 1)}


many = Claim(
    "Finite encodings, a larger temperature loses",
    role="variant", source="derived here: finite encodings",
    scope={"every T, q, beta": "points", "every dimension d_e": "points", "every draw of encodings": "drawn"},
    asserts=rise >= least_rise,
    requires=[T >= 32, q >= 3, q <= 4, d_e >= 8 * q, d_e <= 12 * q, beta >= 5, beta <= 8],
    construct=lambda p: None, measure=compare, budget=Budget(samples=50_000),
    grid=points("T q d_e beta", (64, 4, 32, 5), (64, 4, 48, 8), (32, 3, 24, 5)),
    controls=[
        Control("the temperatures exchanged", breaks=rise,
                measure=lambda thing, p: compare(thing, p, low=4096, high=p.beta)),
        Control("one temperature", breaks=rise, measure=lambda thing, p: compare(thing, p, low=4096)),
    ],
)
