r"""Summed in floats pair by pair, one head compares strings that are longer than the format has bits.

Finding    The lower bound for one layer is about exact sums: with sums rounded pair by pair one head compares strings
           that the bound excludes, in bfloat16 and in float32.
Setting    The network of onelayer_protocol_equality with weights $2^{-i}$, $i=0..n-1$, summed in the order
           $x_1,y_1,x_2,y_2,\dots$ in a format whose least positive number is $2^{-\ell}$.
Statement  It is right on all pairs exactly for $n\le\ell+1$: 25 in float16, 134 in bfloat16, 150 in float32. Read for
           such sums, the bound $n\le3m(p+\log_2N)H$ at $m=H=1$, $N=2n+1$ fails in bfloat16 (72) and float32 (121);
           in float16 (65) it does not.
Proof      Rounding is monotone: after a first difference $x_k=1$, $y_k=-1$ the least continuation is $x_i=-1$,
           $y_i=1$, so the $n$ least continuations decide all $4^n$ pairs. One that fails at length $n$, a sum of 0 or
           less, fails at $n+1$ with the least continuation by one more bit: a good $n$ has good prefixes.
Witness    All $n$ least continuations.
Measured   The last good $n$, by bisection.
Control    Repair: all $x$ before all $y$. Spoiled: no subnormal numbers; a tenth of the bound for the repair.
Reads      Derived here. No contradiction to the bounds: sequential rounding is itself a recurrent computation, and
           exact sums of bfloat16 take more than 261 bits. Bounds are tested with exact sums or with margins.
"""

from sympy import log

from theorytools import Claim, Control, points
from theorytools.papers.sep.attention.equality import FLOATS, Format, equal_in_floats, survives_interleaved
from theorytools.theory.communication.matrix import equality

from ..notation import low, word
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
message = 3 * (word + log(2 * low + 3) / log(2))  # 3m(p + log N)H at m = H = 1, N = 2n + 1, n = low + 1
same = ["format", word, low]  # word and low go with the format
claim = Claim(
    "One head in floats, summed pair by pair",
    role="precision", source="derived here: one layer on equality",
    scope={"every format, word, low": "points", "every n": "proof", "every pair of strings": "closed form"},
    asserts=last.equals(low + 1), listed=same, grid=formats,
    construct=construct, measure=interleaved, controls=[
        Control("no subnormal numbers", breaks=last, measure=lambda how, p: interleaved(how, p, flush=True)),
        Control("all x before all y", breaks=last, measure=in_order),
    ],
)
read = Claim(
    "One head in bfloat16 and float32, the one-layer bound read for rounded sums",
    role="pitfall", source="derived here: one layer on equality",
    scope={"every format, word, low": "points", "every n": "proof"},
    expect="REFUTED", asserts=last <= message, listed=same,
    grid=points("format word low", ("bfloat16", 16, 133), ("float32", 32, 149)),
    note="With all x before all y the bound holds; with exact sums it is that of onelayer_protocol.",
    construct=construct, measure=interleaved, controls=[
        Control("all x before all y", measure=in_order),
        Control("all x before all y, a tenth of the bound", breaks=last, measure=in_order,
                asserts=[last <= message / 10]),
    ],
)
