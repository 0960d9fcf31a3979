r"""Tokens under hard attention that repels them collapse to the origin at the rate of Frank and Wolfe.

Setting    Tokens $x_1,\dots,x_n\in\mathbb{Z}$, $0$ in their hull of length $D$; all at once
           $x_i\mapsto x_i+\gamma_t(y_i-x_i)$, $\gamma_t=\frac2{t+2}$, $t=0,1,\dots$; $y_i$ is the token with the least
           $x_iy$, where $x_i=0$ the token itself.
Statement  $\frac12x_i^2\le\frac{2D^2}t$ after $t\ge1$ steps, for every $i$: Theorem 3.1 in one dimension, $B_*=1$.
Proof      Of the repair, a start that is its own mirror image, which steps keep: 0 stays in the hull, $x_iy_i\le0$,
           so $a_t=\max x_i^2/D^2$ has $a_{t+1}\le(1-\gamma_t)a_t+\gamma_t^2$ and $a_1\le1$; hence $a_t\le\frac4{t+2}$.
Measured   $\max_ix_i^2/D^2$ at every step, exactly, a run in doubles beside it.
Control    The token with the largest $x_iy$, which attracts; repair: a mirrored start.
"""
from dataclasses import replace
from fractions import Fraction

from theorytools import Claim, Control, Quantity, Run, decide, grid
from theorytools.search.kinds import Vectors

from .notation import n, t

spread = Quantity("spread", r"\max_ix_i^2/D^2", "over the tokens", (0, None))

def run(turn=1, mirror=False):
    def step(x, t, p):
        target = {1: min(x), -1: max(x), 0: 0}  # of a token by its sign
        return tuple(a + Fraction(2, t + 1) * (target[turn * decide.sign(a)] - a) for a in x)
    def observe(x, t, p):
        return {spread: max(a * a for a in x) / Fraction(max(start(p)) - min(start(p))) ** 2}
    def start(p):
        return tuple(map(Fraction, (*p.v, *(-a for a in p.v * mirror))))
    return Run(start, step, observe)

claim = Claim(
    "Collapse to a cluster", role="statement", expect="REFUTED", scope={"every n, v, T": "points"}, run=run(),
    source="published: arXiv 2508.09628v1, Theorem 3.1; prose", asserts=spread <= 4 / t,
    objects={"v": (Vectors(denominator=1), n, [(0, 1), (-1, 1), (0, 0, 1), (-1, 0, 1)])},
    such_that={"zero is in the hull": lambda p: min(p.v) <= 0 <= max(p.v), "D > 0": lambda p: min(p.v) < max(p.v)},
    grid=grid(n=[2, 3], T=[60]), controls=[
        Control("attracted", breaks=spread, run=run(-1)), Control("mirrored", run=run(mirror=True))],
)
repaired = replace(
    claim, label="From a mirrored start", role="variant", expect="HOLDS",
    scope={"every n, v, T": "proof"}, source="derived here: collapse under hard attention",
    objects={"v": (Vectors(denominator=1), n, [(-1, 1), (-1, 0, 1)])},
    such_that={**claim.such_that, "v is its mirror image": lambda p: sorted(p.v) == sorted(-a for a in p.v)},
    grid=grid(n=[2, 3], T=[60]), controls=[Control("attracted", breaks=spread, run=run(-1))],
    statement=r"The same where zero is in the hull, $D>0$ and $v$ is its mirror image.",
)
