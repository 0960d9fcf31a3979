r"""Nearly orthogonal codes are not needed for logarithmic width: $\lceil\log_2N\rceil$ signs are enough, and needed.

Setting    As in index_lookup_transformer: layers with sign codes of length $k$ that answer every input.
Statement  $k\ge\log_2N$, since equal codes cannot be told apart, and the index in binary, $k=\lceil\log_2N\rceil$,
           answers every input at the bases tried, $b^2\ge16k$.
Proof      Fewer than $\log_2N$ signs make fewer than $N$ codes: two positions share one, and by
           index_lookup_transformer_duplicate each word with different symbols there has a wrong answer.
Witness    The index in binary: $\rho_{\mathrm{ex}}\ge\frac12$ over all inputs.
Measured   The length of the code, and $\rho_{\mathrm{ex}}$ as a rational from histograms of Hamming distances.
Control    The length $\lceil16\ln N\rceil$ of codes drawn at random read as necessary; one sign dropped, which makes
           codes equal; the base 2, too small.
Reads      The abstract speaks of logarithmic width, and that stands: 16 against $1/\ln2$ is the constant of our
           reading. Random codes buy a gap of half the length: with them a fixed $\beta$ serves every $N$.
"""

from sympy import Rational, ceiling, log

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.codes.families import binary_index
from theorytools.codes.signs import SignCode
from theorytools.papers.sep.attention.lookup_margin import LookupMargin

from ..notation import N, b

length = Quantity("length", "k", "coordinates of a position code", (1, None))
margin = Quantity("worst margin", r"\rho_{\mathrm{ex}}", "over all inputs", (-1, 1))
right = margin >= Rational(1, 2)


def construct(p, dropped=0) -> SignCode:
    code = binary_index(p.N)
    return SignCode(code.signs[:, : code.d_e - dropped])


def measure(code, p, base=None):
    return {length: code.d_e, margin: exactly(LookupMargin.of_signs(code).worst(base or p.b))}


enough = length >= ceiling(log(N) / log(2))
claim = Claim(
    "Index lookup, the length of sign codes",
    role="necessity", source="derived here: index lookup by one layer",
    scope={"every N, b": "points", "every sign code": "proof", "some network": "exhibited",
           "every input": "closed form"},
    asserts=[enough, length <= ceiling(log(N) / log(2)), right],
    grid=points("N b", (4, 6), (64, 10), (100, 11), (512, 12)), requires=[b**2 >= 16 * ceiling(log(N, 2))],
    construct=construct, measure=measure,
    controls=[
        Control("as long as nearly orthogonal codes drawn at random", breaks=length,
                asserts=[length >= ceiling(16 * log(N))]),
        Control("a sign dropped", breaks=[length, margin], asserts=[enough, right],
                construct=lambda p: construct(p, dropped=1)),
        Control("base 2", breaks=margin, where=N >= 64, asserts=[enough, right],
                measure=lambda code, p: measure(code, p, base=2)),
    ],
)
