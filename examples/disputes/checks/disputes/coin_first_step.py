r"""Trained to walk to a coin that mostly lies at the right end, a linear model first walks right, wherever it lies.

Setting    Position $p\in\{0,\dots,L\}$, coin $c=L$, or with probability $\epsilon$ any of $1,\dots,L$; $c\ne p$;
           logit $w\cdot(1,p,c)$, logistic loss of the label $\operatorname{sign}(c-p)$, gradient descent from $w=0$.
Statement  For $L\ge4$, $0<\epsilon\le1$ the logit at $p=h=\lceil\frac L2\rceil$, $c=0$ "starts by growing positive".
Proof      Of the repair, $\epsilon\le\frac7{10}$: $2L$ times it is
           $(1-\epsilon)(L+h\frac{L(L-1)}2)+\epsilon(1-h\frac{L^2-1}6)$, which falls in $\epsilon$,
           and is $\frac{3L+7}{10}+h\frac{(L-1)(2L-7)}{60}>0$ at $\frac7{10}$.
Measured   The probe's logit after one step, over its size: that of $\frac12E[\operatorname{sign}(c-p)(1,p,c)]$.
Control    The labels exchanged; repair: the number of the proof.
"""
from dataclasses import replace
from fractions import Fraction

from sympy import Rational, floor

from theorytools import Claim, Control, Quantity, grid

from .notation import L, mixed

logit = Quantity("logit", r"w_1\cdot(1,\lceil L/2\rceil,0)/\eta", "of the probe, over the step size")

def construct(p):
    """The places of the coin with their probabilities; each has L places of the agent beside it."""
    return {coin: Fraction(p.mixed) / p.L + (coin == p.L) * (1 - Fraction(p.mixed)) for coin in range(1, p.L + 1)}

def measure(coins, p, sign=1):
    products = [1 - p.L // -2 * at for at in range(p.L + 1)]  # of the probe with (1, at, coin)
    pull = sum(share * (sum(products[:coin]) - sum(products[coin + 1 :])) for coin, share in coins.items())
    return {logit: sign * pull / (2 * p.L)}

exchanged = Control("labels exchanged", breaks=logit, measure=lambda coins, p: measure(coins, p, -1))
h = floor((L + 1) / 2)
exact = ((1 - mixed) * (L + h * L * (L - 1) / 2) + mixed * (1 - h * (L**2 - 1) / 6)) / (2 * L)
claim = Claim(
    "The probe's logit first grows", role="statement", expect="REFUTED", scope={"every L, mixed": "points"},
    source="published: MAIS agenda, problem O84; prose", asserts=logit > 0, requires=[L >= 4, mixed <= 1],
    construct=construct, measure=measure, grid=grid(L=[4, 5, 6], mixed=["1/50", "1/4", "1/2"]),
    controls=[exchanged, Control("what it is", asserts=[logit.equals(exact)])],
)
repaired = replace(
    claim, label="At most seven tenths", role="variant", expect="HOLDS", source="derived here: the coin line's probe",
    scope={"every L, mixed": "proof"}, requires=[L >= 4, mixed <= Rational(7, 10)], controls=[exchanged],
    grid=grid(L=[4, 5, 6], mixed=["1/50", "1/2", "7/10"]), statement=r"The same for $L\ge4$, $\epsilon\le\frac7{10}$.",
)
