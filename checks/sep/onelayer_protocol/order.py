r"""Summed in floats pair by pair, one head compares strings that are longer than the format has bits.

Setting    The network of onelayer_protocol_equality with weights $2^{-i}$, $i=0..n-1$, summed in the order
           $x_1,y_1,x_2,y_2,\dots$ in a format whose least positive number is $2^{-\ell}$.
Statement  It is right on all pairs exactly for $n\le\ell+1$: 25 in float16, 134 in bfloat16, 150 in float32. Read for
           such sums, a lower bound $n\le3(w+\log_2(2n+1))$ for a head of width 1 with numbers of $w$ bits fails in
           bfloat16 ($134>72$) and float32 ($150>121$); in float16 it does not ($25<65$).
Witness    After a first difference $x_k=1$, $y_k=-1$ the least continuation is $x_i=-1$, $y_i=1$, by monotone rounding;
           all $n$ least continuations decide all $4^n$ pairs.
Measured   The last good $n$, by bisection (a good $n$ has good prefixes).
Control    Repair: all $x$ before all $y$. Spoiled: no subnormal numbers; the bound on $n$ halved for the repair.
Reads      Derived here. No contradiction to the bounds: sequential rounding is itself a recurrent computation, and
           exact sums of bfloat16 take more than 261 bits. Bounds are tested with exact sums or with margins.
"""

from sympy import Rational, log

from theorytools import Claim, Control, points
from theorytools.constructions.attention.equality import FLOATS, Format, equal_in_floats, survives_interleaved
from theorytools.theory.communication.matrix import equality

from ..notation import low, n, word
from .floats import last, pairs


def construct(p) -> Format:
    return FLOATS[p.format]


def bisected(good):
    bad = 2
    while good(bad):
        bad *= 2
    right = 1
    while bad - right > 1:
        middle = (right + bad) // 2
        right, bad = (middle, bad) if good(middle) else (right, middle)
    return right


def interleaved(how, p, **kind):
    return {last: bisected(lambda n: survives_interleaved(n, how, **kind))}


def in_order(how, p):
    def good(n):
        x, y = pairs(n, p.rng("pairs"))
        return bool((equal_in_floats(x, y, how.precision) == equality(x, y)).all())
    return {last: next(n for n in range(how.precision - 1, 60) if not good(n + 1))}


formats = points("format word low", ("float16", 16, 24), ("bfloat16", 16, 133), ("float32", 32, 149))
same = ["format", word, low]  # word and low go with the format
claim = Claim(
    "One head in floats, summed pair by pair",
    role="precision", source="derived here: one layer on equality",
    scope={"every format": "points", "every n": "enumeration", "every pair of strings": "closed form"},
    asserts=last.equals(low + 1), listed=same, grid=formats,
    construct=construct, measure=interleaved, controls=[
        Control("no subnormal numbers", breaks=last, measure=lambda how, p: interleaved(how, p, flush=True)),
        Control("all x before all y", breaks=last, measure=in_order),
    ],
)
read = Claim(
    "One head in floats, the bits of a number read as a bound",
    role="pitfall", source="derived here: one layer on equality",
    scope={"every format": "points", "every n": "enumeration"},
    expect="REFUTED", asserts=last <= 3 * (word + log(2 * n + 1) / log(2)),
    grid=points("format word low", ("bfloat16", 16, 133), ("float32", 32, 149)), listed=same,
    derived=[n], derive=lambda how, p: {n: interleaved(how, p)[last]},
    note="With all x before all y the bound holds; with exact sums it is that of onelayer_protocol.",
    construct=construct, measure=interleaved, controls=[
        Control("all x before all y", measure=in_order),
        Control("all x before all y, half the bits", breaks=last, measure=in_order,
                asserts=[last <= word * Rational(2, 5)]),
    ],
)
