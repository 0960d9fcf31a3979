r"""Sign codes do not break on the recorded grid: in 8 significant bits they look up every position.

Setting    As in index_lookup_precision, with the index in binary and with random signs.
Statement  The worst margin over all positions stays at least $\frac12$ in every format.
Witness    Layers evaluated in float64, float32, float16 and bfloat16, exponentials as in theorytools.numbers.portable.
Measured   The worst margin, the exact sum of the weights that come out of one run in floats: observed.
Control    The quadratic code in bfloat16; no scale, which gives all positions one weight.
Reads      Derived here: entries are exact, only $\beta$ and the score are rounded, and a score is at most
           $\frac k2\ln(3N)$, with a gap of $\ln(3N)$. Lengths up to 8192 (random signs: 4096) are in `long`, with the
           quadratic code in float64 and the circle in float32 and float64.
"""

from dataclasses import replace

from sympy import Rational

from theorytools import Claim, Control, Quantity, observed, points
from theorytools.constructions.attention.lookup_precision import LookupFormat, rounded_margin

from ..notation import N

margin = Quantity("worst margin", r"\min_p(\alpha_p-\sum_{j\ne p}\alpha_j)", "over all positions", (-1, 1))
formats = ("bfloat16", "float16", "float32", "float64")


def construct(p) -> LookupFormat:
    return LookupFormat(p.format)


def measure(form, p, code=None, scale=1.0):
    return {margin: observed(rounded_margin(code or p.code, p.N, form, rng=p.rng("codes"), scale=scale), "numpy")}


claim = Claim(
    "Index lookup, precision of sign codes",
    role="precision", source="derived here: index lookup by one layer",
    scope={"every code, format, N": "points", "every position": "enumeration"},
    asserts=margin >= Rational(1, 2),
    grid=points("code format N", *[(code, form, n) for code in ("binary", "jl") for form in formats for n in (16, 96)],
                ("binary", "bfloat16", 256), ("jl", "float16", 256)),
    construct=construct, measure=measure,
    controls=[
        Control("the quadratic code in bfloat16", breaks=margin, where=N >= 96,
                construct=lambda p: LookupFormat("bfloat16"),
                measure=lambda form, p: measure(form, p, code="quadratic")),
        Control("no scale", breaks=margin, measure=lambda form, p: measure(form, p, scale=0.0)),
    ],
)
long = replace(
    claim, label="Index lookup, precision at the longest lengths",
    role="precision", source="derived here: index lookup by one layer",
    scope={"every code, format, N": "points", "every position": "enumeration"},
    tier="minutes",
    grid=points("code format N", *[("binary", form, 8192) for form in formats],
                *[("jl", form, 4096) for form in formats], ("quadratic", "float64", 8192),
                ("circle", "float64", 8192), ("circle", "float32", 8192)),
    controls=[
        Control("the quadratic code in bfloat16", breaks=margin, construct=lambda p: LookupFormat("bfloat16"),
                measure=lambda form, p: measure(form, p, code="quadratic")),
    ],
)
