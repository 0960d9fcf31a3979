r"""Linear attention looks up $N$ positions only with $N$ features; softmax and hard attention with $\log_2N$.

Setting    Weights $A_{pj}$ of the symbol $x_j=\pm1$ when $p$ is asked; the answer is the sign of $\sum_jA_{pj}x_j$.
Statement  All words are answered right iff $A_{pp}>\sum_{j\ne p}|A_{pj}|$ for every $p$, which makes $A$ invertible.
           Linear attention with $d$ features has rank at most $d$: for $d<N$ it errs on a word. With binary codes of
           length $k$, scores of rank $k$, the softmax at $e^{2\beta}=16k$ has rank $N=2^k$ and a slack of
           $2(16k)^k-(16k+1)^k>0$, hard attention weight 1 on the target and 0 elsewhere, with no temperature.
Adversary  Random integer features; products of at most $r<k$ signs of the code. The search draws any features.
Measured   Rank over the rationals; the least slack; the output of the worst word, executed.
Control    A feature for each position; the softmax of the same code; no temperature; a sign left out; the code itself
           as features.
Reads      Derived here. By sign: with an arbitrary read-out one feature of $N$ bits holds the word
           (index_lookup_recurrent_lb_tight), and as a recurrent state of $d\,d_v$ numbers linear attention needs
           $N\log_2|\Sigma|$ bits whatever the read-out. Hard attention escapes as the softmax does: it reads all
           tokens.
"""

from math import comb

import numpy as np

from theorytools import Claim, Control, Quantity, points
from theorytools.errors import DomainError

from ..notation import N, d_x, k
from ._position_only_lookup import PositionWeights

rank = Quantity("rank", r"\operatorname{rank}A", "of the weights, over the rationals", (1, None))
slack = Quantity("least slack", r"\min_p(A_{pp}-\sum_{j\ne p}|A_{pj}|)", "positive iff all words are right",
                 (None, None))
worst = Quantity("worst output", r"\sum_jA_{pj}x_j", "times the right sign, of the worst word, executed", (None, None))


def construct(q) -> PositionWeights:
    if q.features == "products":
        if (features := sum(comb((q.N - 1).bit_length(), i) for i in range(q.degree + 1))) > q.d_x:
            raise DomainError(f"d = {q.d_x}", required=f"d >= {features}", why="as many features as there are products")
        return PositionWeights.monomials(q.N, q.degree)
    return PositionWeights.features(*q.rng("features").integers(-4, 5, (2, q.N, q.d_x)))


def search(draw, q):
    from hypothesis import strategies as st

    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return PositionWeights.features(*rng.integers(-4, 5, (2, min(q.N, 40), q.d_x)))


def measure(net, q):
    return {rank: net.rank, slack: net.dominance, worst: net.answered(*net.worst())}


claim = Claim(
    "Question (l), lookup by linear attention",
    role="necessity", source="derived here: question (l)",
    scope={"every degree, N, d_x": "points", "every number of features": "drawn", "every word": "closed form"},
    asserts=[rank <= d_x, slack <= 0, worst <= 0], requires=[d_x < N],
    grid=points("features degree N d_x", ("random", 0, 4, 3), ("random", 0, 16, 4), ("random", 0, 32, 31),
                ("products", 1, 8, 4), ("products", 2, 8, 7), ("products", 3, 16, 15), ("products", 2, 32, 16)),
    construct=construct, measure=measure, search=search, controls=[
        Control("a feature for each position", breaks=[rank, slack, worst],
                construct=lambda q: PositionWeights.features(*[np.eye(q.N, dtype=int)] * 2)),
        Control("the softmax of the code", breaks=[rank, slack, worst],
                construct=lambda q: PositionWeights.softmax(q.N, 16 * q.N)),
    ],
)


def exponential(q, base=None) -> dict[str, PositionWeights]:
    return {"soft": PositionWeights.softmax(q.N, base or 16 * q.k), "hard": PositionWeights.hard(q.N)}


hard = Quantity("slack, hard", r"\min_p(A_{pp}-\sum_{j\ne p}|A_{pj}|)", "of hard attention", (None, 1))


def both(nets, q):
    return {rank: nets["soft"].rank, slack: nets["soft"].dominance, hard: nets["hard"].dominance}


escape = Claim(
    "Question (l), lookup by softmax and by hard attention",
    role="variant", source="derived here: question (l)",
    scope={"every code length k": "points", "some network": "exhibited", "every word": "closed form"},
    lets={N: 2**k}, construct=exponential, measure=both,
    asserts=[rank.equals(N), slack.equals(2 * (16 * k) ** k - (16 * k + 1) ** k), slack >= 1, hard.equals(1)],
    grid=points("k", (1,), (2,), (3,), (5,)), controls=[
        Control("no temperature", breaks=[rank, slack], construct=lambda q: exponential(q, base=1)),
        Control("a sign left out", breaks=hard,
                construct=lambda q: {**exponential(q), "hard": PositionWeights.hard(q.N, dropped=1)}),
        Control("the code itself", breaks=[rank, slack], where=k >= 2,
                construct=lambda q: {**exponential(q), "soft": PositionWeights.monomials(q.N, 1)}),
    ],
)
