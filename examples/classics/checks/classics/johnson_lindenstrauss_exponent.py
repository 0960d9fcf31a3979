r"""No exponent that is $\frac52$ times as large holds in the Johnson–Lindenstrauss lemma: eight ones fail more often.

Setting    As in `johnson_lindenstrauss`.
Statement  $\Pr(|S/k-1|\ge\varepsilon)\ge2e^{-\frac{5k}4(\varepsilon^2/2-\varepsilon^3/3)}$ for some $x$, $k$ and
           $\varepsilon$.
Witness    $x=(1,\dots,1)$ of length 8, $k=64$, $\varepsilon=\frac12$.
Measured   The probability, a rational by convolution.
Control    Twice the exponent.
"""

from dataclasses import replace

from sympy import exp

from theorytools import Control, points
from theorytools.search.kinds import Vectors

from .johnson_lindenstrauss import claim as lemma
from .johnson_lindenstrauss import failure, rate
from .notation import k, n

claim = replace(
    lemma, label="Johnson–Lindenstrauss lemma, its exponent", role="sharpness", source="derived here: eight ones",
    scope={"some n, k, eps and vector x": "exhibited"}, objects={"x": (Vectors(denominator=1), n, [(1,) * 8])},
    asserts=failure >= 2 * exp(-5 * k * rate / 4), grid=points("n k eps", (8, 64, "1/2")),
    controls=[Control("twice", asserts=[failure >= 2 * exp(-k * rate)], breaks=failure)],
)
