r"""The length at which half of the random sets are separated is near $q-1+\frac q{c^2}z_n^2$, not near $2q\log n$.

Finding    Half of the random sets are separated by Gaussian encodings of a length near $q-1+qz_n^2$, at seven sizes up
           to $T=10^6$: of the order $q\log T$ and at least a tenth below its asymptote $2q\log T$.
Setting    As in encodings_average; $d_{50}(c)$ the least $d_e\ge q$ with $\Pr(\kappa<c)\ge\frac12$;
           $z_n=\Phi^{-1}(2^{-1/n})$.
Statement  At the sizes of the grid $0<d_{50}(c)-(q-1+\frac q{c^2}z_n^2)<3$, and
           $d_{50}(c)\le\lceil q-1+2\log n/\log(1+\frac{c^2}q)\rceil$, as for every $n\ge2$ by
           encodings_average.enough.
Witness    The law of $\kappa$; $d_{50}$ by comparisons with $\frac12$ that are proved.
Measured   $d_{50}$, an integer; the probability at $d_{50}$ and one dimension below.
Control    $\lfloor d_{50}/2\rfloor$; $d_{50}$ compared with $\frac{2q}{c^2}\log n$, to which it is asymptotic: neither
           above it nor within 3 of it; half of the sufficient length.
Reads      The upper bound is the closed form at $\delta=\frac12$, derived here.  The distance 3 is read off these sizes
           and is asserted for them only, as is $d_{50}\le\frac9{10}\cdot\frac{2q}{c^2}\log n$: a regression on that
           finds no constant.
"""

from sympy import Rational, ceiling, log

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.papers.stsq.selection.cross_talk import CrossTalk, median_length, median_quantile, sufficient_length

from ..notation import T, c, q, z_2

middle = Quantity("median length", r"d_{50}", "least length that separates at least half of the sets", (q, None))
at = Quantity("separation there", r"\Pr(\kappa<c)|_{d_{50}}", "probability at that length", (0, 1))
before = Quantity("separation before", r"\Pr(\kappa<c)|_{d_{50}-1}", "probability one dimension below", (0, 1))
near, n = q - 1 + q * z_2 / c**2, T - q


def construct(p) -> CrossTalk:
    return CrossTalk(p.T, p.q, median_length(p.T, p.q, p.c))


def chances(law, p):
    return {at: enclosed(lambda: law.below(p.c)),
            before: enclosed(lambda: CrossTalk(p.T, p.q, law.d_e - 1).below(p.c))}


def measure(law, p):
    return {middle: law.d_e, **chances(law, p)}


def halved(law, p):
    return measure(CrossTalk(p.T, p.q, law.d_e // 2), p)


claim = Claim(
    "Encodings, the median length",
    role="growth", source="derived here: encodings, average case",
    scope={"every T, q, c": "points", "every draw of encodings": "closed form"},
    asserts=[middle >= near, middle <= near + 3, middle <= ceiling(sufficient_length(T, q, Rational(1, 2), c)),
             middle <= 9 * q * log(n) / (5 * c**2), at >= Rational(1, 2),
             before <= Rational(1, 2)],
    requires=[q < T, q + 2 <= T], derive=lambda law, p: {z_2: lambda: median_quantile(p.T - p.q) ** 2}, derived=[z_2],
    grid=points("T q c", (14, 3, 1), (32, 4, 1), (512, 4, 1), (2048, 8, 1), (2048, 8, "1/2"), (10**4, 4, 1),
                (10**6, 4, 1)), listed=[T, q, c],
    construct=construct, measure=measure,
    controls=[
        Control("half of the length", breaks=[middle >= near, at], where=c >= 1,
                asserts=[middle >= near, at >= Rational(1, 2)], measure=halved),
        Control("compared with 2 q log n", breaks=middle, asserts=[middle >= 2 * q * log(n) / c**2]),
        Control("within 3 of 2 q log n", breaks=middle, asserts=[middle.equals(2 * q * log(n) / c**2, within=3)]),
        Control("the sufficient length halved", breaks=middle,
                asserts=[middle <= sufficient_length(T, q, Rational(1, 2), c) / 2]),
    ],
)
