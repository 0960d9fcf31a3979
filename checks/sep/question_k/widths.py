r"""Beyond a few hundred symbols the LSTM that looks up an index is wider than the attention layer: slope 1, not 0.08.

Setting    The layers of question_k, and LSTMs of $p$-bit numbers with as many states as words, as in
           question_k_recurrent; $|\Sigma|=16$.
Statement  The width of the attention layer has slope below 0.1 on $N=2^{10},2^{12},\dots,2^{20}$, that of
           the LSTM slope 1. The LSTM is wider from 77, 169 and 369 symbols on for
           8, 16 and 32 bits, hence at all lengths beyond 800.
Witness    Both widths, computed.
Measured   Slopes over the window; the first length from which on the LSTM is wider, up to 4096.
Control    Widths exchanged; numbers of 128 bits.
Reads      The tolerance: rounding up moves a width of 64 or more by at most $\frac1{64}$ of it, its logarithm by
           $\frac1{128}$ either way, and six points 4 apart by ratio turn $\pm\delta$ into at most
           $\frac{9\delta}{17.5\ln4}$ of slope. Beyond 4096: twice the length adds 2 to one width and doubles the other.
           Widths are compared as such, as in the published experiments; an LSTM also has weights of the order of its
           width squared.
"""

from sympy import Eq, Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.slope import curve_slope
from theorytools.papers.sep.attention.long_lookup import LongLookup

from ..notation import N, p, symbols

growth = Quantity("width, attention", "m(N)", "of a layer that is right on all inputs", (1, None))
needed = Quantity("width, LSTM", "w(N)", "the least with as many states as words", (1, None))
first = Quantity("length", "N_w", "from which on the LSTM is wider", (1, None))
WINDOW = [2**size for size in range(10, 21, 2)]


def construct(q) -> list[int]:
    return [LongLookup(size, symbols=q.symbols).width for size in WINDOW]


def lstm(q, size, bits):  # 2 w numbers; |Sigma| is a power of two
    return -(-size * (q.symbols.bit_length() - 1) // (2 * bits))


def measure(sizes, q, swapped=False, bits=None):
    curves = [sizes, [lstm(q, size, q.p) for size in WINDOW]]
    slopes = [curve_slope(WINDOW, curve) for curve in (curves[::-1] if swapped else curves)]
    below = [N for N in range(2, 2**12) if lstm(q, N, bits or q.p) <= LongLookup(N, symbols=q.symbols).width]
    return {growth: slopes[0], needed: slopes[1], first: below[-1] + 1}


claim = Claim(
    "Question (k), how widths grow",
    role="growth", source="derived here: question (k)",
    scope={"every symbols, p": "points", "every N of a window": "points", "some network": "exhibited"},
    asserts=[growth.slope(N, N ** Rational(1, 10), "<="), needed.slope(N, N, "==", within=Rational(1, 300)),
             first <= 800],
    requires=[Eq(symbols, 16), p <= 32], grid=points("symbols p", (16, 8), (16, 16), (16, 32)),
    construct=construct, measure=measure, controls=[
        Control("widths exchanged", breaks=[growth, needed],
                measure=lambda sizes, q: measure(sizes, q, swapped=True)),
        Control("numbers of 128 bits", breaks=first, measure=lambda sizes, q: measure(sizes, q, bits=128)),
    ],
)
