r"""Labels read off one softmax are right exactly beyond $\beta\gamma=\ln(N-1)$.

Setting    Joint tokens $(x_j,y_j)$, one layer; $N$ equidistant vectors, all but the nearest exactly at the margin
           $\gamma$, with the opposite label; weights $e^{\beta\langle x_q,x_j\rangle}$.
Statement  The margin is $\tanh\frac{\beta\gamma-\ln(N-1)}2$, with $\beta\gamma=r\ln(N-1)$ of the sign of $r-1$, 0 at
           $r=1$.
Witness    One softmax layer, its scale below and above the threshold.
Measured   The margin in balls, attained at irrational numbers, hence the tie.
Control    A ratio 0.99 times as large; a count of $N$.
Reads      Derived here. It is no threshold of the two layers by position: see nn_transformer_rounding.
"""

from dataclasses import replace
from fractions import Fraction

from sympy import Ge, Rational, log, tanh

from theorytools import Claim, Control, Quantity, enclosed, points
from theorytools.numbers import Enclosure
from theorytools.papers.sep.attention.nearest_weights import direct_margin
from theorytools.papers.sep.tasks.nearest_neighbour import NearestTask, equidistant

from ..notation import N, d_x, sharp

direct = Quantity("direct margin", r"\min_qy_{j^*}f", "label read off one layer, all others opposite", (-1, 1))
tie = Rational(1, 10**100)


def joint(p) -> NearestTask:
    return NearestTask(equidistant(p.N, p.d_x - p.N))


def read(task, p, change=1):
    return {direct: enclosed(lambda: direct_margin(task, Enclosure(p.N - 1) ** Enclosure(p.sharp * change)))}


def formula(count):
    return replace(direct.equals(tanh((sharp * log(N - 1) - log(count)) / 2)), tie=tie)


claim = Claim(
    "Nearest neighbour, labels read directly",
    role="variant", source="derived here: nearest neighbour by one softmax",
    scope={"every d_x, sharp": "points", "every N, vectors and query": "points", "some network": "exhibited",
           "every labelling": "closed form"},
    asserts=formula(N - 1), requires=[N >= 3, Ge(d_x, N)],
    grid=points("N d_x sharp", *((N, 2 * N, r) for N in (4, 64, 256) for r in ("1/2", "99/100", "101/100", 2))),
    construct=joint, measure=read,
    controls=[
        Control("a ratio of 0.99", breaks=direct, measure=lambda task, p: read(task, p, Fraction(99, 100))),
        Control("a count of N", breaks=direct, asserts=[formula(N)]),
    ],
)
