r"""Codes of two coordinates break at a length that grows as $2^{M/2}$ with the significant bits $M$ of the format.

Setting    $\beta=\ln(3N)/\Delta$. Keys and $\beta$ times queries are rounded to the format; products and sums are taken
           in float32, the score is rounded once; so are difference, exponential, normaliser and weights.
Statement  The first length of the recorded grid 4, 8, 12, 16, 24, …, 8192 that fails lies between $N_M/2\sqrt2$ and
           $2N_M$, $N_M=2^{M/2}$ (quadratic), $\pi2^{M/2}$ (circle).
Witness    Layers evaluated in numpy's float16, float32, and bfloat16 by rounding float32 patterns.
Measured   The worst margin over all positions, the exact sum of the weights that come out; the first that is $\le0$,
           observed.
Control    $2^M$ for $2^{M/2}$; no dependence on the format; $2^{M/4}$; scores in float16 for float32.
Reads      Derived here. At $N_M$ the gap $\ln3N$ is a unit in the last place of the score ($N^2\ln3N$,
           $N^2\ln(3N)/2\pi^2$). Lower factor: key, products, sum and score move two scores by at most 4 units together,
           a unit is known up to 2, so $\sqrt8$ in $N$. Upper: neighbours on the grid differ by up to 2. Without the
           sums of float32 it would be 2. Breaks are not monotone: the grid belongs to the statement.
"""

from sympy import Rational, sqrt

from theorytools import Claim, Control, Quantity, observed, points
from theorytools.constructions.attention.lookup_precision import MANTISSAS, LookupFormat, precision_break
from theorytools.numbers import Enclosure, pi

from ..notation import M, reach

first = Quantity("first failing length", r"N_{\mathrm{bad}}", "on the recorded grid", (4, None))
LENGTHS = (4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192)
law = [first >= reach / sqrt(8), first <= 2 * reach]


def construct(p) -> LookupFormat:
    return LookupFormat(p.format)


def measure(form, p):
    return {first: observed(precision_break(p.code, LENGTHS, form).first_bad, "numpy")}


def at(p, bits, code):
    return lambda: Enclosure(2) ** Enclosure(bits * Rational(1, 2)) * (pi() if code == "circle" else 1)


def derive(form, p):
    return {reach: at(p, form.bits, p.code), M: MANTISSAS[p.format]}


claim = Claim(
    "Index lookup, precision of two-dimensional codes",
    role="precision", source="derived here: index lookup by one layer",
    scope={"every code, format": "points", "every N of the grid": "enumeration", "every position": "enumeration"},
    asserts=law, derive=derive, derived=[reach, M],
    grid=points("code format", ("quadratic", "bfloat16"), ("quadratic", "float16"), ("quadratic", "float32"),
                ("circle", "bfloat16"), ("circle", "float16")),
    construct=construct, measure=measure,
    controls=[
        Control("M bits for M/2", breaks=first, asserts=[first >= 2**M / sqrt(8)]),
        Control("scores in float16", breaks=first, where=M >= 24, asserts=law[:1],
                construct=lambda p: LookupFormat("float16")),
        Control("no dependence on the format", breaks=first, where=M >= 11,
                asserts=[first <= 32]),
        Control("a quarter of the bits", breaks=first, where=M >= 11, asserts=[first <= 2 * 2 ** (M / 4)]),
    ],
)
