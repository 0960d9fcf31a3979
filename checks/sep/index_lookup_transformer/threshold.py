r"""With a fixed base $b$ the full binary code works up to a length known in closed form, and fails from there on.

Setting    As in index_lookup_transformer, $N=2^k$ positions with binary codes, $b>1$.
Statement  $\rho_{\mathrm{ex}}>0\iff(1+b^{-2})^k<2$: the largest such $k$ is $\lceil\ln2/\ln(1+b^{-2})\rceil-1$, so a
           fixed base serves $N=2^{O(b^2)}$ positions and a critical $\beta$ grows as $\frac12\ln\log_2N$.
Witness    $\binom kd$ positions at distance $d$; $\rho_{\mathrm{ex}}$ is a rational for every $k$.
Measured   The largest $k$, by increasing $k$ until $\rho_{\mathrm{ex}}\le0$.
Control    The lower bound $2a^*-1$ in place of $\rho_{\mathrm{ex}}$, stricter at small $b$; an adversarial last token
           with the key of the target; distances not doubled.
Reads      Derived here. The last token weighs in the denominator only, its value being 0: it does not move the sign.
"""

from sympy import Rational, ceiling, log

from theorytools import Claim, Control, Quantity, points
from theorytools.papers.sep.attention.lookup_margin import LookupMargin, largest_power

from ..notation import b

last = Quantity("largest exponent", "k^*", "largest k with a positive worst margin on 2^k positions", (0, None))


def measure(base, p, by_bound=False):
    return {last: largest_power(base, by_bound=by_bound)}


def adversarial(base, p):
    k = 0
    while LookupMargin.full_binary(k + 1).worst(base, query_value=1) > 0:
        k += 1
    return {last: k}


def closed(weight):
    return last.equals(ceiling(log(2) / log(1 + weight)) - 1)


claim = Claim(
    "Index lookup, threshold of a fixed base",
    role="growth", source="derived here: index lookup by one layer",
    scope={"every base b": "points", "some network": "exhibited", "every N and input": "closed form"},
    asserts=closed(b**-2), requires=[b > 1],
    grid=points("b", ("11/10",), ("3/2",), (2,), (3,), (4,), (5,), (8,)),
    construct=lambda p: p.b, measure=measure,
    controls=[
        Control("the lower bound for the margin", breaks=last, where=(b >= Rational(3, 2)) & (b <= 2),
                measure=lambda base, p: measure(base, p, by_bound=True)),
        Control("a symbol in the last token", breaks=last, where=b <= 2, measure=adversarial),
        Control("distances not doubled", breaks=last, where=b >= 2, asserts=[closed(1 / b)]),
        Control("one position more", breaks=last, asserts=[last.equals(ceiling(log(2) / log(1 + b**-2)))]),
    ],
)
