r"""The tent map composed with itself has exponentially many pieces; one hidden layer needs a unit for each.

Setting    $f(x)=2\min(x,1-x)$ on $[0,1]$, two rectifiers; $f^k$ its $k$-fold composition, a network of $k$ hidden layers.
Statement  $f^k$ has exactly $2^k$ linear pieces; one hidden layer of $2^k$ units computes it on $[0,1]$, and none of
           $2^k-1$ units, whatever its weights and output bias.
Proof      Each piece of $f^k$ maps onto $[0,1]$, and $f$ splits it in two.  One layer has a kink for a unit at most, and
           $f^k$ has $2^k-1$ inside; so $2^k-1$ units stand one at each kink and turn the slope there by $\Delta=\pm
           2^{k+1}$.  On the left of its kink a unit has the slope $0$ or, where it faces left, $-\Delta$: their sum is a
           multiple of $2^{k+1}$, but $f^k$ starts with the slope $2^k$.
Witness    The composition, and the interpolating sum of rectifiers at the kinks.
Measured   Pieces of both networks, from their weights; their largest difference at kinks, ends and middles; the squared
           distance of $f^k$ there from the span of $2^k-1$ units, least over all directions in which they face.
Control    One layer less; one unit of the wide network left out; that $2^k-1$ units are enough.
Reads      Telgarsky, Benefits of depth in neural networks (2016), section 3, from memory; the proof is above.
"""
from dataclasses import replace
from fractions import Fraction
from theorytools import Claim, Control, Quantity, grid
from theorytools.measures import infimum, linear_pieces, sign_vectors, span_loss, supremum, listed
from .notation import k

pieces = Quantity("pieces", r"\#\text{pieces}(f^k)", "of the deep network", (1, None))
wide_pieces = Quantity("wide_pieces", r"\#\text{pieces}(g)", "of the wide network", (1, None))
difference = Quantity("difference", r"\max|f^k-g|", "of the deep and the wide network", (0, None))
missed = Quantity("missed", r"\min\sum(f^k-h)^2", "over networks h of too few units", (0, None))

def deep(layers):
    half = Fraction(-1, 2)
    return [([[1], [1]], [0, half]), *[([[2, -4]] * 2, [0, half])] * (layers - 1), ([[2, -4]], [0])]

def wide(k, units, start=1):
    turns = [start * 2**k, *((-1) ** j * 2 ** (k + 1) for j in range(1, units))]
    return [([[1]] * units, [Fraction(-j, 2**k) for j in range(units)]), ([turns], [0])]

def value(layers, x):
    for W, b in layers[:-1]:
        x = [max(sum(w * h for w, h in zip(row, x)) + c, 0) for row, c in zip(W, b)]
    return sum(w * h for w, h in zip(layers[-1][0][0], x)) + layers[-1][1][0]

def places(p):
    return [Fraction(j, 2 ** (p.k + 1)) for j in range(2 ** (p.k + 1) + 1)]

def measure(nets, p):
    gap = supremum(listed(places(p), 2 ** (p.k + 1) + 1), lambda x: abs(value(nets[0], [x]) - value(nets[1], [x])))
    return {pieces: linear_pieces(nets[0], 0, 1), wide_pieces: linear_pieces(nets[1], 0, 1), difference: gap}

def nearest(nets, p):
    at = places(p)
    units = [[[max(s * (x - Fraction(j, 2**p.k)), 0) for x in at] for s in (-1, 1)] for j in range(1, 2**p.k)]
    target = [value(nets[0], [x]) for x in at]
    return {missed: infimum(sign_vectors(len(units)), lambda signs: span_loss(
        target, [[1] * len(at), *(unit[s > 0] for unit, s in zip(units, signs))]))}

claim = Claim(
    "Telgarsky's sawtooth", role="statement", source="published: Telgarsky (2016), section 3; none",
    scope={"every depth k": "proof"}, asserts=[pieces.equals(2**k), wide_pieces.equals(2**k), difference.equals(0)],
    construct=lambda p: (deep(p.k), wide(p.k, 2**p.k)), measure=measure, grid=grid(k=[1, 2, 3, 6]), controls=[
        Control("one layer less", breaks=[pieces, difference], where=k >= 2, construct=lambda p: (deep(p.k - 1), wide(p.k, 2**p.k))),
        Control("one unit left out", breaks=[wide_pieces, difference], construct=lambda p: (deep(p.k), wide(p.k, 2**p.k - 1)))],
)
needed = replace(
    claim, label="Telgarsky's sawtooth, units needed", role="sharpness", source="derived here: Telgarsky's sawtooth",
    scope={"every depth k": "proof"}, listed=[k], asserts=missed > 0, measure=nearest, grid=grid(k=[1, 2, 3]), controls=[
        Control("a function that starts level", breaks=missed, construct=lambda p: (wide(p.k, 2**p.k, 0),))],
)
