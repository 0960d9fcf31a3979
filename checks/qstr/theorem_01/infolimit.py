r"""Even given the retrieved tokens, a linear link of $qd$ unknowns takes $qd$ labels: the risk is $1-\frac n{qd}$.

Setting    $y=\sum_{j\le q}\langle u_j,x_{t_j}\rangle$ without noise, $(u_1,\dots,u_q)$ uniform on the unit sphere of
           $\mathbb{R}^{qd}$, different indices, $n\le qd$ prompts with one label each. The learner is handed the
           indexed tokens.
Statement  Every estimator has an expected risk of at least $1-\frac n{qd}$; interpolation of least norm attains it.
Witness    Least-norm interpolation on Gaussian tokens in steps of $1/64$.
Measured   The mean of $\|\hat u-u\|^2$ over an orthonormal basis of links, exactly: it is the mean over the sphere, as
           the estimate is linear in $u$.
Control    One direction for all slots, $u_1=\dots=u_q$, where the floor is $1-\frac nd$; half of the labels; the
           estimate halved; all $N$ labels of general prompts.
Reads      The paper states the order $\Omega(qd)$; the exact floor is derived here.
"""

from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.first_layers.retrieved_regression import RetrievedRegression
from theorytools.tasks.sparse_regression import sample

from ..notation import N, d, n, q

risk = Quantity("risk", r"E\|\hat u-u\|^2", "of the estimate, averaged over links", (0, None))
floor = 1 - n / (q * d)


def prompts(p, simple=True):
    X, T = sample(p.rng("prompts"), p.n, p.N, p.d, p.q, simple)
    return np.rint(64 * X).astype(int), T


def construct(p, labels=1, simple=True, tied=False) -> RetrievedRegression:
    X, T = prompts(p, simple)
    return RetrievedRegression.of(X, T[:, :labels], tied=tied)


def fewer(p):
    X, T = prompts(p)
    return RetrievedRegression.of(X[: p.n // 2], T[: p.n // 2, :1])


def measure(data, p, factor=1):
    return {risk: data.mean_risk(lambda y: factor * data.min_norm(y), data.axes)}


claim = Claim(
    "Theorem 1, floor of every learner",
    role="sharpness", source="published: Theorem 1, the order qd; prose",
    scope={"every N, d, q, n": "points", "some estimator": "exhibited", "every link": "closed form"},
    asserts=risk.equals(floor), requires=[n <= q * d, q <= N],
    grid=points("N d q n", (8, 10, 1, 5), (8, 3, 2, 4), (16, 4, 3, 11), (10, 10, 1, 1), (6, 5, 2, 10)),
    construct=construct, measure=measure, controls=[
        Control("one direction for all slots", breaks=risk, where=(q >= 2) & (n < q * d),
                construct=lambda p: construct(p, tied=True)),
        Control("half of the labels", breaks=risk, where=n >= 2, construct=fewer),
        Control("the estimate halved", breaks=risk, measure=lambda data, p: measure(data, p, factor=Fraction(1, 2))),
        Control("all N labels of general prompts", breaks=risk, where=n < q * d,
                construct=lambda p: construct(p, labels=p.N, simple=False)),
    ],
)
