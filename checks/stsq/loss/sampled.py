r"""The full forward pass in doubles on drawn prompts has the population loss of the closed form.

Setting    As in loss: orthonormal encodings, $V=[\alpha I\ 0]$.
Statement  Every coordinate of $f-s$ is Gaussian with mean 0 and variance $\frac Ld$, the same for every $y$.
Witness    SparseSelector on drawn $(X,y)$: scores $Z^\top Wz_q$, softmax and $V\sum_ia_iz_i$ in full width $d+d_e$.
Measured   The variance of the coordinates, with the interval of its chi-square law.
Control    The sum of the selected tokens as target; the query column attended to; a tenth off the temperature.
Reads      Derived here.  The width of 10 % only says when to stop drawing (5 % held too, with more
           prompts).
"""

from sympy import Rational, log

from theorytools import Claim, Control, Quantity, points
from theorytools.codes.encodings import orthonormal_encodings
from theorytools.constructions.network import changed
from theorytools.papers.stsq.attention.selector import SparseSelector
from theorytools.papers.stsq.tasks.sparse_selection import sample, targets
from theorytools.statistics.sampled import gaussian_variance

from ..notation import T, beta, d, q, u
from .loss import closed

variance = Quantity("variance", r"\frac1d\mathbb{E}\|f-s\|^2", "of one coordinate of the error", (0, None))
exact = closed(q, T - q)[0].rhs / d


def construct(p, times=1) -> SparseSelector:
    return SparseSelector(orthonormal_encodings(p.T), times * log(p.u), p.q, p.d, alpha=p.alpha)


def measure(net, p, weight=1):
    def draw(rng, size):
        X, Y = sample(rng, -(-size // p.d), p.T, p.d, p.q)
        return (net(X, Y) - weight * targets(X, Y)).ravel()[:size]

    return {variance: gaussian_variance(draw, p.seed("prompts"))}


claim = Claim(
    "Population loss, drawn prompts",
    role="variant", source="derived here: population loss",
    scope={"every T, q, d, u, alpha": "points", "every prompt": "drawn"},
    asserts=variance.equals(exact, within=exact / 10), requires=[q < T],
    lets={beta: log(u)},
    grid=points("T q d u alpha", (20, 3, 5, 10, 1), (12, 2, 8, 3, "3/2")),
    construct=construct, measure=measure,
    controls=[
        Control("the sum of the tokens as target", breaks=variance, measure=lambda net, p: measure(net, p, p.q)),
        Control("the query column attended to", breaks=variance,
                construct=lambda p: changed(construct(p), attends_query=True)),
        Control("a tenth off the temperature", breaks=variance, construct=lambda p: construct(p, Rational(9, 10))),
    ],
)
