r"""A layer made for $N$ positions serves shorter inputs, if the positions left empty carry the value 0.

Setting    As in index_lookup_transformer; codes and scale belong to the largest length $N\le8$, $n\le N$ positions are
           used.
Statement  Empty positions stay in the denominator: the worst margin over all words of length $n$ is
           $\min_{p\le n}a_p(1-\sum_{j\le n,j\ne p}b^{-g_{pj}})$, never below $\rho_{\mathrm{ex}}$ of the full length.
Witness    All words of length $n$ through the layer's matrices; the value 0 as the mean of both symbols, exact since
           the output is linear in the values.
Measured   The worst margin, in rationals.
Control    A symbol left in the empty positions; empty positions taken out of the denominator; no scale.
Reads      Derived here. Weights depend on the length: codes, and a scale of order $\ln N$ over the gap.
"""

from fractions import Fraction

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.attention.lookup_margin import LookupMargin

from ..notation import N, a_min, b, rho_ex, used

margin = Quantity("worst margin", r"\rho_n", "over all words of the length in use", (-1, 1))


def construct(p, b=None) -> IndexLookup:
    return IndexLookup.of("binary", p.N, b or p.b)


def measure(net, p, fill=(0, 1)):
    words = net.task.words()
    words = words[(words[:, p.used :] == 0).all(axis=1)]
    worst = []
    for q in range(p.used):
        filled = [words.copy() for _ in fill]
        for symbol, copy in zip(fill, filled, strict=True):
            copy[:, p.used :] = symbol
        mean = sum(net.exact(copy, q) for copy in filled) * Fraction(1, len(fill))
        worst += list(net.margins(mean, words, q))
    return {margin: exactly(min(worst))}


def predicted(net, p, counted=None):
    rows = [[net.b ** -int(net.k - s) for s in net.keys @ net.queries[q]] for q in range(p.used)]
    return min((2 - sum(row[: p.used])) / (sum(row[:counted]) + net.b**-net.k) for row in rows)


claim = Claim(
    "Index lookup, shorter inputs",
    role="variant", source="derived here: index lookup by one layer",
    scope={"every N, used, b": "points", "some network": "exhibited", "every word": "enumeration"},
    asserts=[margin.equals(rho_ex), margin >= 1 - 2 * N / b**2],
    requires=[used <= N, N >= 3, N <= 8],  # at N = 2 the last token is a gap of 1 away, and weighs 1/b
    grid=points("N used b", (4, 1, 6), (4, 2, 6), (6, 4, 5), (7, 3, 5), (6, 6, 5)),
    derive=lambda net, p: {rho_ex: predicted(net, p), a_min: predicted(net, p, counted=p.used)},
    derived=[rho_ex, a_min], construct=construct, measure=measure,
    controls=[
        Control("empty positions out of the denominator", breaks=margin, where=used < N,
                asserts=[margin.equals(a_min)]),
        Control("a symbol left in the empty positions", breaks=margin, where=used < N,
                asserts=[margin.equals(rho_ex)], measure=lambda net, p: measure(net, p, fill=(0,))),
        Control("no scale", breaks=margin, construct=lambda p: construct(p, b=1)),
    ],
)
shorter = Claim(
    "Index lookup, shorter inputs are no harder",
    role="variant", source="derived here: index lookup by one layer",
    scope={"every N, used, b": "points", "some network": "exhibited", "every word": "enumeration"},
    asserts=margin >= rho_ex, requires=[used <= N, N <= 8],
    grid=points("N used b", (4, 4, 6), (4, 2, 6), (6, 4, 2), (7, 3, 5), (6, 6, "3/2")),
    derive=lambda net, p: {rho_ex: LookupMargin.of(net).worst(p.b)}, derived=[rho_ex], construct=construct,
    measure=measure,
    controls=[
        Control("a hundredth of the base", breaks=margin, where=b >= 2,
                construct=lambda p: construct(p, b=Fraction(p.b) / 100)),
        Control("no scale", breaks=margin, where=b >= 2, construct=lambda p: construct(p, b=1)),
    ],
)
