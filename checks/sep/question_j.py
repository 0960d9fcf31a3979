r"""Four significant bits are enough for nearly orthogonal codes of any length; the quadratic code needs $2\log_2N$.

Setting    As in index_lookup_precision, in formats on paper of $M$ significant bits, products and sums in doubles.
           Sign codes with $\mu\le k/2$ at twice the scale, $\beta=2\ln(3N)/\Delta$; the quadratic code at $\ln(3N)$.
Statement  Nearly orthogonal codes look up every position with $M=4$ bits, whatever $N$; the fewest bits of the
           quadratic code differ from $2\log_2N$ by at most 2.
Witness    Codes drawn by position; every position asked for, with $M=2,3,\dots$ bits.
Measured   The fewest bits that are enough for all positions.
Control    The quadratic and the circle code held to 4 bits; $\log_2N$ for $2\log_2N$; random signs in their place.
Reads      Derived here. Rounding $\beta$ scales all scores alike; rounding them leaves a gap of
           $\ge2(1-u)^2(1-3u)\ln3N\ge\ln3N$ at $u=2^{-4}$, as $k+\mu\le3\Delta$; rounded exponentials and weights change
           the rest by less than a half. For the quadratic code a unit of the score is between $2^{-M}$ and $2^{1-M}$ of
           it, and key and score move two scores by at most two units: two bits. What precision the paper takes we could
           not read.
"""

from sympy import log

from theorytools import Claim, Control, Quantity, points
from theorytools.constructions import IndexLookup
from theorytools.quantities.lookup_precision import least_bits

from .notation import N

bits = Quantity("fewest bits", r"M_{\min}", "with which every position is found", (2, None))


def construct(p) -> IndexLookup:
    return IndexLookup.of(p.code, p.N, 2, rng=p.rng("codes"))


def measure(net, p, code=None):
    code = code or p.code
    return {bits: least_bits(code, p.N, rng=p.rng("codes"), scale=2.0 if code == "jl" else 1.0)}


claim = Claim(
    "Question (j), nearly orthogonal codes", asserts=bits <= 4,
    grid=points("code N", ("jl", 8), ("jl", 32), ("jl", 128), ("jl", 256)), construct=construct, measure=measure,
    controls=[
        Control("the quadratic code", breaks=bits, measure=lambda net, p: measure(net, p, code="quadratic")),
        Control("the circle code", breaks=bits, where=N >= 32, measure=lambda net, p: measure(net, p, code="circle")),
    ],
)
quadratic = Claim(
    "Question (j), the quadratic code", asserts=bits.equals(2 * log(N) / log(2), within=2),
    grid=points("code N", ("quadratic", 8), ("quadratic", 32), ("quadratic", 128), ("quadratic", 256)),
    construct=construct, measure=measure,
    controls=[
        Control("as many bits as the index", breaks=bits, asserts=[bits.equals(log(N) / log(2), within=2)]),
        Control("nearly orthogonal codes", breaks=bits, measure=lambda net, p: measure(net, p, code="jl")),
    ],
)
