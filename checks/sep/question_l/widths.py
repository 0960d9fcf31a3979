r"""Two layers against a wider single layer: for equality the single one needs slope near 1, two layers $2\log_2n+6$.

Setting    As in question_l_layers, $k=\lceil\log_2n\rceil$. Two layers as in bool_twolayer, with exact sums, have
           numerators up to $(16k)^k$; so many bits, $p$, for the numbers of either model.
Statement  The least width $\lceil n/\ell\rceil$ of a single layer exceeds the $2k+6$ of two layers at the $n\ge13000$
           tried. On $n=2^{12},2^{15},\dots,2^{24}$ its slope is above 0.85, that of two layers below 0.08.
Witness    Both widths, computed.
Measured   Slopes over the window; the difference of the widths.
Control    Widths exchanged; a quarter of the length.
Reads      Derived here, with our constants. Tried for every $n$ from 13000 to $2^{16}$ in the tests; beyond, twice the
           length adds 2 to one width and multiplies the other by more than 1.7. At 8 bits a number the single layer
           would be the wider one from 1289 on, but two layers with exact sums need more bits. Shorter strings, as in
           experiments, do not force a single layer to be wider than two are: there only its margin tells.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, points
from theorytools.claims.language.slope import curve_slope
from theorytools.theory.communication.least_width import least_width

from ..notation import n

single = Quantity("width, one layer", "m_1(n)", "the least that the message allows", (1, None))
double = Quantity("width, two layers", "m_2(n)", "of the construction", (1, None))
gap = Quantity("gap", "m_1-m_2", "of the widths", (None, None))
WINDOW = [2**size for size in range(12, 25, 3)]


def widths(size):
    k = (size - 1).bit_length()
    return least_width(size, ((16 * k) ** k).bit_length()), 2 * k + 6


def measure(window, q, swapped=False, size=None):
    curves = list(zip(*map(widths, window), strict=True))
    slopes = [curve_slope(window, curve) for curve in (curves[::-1] if swapped else curves)]
    one, two = widths(size or q.n)
    return {single: slopes[0], double: slopes[1], gap: one - two}


claim = Claim(
    "Question (l), two layers against one",
    role="growth", source="derived here: question (l)", scope={"every n of a window": "points"},
    requires=[n >= 13000], construct=lambda q: WINDOW, measure=measure,
    asserts=[single.slope(n, n ** Rational(17, 20), ">="), double.slope(n, n ** Rational(2, 25), "<="), gap >= 1],
    grid=points("n", (13000,), (2**14,), (2**14 + 1,), (2**20,), (2**24,)), controls=[
        Control("widths exchanged", breaks=[single, double],
                measure=lambda window, q: measure(window, q, swapped=True)),
        Control("a quarter of the length", breaks=gap, where=n <= 2**14 + 1,
                measure=lambda window, q: measure(window, q, size=q.n // 4)),
    ],
)
