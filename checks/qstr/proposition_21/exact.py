r"""The late error of the witness with fewer heads than indices, exactly.

Setting    As in proposition_21: at a position $i\ge N/2$ the label depends on $q$ of $K=\lceil N/2\rceil-1$ Gaussian
           tokens.
Statement  $2(1-H/q)\le E(y_i-\hat y_i)^2\le2(1-H/q)+\frac{4H(K-q)}{q\,\mathrm{odds}^2}$ for the best readout.
Witness    FewHeads at $\beta=\log\mathrm{odds}$ on orthogonal codes, where every attention weight is rational.
Measured   $2(qd-\operatorname{rank})$ of Gaussian directions and quadratic forms, in rationals; nothing is sampled.
Control    The linear link; as many heads as indices; an index at a zero token; a head fewer; $H$ known directions in
           place of $Hd$; the leakage term squared.
Reads      The leakage term is derived here.  With $q=K$ the lower bound is attained at every temperature.
"""

from dataclasses import replace

from sympy import Eq

from theorytools import Control, Quantity, points

from ..notation import H, d, odds, q
from .proposition_21 import K, bound, construct, linear, narrow, zero_token
from .proposition_21 import claim as sampled_claim

late = Quantity("late error", r"E(y_i-\hat y_i)^2", "squared error at one later position", (0, None))
leaked = 4 * H * (K - q) / q
above, near = late >= bound, late <= bound + leaked / odds**2


def late_error(net, p):
    return {late: net.late_error()}


claim = replace(
    sampled_claim, label="Proposition 21, late positions of the witness",
    role="sharpness", source="derived here: Proposition 21",
    scope={"every N, d, q, H, odds": "points", "some network": "exhibited", "every prompt": "closed form"},
    asserts=[above, near],
    requires=[q > H, q <= K, odds >= 2],
    grid=points("N d q H odds",
                (8, 1, 3, 1, 2), (15, 2, 7, 3, 16), (16, 4, 3, 2, 16), (64, 2, 4, 1, 16), (64, 2, 8, 7, 1024)),
    measure=late_error,
    controls=[
        Control("linear link, one head on all indexed tokens", breaks=above, where=Eq(H, 1), construct=linear),
        Control("as many heads as indices", breaks=above, construct=lambda p: construct(p, H=p.q)),
        Control("an index at a zero token", breaks=above, where=Eq(q, H + 1), construct=zero_token),
        Control("a head fewer", breaks=near, where=H >= 2, construct=lambda p: construct(p, H=p.H - 1)),
        Control("H directions, not H d", breaks=late, where=d >= 2, asserts=[late >= narrow]),
        Control("leakage squared", breaks=late, where=q < K, asserts=[late <= bound + leaked / odds**4]),
    ],
)
enough = replace(
    claim, label="Proposition 21, as many heads as indices",
    role="sharpness", source="derived here: Proposition 21",
    scope={"every N, d, q, H, odds": "points", "some network": "exhibited", "every prompt": "closed form"},
    asserts=late <= leaked / odds**2, requires=[Eq(H, q), q <= K, odds >= 2],
    grid=points("N d q H odds", (8, 1, 3, 3, 2), (16, 2, 3, 3, 16), (64, 4, 5, 5, 1024)),
    controls=[
        Control("a head fewer", breaks=late, where=H >= 2, construct=lambda p: construct(p, H=p.H - 1)),
        Control("leakage squared", breaks=late, where=q < K, asserts=[late <= leaked / odds**4]),
    ],
)
