r"""The logistic loss of the margin is strongly convex.

Setting    $\ell(x)=\ln(1+e^{-x})$, $\ell''(x)=e^{-x}/(1+e^{-x})^2$.
Statement  There is $c>0$ such that $\ell''(x)\ge c$ for every $x$.
Proof      Of $\ell''(x)\ge e^{-R}/4$, $|x|\le R$: $\ell''(x)=e^{-|x|}/(1+e^{-|x|})^2$, its denominator at most 4.
           That no $c>0$ does, as $\ell''(\frac1c)<c$: $\ell''(x)<e^{-x}$, and $e^{1/c}>\frac1c$.
Witness    $c=\frac1{20}$.
Measured   $\ell''$ in ball arithmetic.
Control    Ten times the constant, a hundredth of it; repair: a positive curvature.
"""
from dataclasses import replace

from sympy import Abs, exp

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, grid

from .notation import R, c, x

curvature = Quantity("curvature", r"\ell''(x)", "second derivative of the loss", (0, None))

def measure(at, p):
    return {curvature: enclosed(lambda: Enclosure(-at).exp() / (1 + Enclosure(-at).exp()) ** 2)}

claim = Claim(
    "The logistic loss is strongly convex", role="statement", expect="WITNESS FAILS",
    source="published: Lindholm et al., draft of 2022-07-08, p. 187; prose",
    scope={"some constant c": "exhibited", "every x": "points"}, asserts=curvature >= c,
    grid=grid(c=["1/20"], x=[0, 1, 2]), construct=lambda p: p.x, measure=measure,
    controls=[Control("ten times", breaks=curvature, asserts=[curvature >= 10 * c]),
              Control("positive", asserts=[curvature > 0])],
)
repaired = replace(
    claim, label="Strongly convex on an interval", role="statement", source="derived here: the logistic loss",
    statement=r"$\ell''(x)\ge e^{-R}/4$ for every $R$ and every $x$ with $|x|\le R$.", scope={"every R, x": "proof"},
    requires=[Abs(x) <= R], expect="HOLDS", asserts=curvature >= exp(-R) / 4, grid=grid(R=[2, 3], x=[0, 1, 2]),
    controls=[Control("ten times", breaks=curvature, asserts=[curvature >= 10 * exp(-R)], where=R <= 2)],
)
nowhere = replace(
    claim, label="With no constant", role="statement", source="derived here: the logistic loss", expect="HOLDS",
    statement=r"$\ell''(\frac1c)<c$ for every $c>0$.", scope={"every c": "proof"}, asserts=curvature < c,
    construct=lambda p: 1 / p.c, grid=grid(c=["1/5", "1/2", 1]),
    controls=[Control("a hundredth", breaks=curvature, asserts=[curvature < c / 100])],
)
