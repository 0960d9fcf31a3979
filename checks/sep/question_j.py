r"""Four significant bits are enough for nearly orthogonal codes up to 512; the quadratic code needs $2\log_2N$.

Setting    As in index_lookup_precision, in formats on paper of $M$ significant bits, products and sums in doubles.
           Sign codes with $\mu\le k/2$ at twice the scale, $\beta=2\ln(3N)/\Delta$; the quadratic code at $\ln(3N)$.
Statement  Nearly orthogonal codes look up every position with $M=4$ bits at the $N$ tried; the fewest bits of the
           quadratic code differ from $2\log_2N$ by at most 2.
Witness    Codes drawn by position; every position asked for.
Measured   The worst margin with 4 bits, the exact sum of the weights; the fewest bits, $M=2,3,\dots$: observed.
Control    The quadratic and the circle code held to 4 bits; $\log_2N$ for $2\log_2N$; random signs in their place.
Reads      Derived here. Rounding $\beta$ scales all scores alike; rounding them leaves a gap of
           $\ge2(1-u)^2(1-3u)\ln3N\ge\ln3N$ at $u=2^{-4}$, as $k+\mu\le3\Delta$; exponentials, normaliser and weights
           rounded as well leave a margin of at least 0.355. At twice the scale only: with $\ln(3N)/\Delta$ the bound
           asks for $u=O(1/\ln N)$. For the quadratic code a unit of the score is between $2^{-M}$ and $2^{1-M}$ of
           it, and key and score move two scores by at most two units: two bits. What precision the paper takes we
           could not read.
"""

from sympy import Rational, log

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.estimate import observed
from theorytools.constructions.attention.lookup_precision import LookupFormat, least_bits, rounded_margin

from .notation import N

four = Quantity("margin with four bits", r"\rho_{M=4}", "worst margin over all positions", (-1, 1))
bits = Quantity("fewest bits", r"M_{\min}", "with which every position is found", (2, None))


def construct(p):
    return p.code, p.N


def with_four(net, p, code=None):
    code, n = code or net[0], net[1]
    return {four: rounded_margin(code, n, LookupFormat("bits", 4), rng=p.rng("codes"), scale=2.0)}


def measure(net, p, code=None):
    return {bits: observed(least_bits(code or net[0], net[1], rng=p.rng("codes")), "numpy")}


claim = Claim(
    "Question (j), nearly orthogonal codes",
    role="precision", source="derived here: question (j)",
    scope={"every code, N": "points", "some vectors": "exhibited", "every position": "enumeration"},
    asserts=four >= Rational(1, 3),
    grid=points("code N", ("jl", 8), ("jl", 32), ("jl", 128), ("jl", 256), ("jl", 512)),
    construct=construct, measure=with_four,
    controls=[
        Control("the quadratic code", breaks=four, measure=lambda net, p: with_four(net, p, code="quadratic")),
        Control("the circle code", breaks=four, where=N >= 32, measure=lambda net, p: with_four(net, p, code="circle")),
    ],
)
quadratic = Claim(
    "Question (j), the quadratic code",
    role="precision", source="derived here: question (j)",
    scope={"every code, N": "points", "some vectors": "exhibited", "every position": "enumeration"},
    asserts=bits.equals(2 * log(N) / log(2), within=2),
    grid=points("code N", ("quadratic", 8), ("quadratic", 32), ("quadratic", 128), ("quadratic", 256),
                ("quadratic", 512)),
    construct=construct, measure=measure,
    controls=[
        Control("as many bits as the index", breaks=bits, asserts=[bits.equals(log(N) / log(2), within=2)]),
        Control("nearly orthogonal codes", breaks=bits, measure=lambda net, p: measure(net, p, code="jl")),
    ],
)
