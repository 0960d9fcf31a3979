r"""Nearly orthogonal codes are not needed for logarithmic width: $\lceil\log_2N\rceil$ signs are enough, and needed.

Setting    As in index_lookup_transformer: layers with sign codes of length $k$ that answer every input.
Statement  The codes of such a layer have length at least $\lceil16\ln N\rceil$, as those drawn at random.
Witness    The index in binary, $k=\lceil\log_2N\rceil$, with $b^2\ge16k$: $\rho_{\mathrm{ex}}>0$ over all inputs.
Measured   The length of the code, and $\rho_{\mathrm{ex}}$ as a rational from histograms of Hamming distances.
Control    Repair: the length is at least $\log_2N$, since equal codes cannot be told apart. Spoiled: one sign dropped,
           which makes codes equal; the base 2, too small.
Reads      The abstract speaks of logarithmic width, and that stands: 16 against $1/\ln2$ is the constant of our
           reading. Random codes buy a gap of half the length: with them a fixed $\beta$ serves every $N$.
"""

from sympy import Rational, ceiling, log

from theorytools import Claim, Control, Quantity, exactly, points
from theorytools.codes.families import binary_index
from theorytools.codes.signs import SignCode
from theorytools.constructions.attention.lookup_margin import LookupMargin

from ..notation import N, b

length = Quantity("length", "k", "coordinates of a position code", (1, None))
margin = Quantity("worst margin", r"\rho_{\mathrm{ex}}", "over all inputs", (-1, 1))
right = margin >= Rational(1, 2)


def construct(p, dropped=0) -> SignCode:
    code = binary_index(p.N)
    return SignCode(code.signs[:, : code.d_e - dropped])


def measure(code, p, base=None):
    return {length: code.d_e, margin: exactly(LookupMargin.of_signs(code).worst(base or p.b))}


claim = Claim(
    "Index lookup, nearly orthogonal codes read as necessary",
    role="pitfall", source="derived here: index lookup by one layer",
    scope={"every N": "points", "every network": "points"},
    expect="REFUTED",
    asserts=[length >= ceiling(16 * log(N)), right],
    note="Of the codes, not of the width: logarithmic width stands, with a smaller constant.",
    grid=points("N b", (4, 6), (64, 10), (100, 11), (512, 12)), requires=[b > 1], construct=construct, measure=measure,
    controls=[
        Control("length at least that of the index in binary", asserts=[length >= ceiling(log(N) / log(2)), right]),
        Control("a sign dropped", breaks=[length, margin], asserts=[length >= ceiling(log(N) / log(2)), right],
                construct=lambda p: construct(p, dropped=1)),
        Control("base 2", breaks=margin, where=N >= 64, asserts=[length >= ceiling(log(N) / log(2)), right],
                measure=lambda code, p: measure(code, p, base=2)),
    ],
)
