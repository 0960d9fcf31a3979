r"""Gates stacked behind an approximate inner product are off by at most twice its error times the token.

Setting    As in lemma_25: $\hat s$ with error at most $\varepsilon_1=d_e/m^2$, entries $|x_k|\le M$, and $d$ gates
           $2x_k\sigma(\hat s-\frac12)$ side by side; codes equal, or with inner product at most $\frac12$.
Statement  The output is within $2M\varepsilon_1$ of $x\,\mathbb{1}[\text{match}]$, and this is attained.
Witness    InnerProductUnits as in lemma_25 on matches; on mismatches cyclic shifts of $(1,1,1,-1)/2$ against the first
           unit vector, with inner product exactly $\pm\frac12$, and orthogonal or opposite pairs.
Measured   The largest entry of the difference over all pairs and tokens $\pm M$ and inside, in rationals.
Control    A gate without its factor 2; an offset of $\frac14$; half of the bound; codes with inner product
           $\frac{24}{25}$.
Reads      Derived here, as the executable content of the lemma: the published network approximates the gate too
           (lemma_25_rates).
"""

from fractions import Fraction

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.feedforward.piecewise_linear import InnerProductUnits

from ..lemma_22 import odd
from ..lemma_24 import Gate
from ..notation import M_x, d_e, m

error = Quantity("error", r"\max_k|2x_k\sigma(\hat s-\tfrac12)-x_k\mathbb{1}[\mathrm{match}]|", "largest", (0, None))
bound = 2 * M_x * d_e / m**2


def construct(p, gate=None) -> tuple[InnerProductUnits, Gate]:
    return InnerProductUnits(p.m), gate or Gate()


def codes(p):
    """Pairs of unit vectors and whether they match."""
    own, half = odd(p), [Fraction(s, 2) for s in (1, 1, 1, -1)]
    shifts = [half[k:] + half[:k] for k in range(4)]
    unit = [Fraction(k == 0) for k in range(4)]
    apart = [(h, unit) for h in shifts] + [(half, h) for h in shifts[1:]] + [(own, [-x for x in own])]
    return [(own, own, 1), (half, half, 1), (unit, unit, 1), *((a, b, 0) for a, b in apart)]


def measure(net, p, extra=()):
    product, gate = net
    tokens = [p.M_x * s for s in (1, -1, Fraction(1, 3))]
    read = [(product(a, b), match) for a, b, match in [*codes(p), *extra]]
    return {error: max(abs(gate(x, 0, s) - x * match) for s, match in read for x in tokens)}


close = [[Fraction(x, 10) for x in row] for row in ((1, 3, 3, 9), (3, 1, 3, 9))]  # inner product 24/25
claim = Claim(
    "Lemma 25, the stack",
    role="statement", source="derived here: Lemma 25",
    scope={"every d_e, M_x": "points", "every number of cells m": "points", "some network": "exhibited",
           "every pair of vectors": "points"},
    asserts=error <= bound, construct=construct, measure=measure,
    grid=points("d_e m M_x", (4, 2, 3), (4, 6, 1), (4, 10, 7), (4, 14, 100), (4, 130, 10**4)),
    controls=[
        Control("a gate without its factor 2", breaks=error, where=m >= 6,
                construct=lambda p: construct(p, Gate(factor=1))),
        Control("the offset 1/4", breaks=error, where=m >= 6,
                construct=lambda p: construct(p, Gate(offset=Fraction(1, 4)))),
        Control("half of the bound", breaks=error, asserts=[error <= bound / 2]),
        Control("codes that are too close", breaks=error, where=m >= 6,
                measure=lambda net, p: measure(net, p, [(*close, 0)])),
    ],
)
