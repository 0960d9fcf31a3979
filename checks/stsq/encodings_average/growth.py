r"""The square of the median of the largest of $n$ normal numbers is near $2\log n$ less an iterated logarithm.

Setting    As in encodings_average_median; $z_n=\Phi^{-1}(2^{-1/n})$, the median of the largest of $n$ normal numbers.
Statement  $0\le z_n^2-(2\log n-\log(4\pi\log n)-2\log\log2)\le\frac1{2\sqrt{\log n}}$ for the $n$
           run.
Witness    $n=10,10^2,\dots,10^{64}$.
Measured   $z_n^2$ by the inverse error function, enclosed.
Control    The median of twice as many numbers; $2\log n$ itself; the iterated logarithm left out; the level that
           one number in expectation exceeds.
Reads      Derived here; $\frac1{2\sqrt{\log n}}$ was read off these sizes. As $z_n^2\sim2\log n$, the median length of
           encodings_average_median is $2q\log n$ for separation and $8q\log n$ for $\kappa\le\frac12$ in the limit
           only.
"""

from fractions import Fraction

from sympy import log, pi, sqrt

from theorytools import Claim, Control, Enclosure, Quantity, enclosed, points
from theorytools.papers.stsq.selection.cross_talk import median_quantile

from ..notation import size

square = Quantity("squared quantile", "z_n^2", "of the largest of n normal numbers, at the median", (0, None))
near = 2 * log(size) - log(4 * pi * log(size)) - 2 * log(log(2))


def construct(p) -> int:
    return p.size


def measure(n, p):
    return {square: enclosed(lambda: median_quantile(n) ** 2)}


def at_mean_rate(n, p):  # Phi(z) = e^(-1/n), where the expected number of larger ones is 1
    return {square: enclosed(lambda: 2 * (2 * (Enclosure(Fraction(-1, n))).exp() - 1).apply("erfinv") ** 2)}


claim = Claim(
    "Encodings, growth of the normal quantile",
    role="growth", source="derived here: encodings, average case", scope={"every size": "points", "every n": "points"},
    construct=construct, measure=measure, requires=[size >= 10],
    asserts=[square >= near, square <= near + 1 / (2 * sqrt(log(size))), square <= 2 * log(size)],
    grid=points("size", *[(10**k,) for k in (1, 2, 4, 8, 16, 32, 64)]),
    controls=[
        Control("twice as many numbers", breaks=square <= near + 1 / (2 * sqrt(log(size))),
                asserts=[square <= near + 1 / (2 * sqrt(log(size)))], measure=lambda n, p: measure(2 * n, p)),
        Control("2 log n", breaks=square, asserts=[square >= 2 * log(size)]),
        Control("the iterated logarithm left out", breaks=square, asserts=[square >= near + log(log(size))],
                where=size >= 100),
        Control("one larger number expected", breaks=square, asserts=[square >= near], measure=at_mean_rate),
    ],
)
