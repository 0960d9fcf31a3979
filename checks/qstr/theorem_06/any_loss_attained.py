r"""No training loss makes Theorem 6 better: for each there are stationary networks within a tenth of $1-n/(Nd)$.

Setting    As in theorem_06_any_loss, any $f$; $\ell$ absolute, Huber, quantile ($\tau=\frac34$) or logistic; decay.
Statement  For $n<Nd$ there is, for every link $u$, a network that is stationary for $\ell$ on the labels of $u$, such
           that the risk averaged over a basis of links is within a tenth of $1-\frac n{Nd}$.
Witness    StationaryMember: the best read-out in the span with a bump of height $\rho$ at every datum, whose slope
           makes the loss stationary. Only $\lambda/s$ enters, $s\in\partial\ell(\rho)$: at $\rho=0$, where the network
           interpolates, the absolute and the quantile loss have slopes to choose from.
Measured   Multipliers in Clarke's subdifferential, gradient and part outside the span, in rationals, for every link of
           the basis; the risk between the bounds of the linear part and the bumps.
Control    Bumps made for the squared loss; no decay; the index read one place further; one prompt more in the bound.
Reads      Derived here. Bumps are no network that one would train: theorem_06_any_loss_trained has deep ones that stay
           far from the bound.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import enclosed_between
from theorytools.errors import DomainError
from theorytools.numbers import Enclosure, maximum
from theorytools.papers.qstr.feedforward.stationary import BumpReadout, StationaryMember
from theorytools.papers.qstr.first_layers.stationary import DecayedObjective
from theorytools.theory.first_layers.exact_span import orthonormal_basis

from ..definition_05.definition_05 import outside, slope
from ..notation import N, d, n
from ._losses import TrainingLoss, multiplied_gradient
from .any_loss import linear_risk, misfit

mean_risk = Quantity("mean risk", r"\frac1d\sum_kR(b_k)", "over a basis, with the bumps", (0, None))


@dataclass(frozen=True, eq=False)
class Resting:
    """A member for one link: the network, its read-out at this loss, and the multiplier of every datum."""

    u: tuple[Fraction, ...]
    net: StationaryMember = field(repr=False)
    readout: BumpReadout = field(repr=False)
    s: Fraction


def construct(p, adapted=True) -> list[Resting]:
    X, t = p.rng("prompts").integers(-5, 6, (p.n, p.N, p.d)), p.rng("indices").integers(0, p.N, p.n).tolist()
    high = TrainingLoss(p.loss).slopes(p.height)[1]
    s, rho = (high, p.height) if p.height else (high / 2, Fraction(1))  # half of the largest slope at a kink
    if not s:
        raise DomainError(f"{p.loss} at height {p.height}", required="a height at which the loss is not flat")
    found = []
    for u in orthonormal_basis(p.d, p.rng("links")):
        lam = p.lam * rho / s if adapted else p.lam  # of the squared loss, with slope rho
        net = StationaryMember.oracle(X, t, u, lam, rho=rho, shrink=p.shrink)
        found.append(Resting(tuple(u), net, replace(net.readout, rho=Fraction(p.height)), s))
    return found


def measure(found, p, decay=1, places=0):
    loss, tasks = TrainingLoss(p.loss), [DecayedObjective(one.net.X, one.net.t, one.net.y, p.lam) for one in found]
    pairs, s = list(zip(tasks, found, strict=True)), [found[0].s] * p.n

    def gradient(task, one):
        return multiplied_gradient(task, one.net.W, one.readout, s) - (1 - decay) * p.lam * one.net.W

    def risks(sign):  # bump_norm is for height rho, at least the one in use
        linear = [linear_risk(one.net.W, np.roll(one.net.C, places, axis=0), one.u, p.d) for one in found]
        roots = [Enclosure(r).sqrt() + sign * one.net.bump_norm() for r, one in zip(linear, found, strict=True)]
        return sum(maximum([root, 0]) ** 2 for root in roots) / p.d

    return {misfit: sum(loss.misfit(task, one.net.W, one.readout, s) for task, one in pairs),
            slope: sum((gradient(task, one) ** 2).sum() for task, one in pairs),
            outside: sum(task.outside(one.net.W) for task, one in pairs),
            mean_risk: enclosed_between(lambda: risks(-1), lambda: risks(1))}


floor = 1 - n / (N * d)
near = mean_risk.equals(floor, within=floor / 10)
claim = Claim(
    "Theorem 6, any loss, attained",
    role="sharpness", source="derived here: Theorem 6",
    scope={"every height, N, d, n, lam, shrink": "points", "every training loss": "points", "every data set": "points",
           "some network": "exhibited", "every link of a basis": "enumeration"},
    asserts=[misfit.equals(0), slope.equals(0), outside.equals(0), near], requires=[n < N * d],
    grid=points("loss height N d n lam shrink",
                ("absolute", 2, 3, 3, 8, "1/5", "1e-3"), ("absolute", 0, 8, 1, 7, "1/5", "1e-3"),
                ("huber", 3, 4, 2, 5, "1/64", "1e-3"), ("quantile", "-3/7", 3, 2, 5, 2, "1e-3"),
                ("quantile", 0, 4, 1, 2, "1/5", "1e-3"), ("logistic", 1, 4, 2, 7, "1/5", "1e-3"),
                ("logistic", 2, 2, 1, 1, 1, "1e-4")),
    construct=construct, measure=measure,
    controls=[
        Control("bumps made for the squared loss", breaks=slope, asserts=[slope.equals(0)],
                construct=lambda p: construct(p, adapted=False)),
        Control("no decay", breaks=slope, measure=lambda found, p: measure(found, p, decay=0)),
        Control("the index read one place further", breaks=mean_risk, where=n >= 2,
                measure=lambda found, p: measure(found, p, places=1)),
        Control("one prompt more in the bound", breaks=mean_risk, where=N * d - n <= 9,
                asserts=[mean_risk.equals(floor - 1 / (N * d), within=floor / 10)]),
    ],
)
