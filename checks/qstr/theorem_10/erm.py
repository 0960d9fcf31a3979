r"""Minimisers of the empirical risk over temperature and read-out, certified on drawn samples, keep the bound.

Setting    One head on $N$ words of a linear code, $d=q=1$, tokens and labels $\pm1$, $n$ prompts with one label each.
           The class: all temperatures $0\le\beta\le2\log N$, rounded up to a multiple of $\frac{d_e}2\log2$, and
           read-outs $|v|\le V$; it lies in that of Theorem 10, $V=\frac12AB$.
Statement  Every minimiser has $R$ at most the bound of theorem_10, and $\sup(R-\hat R_n)$ over the class is at most
           that bound less $\eta^2$.
Adversary  Branch and bound over $z=e^{-2\beta/d_e}$ in rationals; the read-out is a quadratic minimum, clipped.
Measured   The range of $R$, closed form in the code's weights, over all parameters within $2^{-13}$ of the
           least empirical risk; both ends of the supremum.
Control    The bound without what the sample costs.
Reads      Samples are drawn, so nothing is said of all samples; Theorem 10 allows a failure with probability
           $\frac1{100}+(nN)^{-1/2}$. With our constants its bound is some $10^5$ and says nothing at these sizes; the
           deviation that it bounds is below 1. Only temperature and read-out are learned, two of the parameters;
           theorem_04_erm says how the risk depends on $N$.
"""

from fractions import Fraction
from math import ceil, floor

from sympy import Rational

from theorytools import Claim, Control, Quantity, enclosed_between, letter, points
from theorytools.codes.bch import bch

from .._two_parameters import GateLearner
from ..notation import N
from ._composition import BOUNDS, FORMULAS, factors

V = letter("V", "largest read-out of the class", positive=True)
risk = Quantity("risk", r"R(\hat\Theta)", "of every minimiser of the empirical risk", (0, None))
deviation = Quantity("deviation", r"\sup(R-\hat R_n)", "over the class, to within 1/16")
bound, fit = BOUNDS["dudley"], Rational(1, 100)


def construct(p, top=2, foreign=0) -> GateLearner:
    steps = Fraction(2 * top * (p.N.bit_length() - 1), bch(p.N).d_e)  # beta = top log N in units of (d_e/2) log 2
    coldest = Fraction(1, 2 ** (ceil(steps) if top == 2 else floor(steps)))
    return GateLearner.drawn(p, (coldest, Fraction(1)), foreign=foreign)


def minimisers_risk(learner):
    low, high = learner.risk(Fraction(1, 2**13))
    return enclosed_between(lambda: low, lambda: high)


def measure(learner, p):
    low, high = learner.deviation(Fraction(1, 16))
    return {risk: minimisers_risk(learner), deviation: enclosed_between(lambda: low, lambda: high)}


claim = Claim(
    "Theorem 10, constrained minimisers",
    role="statement", source="published: Theorem 10; prose",
    scope={"every N, n, d, q, V, trial": "points", "every sample": "drawn", "every minimiser": "enumeration"},
    asserts=[risk <= bound, deviation <= bound - fit],
    derive=lambda learner, p: factors(p), derived=list(FORMULAS),
    grid=points("N n d q V trial", *((N, n, 1, 1, 1, 0) for N, n in
                                     ((16, 4), (16, 8), (16, 32), (64, 8), (256, 4), (256, 8)))),
    construct=construct, measure=measure, controls=[
        Control("without what the sample costs", asserts=[risk <= fit, deviation <= 0],
                breaks=[risk <= fit, deviation <= 0], where=N <= 16),
    ],
)
