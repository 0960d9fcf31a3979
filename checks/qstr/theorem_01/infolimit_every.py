r"""No estimator beats the floor $1-\frac n{qd}$ when the link is as likely as its reflection in the span of the data.

Setting    As in theorem_01_infolimit; links $u$ from an orthonormal basis and their reflections $u'=(2\Pi-I)u$,
           $\Pi$ the projector on the span of the $n$ retrieved inputs.
Statement  $u$ and its reflection $u'$ have the same labels, hence one estimate $\hat u$, and
           $\frac12\|\hat u-u\|^2+\frac12\|\hat u-u'\|^2=\|\hat u-\Pi u\|^2+\|(I-\Pi)u\|^2$: the mean risk of any
           function of the labels is at least $1-\frac n{qd}$.
Proof      Of the two distances the mean is that identity, whatever $\hat u$ is. $u$ and $u'$ have one law if $u$ is
           uniform on the sphere or on $\pm$ an orthonormal basis, and there $E\|(I-\Pi)u\|^2=1-\frac r{qd}$ with the
           rank $r\le n$ of $\Pi$.
Adversary  Least norm, ridge, zero, the nearest unit vector (right whenever the link is one), a random linear map;
           falsify draws linear maps.
Measured   Mean squared distances over the $2qd$ links, in rationals.
Control    Unit vectors without their reflections, which the learner knows beforehand; a label more.
Reads      Derived here. The uniform law on the sphere is preserved by the reflection, whatever the data.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from theorytools import Claim, Control, points
from theorytools.papers.qstr.first_layers.retrieved_regression import RetrievedRegression

from ..notation import N, d, n, q
from .infolimit import construct as regression
from .infolimit import floor, prompts, risk


class Learner(NamedTuple):
    """An estimator of the link from its labels, and the design it is used on."""

    data: RetrievedRegression
    estimator: object


def construct(p) -> Learner:
    data = regression(p)
    named = {"min_norm": data.min_norm, "ridge": data.ridge, "zero": data.zero, "nearest_axis": data.nearest_axis}
    return Learner(data, named.get(p.estimator) or linear(p.rng("map").integers(-9, 10, (data.p, p.n))))


def linear(B):
    return lambda y: np.array([[Fraction(int(x), 640) for x in row] for row in B], dtype=object) @ y


def search(draw, p):
    from hypothesis import strategies as st
    rows = st.lists(st.lists(st.integers(-9, 9), min_size=p.n, max_size=p.n), min_size=p.q * p.d, max_size=p.q * p.d)
    return Learner(regression(p), linear(draw(rows)))


def measure(learner, p, known=False):
    data = learner.data
    return {risk: data.mean_risk(learner.estimator, data.axes if known else None)}


def more(p):
    X, T = prompts(p)
    extra = p.rng("extra prompt").integers(-64, 65, X[:1].shape)
    data = RetrievedRegression.of(np.concatenate([X, extra]), np.concatenate([T, T[:1]])[:, :1])
    return Learner(data, data.min_norm)


claim = Claim(
    "Theorem 1, floor of any estimator",
    role="variant", source="published: Theorem 1, the order qd; prose",
    scope={"every N, d, q, n": "points", "every estimator": "proof", "every link": "closed form"},
    asserts=risk >= floor, requires=[n <= q * d, q <= N],
    grid=points("estimator N d q n", ("min_norm", 8, 3, 2, 4), ("ridge", 8, 3, 2, 4), ("zero", 8, 10, 1, 5),
                ("nearest_axis", 8, 10, 1, 5), ("nearest_axis", 16, 4, 3, 6), ("random", 8, 3, 2, 4)),
    construct=construct, measure=measure, search=search, controls=[
        Control("unit vectors known beforehand", breaks=risk, measure=lambda learner, p: measure(
            Learner(learner.data, learner.data.nearest_axis), p, known=True)),
        Control("a label more", breaks=risk, construct=more),
    ],
)
