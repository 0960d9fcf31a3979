r"""Labels with decaying weights: the error of retrieving $q$ tokens is the tail of the squared weights.

Setting    $y=\sum_{k<N}c_k\langle u,x_{(t+k)\bmod N}\rangle$, $\|u\|=1$, $\sum_kc_k^2=1$, $c_k$ proportional to
           $(1+k)^{-a}$ (power) or $e^{-k/\xi}$ (exponential); $\lambda_c$ is $a$ or $\xi$. Independent tokens with
           mean 0 and covariance $I$.
Statement  A predictor that sees $t$ and $q$ tokens errs by at least $F_q=\sum_{k\ge q}c_k^2$, and this is attained.
           (For the exponential it is a geometric sum, $\frac{e^{-2q/\xi}-e^{-2N/\xi}}{1-e^{-2N/\xi}}$.)
Witness    The $q$ largest weights, against every other choice of $q$ offsets.
Measured   Least error over all choices, listed; rational where $2a$ is whole.
Control    The $q$ farthest offsets; one token more.
Reads      The question is answered for these weights, cyclic offsets and a linear link, where the label is exact
           (question_c_breakdown) and for trained heads (question_c_trained). Its other part, a realistic sparse task,
           is not covered: no data set is at hand. The floors are derived here.
"""

from itertools import combinations

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.numbers import maximum, minimum, total
from theorytools.papers.qstr.tasks.decaying_weights import DecayingWeights

from ..notation import N, floor_q, q

least = Quantity("least error", r"\min_{|S|=q}\min E(y-\hat y)^2", "given t and the tokens at the offsets S", (0, 1))
precisely = Rational(1, 10**15)


def construct(p) -> DecayingWeights:
    return DecayingWeights(p.N, p.decay, p.decay_rate)


def errors(weights, q):
    return [1 - total(kept) for kept in combinations(weights.squares(), q)]


def measure(weights, p, more=0, pick=minimum):
    return {least: lambda: pick(errors(weights, p.q + more))}


more = Control("one token more", breaks=least, measure=lambda weights, p: measure(weights, p, more=1))
claim = Claim(
    "Question (c), q tokens",
    role="variant", source="derived here: question (c)",
    scope={"every decay, N, decay_rate, q": "points", "every choice of offsets": "enumeration"},
    asserts=least.equals(floor_q, within=precisely), requires=[q <= N],
    derive=lambda weights, p: {floor_q: lambda: weights.floor(p.q)}, derived=[floor_q],
    grid=points("decay N decay_rate q", ("power", 8, "1/2", 1), ("power", 8, 1, 3), ("power", 12, 2, 1),
                ("power", 8, "1/4", 4), ("exponential", 8, 2, 1), ("exponential", 8, 8, 5), ("exponential", 8, 32, 2)),
    construct=construct, measure=measure, controls=[more,
        Control("the farthest offsets", breaks=least, measure=lambda weights, p: measure(weights, p, pick=maximum)),
    ],
)
