r"""How much norm a training error saves on the line: the least norm within the error, certified on both sides.

Setting    Data as in lemma_38; $M_\varepsilon$ is the least $\|a\|^2+\|w\|^2+\|b\|^2$ of a two-layer ReLU network of
           any width with mean squared error at most $\varepsilon$, and $M_0$ that through the data.
Statement  $M_\varepsilon=2\max(\lambda^\top y-\sqrt{n\varepsilon}\|\lambda\|)$ over the $\lambda$ with
           $\sup_\theta|\sum_i\lambda_i\sigma(z_i\cos\theta+\sin\theta)|\le1$. It is at least what one datum costs,
           and at most $(1-\sqrt{n\varepsilon}/\|y\|)M_0$; for one datum all three are equal.
Witness    Upper end: a network through fitted values that are moved into the ball in rationals. Lower end: a multiplier
           divided by its supremum, whose square is rational. A cone program proposes both.
Measured   The error, rational; both ends enclosed.
Control    $n$ left out of the root; the factor 2 twice; the network through the data; twice the error.
Reads      Derived here. The width allowed, $10^{-5}$, is a thousand times the solver's tolerance ($10^{-6}$ failed
           for one data set in ten); a hundred times is the slack of the
           upper bound, which is attained.
"""

from dataclasses import replace

from sympy import Rational, sqrt

from theorytools import Claim, Control, Enclosure, points
from theorytools.numbers import maximum
from theorytools.papers.qstr.interpolation.line import min_norm_interpolant
from theorytools.papers.qstr.interpolation.line_with_error import MinNormERM, min_norm_erm

from ..definition_05.least import loss, lower, minimum, width
from ..notation import M_0, M_up, excess, f_top, n, y_2
from .lemma_38 import data

slack = 1 + Rational(1, 10**6)


def construct(p, factor=1) -> MinNormERM:
    return min_norm_erm(*data(p), epsilon=factor * p.excess)


def surround(best, p):
    free, pairs = Enclosure(p.n * p.excess), list(zip(best.near.z, best.y, strict=True))
    return {M_up: best.upper, M_0: min_norm_interpolant(*data(p)).upper, y_2: sum(y * y for y in best.y),
            f_top: lambda: maximum((abs(y) - free.sqrt()) / Enclosure(1 + z**2).sqrt() for z, y in pairs)}


def measure(best, p, error=None, bound=None, least=None):
    return {loss: (error or best).loss(), minimum: (least or best).recipe(), lower: bound or best.lower,
            width: best.relative_width}


claim = Claim(
    "Lemma 38, the least norm with a training error",
    role="variant", source="derived here: Lemma 38",
    scope={"every n, excess": "points", "every data set": "points", "every network": "closed form"},
    asserts=[loss <= excess, minimum <= slack * (1 - sqrt(n * excess / y_2)) * M_0, minimum >= 2 * f_top,
             lower <= M_up, width <= Rational(1, 10**5)],
    grid=points("data n excess", ("spike", 1, "1/4"), ("spike", 1, 9), ("unit", 4, "1/16"), ("random", 6, "1/100")),
    derive=surround, derived=[M_up, M_0, y_2, f_top], construct=construct, measure=measure,
    controls=[
        Control("n left out of the root", breaks=lower, where=n >= 2,
                measure=lambda best, p: measure(best, p, bound=replace(best, epsilon=best.epsilon / p.n).lower)),
        Control("the factor 2 twice", breaks=lower,
                measure=lambda best, p: measure(best, p, bound=lambda: 2 * best.lower())),
        Control("a network through the data", breaks=minimum <= slack * (1 - sqrt(n * excess / y_2)) * M_0,
                measure=lambda best, p: measure(best, p, least=min_norm_interpolant(*data(p)))),
        Control("twice the error", breaks=loss,
                measure=lambda best, p: measure(best, p, error=construct(p, 2))),
    ],
)
