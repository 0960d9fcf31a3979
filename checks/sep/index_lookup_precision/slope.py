r"""The length at which codes of two coordinates break doubles with every two bits of the mantissa.

Setting    As in index_lookup_precision, on its grid of lengths, in formats on paper of $M=5,10,15$ significant bits,
           products and sums in doubles.
Statement  The binary logarithm of the first failing length rises by $\frac12$ a bit, for the quadratic and the circle
           code. The code in binary fails at no length up to 256.
Witness    Layers evaluated with every step rounded to $M$ bits.
Measured   The first failing length against $2^M$, observed; the least-squares log-log slope over the three formats.
Control    Slope 1; slope 0; one format for all; the code in binary.
Reads      Derived here. By index_lookup_precision first failures lie between $N_M/\sqrt8$ and $2N_M$,
           $N_M\propto2^{M/2}$: binary logarithms are known up to $\pm\frac54$, and formats 5 bits apart turn that into
           $\frac54\cdot\frac{10}{50} =\frac14$ of slope. Breaks are not monotone: the grid belongs to the statement.
"""

from sympy import Rational

from theorytools import Claim, Control, Quantity, observed, points
from theorytools.claims.language.slope import curve_slope
from theorytools.constructions.attention.lookup_precision import LookupFormat, precision_break

from ..notation import fine
from .index_lookup_precision import LENGTHS

first = Quantity("first failing length", r"N_{\mathrm{bad}}(2^M)", "on the grid, against the format", (4, None))
fails = Quantity("failing formats", r"\#\{M:\text{fails}\}", "formats with a failing length up to 1024", (0, 3))
FORMATS = (5, 10, 15)


def construct(p, bits=FORMATS):
    return [LookupFormat("bits", M) for M in bits]


def breaks(formats, code, most=1024):
    lengths = [N for N in LENGTHS if most >= N]
    return [found for form in formats if (found := precision_break(code, lengths, form).first_bad)]


def measure(formats, p):
    bad = breaks(formats, p.code)
    return {fails: observed(len(bad), "numpy"), first: observed(curve_slope([2**M for M in FORMATS], bad), "numpy")}


def slope(power):
    return first.slope(fine, fine**power, "==", within=Rational(1, 4))


every = fails.equals(len(FORMATS))
claim = Claim(
    "Index lookup, how far a mantissa reaches",
    role="precision", source="derived here: index lookup by one layer",
    scope={"every code": "points", "every format": "points", "every N of the grid": "enumeration",
           "every position": "enumeration"},
    asserts=[every, slope(Rational(1, 2))],
    grid=points("code", ("quadratic",), ("circle",)), construct=construct, measure=measure, controls=[
        Control("the code in binary", breaks=fails, asserts=[every],
                measure=lambda formats, p: {fails: observed(len(breaks(formats, "binary", 256)), "numpy")}),
        Control("one format for all", breaks=first, asserts=[slope(Rational(1, 2))],
                construct=lambda p: construct(p, [8] * 3)),
        Control("slope one", breaks=first, asserts=[slope(1)]),
        Control("slope zero", breaks=first, asserts=[slope(0)]),
    ],
)


def failing(formats, p, code=None):
    return {fails: observed(len(breaks(formats, code or p.code, 256)), "numpy")}


binary = Claim(
    "Index lookup, the code in binary in short formats",
    role="precision", source="derived here: index lookup by one layer",
    scope={"every code": "points", "every format": "points", "every N of the grid": "enumeration",
           "every position": "enumeration"},
    asserts=fails.equals(0), grid=points("code", ("binary",)), construct=construct, measure=failing, controls=[
        Control("the quadratic code", breaks=fails, measure=lambda formats, p: failing(formats, p, "quadratic")),
    ],
)
