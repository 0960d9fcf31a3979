r"""Trained to walk to a coin that mostly lies at the right end, a linear model first walks right, away from a coin at 0.

Setting    Position $p\in\{0,\dots,L\}$, coin $c=L$, or with probability $\rho$ uniform on $\{1,\dots,L\}$, given $c\ne p$;
           logit $w\cdot(1,p,c)$, logistic loss of the label $\operatorname{sign}(c-p)$, gradient descent from $w=0$.
Statement  For every $L\ge4$ and $0<\rho\le1$ the logit at the probe $p=\lceil\frac L2\rceil,c=0$ "starts by growing positive".
Measured   The probe's logit after the first step, over the step size: $\frac12E[\operatorname{sign}(c-p)(1,p,c)]$ there.
Control    The labels exchanged.
"""
from fractions import Fraction
from theorytools import Claim, Control, Quantity, grid
from .notation import L, rho

logit = Quantity("logit", r"w_1\cdot(1,\lceil L/2\rceil,0)/\eta", "of the probe, over the step size")

def construct(p):
    """The states with their weights, which are in proportion to their probabilities."""
    places = range(p.L + 1)
    return [(at, coin, Fraction(p.rho) / p.L + (coin == p.L) * (1 - Fraction(p.rho)))
            for at in places for coin in places[1:] if coin != at]

def measure(states, p, sign=1):
    probe, total = -(-p.L // 2), sum(weight for *_, weight in states)
    pull = sum(weight * (1 if coin > at else -1) * (1 + probe * at) for at, coin, weight in states)
    return {logit: sign * pull / (2 * total)}

claim = Claim(
    "The probe's logit first grows", role="statement", scope={"every L, rho": "points"},
    source="published: MAIS agenda, problem O84; prose", asserts=logit > 0, requires=[L >= 4, rho <= 1],
    construct=construct, measure=measure, grid=grid(L=[4, 5, 6], rho=["1/50", "1/4", "1/2"]),
    controls=[Control("labels exchanged", breaks=logit, measure=lambda states, p: measure(states, p, -1))],
)
