r"""Adam's regret is at most of order $\sqrt T$ on every sequence of gradients (Theorem 4.1 of 2015).

Setting    Losses $g_tx$ on $[-1,1]$, gradients $g_t\ne0$ whole and periodic; Adam with $\beta_1=0$, $\beta_2=b$, rate
           $\alpha/\sqrt t$, from $x_1=0$, projected; $D=2$, $G=\max|g_t|$.
Statement  $R_t\le\frac{D^2}{2\alpha}\sqrt{t\hat v_t}+\frac{\alpha G}{\sqrt{1-b}}\sqrt{\sum g_s^2}+\frac{D^2G\sqrt{1-b}}{2\alpha(1-\lambda)^2}$
           at every step $t\le T$, for all $\alpha>0$ and $b,\lambda\in(0,1)$.
Witness    The first patterns of $n$ gradients.
Measured   The run with roots and steps rounded down to 64 binary digits. Adam's own steps differ by at most
           $2^{-64}(\alpha+1)|g_t|$, since $t\hat v_t\ge1$, and clipping expands nothing: so far is its regret at most.
Control    A hundredth of the first two terms, against one gradient.
"""
from fractions import Fraction
from math import floor, isqrt
from theorytools import Claim, Control, Enclosure, Quantity, Run, decide, enclosed_between, grid
from theorytools.search.kinds import Vectors
from .notation import T, alpha, b, lam, n

regret = Quantity("regret", "R_t", "loss so far less that of the best point", (None, None))
bound = Quantity("bound", "B_t", "the right side of the theorem", (0, None))
UNIT = 2**64

def step(s, t, p):
    x, v, _, loss, total, squares = s
    g = p.g[(t - 1) % p.n]
    v = p.b * v + (1 - p.b) * g * g
    y = t * v / (1 - p.b**t)
    root = isqrt(floor(y * UNIT**2)) * (y / y) / UNIT  # y / y is the 1 of its kind, of fractions or of doubles
    move = floor(p.alpha / root * UNIT) * (y / y) / UNIT
    return decide.clip(x - move * g, -1, 1), v, y, loss + g * x, total + g, squares + g * g

def observe(s, t, p):
    most, own = max(map(abs, p.g)), s[3] + abs(s[4])
    apart = (p.alpha + 1) * (t * most) ** 2 / Fraction(UNIT)
    root = (1 - Enclosure(p.b)).sqrt
    return {regret: enclosed_between(lambda: own - apart, lambda: own + apart), bound: lambda: (
        2 * Enclosure(s[2]).sqrt() / p.alpha + p.alpha * most * Enclosure(s[5]).sqrt() / root() + 2 * most * root() / (p.alpha * (1 - p.lam) ** 2))}

claim = Claim(
    "Theorem 4.1 of Adam", role="statement", source="published: arXiv 1412.6980, Theorem 4.1; prose",
    scope={"every n, g, alpha, b, lam": "points", "every step to T": "every step"}, requires=[b < 1, lam < 1], asserts=regret <= bound,
    objects={"g": (Vectors(denominator=1), n)}, such_that={"no gradient is 0": lambda p: all(p.g)},
    grid=grid(n=[1, 2, 3], alpha=["1/2", 1], b=["1/2"], lam=["1/2"], T=[100]), run=Run(lambda p: (0 * p.b,) * 6, step, observe),
    controls=[Control("a hundredth", breaks=regret, asserts=[regret <= bound / 100])],
)
