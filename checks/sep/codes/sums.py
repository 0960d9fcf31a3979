r"""Over the full binary code the weights of all positions sum to $(1+b^{-2})^k$, whatever position is asked for.

Setting    $N=2^k$ positions, their index in binary as signs; $d_{pj}$ the Hamming distance, $b>0$ rational.
Statement  $\max_p\sum_jb^{-2d_{pj}}=\min_p\sum_jb^{-2d_{pj}}=(1+b^{-2})^k$.
Witness    Histograms of the Hamming distances of all pairs.
Measured   Both sums, rationals; they are compared as rationals.
Control    A position missing; a code used twice; $b^{-d}$ for $b^{-2d}$; the target not counted.
Reads      Derived here: the binomial theorem, as $\binom kd$ positions differ in $d$ bits.
"""

from functools import cache

from sympy import Rational

from theorytools import Claim, Control, Quantity, exactly, grid, points
from theorytools.codes.families import binary_index
from theorytools.codes.subcode import subcode
from theorytools.papers.sep.attention.lookup_margin import LookupMargin

from ..notation import b, k

largest = Quantity("largest sum", r"\max_p\sum_jb^{-2d_{pj}}", "over all queries", (1, None))
least = Quantity("least sum", r"\min_p\sum_jb^{-2d_{pj}}", "over all queries", (1, None))
closed = (1 + b**-2) ** k


@cache
def histograms(k, skipped=0, twice=False) -> LookupMargin:
    chosen = [0, 0, *range(2, 2**k)] if twice else range(skipped, 2**k)
    return LookupMargin.of_signs(subcode(binary_index(2**k), chosen))


def measure(found, p, target=1):
    sums = [target + off for off, _ in found.sums(p.b)]
    return {largest: exactly(max(sums)), least: exactly(min(sums))}


claim = Claim(
    "Sum over the full binary code",
    role="foundation", source="derived here: the index in binary",
    scope={"every b": "points", "every code length k": "points", "every position": "enumeration"},
    asserts=[largest.equals(closed), least.equals(closed)],
    grid=grid(k=[1, 2, 6], b=[1, "3/2", 3, 8]) + points("k b", (10, 4), (9, "1/2"), (4, 64)),
    construct=lambda p: histograms(p.k), measure=measure,
    controls=[
        Control("a position missing", breaks=[largest, least], where=k >= 2,
                construct=lambda p: histograms(p.k, skipped=1)),
        Control("a code used twice", breaks=largest, where=(k >= 2) & (b > 1),
                asserts=[largest.equals(closed)],
                construct=lambda p: histograms(p.k, twice=True)),
        Control("distances not doubled", breaks=[largest, least], where=b > 1,
                asserts=[largest.equals((1 + 1 / b) ** k), least.equals((1 + 1 / b) ** k)]),
        Control("the target not counted", breaks=[largest, least],
                measure=lambda found, p: measure(found, p, target=0)),
        Control("one per cent more", breaks=[largest, least],
                asserts=[largest.equals(Rational(101, 100) * closed), least.equals(Rational(101, 100) * closed)]),
    ],
)
