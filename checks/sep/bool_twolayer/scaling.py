r"""With sharp attention the margin of two layers does not depend on the length; with uniform it falls like $1/n$.

Setting    As in bool_twolayer, equality, $n=2^4,2^8,\dots,2^{20}$.
Statement  The least output of the false side grows like $n^0$ with score $2\ln(4L)c_j$ and like $n^{-1}$ with uniform
           attention. The width has slope 2 against $\log_2n$.
Witness    CodeCopy for the least copied bit, $\rho$, rational for every $n$; the margins $g(\rho)$ and $\rho/L$ of
           bool_twolayer, attained.
Measured   Least-squares log-log slopes over the window; the width from one power of two to the next.
Control    Sharp and uniform exchanged; a quarter of the score; a single code block.
Reads      The tolerance: five points, 16 apart by ratio, turn a deviation of $\pm\delta$ of the logarithm into at most
           $\frac{6\delta}{10\log16}<0.22\delta$ of slope. $\log\frac{2n+1}{2n}\le\frac1{32}$, $\rho$ within 0.2 %, and
           $\frac{L-1}{(4L)^{2\rho}}<\frac1{150}$ give $\delta\le\frac1{50}$, slopes within $\frac1{220}$.
"""

from fractions import Fraction

from sympy import Integer, Rational

from theorytools import Claim, Control, Enclosure, Quantity, points
from theorytools.claims.language.slope import curve_slope
from theorytools.papers.sep.attention.boolean import TwoLayerBoolean
from theorytools.papers.sep.attention.position_copy import CodeCopy

from ..notation import n

sharp = Quantity("margin, sharp", r"\min_{f=0}\mathrm{out}", "least output of the false side, equality", (0, 1))
flat = Quantity("margin, uniform", r"\min_{f=0}\mathrm{out}_u", "with uniform attention in layer 2", (0, 1))
step = Quantity("step of the width", "m(2n)-m(n)", "coordinates more for strings twice as long", (0, None))
WINDOW = [2**4, 2**8, 2**12, 2**16, 2**20]
within = Rational(1, 220)


def construct(p) -> list[CodeCopy]:
    return [CodeCopy(size) for size in WINDOW]


def output(copy, scale):
    c, L = Enclosure(copy.least), 2 * copy.n + 1
    e = Enclosure(4 * L) ** (c * scale)
    return c * e / (e + L - 1)


def margins(copies, scale):
    return curve_slope(WINDOW, [lambda copy=copy: output(copy, scale) for copy in copies])


def measure(copies, p, scales=(2, 0)):
    wider = [TwoLayerBoolean(2 * p.n).width, TwoLayerBoolean(p.n).width]
    return {sharp: margins(copies, scales[0]), flat: margins(copies, scales[1]), step: wider[0] - wider[1]}


claim = Claim(
    "Two layers, how margins scale",
    role="growth", source="derived here: equality by two layers",
    scope={"every n of a window": "points", "some network": "exhibited", "every pair of strings": "closed form"},
    asserts=[sharp.slope(n, Integer(1), "==", within=within), flat.slope(n, 1 / n, "==", within=within),
             step.equals(2)],
    requires=[n >= 2**4], grid=points("n", (2**4,), (2**10,)), construct=construct, measure=measure,
    controls=[
        Control("sharp and uniform exchanged", breaks=[sharp, flat],
                measure=lambda copies, p: measure(copies, p, scales=(0, 2))),
        Control("a quarter of the score", breaks=sharp,
                measure=lambda copies, p: measure(copies, p, scales=(Fraction(1, 2), 0))),
        Control("a single code block", breaks=step, asserts=[step.equals(1)]),
    ],
)
