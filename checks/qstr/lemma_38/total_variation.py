r"""With the affine part free, the least bending of an interpolant is the sum of its changes of slope, exactly.

Setting    Data as in lemma_38; functions $\alpha+\beta x+\sum_kc_k\sigma(x-\kappa_k)$ through the data, with the total
           variation $\sum_k|c_k|$ of their slope.
Statement  The least total variation is $\sum_i|s_{i+1}-s_i|$, $s_i$ the slopes between neighbouring data.
Proof      With the hat $\phi_i$ over $z_i,z_{i+1},z_{i+2}$ the change $s_{i+1}-s_i$ is $\int\phi_i\,dg'$ for every
           interpolant $g$, and the hats are not negative and sum to at most 1: $\sum|s_{i+1}-s_i|\le\int|dg'|$. The
           interpolant with its knots at the data has the change $s_{i+1}-s_i$ at each.
Witness    The vertex that a linear program proposes, solved again in rationals, and its multiplier.
Measured   Primal and dual value, both rational, so equality is exact.
Control    Knots between the data only; a multiplier above 1 at the data.
Reads      Derived here, as ground truth for the linear program of lemma_38_least.
"""

from itertools import pairwise

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.qstr.interpolation.total_variation import (
    TotalVariation,
    least_total_variation,
    total_slope_change,
)

from ..notation import bend, n
from .lemma_38 import construct, data

above = Quantity("bending", r"\sum_k|c_k|", "total variation of the slope of an interpolant", (0, None))
below = Quantity("bending, dual", r"\lambda^\top y", "lower bound of every interpolant's bending", (0, None))


def bending(p, **knots) -> TotalVariation:
    return least_total_variation(*data(p), **knots)


def between_data(p):
    return bending(p, knots=[(a + b) / 2 for a, b in pairwise(construct(p).data[0])])


claim = Claim(
    "Lemma 38, the affine part free",
    role="foundation", source="derived here: Lemma 38",
    scope={"every n": "proof", "every data set": "proof", "every network": "proof"},
    asserts=[above.equals(bend), below.equals(bend)], requires=[n >= 3],
    grid=points("data n", ("alternating", 5), ("random", 5), ("random", 8), ("random", 12), ("random", 20)),
    derive=lambda found, p: {bend: total_slope_change(*data(p))}, derived=[bend], construct=bending,
    measure=lambda found, p: {above: found.upper(), below: found.lower()},
    controls=[
        Control("knots between the data only", breaks=[above, below], construct=between_data),
        Control("a multiplier above 1 at the data", breaks=below,
                measure=lambda found, p: {above: found.upper(), below: between_data(p).gain()}),
    ],
)
