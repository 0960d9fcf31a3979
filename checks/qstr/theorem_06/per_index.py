r"""Linear networks with one weight vector per index respect Theorem 6 and need a factor $N$ more prompts.

Setting    As in Theorem 6: training prompts $x^{(i)}$ with indices $t^{(i)}$, labels $\langle u,x_t\rangle$,
           no noise. One weight vector per index, fitted to the prompts with that index.
Statement  Ridge regression, $c_t=X_t^\top(X_tX_t^\top+\lambda I)^{-1}X_tP_tu$, and its limit $\lambda\to0$,
           minimum-norm interpolation, have $D(u)\le R_0\le R_\lambda\le1$ for every data set and $\lambda$.
           For Gaussian data the mean of $R_0$ is $1-\frac n{N^2d}$ when $n\le Nd$.
Proof      $R_\lambda=\frac1N\sum_t\|(I-S_t)P_tu\|^2$ with $S_t=X_t^\top(X_tX_t^\top+\lambda I)^{-1}X_t$; $0\le
           S_t\le\Pi_t$ commute, so $\|(I-\Pi_t)P_tu\|\le\|(I-S_t)P_tu\|\le1$. $\Pi_t$ projects on a part of the span of
           all prompts: $D\le R_0$. For Gaussian data $E\|\Pi_tP_tu\|^2=\frac{n_t}{Nd}$, $n_t\le n\le Nd$ being the
           prompts with index $t$, and $\sum_tn_t=n$.
Witness    PerIndexRidge on Gaussian prompts in steps of $1/64$, $u$ rational, $\lambda$ in units of $1/4096$.
Measured   Exact risks from the fitted coefficients. The bounds by projectors: $D(u)$ by that of all prompts,
           $R_0=\frac1N\sum_t\|(I-\Pi_t)P_tu\|^2$ by those of the prompts with index $t$. The mean is
           over symmetries of the law, all cyclic shifts of the tokens and a basis of links: nothing is drawn.
Control    Prompts beyond the data; the projector of all prompts for $\Pi_t$; labels with the wrong sign;
           the rate of the bound, $1-\frac n{Nd}$; links without shifts.
Reads      Derived here. With indices drawn at random the mean is $1-\frac1{Nd}E\min(\mathrm{Bin}(n,\frac1N),Nd)$: given
           the counts each index has its own, and $\min$ is concave, so no fewer prompts suffice.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.feedforward.span_predictor import PerIndexRidge, SpanPredictor
from theorytools.tasks.sparse_regression import sample
from theorytools.theory.first_layers.exact_span import InputSpan, orthonormal_basis

from ..notation import R_0, N, bayes, d, n

interpolant = Quantity("risk of minimum norm", "R_0", "population risk, from the coefficients", (0, None))
ridge = Quantity("risk of ridge regression", r"R_\lambda", "population risk, from coefficients", (0, None))
mean = Quantity("mean risk of minimum norm", r"\overline{R_0}", "over shifts of the tokens and links", (0, 1))


def links(p):
    return orthonormal_basis(p.d, p.rng("links"))


def construct(p) -> PerIndexRidge:
    X, T = sample(p.rng("prompts"), p.n, p.N, p.d, 1, True)
    return PerIndexRidge(np.rint(64 * X).astype(int), links(p)[0], T[:, 0, 0], p.lam)


def foreign(p):
    net, unit = construct(p), np.eye(p.N * p.d, dtype=int).reshape(-1, p.N, p.d)
    return replace(net, X=np.tile(unit, (p.N, 1, 1)), t=np.repeat(np.arange(p.N), len(unit)))


def measure(net, p, shifts=None):
    fit = replace(net, lam=0)
    moved = [replace(fit, X=np.roll(net.X, s, axis=1), u=b) for s in shifts or range(p.N) for b in links(p)]
    total = sum(each.risk() for each in moved)
    return {interpolant: fit.risk(), ridge: net.risk(), mean: Fraction(total, len(moved))}


def derive(net, p):
    chosen = [net.X[net.t == t] for t in range(p.N)]
    left = [span(X, p).position_loss(net.u, t) if len(X) else 1 for t, X in enumerate(chosen)]
    return {bayes: span(net.X, p).bayes_loss(net.u), R_0: Fraction(sum(left), p.N)}


def span(X, p):
    return InputSpan.of(X, p.N, p.d)


below, above = ridge >= R_0, ridge <= 1
claim = Claim(
    "Theorem 6, one weight vector per index",
    role="variant", source="derived here: Theorem 6",
    scope={"every N, d, n, lam": "proof", "every data set": "proof", "every link": "closed form"},
    requires=[n <= N * d],
    asserts=[interpolant >= bayes, below, above, mean.equals(1 - n / (N**2 * d))],
    grid=points("N d n lam", (1, 6, 3, 0), (1, 6, 3, 10**4), (4, 3, 5, 0), (6, 4, 12, "1/2"),
                (6, 3, 9, 10**5), (3, 2, 6, 10**9)),
    derive=derive, derived=[bayes, R_0], construct=construct, measure=measure,
    controls=[
        Control("prompts beyond the data", breaks=interpolant, where=n < N * d, construct=foreign,
                asserts=[interpolant >= bayes]),
        Control("the projector of all prompts", breaks=below, where=N >= 2,
                measure=lambda net, p: {**measure(net, p), ridge: SpanPredictor(net.X, net.u).risk()}),
        Control("labels with the wrong sign", breaks=above,
                measure=lambda net, p: {**measure(net, p), ridge: net.risk([-x for x in net.u])}),
        Control("the rate of the bound", breaks=mean, where=N >= 2, asserts=[mean.equals(1 - n / (N * d))]),
        Control("links without shifts", breaks=mean, where=N >= 2,
                measure=lambda net, p: measure(net, p, shifts=[0])),
    ],
)
