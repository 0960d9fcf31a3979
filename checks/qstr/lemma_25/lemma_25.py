r"""Gates stacked behind an approximate inner product: their domain must reach a little beyond one.

Setting    The inner product $\hat s$ of unit vectors by the network of lemma_22 with $m$ cells and error
           $\varepsilon_1=d_e/m^2$, followed by $qd$ copies of a gate on $(x_k,\hat s_l)$.
Statement  $|\hat s|\le1+\varepsilon_1$, and this is attained on both sides, so a domain with $|z|\le1+\varepsilon_1$
           suffices.  The reading $|\hat s|\le1$ fails: $\hat s$ may exceed 1 on a match.
Witness    InnerProductUnits at $a=b$ with odd multiples of $1/m$, where every coordinate has the largest error, and
           at random unit vectors, which are compared with themselves and with their negatives.
Measured   The largest $|\hat s|$, in rationals.
Control    A hundredth of the excess, on either side; the quarter left out; the repaired domain.
Reads      That $|z|\le1$ is assumed where an approximation is inserted is inferred from the proof text; the display was
           not available to us.  A larger domain changes constants only.  With the exact products of lemma_23 nothing
           needs repair; the published gate is followed in its rate only (lemma_25_rates).
"""

from theorytools import Claim, Control, Quantity, points

from ..lemma_22 import construct, pairs
from ..notation import d_e, m

top = Quantity("largest product", r"\max|\hat s|", "largest approximate inner product", (0, None))
excess = d_e / m**2


def measure(net, p, factor=1, signs=(1, -1)):
    return {top: max(abs(factor * net(a, [sign * x for x in a])) for a, _ in pairs(p) for sign in signs)}


odd = points("vectors d_e m", *(("odd", 4, m) for m in (2, 6, 10, 14, 34, 130, 258)))
shared = {"construct": construct, "measure": measure}
claim = Claim(
    "Lemma 25, the domain",
    role="variant", source="derived here: Lemma 25",
    scope={"every d_e": "points", "every number of cells m": "points", "some network": "exhibited",
           "every pair of vectors": "drawn"},
    asserts=top <= 1 + excess,
    grid=odd + points("vectors d_e m", ("random", 4, 8), ("random", 5, 20)), **shared,
    controls=[
        Control("the quarter left out", breaks=top, where=m >= 6, measure=lambda net, p: measure(net, p, 4)),
        Control("negatives, a hundredth of the excess", breaks=top, where=d_e <= 4, asserts=[top <= 1 + excess / 100],
                measure=lambda net, p: measure(net, p, signs=(-1,))),
        Control("a hundredth of the excess", breaks=top, where=d_e <= 4, asserts=[top <= 1 + excess / 100]),
    ],
)
unit = Claim(
    "Lemma 25, products of at most one",
    role="pitfall", source="derived here: Lemma 25",
    scope={"every d_e": "points", "every number of cells m": "points", "every pair of vectors": "points"},
    asserts=top <= 1, expect="REFUTED", grid=odd, **shared,
    note="Approximate inner products read as at most one.",
    controls=[Control("the domain enlarged by the error", asserts=[top <= 1 + excess])],
)
