r"""Linear networks with one weight vector per index respect Theorem 6 and need a factor $N$ more prompts.

Setting    As in Theorem 6: training prompts $x^{(i)}$ with indices $t^{(i)}$, labels $\langle u,x_t\rangle$ without
           noise. One weight vector per index, fitted to the prompts with that index.
Statement  Ridge regression, $c_t=X_t^\top(X_tX_t^\top+\lambda I)^{-1}X_tP_tu$, and its limit $\lambda\to0$, the
           minimum-norm interpolant, have $D(u)\le R_0\le R_\lambda\le1$ for every data set and $\lambda$.
           Over Gaussian prompts and uniform indices, $E\,R_0=1-\frac n{N^2d}$ for $n\le Nd$.
Witness    PerIndexRidge on Gaussian prompts in steps of $1/8$, $u$ rational; simulated data for the mean.
Measured   Exact risks from the fitted coefficients; as bounds $D(u)$ by the projector of all prompts and
           $R_0=\frac1N\sum_t\|(I-\Pi_t)P_tu\|^2$ by the projectors $\Pi_t$ of the prompts with index $t$.
Control    Prompts beyond the data; the projector of all prompts in place of $\Pi_t$; labels with the wrong sign;
           all prompts fitted for every index; the rate of the bound, $1-\frac n{Nd}$.
Reads      Derived here.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.span_predictor import PerIndexRidge, SpanPredictor
from theorytools.quantities.sampled import bounded_mean
from theorytools.quantities.span import InputSpan, orthonormal_basis
from theorytools.tasks.qstr import sample

from .notation import R_0, N, bayes, d, lam, n

interpolant = Quantity("risk of minimum norm", "R_0", "population risk, from the coefficients", (0, None))
ridge = Quantity("risk of ridge regression", r"R_\lambda", "population risk, from the coefficients", (0, None))
mean = Quantity("mean risk of minimum norm", r"E\,R_0", "over prompts and indices", (0, 1))


rounding = Fraction(1, 10**9)


def construct(p) -> PerIndexRidge:
    X, T = sample(p.rng("prompts"), p.n, p.N, p.d, 1, True)
    u = orthonormal_basis(p.d, p.rng("links"))[0]
    return PerIndexRidge(np.rint(8 * X).astype(int), u, T[:, 0, 0], p.lam)


def foreign(p):
    net, unit = construct(p), np.eye(p.N * p.d, dtype=int).reshape(-1, p.N, p.d)
    return replace(net, X=np.tile(unit, (p.N, 1, 1)), t=np.repeat(np.arange(p.N), len(unit)))


def measure(net, p):
    return {interpolant: replace(net, lam=0).risk(), ridge: net.risk()}


def derive(net, p):
    chosen = [net.X[net.t == t] for t in range(p.N)]
    seen = [InputSpan.of(X, p.N, p.d).position_loss(net.u, t) if len(X) else 1 for t, X in enumerate(chosen)]
    return {bayes: InputSpan.of(net.X, p.N, p.d).bayes_loss(net.u), R_0: Fraction(sum(seen), p.N)}


def simulate(p, pooled=False):
    def draw(rng, size):
        X, T = sample(rng, size * p.n, p.N, p.d, 1, True)
        seen = (T[:, 0].reshape(size, 1, p.n) == np.arange(p.N)[:, None]) | pooled
        X = X.reshape(size, p.n, -1)
        gram = np.where(seen[:, :, :, None] & seen[:, :, None, :], (X @ X.transpose(0, 2, 1))[:, None], np.eye(p.n))
        y = np.where(seen, X[:, :, :: p.d].transpose(0, 2, 1), 0)  # u = e_1: the first entry of every token
        return 1 - (y * np.linalg.solve(gram, y[..., None])[..., 0]).sum(axis=(1, 2)) / p.N
    return bounded_mean(draw, p.seed("data"), low=-rounding, high=1 + rounding)


below, above = ridge >= R_0, ridge <= 1
claim = Claim(
    "Theorem 6, one weight vector per index",
    asserts=[interpolant >= bayes, below, above], requires=[n <= N * d],
    grid=points("N d n lam", (1, 6, 3, 0), (1, 6, 3, 100), (4, 3, 5, 0), (6, 4, 12, "1/2"), (6, 3, 9, 1000),
                (3, 2, 6, 10**9)),
    derive=derive, derived=[bayes, R_0], construct=construct, measure=measure,
    controls=[
        Control("prompts beyond the data", breaks=interpolant, asserts=[interpolant >= bayes], construct=foreign),
        Control("the projector of all prompts", breaks=below, where=N >= 2,
                measure=lambda net, p: {**measure(net, p), ridge: SpanPredictor(net.X, net.u).risk()}),
        Control("labels with the wrong sign", breaks=above,
                measure=lambda net, p: {**measure(net, p), ridge: net.risk([-x for x in net.u])}),
    ],
)
simulated = Claim(
    "Theorem 6, mean risk with one weight vector per index",
    asserts=mean.equals(1 - n / (N**2 * d), within=Rational(1, 50)), requires=[n <= N * d],
    grid=points("N d n", (6, 4, 12), (3, 5, 15), (2, 8, 10)),
    construct=simulate, measure=lambda recipe, p: {mean: recipe},
    controls=[
        Control("all prompts fitted for every index", breaks=mean, construct=lambda p: simulate(p, pooled=True)),
        Control("the rate of the bound", breaks=mean, asserts=[mean.equals(1 - n / (N * d), within=Rational(1, 50))]),
    ],
)
