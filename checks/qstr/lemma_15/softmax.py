r"""The softmax moves in the $\ell_1$ norm at most as far as its scores in the largest norm, with constant 1.

Setting    Score vectors $u,v\in\mathbb{R}^N$.
Statement  $\|\operatorname{softmax}(u)-\operatorname{softmax}(v)\|_1\le\|u-v\|_\infty$.
Proof      On the segment from $u$ to $v$, with $\delta=v-u$, the weights have the derivative
           $\pi_i(\delta_i-\sum_k\pi_k\delta_k)$, whose $\ell_1$ norm is the mean absolute deviation of $\delta$ under
           $\pi$: at most its standard deviation, at most half of $\max\delta-\min\delta$, at most $\|\delta\|_\infty$.
Adversary  $u=-v=(t,-t)$, where the sides are $2\tanh t$ and $2t$; the same with other scores far below; random scores.
Measured   The $\ell_1$ distance, enclosed from rational scores.
Control    The constant 0.9; the Euclidean distance over $\sqrt N$ for the largest; $v$ farther away.
Reads      The constant 1 is derived here and sharp; the lemma that the paper cites has a constant of 2.
"""

from fractions import Fraction

from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.theory.capacity.perturbation.attention import SoftmaxPair

from ..notation import N, gap_u, rms_u, trial

moved = Quantity("distance of the weights", r"\|\operatorname{softmax}(u)-\operatorname{softmax}(v)\|_1",
                 "at most 2, as both are probabilities", (0, 2))


def construct(p) -> SoftmaxPair:
    if p.trial == 0:
        rest = [Fraction(-20)] * (p.N - 2)
        return SoftmaxPair([p.size, -p.size, *rest], [-p.size, p.size, *rest])
    draw = p.rng("scores").integers(-64, 64, endpoint=True, size=(2, p.N)).tolist()
    return SoftmaxPair(*([p.size * Fraction(x, 64) for x in row] for row in draw))


def farther(p):
    pair = construct(p)
    return SoftmaxPair(pair.u, [2 * y - x for x, y in zip(pair.u, pair.v, strict=True)])


claim = Claim(
    "Lemma 15, softmax",
    role="foundation", source="derived here: Lemma 15",
    scope={"every N, size, trial": "proof", "every pair of score vectors": "proof"},
    asserts=[moved <= gap_u],
    derive=lambda pair, p: {gap_u: pair.score_gap(), rms_u: pair.root_mean_square}, derived=[gap_u, rms_u],
    grid=points("N size trial", (2, "1/1000", 0), (2, "1/10", 0), (2, 1, 0), (5, "1/10", 0),
                *((N, s, k) for N in (2, 3, 8, 40) for s in ("1/4", 1, 4) for k in (1, 2))),
    construct=construct, measure=lambda pair, p: {moved: pair.gap},
    controls=[
        Control("0.9 of the bound", asserts=[moved <= Rational(9, 10) * gap_u], breaks=moved,
                where=Eq(trial, 0) & (gap_u < 1)),
        Control("the root mean square of the differences", asserts=[moved <= rms_u], breaks=moved,
                where=Eq(trial, 0) & (N >= 3)),
        Control("v twice as far away", breaks=moved, where=Eq(trial, 0) & (gap_u < 1), construct=farther),
    ],
)
