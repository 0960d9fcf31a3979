r"""Heavy ball, tuned for quadratics, is said to keep its rate for all strongly convex functions of Lipschitz gradient.

Setting    $f'$ continuous, $f'(0)=0$, with slope $s_1$ below 1, $s_2$ on $[1,2]$, $s_3$ above 2, all in $[1,\kappa]$;
           $x_{t+1}=x_t-\frac4{(\sqrt\kappa+1)^2}f'(x_t)+\rho^2(x_t-x_{t-1})$, $x_{-1}=x_0$,
           $\rho=\frac{\sqrt\kappa-1}{\sqrt\kappa+1}$.
Statement  $|x_t|\le(1+2t)\rho^t|x_0|$ for every $t\ge1$, with the constant $1+2t$ that quadratics have.
Proof      Of one slope $s$: $x_t=\rho^ty_tx_0$ has $y_{t+1}=2\cos\theta\,y_t-y_{t-1}$, since
           $1+\rho^2-\frac{4s}{(\sqrt\kappa+1)^2}$ falls from $2\rho$ at 1 to $-2\rho$ at $\kappa$; $y_0=1$,
           $y_{-1}=\rho$, so $|y_t|=|U_t-\rho U_{t-1}|\le t+1+\rho t$. Without momentum, steps of $\frac2{\kappa+1}$:
           $f'(x)=sx$, $1\le s\le\kappa$, so each multiplies $x$ by at most $r=\frac{\kappa-1}{\kappa+1}$ in modulus.
           Of the cycle, $\sqrt\kappa=5$, $s=(25,1,25)$, $x_0=\frac{33}{10}$: $\frac{2592}{1225},\frac{792}{1225},
           -\frac{2208}{1225}$ go round. Off $[1,2]$ $f'$ has slope 25, so $e_j=x_{j+2}-c_j$ is $(-\rho)^j(e_0-vj)$,
           $e_0=\frac{838}{1225}$, $e_1=-\frac{3208}{11025}$, $0.24<v<0.25$: below 0.09 from $j=2$ on.
Measured   $|x_t|/(\rho^t|x_0|)$ at every step, exactly; with $r$ for $\rho$; of the cycle the largest of three.
Control    $\rho^{2t}$ in place of $\rho^t$, the cycle without momentum; repair: no momentum.
Reads      That there is such a cycle: Lessard, Recht and Packard (2016), section 4.6, arXiv 1408.3595, from memory.
"""
from dataclasses import replace
from fractions import Fraction

from sympy import Eq, Rational

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
    source="published: Why momentum really works, issue 34; prose", asserts=ratio <= 1 + 2 * t,
    requires=[root >= 2, x > 0], objects={"s": (Vectors(low=1, denominator=1), 3, [(1, 1, 1), (2, 2, 2), (1, 2, 1)])},
    such_that={"no slope is above the condition number": lambda p: max(p.s) <= p.root**2}, run=run,
    grid=grid(root=[2, 3], x=[1, 2], T=[16]), controls=[
        Control("twice the rate", breaks=ratio, run=faster), Control("no momentum", run=replace(run, step=plain))],
)
repaired = replace(
    claim, label="Of equal slopes", role="variant", expect="HOLDS", scope={"every root, s, x, T": "proof"},
    source="derived here: heavy ball beyond quadratics",
    objects={"s": (Vectors(low=1, denominator=1), 3, [(1, 1, 1), (2, 2, 2), (4, 4, 4)])},
    such_that={**claim.such_that, "the slopes are equal": lambda p: len(set(p.s)) == 1},
    grid=grid(root=[2, 3], x=[1, 2], T=[16]), controls=[Control("twice the rate", breaks=ratio, run=faster)],
    statement=r"$|x_t|\le(1+2t)\rho^t|x_0|$ where $s_1=s_2=s_3$, $0<x_0$, $2\le\sqrt\kappa$.",
)
descent = replace(
    claim, label="Gradient descent keeps its rate", role="variant", expect="HOLDS", asserts=ratio <= 1,
    source="derived here: heavy ball beyond quadratics", scope={"every root, s, x, T": "proof"},
    run=replace(run, step=plain), statement=r"$|x_t|\le r^t|x_0|$ without momentum, $0<x_0$, $2\le\sqrt\kappa$.",
    objects={"s": (Vectors(low=1, denominator=1), 3, [(1, 1, 1), (1, 2, 1), (4, 4, 4)])},
    grid=grid(root=[2], x=[1, 2], T=[16]),
    controls=[Control("twice the rate", breaks=ratio, run=replace(faster, step=plain))],
)
# no constant serves: the cycle does not end, since no x_t gets onto [1, 2], from which each c_j is 0.11 away or more
apart = Quantity("apart", r"\max(|x_t|,|x_{t-1}|,|x_{t-2}|)", "the largest of the last three iterates", (0, None))
last = Run(lambda p: (Fraction(p.x),) * 4, lambda s, t, p: (*step(s[:3], t, p), s[1]),
           lambda s, t, p: {apart: max(abs(s[0]), abs(s[1]), abs(s[3]))})
cycle = replace(
    claim, label="A cycle of three", role="variant", expect="HOLDS", asserts=apart >= 2, run=last,
    source="derived here: heavy ball beyond quadratics",
    scope={"every root, s, x, T": "proof"}, requires=[Eq(root, 5), Eq(x, Rational(33, 10))],
    such_that={"s is (25, 1, 25)": lambda p: tuple(p.s) == (25, 1, 25)},
    objects={"s": (Vectors(low=1, denominator=1), 3, [(25, 1, 25)])}, grid=grid(root=[5], x=["33/10"], T=[40]),
    statement=r"With $\kappa=25$, $s=(25,1,25)$ and $x_0=\frac{33}{10}$ one of three iterates is at least 2, for ever.",
    controls=[Control("without momentum", breaks=apart,
                      run=replace(last, step=lambda s, t, p: (*plain(s[:3], t, p), s[1])))],
)
