r"""One attention layer of logarithmic width looks up an index at every length, exactly.

Setting    As in index_lookup_transformer, binary codes of length $k=\lceil\log_2N\rceil$, an integer base with
           $b^2\ge16k$, $c=\lceil\log_2|\Sigma|\rceil$ signs for a symbol.
Statement  Over all $N|\Sigma|^N$ inputs the worst margin is at least
           $\frac{2-(1+b^{-2})^k}{(1+b^{-2})^k+b^{-k}}\ge\frac78$ for $N\ge1000$, with equality on the left at $N=2^k$,
           as $(1+b^{-2})^k\le e^{1/16}$. The width is $2\log_2N+\log_2|\Sigma|+1$ and at most 3 more.
Witness    LongLookup: the worst target stands at position 0, and the digits of $N$ give its margin.
Measured   The margin as a rational, the width; the weight of the target with all scores read, for $N\le2^{20}$.
Control    $b=4$ at every length, right only up to 2048; a sign left out; a margin of 9/10; a position more.
Reads      Derived here. The published experiments end at length 800 and width 1024, as far as we could read. No network
           is trained here: lengths up to 800 with states of up to 1024 numbers are the profile `wide` of the sweep
           `lookup`, for a machine with an accelerator, and beyond them nothing is trained. The layer has no state that
           would have to be small: what it reads is its input, all $N$ tokens.
"""

from sympy import Rational, log

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.attention.long_lookup import LongLookup

from ..notation import N, b, k, symbols

margin = Quantity("worst margin", r"\rho_{\mathrm{ex}}", "over all inputs", (-1, 1))
width = Quantity("width", "m", "coordinates of the residual stream", (1, None))
read = Quantity("weight", "a^*", "of the target at the worst position, all scores read", (0, 1))
needs = width >= 2 * log(N) / log(2) + log(symbols) / log(2) + 1
exact = (2 - (1 + b**-2) ** k) / ((1 + b**-2) ** k + b**-k)


def construct(q, **spoiled) -> LongLookup:
    return LongLookup(q.N, symbols=q.symbols, **spoiled)


def derive(layer, q):
    return {k: layer.k, b: layer.b}


def measure(layer, q):
    return {margin: layer.margin, width: layer.width}


claim = Claim(
    "Question (k), one layer at any length",
    role="variant", source="derived here: question (k)",
    scope={"every N, symbols": "points", "some network": "exhibited", "every input": "closed form"},
    derive=derive, derived=[k, b], construct=construct, measure=measure,
    asserts=[margin >= exact, margin >= Rational(7, 8), needs,
             width <= 2 * log(N) / log(2) + log(symbols) / log(2) + 4],
    grid=points("N symbols", (1000, 64), (1024, 16), (10**4, 16), (10**6, 10), (2**20, 16), (10**9, 256),
                (10**30, 16), (2**100, 2)), requires=[N >= 1000], controls=[
        Control("base 4", breaks=margin, where=N >= 10**4, construct=lambda q: construct(q, b=4)),
        Control("a sign left out", breaks=[margin, needs], construct=lambda q: construct(q, dropped=1)),
        Control("a margin of 9/10", breaks=margin, asserts=[margin >= Rational(9, 10)]),
    ],
)
power = Claim(
    "Question (k), one layer at powers of two",
    role="variant", source="derived here: question (k)",
    scope={"every k, symbols": "points", "every N": "points", "some network": "exhibited",
           "every input": "closed form"},
    derive=lambda layer, q: {b: layer.b}, derived=[b], construct=construct, lets={N: 2**k},
    measure=lambda layer, q: {margin: layer.margin}, asserts=[margin.equals(exact)],
    grid=points("k symbols", (10, 16), (20, 16), (100, 2)), controls=[
        Control("a position more", breaks=margin, construct=lambda q: LongLookup(q.N + 1, symbols=q.symbols)),
        Control("base 4", breaks=margin, construct=lambda q: construct(q, b=4)),
    ],
)
streamed = Claim(
    "Question (k), all scores read",
    role="variant", source="derived here: question (k)",
    scope={"every k, symbols": "points", "every N": "points", "some network": "exhibited",
           "every score of the worst position": "enumeration"},
    asserts=[read.equals(1 / ((1 + b**-2) ** k + b**-k))], lets={N: 2**k},
    derive=lambda layer, q: {b: layer.b}, derived=[b], grid=points("k symbols", (10, 2), (14, 2), (20, 2)),
    construct=construct, measure=lambda layer, q: {read: layer.streamed()}, controls=[
        Control("a position more", breaks=read, construct=lambda q: LongLookup(q.N + 1)),
        Control("another base", breaks=read, construct=lambda q: construct(q, b=4)),
    ],
)
