r"""The constant of Lemma 38 is 16 in place of 20, and no smaller one will do.

Setting    As in lemma_38: sorted data with gaps at least $\epsilon\le1$, and the network with knots before the data.
Statement  $\|a'\|^2\le16\|y\|^2/\epsilon^2$, so the balanced squared norm is at most
           $8\,\frac{\|y\|}{\epsilon}\sqrt{3\|z\|^2+n+2}$.
Proof      Of the upper side: $s_0=0$, $\epsilon^2s_1^2\le y_1^2$ and $\epsilon^2s_i^2\le2(y_i^2+y_{i-1}^2)$ sum to
           $\epsilon^2\|s\|^2\le4\|y\|^2$, and $\|a'\|^2=\sum(s_i-s_{i-1})^2\le4\|s\|^2$.
Witness    Values of alternating sign under one arch of a sine: the ratio tends to 16 as $n$ grows.
Measured   The network in rationals; its norms as square roots of rationals, enclosed.
Control    A hundredth of the bound; twice the separation; input weights not counted; labels a twentieth larger.
Reads      Derived here: $a'$ is a difference operator applied to slopes, themselves differences of $y$ over gaps; each
           of the two operators has norm below 2, up to the factor $1/\epsilon$.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Rational, sqrt

from theorytools import Control, points
from theorytools.papers.qstr.feedforward.interpolant import Interpolant1D

from ..notation import eps, gap, n, y_2, z_2
from .lemma_38 import a_2, norm, scale
from .lemma_38 import claim as printed

extremal = (n >= 16) & (eps <= Rational(1, 1000))  # only the alternating data



def taller(net):
    z, y = net.data
    return Interpolant1D(z, [Fraction(21, 20) * value for value in y])


claim = replace(
    printed, label="Lemma 38, the constant 16",
    role="sharpness", source="derived here: Lemma 38",
    scope={"every n": "proof", "every data set": "proof", "some network": "exhibited"},
    asserts=[a_2 <= 16 * y_2 / eps**2, norm <= 8 * scale],
    grid=points("data n", ("random", 12), ("alternating", 16), ("alternating", 32), ("alternating", 128),
                ("random", 2)),
    controls=[
        Control("a hundredth of the bound", breaks=norm, where=gap <= 1, asserts=[norm <= 8 * scale / 100]),
        Control("labels a twentieth larger", breaks=[a_2, norm], where=extremal, asserts=[a_2 <= 16 * y_2 / eps**2,
                norm <= 8 * scale], construct=lambda p: taller(printed.construct(p))),
        Control("twice the separation", breaks=[a_2, norm], where=extremal,
                asserts=[a_2 <= 4 * y_2 / eps**2, norm <= 4 * scale]),
        Control("input weights not counted", breaks=norm, where=extremal,
                asserts=[norm <= 8 * sqrt(y_2) / eps * sqrt(3 * z_2 + 2)]),
    ],
)
