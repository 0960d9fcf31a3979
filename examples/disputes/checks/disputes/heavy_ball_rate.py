r"""Heavy ball, tuned for quadratics, is said to keep its rate for all strongly convex functions of Lipschitz gradient.

Setting    $f'$ continuous, $f'(0)=0$, with slope $s_1$ below 1, $s_2$ on $[1,2]$, $s_3$ above 2, all in $[1,\kappa]$;
           $x_{t+1}=x_t-\frac4{(\sqrt\kappa+1)^2}f'(x_t)+\rho^2(x_t-x_{t-1})$, $x_{-1}=x_0$,
           $\rho=\frac{\sqrt\kappa-1}{\sqrt\kappa+1}$.
Statement  $|x_t|\le(1+2t)\rho^t|x_0|$ for every $t\ge1$, as for quadratics.
Proof      Of the repair, steps of $\frac2{\kappa+1}$ without momentum: $f'(x)=sx$ with $1\le s\le\kappa$, so each step
           multiplies $x$ by $1-\frac{2s}{\kappa+1}$, at most $r=\frac{\kappa-1}{\kappa+1}$ in modulus.
Measured   $|x_t|/(\rho^t|x_0|)$ at every step, exactly; with $r$ for $\rho$.
Control    $\rho^{2t}$ in place of $\rho^t$; repair: no momentum.
"""
from dataclasses import replace
from fractions import Fraction

from theorytools import Claim, Control, Quantity, Run, grid
from theorytools.search.kinds import Vectors

from .notation import root, t, x

ratio = Quantity("ratio", r"|x_t|/(\rho^t|x_0|)", "to the rate", (0, None))

def gradient(s, z):
    return s[0] * min(z, 1) + s[1] * min(max(z - 1, 0), 1) + s[2] * max(z - 2, 0)

def step(state, t, p):
    now, before, rate = state
    rho, pull = Fraction(p.root - 1, p.root + 1), Fraction(4, (p.root + 1) ** 2) * gradient(p.s, now)
    return now - pull + rho**2 * (now - before), now, rate * rho

def plain(state, t, p):
    now, _, rate = state
    return now - Fraction(2, p.root**2 + 1) * gradient(p.s, now), now, rate * Fraction(p.root**2 - 1, p.root**2 + 1)

run = Run(lambda p: (Fraction(p.x), Fraction(p.x), Fraction(p.x)), step, lambda s, t, p: {ratio: abs(s[0]) / s[2]})
faster = replace(run, observe=lambda s, t, p: {ratio: abs(s[0]) * p.x / s[2] ** 2})
claim = Claim(
    "Heavy ball keeps its rate", role="statement", expect="REFUTED", scope={"every root, s, x, T": "points"},
    source="published: distillpub post--momentum, issue 34; prose", asserts=ratio <= 1 + 2 * t,
    requires=[root >= 2, x > 0], objects={"s": (Vectors(low=1, denominator=1), 3, [(1, 1, 1), (2, 2, 2), (1, 2, 1)])},
    such_that={"no slope is above the condition number": lambda p: max(p.s) <= p.root**2}, run=run,
    grid=grid(root=[2, 3], x=[1, 2], T=[16]), controls=[
        Control("twice the rate", breaks=ratio, run=faster), Control("no momentum", run=replace(run, step=plain))],
)
repaired = replace(
    claim, label="Gradient descent keeps its rate", role="variant", expect="HOLDS", asserts=ratio <= 1,
    source="derived here: heavy ball beyond quadratics", scope={"every root, s, x, T": "proof"},
    run=replace(run, step=plain), statement=r"$|x_t|\le r^t|x_0|$ without momentum, $0<x_0$, $2\le\sqrt\kappa$.",
    objects={"s": (Vectors(low=1, denominator=1), 3, [(1, 1, 1), (1, 2, 1), (4, 4, 4)])},
    grid=grid(root=[2], x=[1, 2], T=[16]),
    controls=[Control("twice the rate", breaks=ratio, run=replace(faster, step=plain))],
)
