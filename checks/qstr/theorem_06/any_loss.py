r"""Theorem 6 speaks of any training loss: exact minimisers of four losses with decay, their risk against $1-n/(Nd)$.

Setting    Simple 1STR; networks $f(t,Wx)=\langle c_t,Wx\rangle$, any $c_t$, trained on $n<Nd$ prompts with labels of a
           link $u$: $\frac1n\sum_i\ell(f-y_i)+\frac\lambda2\|W\|_F^2$ with $\ell$ absolute, Huber, quantile
           ($\tau=\frac34$) or squared. The risk $R$ is the squared one, whatever $\ell$ is.
Statement  The minimiser has its rows in the span of the inputs, and $\sup_uR\ge1-\frac n{Nd}$: already the average of
           $R$ over an orthonormal basis of links, each with its own training, is at least that.
Proof      The objective is convex in $W$ and has a minimiser; there $0=\frac1n\sum_is_ic_{t_i}x^{(i)\top}+\lambda W$
           with slopes $s_i\in\partial\ell(r_i)$ (Clarke's and the convex subdifferential agree), so the rows of $W$ are
           combinations of the inputs, for every $u$; theorem_06 has the rest. Only the chain rule is used of $\ell$.
Adversary  The learner itself, for every link of a rational basis; integer prompts and read-outs; $n$ up to $Nd-1$.
Measured   In rationals: multipliers in Clarke's subdifferential of the loss at every residual, the gradient with them,
           the part of $W$ outside the span by the projector; $R=\frac1N\sum_t\|P_tu-W^\top c_t\|^2$.
Control    The minimiser of another loss; a decay that differs between coordinates; features outside the span.
Reads      The minimisers of the grid have mean risks from .7 to 1.3, above the bound by more than a factor of 1.6: its
           size is carried by the proof. With labels of $u$ and a linear $f$ the objective is convex, so its stationary
           points are its minimisers. Deep networks: theorem_06_any_loss_trained. That the bound is reached:
           theorem_06_any_loss_attained.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.numbers import rational_product, solve_rational
from theorytools.papers.qstr.first_layers.stationary import DecayedObjective, LinearReadout
from theorytools.theory.first_layers.exact_span import orthonormal_basis

from ..definition_05.definition_05 import outside, slope
from ..notation import N, d, lam, n
from ._losses import TrainingLoss, multiplied_gradient

misfit = Quantity("misfit", r"\operatorname{dist}(s,\partial\ell)^2", "of the multipliers from the slopes", (0, None))
mean_risk = Quantity("mean risk", r"\frac1d\sum_kR(b_k)", "over the links of a basis, each trained for", (0, None))


@dataclass(frozen=True, eq=False)
class Learnt:
    """What a learner makes of the labels of one link: the task, the layer and its multipliers."""

    task: DecayedObjective = field(repr=False)
    u: Any = field(repr=False)
    W: Any = field(repr=False)
    s: Any = field(repr=False)


def readout(p):
    if p.readout == "one_unit_each":  # the network W x read at unit t
        return np.eye(p.N, dtype=int).astype(object) + Fraction(0)
    return np.array(p.rng("read-out").integers(-3, 4, (p.N, p.N + 1)).tolist(), dtype=object) + Fraction(0)


def construct(p, loss=None) -> list[Learnt]:
    X, t = p.rng("prompts").integers(-5, 6, (p.n, p.N, p.d)), p.rng("indices").integers(0, p.N, p.n)
    if not X[range(p.n), t].any():  # labels that are all 0 have the minimiser 0, which has no span
        X[0, t[0], 0] = 1
    found = []
    for u in orthonormal_basis(p.d, p.rng("links")):
        y = tuple(X[i, t[i]] @ np.array(u, dtype=object) + Fraction(0) for i in range(p.n))
        task = DecayedObjective(X, tuple(t.tolist()), y, p.lam)
        found.append(Learnt(task, u, *TrainingLoss(loss or p.loss).minimiser(task, readout(p))))
    return found


def linear_risk(W, C, u, d):
    gaps = -rational_product(C, W)
    for k in range(len(gaps)):
        gaps[k, k * d : (k + 1) * d] += np.array(u, dtype=object)
    return (gaps * gaps).sum() / Fraction(len(gaps))


def measure(found, p, change=lambda one, p: one.W):
    C, layers = readout(p), [change(one, p) for one in found]
    pairs, loss = list(zip(found, layers, strict=True)), TrainingLoss(p.loss)
    return {
        misfit: sum(loss.misfit(one.task, W, LinearReadout(C), one.s) for one, W in pairs),
        slope: sum((multiplied_gradient(one.task, W, LinearReadout(C), one.s) ** 2).sum() for one, W in pairs),
        outside: sum(one.task.outside(W) for one, W in pairs),
        mean_risk: sum(linear_risk(W, C, one.u, p.d) for one, W in pairs) / Fraction(p.d),
    }


def uneven(one, p):  # the decay of an adaptive method: multiplied by 2, 3, 4, 2, 3, 4, ... along the coordinates
    return one.W / np.array([Fraction(2 + j % 3) for j in range(p.N * p.d)], dtype=object)


def knowing(one, p):  # C W = (P_t u)_t, the layer with which the risk is 0
    C = readout(p)
    return C.T @ np.array(solve_rational(C @ C.T, np.kron(np.eye(p.N, dtype=int), np.array(one.u))), dtype=object)


stationary = [slope.equals(0), outside.equals(0)]
floor = mean_risk >= 1 - n / (N * d)
claim = Claim(
    "Theorem 6, any loss",
    role="statement", source="published: Theorem 6; prose",
    scope={"every readout, N, d, n, lam": "proof", "every training loss": "proof", "every data set": "proof",
           "every stationary point": "proof", "every link": "closed form"},
    asserts=[misfit.equals(0), *stationary, floor], requires=[n < N * d],
    grid=points("loss readout N d n lam", *[(loss, *rest) for loss in ("absolute", "huber", "quantile", "squared")
                for rest in (("one_unit_each", 2, 1, 1, "1/5"), ("random", 3, 2, 5, "1/50"),
                             ("one_unit_each", 4, 2, 7, "1/100"), ("random", 4, 2, 6, 8),
                             ("one_unit_each", 10, 1, 9, "1/1000"))]),
    construct=construct, measure=measure,
    controls=[
        Control("the minimiser of another loss", breaks=misfit, where=(lam < 1) & (n >= 2),
                construct=lambda p: construct(p, loss="absolute" if p.loss in ("huber", "squared") else "huber")),
        Control("a decay that differs between coordinates", breaks=[slope, outside], where=n >= 2,
                asserts=stationary, measure=lambda found, p: measure(found, p, uneven)),
        Control("features outside the span, which know the link", breaks=[slope, outside, mean_risk],
                asserts=[*stationary, floor], measure=lambda found, p: measure(found, p, knowing)),
    ],
)
