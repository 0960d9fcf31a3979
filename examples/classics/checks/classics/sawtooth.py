r"""The tent map composed with itself has exponentially many pieces; one hidden layer needs a unit for each.

Setting    $f(x)=2\min(x,1-x)$ on $[0,1]$, two rectifiers; $f^k$ its $k$-fold composition, a network of $k$ layers.
Statement  $f^k$ has exactly $2^k$ linear pieces, and one hidden layer of $2^k$ units computes it on $[0,1]$; with fewer
           units none does (`sawtooth_units`).
Proof      Each piece of $f^k$ maps onto $[0,1]$, and $f$ splits it in two.  The sum of rectifiers with kinks at
           $j2^{-k}$, $j<2^k$, interpolates.
Witness    The composition, and that sum.
Measured   Pieces of both networks, from their weights; their largest difference at kinks, ends and middles, which is
           all of $[0,1]$ for piecewise linear functions.
Control    One layer less; one unit of the wide network left out.
Reads      Telgarsky, Benefits of depth in neural networks (2016), section 3, from memory; the proof is above.
"""

from fractions import Fraction

from theorytools import Claim, Control, Quantity, grid
from theorytools.measures import linear_pieces, listed, supremum

from .notation import k

deep_pieces = Quantity("deep_pieces", r"\#\text{pieces}(f^k)", "of the deep network", (1, None))
wide_pieces = Quantity("wide_pieces", r"\#\text{pieces}(g)", "of the wide network", (1, None))
difference = Quantity("difference", r"\max|f^k-g|", "of the deep and the wide network", (0, None))


def deep(layers):
    half = Fraction(-1, 2)
    return [([[1], [1]], [0, half]), *[([[2, -4]] * 2, [0, half])] * (layers - 1), ([[2, -4]], [0])]


def wide(k, units, start=1):
    turns = [start * 2**k, *((-1) ** j * 2 ** (k + 1) for j in range(1, units))]
    return [([[1]] * units, [Fraction(-j, 2**k) for j in range(units)]), ([turns], [0])]


def value(layers, x):
    for W, b in layers[:-1]:
        x = [max(sum(w * h for w, h in zip(row, x, strict=True)) + c, 0) for row, c in zip(W, b, strict=True)]
    return sum(w * h for w, h in zip(layers[-1][0][0], x, strict=True))


def places(p):
    return [Fraction(j, 2 ** (p.k + 1)) for j in range(2 ** (p.k + 1) + 1)]


def measure(nets, p):
    gap = supremum(listed(places(p), 2 ** (p.k + 1) + 1), lambda x: abs(value(nets[0], [x]) - value(nets[1], [x])))
    return {deep_pieces: linear_pieces(nets[0], 0, 1), wide_pieces: linear_pieces(nets[1], 0, 1), difference: gap}


claim = Claim(
    "Telgarsky's sawtooth", role="statement", source="published: Telgarsky (2016), section 3; none",
    scope={"every depth k": "proof"},
    asserts=[deep_pieces.equals(2**k), wide_pieces.equals(2**k), difference.equals(0)],
    construct=lambda p: (deep(p.k), wide(p.k, 2**p.k)), measure=measure, grid=grid(k=[1, 2, 3, 6]), controls=[
        Control("one layer less", breaks=[deep_pieces, difference], where=k >= 2,
                construct=lambda p: (deep(p.k - 1), wide(p.k, 2**p.k))),
        Control("a unit left out", breaks=[wide_pieces, difference],
                construct=lambda p: (deep(p.k), wide(p.k, 2**p.k - 1)))],
)
