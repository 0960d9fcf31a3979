r"""For all sets of different sign prompts training with decay rests at networks as good as any in their span, nearly.

Setting    As in sign_tokens at $d=1$ and $u=1$ (for $u=-1$ labels change sign, and one label tells which); Definition
           5's $\mathcal A_{SP}$: $\nabla\hat L+\lambda W=0$, squared or absolute loss, any $\lambda>0$. $W=X$, prompts
           that are different. $f(t,z)$ has at each of the values $\zeta$ of $Xx$ a bump $\psi(\|z-\zeta\|^2)$,
           $\psi(s)=(1-s)_+^2$, of height $E(x_t|Xx=\zeta)$; at the training inputs the bump is $\rho$ higher and has a
           slope. $\rho$ is one of the numbers, all but finitely many, at which no residual is 0; with the absolute loss
           any.
Statement  The network is stationary, its rows lie in the span, and its risk is exactly $R(X)+\rho^2P$, $P$ the chance
           that $Xx=Xx^{(i)}$ for some $i$, $R(X)$ the least of any network in the span. So the infimum of the risk over
           $\mathcal A$ is $R(X)$: 0 for most data sets from $n_+(0)$ of sign_tokens_prompts on. Where $X$ tells all
           prompts apart, $\rho=0$ will do for the absolute loss.
Proof      Different data have different values: $X(x^{(i)}-x^{(k)})=0$ would give $\|x^{(i)}-x^{(k)}\|^2=0$. Values of
           $Xx$ differ by 2 or more, so no bumps meet, $f$ is $C^1$, and at a value it has the height given and the
           slope given. With residual $r_i$, slope $s_i=\ell'(r_i)\ne0$ (or $s_i\in\partial\ell(0)$) and gradient
           $-\frac{\lambda n}{s_i}e_i$ at datum $i$, $\frac1n\sum_is_i\nabla f\,x^{(i)\top}=-\lambda X$. Given $Xx$ the
           error is $x_t-E(x_t|Xx)$ and $\rho$, or the first alone, and the first has mean 0.
Witness    The network, on drawn prompts that are linearly independent, and on six rows that tell eight signs apart.
Measured   Multipliers in the subdifferential, gradient by the chain rule and part outside the span, in rationals; the
           risk by running the network on all prompts and indices, against the enumeration of sign_tokens.
Control    Bumps without slopes; twice the decay; a prompt left out of the span; heights of another index; the risk
           without the bumps.
Reads      Derived here: existence, as in theorem_06_stationary, and no claim that training finds it. $\mathcal A_{ERM}$
           has the same bound from below (sign_tokens); a member that comes near: sign_tokens_least_norm.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.errors import DomainError
from theorytools.measures import rank
from theorytools.papers.qstr.first_layers.sign_tokens import SignPrompts
from theorytools.papers.qstr.first_layers.stationary import DecayedObjective

from ..definition_05.definition_05 import outside, slope
from ..notation import bayes, height, hit
from ..theorem_06._losses import TrainingLoss, multiplied_gradient
from ..theorem_06.any_loss import misfit

risk = Quantity("risk", "R", "of the network, over all prompts and indices", (0, None))
DRAWS = 32  # sets of prompts, until one is independent: two prompts of four signs are equal or opposite once in eight
# six rows that tell all 256 prompts of eight signs apart
WEIGHINGS = [[-1, -1, 1, -1, -1, -1, -1, -1], [-1, 1, 1, 1, -1, -1, -1, -1], [1, -1, 1, -1, -1, 1, -1, 1],
             [1, 1, -1, -1, -1, -1, 1, 1], [1, 1, -1, -1, 1, -1, -1, 1], [-1, 1, 1, -1, 1, 1, 1, 1]]


@dataclass(frozen=True, eq=False)
class WeighingNetwork:
    """W = X and a bump at every value of X x; ``h`` are the slopes at the data, one row each."""

    X: Any = field(repr=False)
    rho: Fraction
    h: Any = field(repr=False)

    @cached_property
    def heights(self):
        """The mean of x given X x, by the values of X x."""
        groups = {}
        for x in product((-1, 1), repeat=self.X.shape[1]):
            groups.setdefault(tuple(self.X @ np.array(x)), []).append(x)
        return {z: [Fraction(sum(column), len(xs)) for column in zip(*xs, strict=True)] for z, xs in groups.items()}

    def __call__(self, t, z):
        """Value and gradient at a value of X x: no other bump reaches there, and the bump itself is flat at its top."""
        i = next((i for i, x in enumerate(self.X) if (self.X @ x == z).all()), None)
        top = self.heights[tuple(int(v) for v in z)][t]
        return (top, 0 * self.h[0]) if i is None else (top + self.rho, self.h[i])


def prompts(p):
    if p.data == "weighings":
        return np.array(WEIGHINGS)
    rng = p.rng("prompts")
    drawn = (rng.choice([-1, 1], (p.n, p.N)) for _ in range(DRAWS))
    X = next((X for X in drawn if rank(X.tolist()) == p.n), None)
    if X is None:
        raise DomainError(f"n = {p.n}, N = {p.N}", required=f"independent prompts among {DRAWS} sets that are drawn",
                          why="one that is left out is to lie outside the span of the others")
    return X


def construct(p, flat=False):
    """The task and the network, with the multipliers of its data."""
    X, t = prompts(p), p.rng("indices").integers(0, p.N, p.n).tolist()
    y = tuple(Fraction(int(X[i, k])) for i, k in enumerate(t))
    task = DecayedObjective(X[:, :, None], tuple(t), y, p.lam)
    bare = WeighingNetwork(X, p.height, np.zeros((p.n, p.n), dtype=object))
    residuals = [bare(k, X @ x)[0] - v for k, x, v in zip(t, X, y, strict=True)]
    s = [TrainingLoss(p.loss).slopes(r)[1] for r in residuals]
    if 0 in s:
        raise DomainError(f"a residual of 0 at height {p.height}", required="another height", why="its slope is 0, too")
    h = [[-p.lam * p.n / a if i == j else Fraction(0) for j in range(p.n)] for i, a in enumerate(s)]
    return task, WeighingNetwork(X, p.height, (0 if flat else 1) * np.array(h, dtype=object)), s


def measure(found, p, decay=1, kept=0, shift=0):
    task, net, s = found
    W = net.X.astype(object) + Fraction(0)
    seen = DecayedObjective(task.X[kept:], task.t[kept:], task.y[kept:], task.lam)
    G = multiplied_gradient(task, W, net, s) + (decay - 1) * task.lam * W
    wrong = sum((Fraction(x[t]) - net((t + shift) % p.N, net.X @ np.array(x))[0]) ** 2
                for x in product((-1, 1), repeat=p.N) for t in range(p.N))
    return {misfit: TrainingLoss(p.loss).misfit(task, W, net, s), slope: (G * G).sum(), outside: seen.outside(W),
            risk: Fraction(wrong, p.N * 2**p.N)}


def derive(found, p):
    _, net, _ = found
    least = SignPrompts.of(net.X)
    data = {tuple(net.X @ x) for x in net.X}
    count = sum(tuple(net.X @ np.array(x)) in data for x in product((-1, 1), repeat=p.N))
    return {bayes: least.risk, hit: Fraction(count, 2**p.N)}


exact = risk.equals(bayes + height**2 * hit)
claim = Claim(
    "Sign tokens, the least risk is that of a stationary network",
    role="sharpness", source="derived here: Theorem 6",
    scope={"every loss, height, N, n, lam": "points", "every data set": "points",
           "some network": "exhibited", "every prompt": "enumeration"},
    asserts=[misfit.equals(0), slope.equals(0), outside.equals(0), exact],
    grid=points("data loss height N n lam",
                ("drawn", "squared", "1/7", 4, 2, "1/5"), ("drawn", "squared", "1/64", 7, 5, 2),
                ("weighings", "squared", "1/100", 8, 6, "1/5"), ("weighings", "absolute", 0, 8, 6, "1/3"),
                ("drawn", "absolute", "1/9", 6, 5, "1/2")),
    construct=construct, measure=measure, derive=derive, derived=[bayes, hit],
    controls=[
        Control("bumps without slopes", breaks=slope, construct=lambda p: construct(p, flat=True)),
        Control("twice the decay", breaks=slope, measure=lambda found, p: measure(found, p, decay=2)),
        Control("a prompt left out of the span", breaks=outside, measure=lambda found, p: measure(found, p, kept=1)),
        Control("heights of another index", breaks=risk, measure=lambda found, p: measure(found, p, shift=1)),
        Control("the risk without the bumps", breaks=risk, where=height > 0, asserts=[risk.equals(bayes)]),
    ],
)
