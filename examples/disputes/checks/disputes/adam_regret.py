r"""Adam's regret is at most of order $\sqrt T$ on every sequence of gradients (Theorem 4.1 of 2015).

Setting    Losses $g_tx$ on $[-1,1]$, gradients $g_t\ne0$ whole and periodic; Adam with $\beta_1=0$, $\beta_2=b$, rate
           $\alpha/\sqrt t$, from $x_1=0$, projected; $D=2$, $G=\max|g_t|$.
Statement  $R_t\le\frac{D^2}{2\alpha}\sqrt{t\hat v_t}+\frac{\alpha G}{\sqrt{1-b}}\sqrt{\sum g_s^2}+\frac{D^2G\sqrt{1-b}}{2\alpha(1-\lambda)^2}$
           at every step $t\le T$, for all $\alpha>0$ and $b,\lambda\in(0,1)$.
Proof      Of the twin, AMSGrad, $\hat v_t=\max(\hat v_{t-1},v_t)$: $a_t=\alpha/\sqrt{t\hat v_t}$ never grows, and with $e_t=x_t-x^*$ clipping gives
           $g_te_t\le(e_t^2-e_{t+1}^2)/(2a_t)+a_tg_t^2/2$; the first telescopes to at most $D^2/(2a_T)$; $a_tg_t^2\le\alpha|g_t|/\sqrt{(1-b)t}$
           since $\hat v_t\ge(1-b)g_t^2$; then Cauchy and Schwarz with $\sum_{t\le T}1/t\le1+\ln T$.
Witness    The first patterns of $n$ gradients.
Measured   The run with roots and steps rounded down to 64 binary digits. The true steps differ by at most
           $2^{-64}(\frac{2\alpha}{1-b}+1)|g_t|$, as $t\hat v_t\ge1-b$, and clipping expands nothing: so near is their regret.
Control    A hundredth of the bound; the twin as the repair.
"""
from dataclasses import replace
from math import floor, isqrt
from theorytools import Claim, Control, Enclosure, Quantity, Run, decide, enclosed_between, grid
from theorytools.search.kinds import Vectors
from .notation import T, b, lam, n

regret = Quantity("regret", "R_t", "loss so far less that of the best point", (None, None))
bound = Quantity("bound", "B_t", "the right side of the theorem", (0, None))
UNIT = 2**64

def follow(s, t, p, y, v):
    x, _, _, loss, total, squares = s
    g, root = p.g[(t - 1) % p.n], isqrt(floor(y * UNIT**2)) * (y / y) / UNIT  # y / y: the 1 of fractions or of doubles
    move = floor(p.alpha / root * UNIT) * (y / y) / UNIT
    return decide.clip(x - move * g, -1, 1), v, y, loss + g * x, total + g, squares + g * g

def adam(s, t, p):
    v = p.b * s[1] + (1 - p.b) * p.g[(t - 1) % p.n] ** 2
    return follow(s, t, p, t * v / (1 - p.b**t), v)

def amsgrad(s, t, p):
    v = p.b * s[1] + (1 - p.b) * p.g[(t - 1) % p.n] ** 2
    return follow(s, t, p, max(s[2] * t / (t - 1 or 1), t * v), v)

def seen(s, t, p, ends):
    own, apart = s[3] + abs(s[4]), (2 * p.alpha / (1 - p.b) + 1) * (t * max(map(abs, p.g))) ** 2 / UNIT
    first, last = lambda: 2 * Enclosure(s[2]).sqrt() / p.alpha, lambda: ends(p, Enclosure(s[5]).sqrt(), (1 - Enclosure(p.b)).sqrt(), t)
    return {regret: enclosed_between(lambda: own - apart, lambda: own + apart), bound: lambda: first() + last()}

def printed(p, squares, root, t):
    return max(map(abs, p.g)) * (p.alpha * squares / root + 2 * root / (p.alpha * (1 - p.lam) ** 2))

def mended(p, squares, root, t):
    return p.alpha * squares * (1 + Enclosure(t).log()).sqrt() / (2 * root)

run = Run(lambda p: (0 * p.b,) * 6, adam, lambda s, t, p: seen(s, t, p, printed))
other = replace(run, step=amsgrad, observe=lambda s, t, p: seen(s, t, p, mended))
claim = Claim(
    "Theorem 4.1 of Adam", role="statement", source="published: arXiv 1412.6980, Theorem 4.1; prose", expect="REFUTED",
    scope={"every n, g, alpha, b, lam": "points", "every step to T": "every step"}, requires=[b < 1, lam < 1], asserts=regret <= bound,
    objects={"g": (Vectors(denominator=1), n)}, such_that={"no gradient is 0": lambda p: all(p.g)},
    grid=grid(n=[1, 2, 3], alpha=["1/2", 1], b=["1/2"], lam=["1/2"], T=[100]), run=run,
    controls=[part := Control("a hundredth", breaks=regret, asserts=[regret <= bound / 100]), Control("AMSGrad", run=other)],
)
repaired = replace(
    claim, label="AMSGrad", role="statement", source="derived here: AMSGrad", expect="HOLDS", run=other, requires=[b < 1],
    statement=r"Of AMSGrad $R_t\le\frac{D^2}{2\alpha}\sqrt{t\hat v_t}+\frac\alpha{2\sqrt{1-b}}\sqrt{\sum g_s^2}\sqrt{1+\ln t}$ at every step $t\le T$.",
    scope={"every n, g, alpha, b": "proof", "every step to T": "every step"}, grid=grid(n=[1, 2, 3], alpha=["1/2", 1], b=["1/2"], T=[100]),
    controls=[part],
)
