r"""The floor of every learner on drawn data and links.

Setting    As in theorem_01_infolimit, with $u$ drawn from the uniform law on the sphere and Gaussian tokens.
Statement  Interpolation of least norm has the mean risk $1-\frac n{qd}$.
Witness    The projection of $u$ on the span of the retrieved inputs.
Measured   $\|\hat u-u\|^2\in[0,1]$ in doubles, data and link drawn anew each time.
Control    One direction for all slots; half of the labels.
Reads      Derived here; a second route to theorem_01_infolimit.
"""

from fractions import Fraction

import numpy as np

from theorytools import Claim, Control, points
from theorytools.statistics.sampled import bounded_mean
from theorytools.tasks.sparse_regression import retrieve, sample

from ..notation import N, d, n, q
from .infolimit import floor, risk


def construct(p, labels=None, tied=False):
    def draw(rng, size):
        X, T = sample(rng, size * p.n, p.N, p.d, p.q, True)
        V = retrieve(X, T)[:, 0].reshape(size, p.n, p.q, p.d)[:, :labels]
        V = V.sum(axis=2) if tied else V.reshape(*V.shape[:2], -1)
        u = rng.standard_normal((size, V.shape[2], 1))
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        Q = np.linalg.qr(V.transpose(0, 2, 1))[0]  # the interpolant of least norm is the projection of u
        return np.square(u - Q @ (Q.transpose(0, 2, 1) @ u)).sum(axis=(1, 2))
    return draw


def measure(draw, p):
    slack = Fraction(1, 10**9)  # for rounding
    return {risk: bounded_mean(draw, p.seed("prompts and links"), low=-slack, high=1 + slack)}


claim = Claim(
    "Theorem 1, floor on drawn data",
    role="sharpness", source="derived here: Theorem 1",
    scope={"every N, d, q, n": "points", "some estimator": "exhibited", "every data set": "drawn"},
    asserts=risk.equals(floor, within=floor / 20),
    requires=[n < q * d, q <= N], grid=points("N d q n", (8, 10, 1, 5), (4, 3, 2, 2), (4, 4, 3, 8)),
    construct=construct, measure=measure, controls=[
        Control("one direction for all slots", breaks=risk, where=(q >= 2) & (n <= d),
                construct=lambda p: construct(p, tied=True)),
        Control("half of the labels", breaks=risk, construct=lambda p: construct(p, labels=p.n // 2)),
    ],
)
