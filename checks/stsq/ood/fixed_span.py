r"""Fixed encodings can generalise to new lengths, when the new ones lie in the span of those seen in training.

Setting    As in ood_fixed with $q=1$, trained at $T=4^j$ on the unit vectors: scores
           $e_i^\top\beta(I-\mathbf{11}^\top/T)e_y$.
Statement  The reading that fixed encodings cannot generalise, $L_{T'}\ge$ the limit of ood_fixed for any
           orthonormal seen encodings, fails: for $T'\le2T-1$ there are new ones for which the same trained weights have
           $L_{T'}\le5d\,x^2\to0$, $x=(T'-1)w^{1+\sqrt T-T}\le1$; not $5d\,x^3$.
Witness    Rows of a Hadamard matrix over $\sqrt T$, other than the constant row. Scores over $\beta$: at most
           $\frac1{\sqrt T}$ off $y$, $1-\frac1T$ or 1 on it.
Measured   The loss over all positions at rational $e^{\beta/T}$ and $\alpha^*$, and its limit by the largest scores.
Control    As a repair: new encodings orthogonal to the seen ones. Copies of seen encodings; the exponent 3.
Reads      The condition, new encodings orthogonal to the span of the seen ones, is derived here; for $q=1$ the loss
           falls to its limit in the end. The bound: attention off $y$ is at most $x$, and $\alpha^*-1\le x$. At four
           tokens the temperatures go to 64.
"""

from fractions import Fraction

import numpy as np
from sympy import Eq, sqrt

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.families import hadamard
from theorytools.errors import DomainError
from theorytools.papers.stsq.selection.fixed_encodings import FixedSelector

from ..notation import T_1, T, d, loss_9, q, w
from .fixed import formula

late = Quantity("loss at the new length", "L_{T'}", "of the full model, by all positions", (0, None))
final = Quantity("limit of the loss", r"\lim_{\beta\to\infty}L_{T'}", "of the full model, alpha = 1", (0, None))


def build(p, new):
    return FixedSelector(np.vstack([np.eye(p.T, dtype=int).astype(object), new]), p.T, p.q, p.d)


def construct(p) -> FixedSelector:
    if round(p.T**0.5) ** 2 != p.T or p.T & (p.T - 1):
        raise DomainError(f"T = {p.T}", required="a power of 4", why="the rows are rational")
    rows = np.array(hadamard(p.T).signs, dtype=int).astype(object)
    rows = rows[[len(set(row)) > 1 for row in rows]] * Fraction(1, round(p.T**0.5))
    return build(p, rows[: p.T_1 - p.T])


def orthogonal(p):
    return FixedSelector(np.eye(p.T_1, dtype=int).astype(object), p.T, p.q, p.d)


def copies(p):
    return build(p, np.eye(p.T, dtype=int).astype(object)[: p.T_1 - p.T])


def measure(net, p):
    return {late: net.loss(p.w, formula(p).best_alpha(p.w)), final: net.loss()}


x = (T_1 - 1) * w ** (1 + sqrt(T) - T)
grid_ = points("T T_1 q d w", (4, 5, 1, 1, 64), (4, 7, 1, 2, 64), (16, 19, 1, 1, 2), (4, 6, 1, 1, 128),
               (4, 5, 1, 1, 4096), (4, 7, 1, 3, 10**6), (16, 31, 1, 1, 8), (16, 31, 1, 1, 64))
shared = {"requires": [Eq(q, 1), T < T_1, T_1 <= 2 * T - 1, x <= 1], "derived": [loss_9], "grid": grid_,
          "measure": measure,
          "derive": lambda net, p: {loss_9: formula(p).limit()}, "construct": construct}
cannot = Claim(
    "Length generalisation, any fixed encodings",
    role="pitfall", source="derived here: length generalisation with fixed encodings",
    scope={"every q, d, w": "points", "every T and new length T_1": "points", "every encoding": "points"},
    expect="REFUTED", asserts=[final >= loss_9, late >= loss_9],
    note="Fixed encodings read as unable to generalise, without a condition on the new encodings.", **shared,
    controls=[
        Control("new encodings orthogonal to the seen ones", construct=orthogonal),
        Control("the limit for new positions only", breaks=final, asserts=[final >= d * (1 - 1 / T_1) / q]),
    ],
)
claim = Claim(
    "Length generalisation, fixed encodings inside the seen span",
    role="necessity", source="derived here: length generalisation with fixed encodings",
    scope={"every q, d, w": "points", "every T and new length T_1": "points", "some encoding": "exhibited",
           "every position": "enumeration"},
    **shared,
    asserts=[final.equals(0), late <= 5 * d * x**2],
    controls=[
        Control("new encodings orthogonal to the seen ones", breaks=[final, late], construct=orthogonal),
        Control("new encodings that are copies", breaks=[final, late], construct=copies),
        Control("the exponent 3", breaks=late, where=500 * x <= 1, asserts=[final.equals(0), late <= 5 * d * x**3]),
    ],
)
