r"""Codes grow by one sign for each doubling of $N$, the width by two; a critical $e^{2\beta}$ like $\log_2N/\ln2$.

Setting    As in index_lookup_transformer, $N=2^k$ positions; $b=e^\beta$.
Statement  Twice as many positions take 1 sign more in binary and 2 coordinates more in width. The base below which the
           binary layer errs has $\frac k{\ln2}-\frac12\le b_c^2\le\frac k{\ln2}-\frac12+\frac{\ln2}{12k}$; its slope
           against $k$ is that of $\frac k{\ln2}-\frac12$.
Witness    IndexLookup with binary codes; $\rho_{\mathrm{ex}}$ by $\binom kd$ positions at
           distance $d$.
Measured   Differences of lengths and widths; the least base in 4096ths with $\rho_{\mathrm{ex}}>0$, by bisection in
           rationals; a least-squares log-log slope.
Control    One code block, not two; distances not doubled; a scale that does not grow.
Reads      Derived here: $b_c^2=1/(2^{1/k}-1)$, and $\frac1{e^x-1}$ is $\frac1x-\frac12$ and at most $\frac x{12}$ more.
           $\beta_c\approx\frac12\ln(k/\ln2)$ is doubly logarithmic in $N$. The base is above $b_c$ by less than
           $\frac1{4096}$, its square by less than $\frac1{180}$ at $k\le64$, where $b_c<10$.
"""

from fractions import Fraction
from functools import cache

from sympy import Rational, ceiling, log

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.claims.language.slope import curve_slope
from theorytools.papers.sep.attention.index_lookup import IndexLookup
from theorytools.papers.sep.attention.lookup_margin import LookupMargin

from ..notation import N, k

signs = Quantity("signs for a doubling", "k(2N)-k(N)", "more of a binary code", (0, None))
wider = Quantity("width for a doubling", "m(2N)-m(N)", "more coordinates of the residual stream", (0, None))
square = Quantity("critical square", r"b_c^2", "of the least base that answers every input", (0, None))
growth = Quantity("growth of the square", r"b_c^2(k)", "of the least base that answers every input", (0, None))
WINDOW = [4, 8, 16, 32, 64]


@cache
def critical(k, doubled=True) -> Fraction:
    """The least base in 4096ths whose worst margin is positive on 2^k positions."""
    exact, low, high = LookupMargin.full_binary(k), 4097, 4096 * 16 * k
    while low < high:
        b = Fraction((low + high) // 2, 4096)
        if (exact.worst(b) if doubled else 2 - (1 + 1 / b) ** k) > 0:
            high = (low + high) // 2
        else:
            low = (low + high) // 2 + 1
    return Fraction(low, 4096)


def construct(p):
    return [IndexLookup.of("binary", N, 2) for N in (p.N, 2 * p.N)]


def measure(nets, p, doubled=True, grows=True):
    one, two = nets
    bases = [critical(k if grows else 64, doubled) for k in WINDOW]
    return {signs: two.k - one.k, wider: two.width - one.width,
            square: exactly(critical(one.k, doubled) ** 2), growth: curve_slope(WINDOW, [b**2 for b in bases])}


def lengths(blocks=2):
    return [signs.equals(1), wider.equals(blocks)]


between = [square >= k / log(2) - Rational(1, 2), square <= k / log(2) - Rational(1, 2) + log(2) / (12 * k)
           + Rational(1, 180)]
slope = growth.slope(k, k / log(2) - Rational(1, 2), "==", within=Rational(1, 100))
claim = Claim(
    "Index lookup, how codes and scales grow",
    role="growth", source="derived here: index lookup by one layer",
    scope={"every N": "points", "some network": "exhibited", "every input": "closed form"},
    lets={k: ceiling(log(N) / log(2))},
    asserts=[*lengths(), *between, slope], grid=points("N", (4,), (64,), (1024,)), construct=construct, measure=measure,
    controls=[
        Control("one code block, not two", breaks=wider, asserts=lengths(blocks=1)),
        Control("distances not doubled", breaks=square, asserts=between[1:],
                measure=lambda nets, p: measure(nets, p, doubled=False)),
        Control("a scale that does not grow", breaks=growth, asserts=[slope],
                measure=lambda nets, p: measure(nets, p, grows=False)),
        Control("without the half", breaks=square, asserts=[square >= k / log(2)]),
    ],
)
