r"""The tent map composed with itself has exponentially many pieces; one hidden layer needs a unit for each.

Setting    $f(x)=2\min(x,1-x)$ on $[0,1]$, two ReLU units; $f^k$ its $k$-fold composition, a network of $k$ layers.
Statement  $f^k$ has exactly $2^k$ linear pieces, and one hidden layer of $2^k$ units computes it on $[0,1]$; with fewer
           than $2^k-1$ units none does.
Proof      Each piece of $f^k$ maps onto $[0,1]$, and $f$ splits it in two. A sum of $m$ ReLU units has at most $m$
           kinks, and $f^k$ has $2^k-1$ inside $(0,1)$.
Witness    The composition, and the interpolating sum of ReLU units at the kinks.
Measured   The number of pieces, by composing breakpoints; the largest difference of the two networks over the
           breakpoints and the middles between them, which is all of $[0,1]$ for piecewise linear functions.
Control    One layer less; one unit of the wide network left out.
Reads      Telgarsky, Benefits of depth in neural networks (2016), from memory; the proof is above.
"""

from fractions import Fraction
from itertools import pairwise

from theorytools import Claim, Control, Quantity, exactly, grid

from .notation import k

pieces = Quantity("pieces", r"\#\text{pieces}", "of the composition", (1, None))
difference = Quantity("difference", r"\max|f^k-g|", "of the deep and the wide network", (0, None))


def tent(x: Fraction) -> Fraction:
    return 2 * min(x, 1 - x)


def deep(x: Fraction, layers: int) -> Fraction:
    for _ in range(layers):
        x = tent(x)
    return x


def breakpoints(layers: int) -> list[Fraction]:
    """The ends of the pieces: those of one composition less, pulled back through both branches, and 1/2."""
    found = {Fraction(0), Fraction(1)}
    for _ in range(layers):
        found = {Fraction(1, 2)} | {x / 2 for x in found} | {1 - x / 2 for x in found}
    return sorted(found)


def construct(p, left_out=0):
    """The units of the wide network: kink, and change of slope there."""
    ends = breakpoints(p.k)
    slopes = [(deep(b, p.k) - deep(a, p.k)) / (b - a) for a, b in pairwise(ends)]
    units = [(a, s - before) for a, s, before in zip(ends, slopes, [Fraction(0), *slopes], strict=False)]
    return units[: len(units) - left_out]


def measure(units, p, layers=None):
    layers = p.k if layers is None else layers
    ends = breakpoints(layers)
    between = [(a + b) / 2 for a, b in pairwise(ends)]
    gaps = [abs(deep(x, p.k) - sum(c * max(x - a, 0) for a, c in units)) for x in [*ends, *between]]
    return {pieces: exactly(len(ends) - 1), difference: exactly(max(gaps))}


claim = Claim(
    "Telgarsky's sawtooth", role="statement", source="published: Telgarsky (2016), benefits of depth; none",
    scope={"every depth k": "proof"}, requires=[k >= 1], asserts=[pieces.equals(2**k), difference.equals(0)],
    construct=construct, measure=measure, grid=grid(k=[1, 2, 5, 8]), controls=[
        Control("one layer less", breaks=pieces, where=k >= 2, measure=lambda units, p: measure(units, p, p.k - 1)),
        Control("one unit left out", breaks=difference, construct=lambda p: construct(p, 1)),
    ],
)
