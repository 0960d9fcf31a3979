r"""Adam's regret is at most of order $\sqrt T$ on every sequence of gradients (Theorem 4.1 of 2015).

Setting    Losses $g_tx$ on $[-1,1]$, whole gradients $g_t\ne0$, periodic, $G=\max|g_t|$; Adam with $\beta_1=0$,
           $\beta_2=b$, rate $\alpha/\sqrt t$, from $x_1=0$, projected; $D=2$.
Statement  $R_t\le\frac{D^2}{2\alpha}\sqrt{t\hat v_t}+\frac{\alpha G}{\sqrt{1-b}}\sqrt{\sum g_s^2}+
           \frac{D^2G\sqrt{1-b}}{2\alpha(1-\lambda)^2}$ at every step $t\le T$; $\alpha>0$, $b,\lambda\in(0,1)$.
Proof      Of AMSGrad, $\hat v_t=\max(\hat v_{t-1},v_t)$: its rates $a_t=\alpha/\sqrt{t\hat v_t}$ never grow; projecting
           expands nothing, so $g_te_t\le(e_t^2-e_{t+1}^2)/(2a_t)+a_tg_t^2/2$, $e_t=x_t-x^*$. The first sums to at most
           $D^2/(2a_T)$; $a_tg_t^2\le\alpha|g_t|/\sqrt{(1-b)t}$ since $\hat v_t\ge(1-b)g_t^2$; then Cauchy and Schwarz.
Witness    The first patterns of $n$ gradients.
Measured   The run with roots and steps rounded down to 64 binary digits. The true steps differ by at most
           $2^{-64}(\frac{2\alpha}{1-b}+1)|g_t|$, as $t\hat v_t\ge1-b$, and their sums bound how far the regrets differ.
Control    A hundredth of the bound; repair: AMSGrad.
"""
from dataclasses import replace
from math import ceil, floor, isqrt

from theorytools import Claim, Control, Enclosure, Quantity, Run, decide, enclosed_between, grid
from theorytools.search.kinds import Vectors

from .notation import b, lam

regret = Quantity("regret", "R_t", "loss so far less that of the best point", (None, None))
bound = Quantity("bound", "B_t", "the right side of the theorem", (0, None))
UNIT = 2**64

def follow(s, t, p, y, v, unit=UNIT):
    g, root = p.g[(t - 1) % p.n], isqrt(floor(y * unit**2)) * (y / y) / unit  # y / y: 1, a fraction or a double
    move = floor(p.alpha / root * UNIT) * (y / y) / UNIT
    return decide.clip(s[0] - move * g, -1, 1), v, y, s[3] + g * s[0], s[4] + g, s[5] + g * g

def adam(s, t, p):
    v = p.b * s[1] + (1 - p.b) * p.g[(t - 1) % p.n] ** 2
    return follow(s, t, p, t * v / (1 - p.b**t), v)

def amsgrad(s, t, p):
    v = p.b * s[1] + (1 - p.b) * p.g[(t - 1) % p.n] ** 2
    finer = UNIT * ceil(1 / (1 - p.b))  # the root is then at least half of sqrt(1 - b), however near 1 b is
    return follow(s, t, p, max(s[2] * t / (t - 1 or 1), t * v), v, finer)

def seen(s, t, p, rest):
    most, own, root = max(map(abs, p.g)), s[3] + abs(s[4]), (1 - Enclosure(p.b)).sqrt
    apart = (2 * p.alpha / (1 - p.b) + 1) * (t * most) ** 2 / UNIT
    def right():
        squares = p.alpha * Enclosure(s[5]).sqrt() / root()
        return 2 * Enclosure(s[2]).sqrt() / p.alpha + rest(p, most, squares, root(), t)
    return {regret: enclosed_between(lambda: own - apart, lambda: own + apart), bound: right}

def printed(p, most, squares, root, t):
    return most * squares + 2 * most * root / (p.alpha * (1 - p.lam) ** 2)

def mended(p, most, squares, root, t):
    return squares * (1 + Enclosure(t).log()).sqrt() / 2

run = Run(lambda p: (0 * p.b,) * 6, adam, lambda s, t, p: seen(s, t, p, printed))
other = replace(run, step=amsgrad, observe=lambda s, t, p: seen(s, t, p, mended))
part = Control("a hundredth", breaks=regret, asserts=[regret <= bound / 100])
claim = Claim(
    "Theorem 4.1 of Adam", role="statement", source="published: arXiv 1412.6980, Theorem 4.1; prose", expect="REFUTED",
    scope={"every n, g, alpha, b, lam": "points", "every step to T": "every step"}, requires=[b < 1, lam < 1],
    asserts=regret <= bound, objects={"g": (Vectors(denominator=1), "n")}, run=run,
    such_that={"no gradient is 0": lambda p: all(p.g)}, controls=[part, Control("AMSGrad", run=other)],
    grid=grid(n=[1, 2, 3], alpha=["1/2", 1], b=["1/2"], lam=["1/2"], T=[100]),
)
repaired = replace(
    claim, label="AMSGrad", role="statement", source="derived here: AMSGrad", expect="HOLDS", run=other,
    controls=[part],
    statement=r"$R_t\le\frac{D^2}{2\alpha}\sqrt{t\hat v_t}+\frac\alpha2\sqrt{\frac{1+\ln t}{1-b}\sum g_s^2}$.",
    scope={"every n, g, alpha, b": "proof", "every step to T": "every step"}, requires=[b < 1],
    grid=grid(n=[1, 2, 3], alpha=["1/2", 1], b=["1/2"], T=[100]),
)
