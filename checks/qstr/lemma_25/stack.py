r"""Gates stacked behind an approximate inner product are off by at most twice its error times the token.

Setting    Unit vectors $a,b\in\mathbb{R}^{d_e}$, equal (a match) or with inner product at most $\frac12$; $\hat s$ is
           their product by the network of lemma_22 with $m$ cells, with error $\varepsilon_1=d_e/m^2$;
           entries $|x_k|\le M$, and $d$ gates $2x_k\sigma(\hat s-\frac12)$ side by side.
Statement  The output is within $2M\varepsilon_1$ of $x\,\mathbb{1}[\text{match}]$, attained for $d_e=4$ and odd $\frac
           m2$.
Proof      On a match $\hat s=1+e$ with $|e|\le\varepsilon_1$ (lemma_22): for $\hat s\ge\frac12$ the gate is
           $x_k+2x_ke$, otherwise $-e\ge\frac12$ and it is 0, off by $|x_k|\le2|x_ke|$. On a mismatch $0\le2\sigma(\hat
           s-\frac12)\le 2\varepsilon_1$. At $a=b=(\frac12,\frac12,\frac12,\frac12)$ and odd $\frac m2$ every
           $a_k+b_k=1$ is the middle of a cell and every $a_k-b_k$ a knot, so that $e=4/m^2=\varepsilon_1$.
Witness    InnerProductUnits at $a=b$ with odd multiples of $1/m$, where every coordinate has the largest error, or at a
           rational vector where there are none; on mismatches cyclic shifts of $(1,1,1,-1)/2$ against the first unit
           vector, with inner product exactly $\pm\frac12$, and orthogonal or opposite pairs.
Measured   The largest entry of the difference over these pairs and tokens $\pm M$ and inside, in rationals.
Control    A gate without its factor 2; an offset of $\frac14$; half of the bound; codes with inner product
           $\frac{24}{25}$.
Reads      Printed is a network that approximates the gate too, on the domain $|z|\le1$: $\hat s$ may exceed 1 by
           $\varepsilon_1$ on a match, so its domain must reach to $1+\varepsilon_1$, which changes constants only. The
           exact gate here is derived here; of the printed width and norm see lemma_25_width.
"""

from fractions import Fraction

from sympy import Eq, floor

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions.feedforward.inner_products import InnerProductUnits, rational_unit_vector
from theorytools.errors import DomainError

from ..lemma_22 import ODD, odd
from ..lemma_24.variables import Gate
from ..notation import M_x, d_e, m

error = Quantity("error", r"\max_k|2x_k\sigma(\hat s-\tfrac12)-x_k\mathbb{1}[\mathrm{match}]|", "largest", (0, None))
bound = 2 * M_x * d_e / m**2


def construct(p, gate=None) -> tuple[InnerProductUnits, Gate]:
    return InnerProductUnits(p.m), gate or Gate()


def codes(p):
    """Pairs of unit vectors and whether they match."""
    if p.d_e < 4:
        raise DomainError(f"d_e = {p.d_e}", required="d_e >= 4", why="its vectors of products 1/2 have four entries")
    steepest = p.d_e == 4 and p.m in ODD
    own = odd(p) if steepest else rational_unit_vector(range(1, p.d_e))
    signs = [Fraction(s, 2) for s in (1, 1, 1, -1)]
    shifts = [padded(signs[k:] + signs[:k], p.d_e) for k in range(4)]
    half, unit = shifts[0], padded([Fraction(1)], p.d_e)
    apart = [(h, unit) for h in shifts] + [(half, h) for h in shifts[1:]] + [(own, [-x for x in own])]
    return [(own, own, 1), (half, half, 1), (unit, unit, 1), *((a, b, 0) for a, b in apart)]


def padded(vector, size):
    """The vector with zeros to this size."""
    return [*vector, *[Fraction(0)] * (size - len(vector))]


def measure(net, p, extra=()):
    product, gate = net
    tokens = [p.M_x * s for s in (1, -1, Fraction(1, 3))]
    read = [(product(a, b), match) for a, b, match in [*codes(p), *extra]]
    return {error: max(abs(gate(x, 0, s) - x * match) for s, match in read for x in tokens)}


even = Eq(floor(m / 2), m / 2)
close = [[Fraction(x, 10) for x in row] for row in ((1, 3, 3, 9), (3, 1, 3, 9))]  # inner product 24/25
claim = Claim(
    "Lemma 25, the stack",
    role="statement", source="derived here: Lemma 25",
    scope={"every d_e, M_x": "proof", "every number of cells m": "proof", "some network": "exhibited",
           "every pair of vectors": "proof", "every token": "proof"},
    asserts=error <= bound, construct=construct, measure=measure,
    grid=points("d_e m M_x", (4, 2, 3), (4, 6, 1), (4, 10, 7), (4, 14, 100), (4, 130, 10**4),
                (6, 20, 2)),
    controls=[
        Control("a gate without its factor 2", breaks=error, where=m >= 6,
                construct=lambda p: construct(p, Gate(factor=1))),
        Control("the offset 1/4", breaks=error, where=m >= 6,
                construct=lambda p: construct(p, Gate(offset=Fraction(1, 4)))),
        Control("half of the bound", breaks=error, where=d_e <= 4, asserts=[error <= bound / 2]),
        Control("codes that are too close", breaks=error, where=m >= 6,
                measure=lambda net, p: measure(net, p, [(*(padded(v, p.d_e) for v in close), 0)])),
    ],
)
