r"""Logarithmic width is not tight without a bound on precision: two coordinates suffice, width times bits does not.

Setting    One attention layer on index lookup; codes of length $k$, entries integers of $p$ bits.
Statement  A layer that answers every input has codes of length at least $\log_2N$.
Witness    Keys $(i,i^2)$ and queries $(2p,-1)$, scores $p^2-(p-i)^2$, $b=3N$: length 2 for every $N$.
Measured   The length; the bits of the entries of a query with their signs, exactly; $\rho_{\mathrm{ex}}$ as a rational.
Control    Repair: length times bits is at least $\log_2N$, for a query vector takes $N$ different values. Spoiled:
           base 1; queries kept to half of the bits, so that two of them are equal.
Reads      The abstract says logarithmic width, at a precision that we could not read; with $O(\log N)$ bits a number
           constant width works, with one bit a number the binary code has width $\log_2N$. Derived here.
"""

from dataclasses import replace

from sympy import Rational, log

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.constructions.attention.index_lookup import IndexLookup
from theorytools.constructions.attention.lookup_margin import LookupMargin

from ..notation import N

length = Quantity("length", "k", "coordinates of a position code", (1, None))
memory = Quantity("length times bits", "kp", "bits of a query vector", (1, None))
margin = Quantity("worst margin", r"\rho_{\mathrm{ex}}", "over all inputs", (-1, 1))
right = margin >= Rational(1, 2)


def construct(p, b=None) -> IndexLookup:
    return IndexLookup.of("quadratic", p.N, b or 3 * p.N)


def measure(net, p):
    bits = 1 + int(abs(net.queries).max()).bit_length()
    return {length: net.k, memory: net.k * bits, margin: exactly(LookupMargin.of(net).worst(net.b))}


def coarse(p):  # the lower half of the bits of every query cut off
    net = construct(p)
    step = 1 << (p.N.bit_length() + 1) // 2
    return replace(net, queries=net.queries // step * step)


claim = Claim(
    "Models, logarithmic width read as necessary",
    role="pitfall", source="derived here: models and precision", scope={"every N": "points", "every network": "points"},
    expect="REFUTED", asserts=[length >= log(N) / log(2), right],
    note="At unbounded precision; the product of width and precision is at least logarithmic.",
    grid=points("N", (5,), (16,), (30,)), construct=construct, measure=measure,
    controls=[
        Control("length times bits at least the bits of the index", asserts=[memory >= log(N) / log(2), right]),
        Control("no scale", breaks=margin, asserts=[memory >= log(N) / log(2), right],
                construct=lambda p: construct(p, b=1)),
        Control("queries of half the bits", breaks=margin, asserts=[memory >= log(N) / log(2), right],
                construct=coarse),
    ],
)
